import type { ByteWriter } from '../../bytes/pack.ts';
import { WORK_BOUNDS } from '../../domain/bounds.ts';
import { ceilDiv, floorDiv } from '../../domain/decimal.ts';
import { encodeEvent } from '../../domain/event-codec.ts';
import type { LiquidationPhase } from '../../domain/events.ts';
import { BUY, SELL } from '../../domain/order-codes.ts';
import { SOURCES } from '../../domain/terms.ts';
import {
  type AccountIndex,
  type AssetIndex,
  amount,
  exactNumber,
  type MarketIndex,
} from '../../domain/units.ts';
import { availableIn, move, purseOf } from '../memory/ledger.ts';
import { collateralValue, indexValue } from '../risk/collateral.ts';
import { isTradable } from '../risk/freshness.ts';
import { isDone } from '../risk/liquidation-plan.ts';
import { marginOf } from '../risk/margin.ts';
import { type Account, holderIndex, type Market, type State } from '../state.ts';
import { takeNow } from '../trading/system-order.ts';
import { insuranceHolds, payFromDeficit, payFromInsurance, payShortfall } from './insurance.ts';

/** After this many steps without a sale the fund takes over what is left. */
const UNSOLD_STEPS_MAX = 5;

/** Purchases of one step. At prices inside a band of 30 % each spends half or more of what there is. */
const PURCHASES_MAX = 8;

/** Whose holdings are sold, and where events go. */
type Seller = {
  readonly state: State;
  readonly accountIndex: AccountIndex;
  readonly out: ByteWriter;
};

/**
 * One step for an account without positions that still owes native: the largest of its other assets of which
 * anybody takes something, counted as collateral or not, is turned into native. It is sold in the books inside the
 * band; the insurance fund buys the rest at index x loan-to-value while it can pay; after five steps without a sale
 * the fund takes over everything and the deficit pays. When no asset is left, the fund and then the deficit pay the
 * debt.
 *
 * Returns how many assets there were, which the command counts as work.
 */
export function sellCollateral(seller: Seller): number {
  const debt = debtOf(seller);
  if (debt === 0n) return 0;
  const assets = holdingsOf(seller);
  if (assets.length > 0) offer(seller, assets, debt);
  else {
    const paid = payShortfall(seller.state, seller.accountIndex, debt);
    emitSale(seller, { phase: 'paid-out', asset: undefined, given: 0n, repaid: paid });
  }
  return assets.length;
}

/** One after the other, until somebody takes something of one. */
function offer(seller: Seller, assets: readonly AssetIndex[], debt: bigint): void {
  const { state, accountIndex } = seller;
  const account = state.accounts[accountIndex] as Account;
  for (const [at, asset] of assets.entries()) {
    if (!sellOne(seller, asset, debt, at === 0)) continue;
    account.unsoldSteps = 0;
    return;
  }
  account.unsoldSteps++;
  if (account.unsoldSteps < UNSOLD_STEPS_MAX) {
    emitSale(seller, { phase: 'nobody', asset: assets[0], given: 0n, repaid: 0n });
    return;
  }
  account.unsoldSteps = 0;
  takeOver(seller, assets);
}

/**
 * What the books leave, the fund buys; what they would still take goes on in the next step. Returns whether either
 * took anything.
 */
function sellOne(seller: Seller, asset: AssetIndex, debt: bigint, isFirst: boolean): boolean {
  const { state, accountIndex } = seller;
  const account = state.accounts[accountIndex] as Account;
  const { isSold, isCut } = sellByBooks(seller, asset, debt, isFirst);
  const isOver = isSold && isDone(marginOf(state, accountIndex, account));
  const isBought = !isOver && !isCut && sellToFund(seller, asset);
  return isSold || isBought;
}

/**
 * Largest first, until nothing is owed or nothing is left. What repays nothing, because its loan-to-value is 0
 * or its value rounds to it, goes only when all the rest has not been enough.
 */
