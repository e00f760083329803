import { ByteWriter, unpack } from '../../bytes/pack.ts';
import { assert } from '../../domain/assert.ts';
import { FLAG_HOLDS_PLAN } from '../../domain/order-layout.ts';
import type { Refusal } from '../../domain/rejections.ts';
import {
  type AccountIndex,
  type AssetIndex,
  amount,
  type MarketIndex,
  usdPrice,
} from '../../domain/units.ts';
import { rest } from '../book/book.ts';
import { addStop } from '../book/stops.ts';
import { createKey } from '../commands/keys.ts';
import { createAccount, restrictFamily } from '../commands/manage-accounts.ts';
import { defineAsset, defineMarket, defineNetwork } from '../commands/manage-markets.ts';
import { arm } from '../memory/deadlines.ts';
import { purseOf } from '../memory/ledger.ts';
import {
  flagsOf,
  type OrderSlot,
  openLotsOf,
  openOrder,
  setFlags,
  setHeldParts,
  setRecord,
  slotOf,
} from '../memory/order-rows.ts';
import { markForReview } from '../memory/pending.ts';
import { addNamedBucket } from '../memory/requests.ts';
import { prepareCollateral } from '../risk/collateral.ts';
import { updatePrice } from '../risk/marks.ts';
import { type Account, type Market, newState, type State } from '../state.ts';
import { countResting, link } from '../trading/end-order.ts';
import { prepareFees } from '../trading/fees.ts';
import { standingIn } from '../trading/placing.ts';
import type { AccountFacts, Facts, MarketFacts, OrderFacts, StandingFacts } from './facts.ts';

/**
 * Builds the current state from facts. The catalogue, the accounts and the keys are created by the same
 * functions that the commands use, so that whatever those maintain is maintained; what no command can express
 * is set after that. Every account is marked for review, so that the first command examines it.
 */
export function stateFromFacts(facts: Facts): State {
  const state = newState();
  const out = new ByteWriter();
  for (const { spec } of facts.assets) {
    done(defineAsset(state, { kind: 'define-asset', actor: ACTOR, asset: spec }, out));
  }
  for (const network of facts.networks) {
    done(defineNetwork(state, { kind: 'define-network', actor: ACTOR, network }, out));
  }
  addHolders(state, facts, out);
  addMarkets(state, facts.markets, facts.markets.length, out);
  addKeys(state, facts, out);
  setFamilies(state, facts);
  setPurses(state, facts);
  setPrices(state, facts);
  for (const standing of facts.standings) addStanding(state, standing);
  for (const order of facts.orders) addOrder(state, order);
  restOrders(state, facts);
  setRequests(state, facts);
  for (const account of facts.liquidating) state.liquidating.push(account as AccountIndex);
  for (const { account, market, maxLots } of facts.backstops) {
    state.backstops.push({ account: account as AccountIndex, market, maxLots });
  }
  Object.assign(state.orderLimits, facts.orderLimits);
  if (facts.wallet !== undefined) Object.assign(state.wallet, unpack(facts.wallet));
  state.sequence = facts.sequence;
  state.timeMs = facts.timeMs;
  Object.assign(state.digest, facts.digest);
  state.nextOrderId = facts.nextOrderId;
  state.feeDay = facts.feeDay;
  state.markedMinute = facts.markedMinute;
  for (const deadline of facts.deadlines) arm(state.deadlines, deadline);
  state.accounts.forEach((account, accountIndex) => {
    if (account !== null) markForReview(state.pending, accountIndex);
  });
  return state;
}

const ACTOR = 'upgrade';

/** What an old venue contains was admitted by the same functions: a refusal is a reader's mistake. */
function done(refusal: Refusal | undefined): void {
  assert(refusal === undefined, `what a venue holds can be made again (${refusal?.message})`);
}

/** In their order in the ledger, because account ids are built from it. */
function addHolders(state: State, facts: Facts, out: ByteWriter): void {
  for (const holder of facts.holders) {
    const holdersBefore = state.ledger.rows;
    if (holder.kind === 'clearing') addMarkets(state, facts.markets, holder.market + 1, out);
    else addAccount(state, facts.families[holder.family]?.name ?? '', holder, out);
    assert(state.ledger.rows === holdersBefore + 1, 'each fact adds one holder');
  }
}

/** Spot markets have no holder; they come before the next market that has one. */
function addMarkets(
  state: State,
  markets: readonly MarketFacts[],
  count: number,
  out: ByteWriter,
): void {
  for (let index = state.markets.length; index < count; index++) {
    const facts = markets[index] as MarketFacts;
    state.timeMs = facts.listedAtMs;
    done(defineMarket(state, { kind: 'define-market', actor: ACTOR, market: facts.spec }, out));
    const { version, state: marketState, stateReason, premium } = facts;
    const { lastTicks, lastLots, lastMatchAtMs, matches } = facts;
    const market = state.markets[index] as Market;
    Object.assign(market, { version, state: marketState, stateReason });
    Object.assign(market, { lastTicks, lastLots, lastMatchAtMs, matches });
    const { hour, hourSum, hourSeconds, second, samples } = premium;
    Object.assign(market.premium, { hour, hourSum, hourSeconds, second });
    samples.forEach((sample, at) => {
      market.premium.samples[at] = sample;
    });
    market.premium.count = samples.length;
    market.premium.next = samples.length % market.premium.samples.length;
    market.premium.sum = samples.reduce((sum, sample) => sum + sample, 0n);
  }
}

