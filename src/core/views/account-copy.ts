import { ByteWriter } from '../../bytes/pack.ts';
import { BUY, opposite } from '../../domain/order-codes.ts';
import type {
  AccountIndex,
  AssetIndex,
  FamilyIndex,
  Lots,
  MarketIndex,
  Ticks,
} from '../../domain/units.ts';
import { newBook } from '../book/book.ts';
import { type Match, newMatch } from '../book/match.ts';
import { newStops } from '../book/stops.ts';
import { numberAt, partsAt } from '../memory/columns.ts';
import { addFamilyColumns, feeTierOf } from '../memory/family-columns.ts';
import { ensureAssets, purseOf } from '../memory/ledger.ts';
import {
  accountOf,
  marketOf,
  NO_ORDER,
  type OrderSlot,
  openOrder,
  setAccount,
  setFamily,
  setFilledCostParts,
  setHeldParts,
  setMarket,
  setOpenLots,
  setPriceTicks,
  setSide,
  setStanding,
  setTotalLots,
  sideOf,
  wipeOrder,
} from '../memory/order-rows.ts';
import { ensureMarkets, NO_STANDING, standingFor, standingOf } from '../memory/standings.ts';
import { type Account, addHolder, type Market, newState, type State } from '../state.ts';
import { standingIn } from '../trading/placing.ts';
import { settleMatch } from '../trading/settle-match.ts';

/**
 * One account with its holdings, positions and counted orders, in a small separate state, where the real
 * settlement and margin code may run. The venue is not touched. The counterparty is a stranger who has
 * whatever is needed.
 *
 * Cost: the assets and markets of the venue, not its accounts or orders.
 */
export type AccountCopy = {
  readonly state: State;
  readonly accountIndex: AccountIndex;
  readonly account: Account;
  /** The stranger's order, created again for every fill. */
  readonly strangersOrder: OrderSlot;
  /** The current match, and its events, which nobody reads. */
  readonly match: Match;
  readonly events: ByteWriter;
};

export function copyAccount(state: State, accountIndex: AccountIndex): AccountCopy {
  const alone = newState();
  alone.sequence = state.sequence;
  alone.timeMs = state.timeMs;
  alone.native = state.native;
  alone.usdt = state.usdt;
  alone.hasSharedBase = state.hasSharedBase;
  while (alone.ledger.stride < state.ledger.stride) {
    ensureAssets(alone.ledger, alone.ledger.stride + 1);
  }
  for (const asset of state.assets) {
    const { collateral, crossed } = asset;
    alone.assets.push({ ...asset, collateral: { ...collateral }, crossed: { ...crossed } });
  }
  for (const [code, index] of state.assetByCode) alone.assetByCode.set(code, index);
  const found = state.accounts[accountIndex] as Account;
  const { at, account } = addCopy(state, found, alone);
  copyPurses(state, accountIndex, alone, at);
  const { at: stranger } = addCopy(state, found, alone);
  copyMarkets(state, accountIndex, { state: alone, accountIndex: at, account });
  // Nobody else can pay here: every purse of the small state may owe.
  alone.ledger.mayOwe.fill(1);
  const strangersOrder = openOrder(alone.orders, 1);
  wipeOrder(alone.orders, strangersOrder);
  setAccount(alone.orders, strangersOrder, stranger);
  setFamily(alone.orders, strangersOrder, 1);
  return {
    ...{ state: alone, accountIndex: at, account, strangersOrder },
    ...{ match: newMatch(), events: new ByteWriter(4 * 1024) },
  };
}

/** An account with the same settings, but empty, in its own family. */
function addCopy(
  state: State,
  found: Account,
  alone: State,
): { readonly at: AccountIndex; readonly account: Account } {
  const family = state.families[found.family];
  alone.families.push({
    name: `what-if ${alone.families.length}`,
    restrictions: family?.restrictions ?? [],
    accounts: [],
  });
  const copied = alone.families.length - 1;
  addFamilyColumns(alone.familyColumns, copied);
  alone.familyColumns.feeTier[copied] = feeTierOf(state.familyColumns, found.family);
  alone.familyColumns.isBarred[copied] = state.familyColumns.isBarred[found.family] ?? 0;
  const account: Account = {
    ...found,
    family: copied as FamilyIndex,
    firstOrder: NO_ORDER,
    openOrders: 0,
    firstStanding: NO_STANDING,
  };
  return { at: addHolder(alone, account), account };
}