function takeOver(seller: Seller, assets: readonly AssetIndex[]): void {
  const { state, accountIndex } = seller;
  const worthOf = (asset: AssetIndex) => collateralValue(state, asset, held(seller, asset));
  const repaying = assets.filter((asset) => worthOf(asset) > 0n);
  const worthless = assets.filter((asset) => worthOf(asset) === 0n);
  for (const asset of [...repaying, ...worthless]) {
    const debt = debtOf(seller);
    if (debt === 0n) return;
    const value = worthOf(asset);
    const due = value < debt ? value : debt;
    const paid = payFromDeficit(state, accountIndex, due);
    const given = giveToFund(seller, asset, { price: paid, value });
    emitSale(seller, { phase: 'taken-over', asset, given, repaid: paid });
  }
}

const debtOf = (seller: Seller): bigint => {
  const native = held(seller, seller.state.native);
  return native < 0n ? -native : 0n;
};

const held = ({ state, accountIndex }: Seller, asset: AssetIndex) =>
  availableIn(state.ledger, purseOf(state.ledger, accountIndex, asset));

/**
 * Largest first by index value, without loan-to-value; of equal ones the older asset. Dust whose value rounds to
 * zero does not count.
 */
function holdingsOf(seller: Seller): readonly AssetIndex[] {
  const { state } = seller;
  const found: { readonly asset: AssetIndex; readonly value: bigint }[] = [];
  state.assets.forEach((_, index) => {
    const asset = index as AssetIndex;
    if (asset === state.native) return;
    const value = indexValue(state, asset, held(seller, asset));
    if (value > 0n) found.push({ asset, value });
  });
  found.sort((a, b) => (a.value === b.value ? a.asset - b.asset : a.value > b.value ? -1 : 1));
  return found.map(({ asset }) => asset);
}

/**
 * Asset -> USDT -> native, immediate or cancel inside the band. USDT that was there before is spent with the first
 * asset of a step.
 */
function sellByBooks(
  seller: Seller,
  asset: AssetIndex,
  debt: bigint,
  isFirst: boolean,
): { readonly isSold: boolean; readonly isCut: boolean } {
  const { state } = seller;
  const sale = asset === state.usdt ? undefined : spotMarket(state, asset, state.usdt);
  const sold = sale === undefined ? NOTHING_TRADED : sell(seller, sale, debt);
  const isAssetSold = sold.lots > 0;
  const market = isAssetSold || isFirst ? spotMarket(state, state.native, state.usdt) : undefined;
  const bought = market === undefined ? NOTHING_TRADED : buyNative(seller, market);
  const isSold = isAssetSold || bought.lots > 0;
  if (isSold) {
    const from = isAssetSold ? asset : state.usdt;
    emitSale(seller, { phase: 'book', asset: from, given: 0n, repaid: debt - debtOf(seller) });
  }
  return { isSold, isCut: sold.isCut || bought.isCut };
}

/** What one side of a sale did in a book; `isCut` if it made all the matches that a step may make there. */
type Traded = { readonly lots: number; readonly isCut: boolean };
const NOTHING_TRADED: Traded = { lots: 0, isCut: false };

/** Sells the lots that the debt could need at the worst price of the band. */
function sell(seller: Seller, marketIndex: MarketIndex, debt: bigint): Traded {
  const { state, accountIndex, out } = seller;
  const market = state.markets[marketIndex] as Market;
  const asset = market.baseAsset;
  const { lowerTicks } = market.price;
  const there = floorDiv(held(seller, asset), market.perLot);
  const all = indexValue(state, asset, held(seller, asset));
  // Twice the share that covers the debt at index leaves room for fees, price and rounding.
  const needed = all === 0n ? there : ceilDiv(there * 2n * debt, all);
  const lots = exactNumber(least(needed, there, BigInt(market.spec.maxOrderLots)));
  if (lots < 1 || lowerTicks < 1) return NOTHING_TRADED;
  const order = { market: marketIndex, side: SELL, lots, priceTicks: lowerTicks } as const;
  const source = SOURCES.POSITION_LIQUIDATION;
  const cutAt = market.matches + WORK_BOUNDS.matchesPerRequest;
  const sold = takeNow(state, { accountIndex, ...order, source }, out);
  return { lots: sold, isCut: market.matches === cutAt };
}