function addAccount(state: State, family: string, facts: AccountFacts, out: ByteWriter): void {
  const { name, accountType, createdAtMs } = facts;
  state.timeMs = createdAtMs;
  const command = { kind: 'create-account', actor: ACTOR, accountType } as const;
  done(createAccount(state, { ...command, account: { family, name } }, out));
  const { isActive, liquidating, stepAtMs, unsoldSteps } = facts;
  const account = state.accounts.at(-1) as Account;
  Object.assign(account, { isActive, liquidating, stepAtMs, unsoldSteps });
  assert(account.family === facts.family, 'families keep their places');
}

function addKeys(state: State, facts: Facts, out: ByteWriter): void {
  for (const key of facts.keys) {
    const { accessKey, sealedSecret, permissions, expiresAtMs, addresses } = key;
    const account = state.accounts[key.account] as Account;
    const family = state.families[account.family]?.name ?? '';
    done(
      createKey(
        state,
        {
          kind: 'create-key',
          actor: ACTOR,
          account: { family, name: account.name },
          accessKey,
          sealedSecret,
          permissions,
          ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
          ...(addresses === undefined ? {} : { addresses }),
        },
        out,
      ),
    );
    const { label, createdAtMs, mayWithdrawFromMs, isSession, isRevoked, revokedAtMs } = key;
    const rest = { label, createdAtMs, mayWithdrawFromMs, isSession, isRevoked, revokedAtMs };
    Object.assign(state.keys.at(-1) as State['keys'][number], rest);
  }
}

function setFamilies(state: State, facts: Facts): void {
  facts.families.forEach(({ restrictions, feeTier, volumeByDay }, index) => {
    assert(index < state.families.length, 'a family has an account');
    restrictFamily(state, index, restrictions);
    state.familyColumns.feeTier[index] = feeTier;
    volumeByDay.forEach((volume, day) => {
      (state.familyColumns.volumeByDay[day] as BigInt64Array)[index] = volume;
    });
  });
}

/** Directly into the ledger: these are not moves. The audit after an import adds them up again. */
function setPurses({ ledger }: State, facts: Facts): void {
  for (const { holder, asset, available, reserved, touchedAtMs } of facts.purses) {
    const purse = purseOf(ledger, holder as AccountIndex, asset as AssetIndex);
    ledger.available[purse] = available;
    ledger.reserved[purse] = reserved;
    ledger.touchedAtMs[purse] = touchedAtMs;
  }
}

/** Index prices are facts; marks and bands are derived from them by the current rules. */
function setPrices(state: State, facts: Facts): void {
  facts.assets.forEach(({ indexPrice, indexAtMs, jumpPrice, isQuoted, crossed }, index) => {
    const asset = state.assets[index] as State['assets'][number];
    asset.indexPrice = usdPrice(indexPrice);
    asset.indexAtMs = indexAtMs;
    asset.jumpPrice = usdPrice(jumpPrice);
    asset.isQuoted = isQuoted;
    asset.crossed.genesis = amount(crossed.genesis);
    asset.crossed.deposits = amount(crossed.deposits);
    asset.crossed.withdrawals = amount(crossed.withdrawals);
    asset.crossed.gas = amount(crossed.gas);
  });
  prepareCollateral(state);
  state.markets.forEach((market, index) => {
    prepareFees(state, market);
    updatePrice(state, index as MarketIndex);
    market.price.updatedAtMs = facts.markets[index]?.pricedAtMs ?? 0;
  });
  state.pending.priceMove = 0;
  // Nothing was pending; after a start every market's stops are checked with its first fresh price.
  state.pending.stopSweeps.length = 0;
}

function addStanding(state: State, facts: StandingFacts): void {
  const account = state.accounts[facts.account] as Account;
  const market = state.markets[facts.market] as Market;
  const order = { market: facts.market as MarketIndex };
  const at = standingIn(state, {
    accountIndex: facts.account as AccountIndex,
    account,
    market,
    order,
  });
  const { standings } = state;
  standings.lots[at] = facts.lots;
  standings.cost[at] = facts.cost;
  standings.updatedAtMs[at] = facts.updatedAtMs;
  standings.startLots[at] = facts.startLots;
  standings.unclosedSteps[at] = facts.unclosedSteps;
  market.openInterestLots += Math.max(0, facts.lots);
}

function addOrder(state: State, facts: OrderFacts): void {
  const { order } = facts;
  const slot = openOrder(state.orders, order.orderId);
  writeOrder(state, slot, facts);
  const account = state.accounts[order.account] as Account;
  const market = state.markets[order.market] as Market;
  link(state, slot, standingIn(state, { accountIndex: order.account, account, market, order }));
  if (facts.isWaiting) addStop(market.stops, state.orders, slot);
}

function writeOrder({ orders }: State, slot: OrderSlot, facts: OrderFacts): void {
  const { order, heldParts } = facts;
  setRecord(orders, slot, order);
  if (facts.holdsPlan) setFlags(orders, slot, flagsOf(orders, slot) | FLAG_HOLDS_PLAN);
  setHeldParts(orders, slot, heldParts);
}

/** By priority, which an iceberg's next slice and an amended order have lost to younger ones. */
function restOrders(state: State, facts: Facts): void {
  facts.queues.forEach((ids, index) => {
    const market = state.markets[index] as Market;
    for (const id of ids) {
      const slot = slotOf(state.orders, id);
      rest(market.book, state.orders, slot);
      countResting(state, market, slot, openLotsOf(state.orders, slot));
    }
  });
}

function setRequests({ requests }: State, facts: Facts): void {
  requests.forgottenThrough = facts.requests.forgottenThrough;
  requests.sweptAt = facts.requests.sweptAt;
  for (const bucket of facts.requests.buckets) addNamedBucket(requests, bucket);
}