function copyPurses(
  state: State,
  accountIndex: AccountIndex,
  alone: State,
  at: AccountIndex,
): void {
  const { ledger } = state;
  state.assets.forEach((_, index) => {
    const from = purseOf(ledger, accountIndex, index as AssetIndex);
    const to = purseOf(alone.ledger, at, index as AssetIndex);
    alone.ledger.available[to] = partsAt(ledger.available, from);
    alone.ledger.reserved[to] = partsAt(ledger.reserved, from);
    alone.ledger.touchedAtMs[to] = numberAt(ledger.touchedAtMs, from);
  });
}

function copyMarkets(
  state: State,
  accountIndex: AccountIndex,
  {
    state: alone,
    accountIndex: at,
    account,
  }: Pick<AccountCopy, 'state' | 'accountIndex' | 'account'>,
): void {
  while (alone.standings.marketStride < state.standings.marketStride) {
    ensureMarkets(alone.standings, alone.standings.marketStride + 1);
  }
  state.markets.forEach((market, index) => {
    const copied: Market = {
      ...market,
      clearing: addHolder(alone, null),
      price: { ...market.price },
      premium: { ...market.premium, samples: market.premium.samples.slice() },
      feeTerms: { ...market.feeTerms },
      book: newBook(),
      stops: newStops(),
      firstStanding: NO_STANDING,
    };
    alone.markets.push(copied);
    const from = standingOf(state.standings, accountIndex, index);
    if (from === NO_STANDING) return;
    const order = { market: index as MarketIndex };
    const to = standingIn(alone, { accountIndex: at, account, market: copied, order });
    for (const name of COPIED) {
      (alone.standings[name] as Float64Array)[to] = (state.standings[name] as Float64Array)[
        from
      ] as number;
    }
  });
}

const COPIED = [
  'openOrders',
  'lots',
  'cost',
  'updatedAtMs',
  'buyLots',
  'sellLots',
  'reduceBuyLots',
  'reduceSellLots',
  'worseBuyLots',
  'worseSellLots',
  'worseBuyTickLots',
  'worseSellTickLots',
] as const;

/** Settles one match of the account's order with another order in the copy. */
export function settleInCopy(
  { state, match, events }: AccountCopy,
  market: Market,
  taker: OrderSlot,
  met: { readonly maker: OrderSlot; readonly priceTicks: number; readonly lots: number },
): void {
  match.maker = met.maker;
  match.priceTicks = met.priceTicks as Ticks;
  match.lots = met.lots as Lots;
  events.clear();
  settleMatch(state, market, taker, match, events);
}

/** Settles one match of the account's order with the stranger. */
export function settleWithStranger(
  copy: AccountCopy,
  market: Market,
  taker: OrderSlot,
  { priceTicks, lots }: { readonly priceTicks: number; readonly lots: number },
): void {
  const { strangersOrder: maker, state } = copy;
  const { orders, ledger } = state;
  setSide(orders, maker, opposite(sideOf(orders, taker)));
  const index = marketOf(orders, taker);
  setMarket(orders, maker, index);
  setStanding(orders, maker, standingFor(state.standings, accountOf(orders, maker), index));
  setPriceTicks(orders, maker, priceTicks);
  setTotalLots(orders, maker, lots);
  setOpenLots(orders, maker, lots);
  setFilledCostParts(orders, maker, 0n);
  if (market.spec.type === 'SPOT') {
    const isBuyer = sideOf(orders, maker) === BUY;
    const asset = isBuyer ? market.settleAsset : market.baseAsset;
    const parts = isBuyer
      ? BigInt(priceTicks) * BigInt(lots) * market.perTickLot
      : BigInt(lots) * market.perLot;
    const purse = purseOf(ledger, accountOf(orders, maker), asset);
    // He has it, and what he got before is gone: his holdings grow with no match.
    const got = isBuyer ? market.baseAsset : market.settleAsset;
    ledger.available[purseOf(ledger, accountOf(orders, maker), got)] = 0n;
    ledger.available[purse] = 0n;
    ledger.reserved[purse] = parts;
    setHeldParts(orders, maker, parts);
  }
  settleInCopy(copy, market, taker, { maker, priceTicks, lots });
}