/**
 * Buys what is owed with the USDT there is. An order holds its price at the edge of the band and pays less, so what
 * comes back from it is spent by the next one, until the book has no more. Together they make no more matches than
 * one order may: a book of tiny offers must not hold up the venue.
 */
function buyNative(seller: Seller, marketIndex: MarketIndex): Traded {
  const { state, accountIndex, out } = seller;
  const market = state.markets[marketIndex] as Market;
  const { upperTicks } = market.price;
  const order = { market: marketIndex, side: BUY, priceTicks: upperTicks } as const;
  const source = SOURCES.POSITION_LIQUIDATION;
  const cutAt = market.matches + WORK_BOUNDS.matchesPerRequest;
  let leftLots = market.spec.maxOrderLots;
  for (let purchase = 0; purchase < PURCHASES_MAX; purchase++) {
    const ordersMax = cutAt - market.matches;
    const affordable = floorDiv(held(seller, state.usdt), BigInt(upperTicks) * market.perTickLot);
    const needed = ceilDiv(debtOf(seller), market.perLot);
    const lots = exactNumber(least(affordable, needed, BigInt(leftLots)));
    if (lots < 1 || ordersMax === 0) break;
    const bought = takeNow(state, { accountIndex, ...order, lots, source }, out, ordersMax);
    leftLots -= bought;
    if (bought < lots) break;
  }
  return { lots: market.spec.maxOrderLots - leftLots, isCut: market.matches === cutAt };
}

/** The fund buys at index x loan-to-value what it can pay for. */
function sellToFund(seller: Seller, asset: AssetIndex): boolean {
  const { state, accountIndex } = seller;
  const value = collateralValue(state, asset, held(seller, asset));
  const paid = least(value, debtOf(seller), insuranceHolds(state));
  if (paid <= 0n) return false;
  const given = giveToFund(seller, asset, { price: paid, value });
  payFromInsurance(state, accountIndex, paid);
  emitSale(seller, { phase: 'fund', asset, given, repaid: paid });
  return true;
}

/** Moves price / value of the holding to the fund, rounded up in the fund's favour. Returns the parts moved. */
function giveToFund(
  seller: Seller,
  asset: AssetIndex,
  { price, value }: { readonly price: bigint; readonly value: bigint },
): bigint {
  const { state, accountIndex } = seller;
  const { ledger } = state;
  const all = held(seller, asset);
  const parts = value === 0n ? all : ceilDiv(all * price, value);
  const to = purseOf(ledger, holderIndex('insurance'), asset);
  const given = amount(parts < all ? parts : all);
  move(ledger, purseOf(ledger, accountIndex, asset), to, given, state.timeMs);
  return given;
}

function spotMarket(state: State, base: AssetIndex, counter: AssetIndex): MarketIndex | undefined {
  const index = state.markets.findIndex(
    (market) =>
      market.spec.type === 'SPOT' && market.baseAsset === base && market.settleAsset === counter,
  );
  const market = state.markets[index];
  return market !== undefined && isTradable(state, market) ? (index as MarketIndex) : undefined;
}

const least = (...values: bigint[]): bigint => values.reduce((a, b) => (a < b ? a : b));

/** What one phase of a step took from the account and paid off its debt. */
type Sale = {
  readonly phase: LiquidationPhase;
  readonly asset: AssetIndex | undefined;
  readonly given: bigint;
  readonly repaid: bigint;
};

function emitSale(seller: Seller, { phase, asset, given, repaid }: Sale): void {
  encodeEvent(seller.out, {
    kind: 'collateral-sold',
    account: seller.accountIndex,
    phase,
    ...(asset === undefined ? {} : { asset }),
    given: amount(given),
    repaid: amount(repaid),
    debt: amount(debtOf(seller)),
  });
}
