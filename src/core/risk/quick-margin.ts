import { isNarrow, type LeverageTier, narrowTickLots } from '../../domain/market.ts';
import type { OrderRequest } from '../../domain/orders.ts';
import type { AccountIndex } from '../../domain/units.ts';
import { indexAt, numberAt, partsAt } from '../memory/columns.ts';
import { availableIn, purseOf } from '../memory/ledger.ts';
import { NO_STANDING } from '../memory/standings.ts';
import type { Account, MarginTier, Market, MarketPrice, State } from '../state.ts';

/**
 * An order that would rest whole in a perpetual: a limit order whose value is below the limit of an amount.
 */
type Resting = {
  readonly market: Market;
  readonly order: Pick<OrderRequest, 'market' | 'side' | 'priceTicks'>;
  readonly sizeLots: number;
};

/** Terms below this are summed in 64 bits: one standing has five of them. */
const TERM_MAX = 1n << 58n;
const TERM_MIN = -TERM_MAX;
const SUM_MAX = 1n << 60n;
const SUM_MIN = -SUM_MAX;
const TICK_LOTS_MAX = 1n << 36n;
const PER_TICK_LOT_MAX = 1n << 22n;

/**
 * The sums, and a value that is being added to them. In memory: a bigint that is kept in a variable across a
 * loop, is assigned in two branches, or passes from one function to another that is not inlined, is allocated on
 * the heap.
 */
const sums = new BigInt64Array(4);
const INITIAL = 0;
const MAINTENANCE = 1;
const UNREALISED = 2;
const VALUE = 3;
/** The upper half of the value. */
const halves = new Int32Array(sums.buffer);
const UPPER_HALF = 2 * VALUE + 1;

/**
 * Whether the account certainly has the margin it needs, including an additional order if one is given: its
 * native balance, with the profit of its positions, covers its initial margin and twice its maintenance
 * margin, and the order stays within its market's position limit.
 *
 * Nearly every order of a perpetual is decided by this, in 64 bits, without allocating and without a division:
 * what is needed is rounded up and what is there down, by a part for every lot and half a dollar for every
 * position at most. False means "not known": if other holdings count, legs are netted, native is owed, a figure
 * is large, or it is that close, marginOf decides.
 */
export function surelyCarries(
  state: State,
  { accountIndex, account }: { readonly accountIndex: AccountIndex; readonly account: Account },
  resting?: Resting,
): boolean {
  const { ledger, standings } = state;
  if (state.hasSharedBase && account.accountType === 'PORTFOLIO') return false;
  const native = availableIn(ledger, purseOf(ledger, accountIndex, state.native));
  if (native < 0n || native >= SUM_MAX) return false;
  sums[INITIAL] = 0n;
  sums[MAINTENANCE] = 0n;
  sums[UNREALISED] = 0n;
  let isCounted = resting === undefined;
  let at = account.firstStanding;
  while (at !== NO_STANDING) {
    if (resting !== undefined && standings.market[at] === resting.order.market) {
      isCounted = true;
      if (!addStanding(state, at, resting)) return false;
    } else if (!addStanding(state, at, undefined)) return false;
    at = indexAt(standings.next, at);
  }
  if (!isCounted) return false;
  const collateral = BigInt.asIntN(64, native + sumOf(UNREALISED));
  const maintenance = sumOf(MAINTENANCE);
  if (maintenance !== 0n && BigInt.asIntN(64, maintenance + maintenance) >= collateral) {
    return false;
  }
  return collateral >= sumOf(INITIAL);
}

/** Adds what one standing needs to the sums; false if a figure is too large for them. */
function addStanding(state: State, at: number, resting: Resting | undefined): boolean {
  const { standings } = state;
  const market = state.markets[indexAt(standings.market, at)] as Market;
  const { price } = market;
  const isBuy = resting !== undefined && resting.order.side === 'BUY';
  const lots = numberAt(standings.lots, at);
  const addedLots = resting === undefined ? 0 : resting.sizeLots;
  const buyLots = numberAt(standings.buyLots, at) + (isBuy ? addedLots : 0);
  const sellLots = numberAt(standings.sellLots, at) + (isBuy ? 0 : addedLots);
  const { lotsCounted } = price;
  if (buyLots > lotsCounted || sellLots > lotsCounted) return false;
  const worstLots = Math.max(Math.abs(lots + buyLots), Math.abs(lots - sellLots));
  if (worstLots > lotsCounted) return false;

  setValueAtMost(price, worstLots);
  const worstTier = tierOfValue(market);
  if (worstTier === NO_TIER) return false;
  addShare(INITIAL, leverageOf(market, worstTier));
  if (!addLossOfOpen(state, at, market)) return false;
  if (resting !== undefined && !addLossOf(market, resting)) return false;

  const cost = partsAt(standings.cost, at);
  if (cost >= TERM_MAX || cost <= TERM_MIN) return false;
  if (lots !== 0 || cost !== 0n) {
    setValueAtMost(price, Math.abs(lots));
    const tier = tierOfValue(market);
    if (tier === NO_TIER) return false;
    addShare(MAINTENANCE, 2 * leverageOf(market, tier));
    const { maintenanceAmount } = market.marginTiers[tier] as MarginTier;
    sums[MAINTENANCE] = BigInt.asIntN(
      64,
      sumOf(MAINTENANCE) - BigInt.asIntN(64, maintenanceAmount),
    );
    if (lots < 0) takeValue(UNREALISED);
    else {
      setValueAtLeast(price, lots);
      addValue(UNREALISED);
    }
    sums[UNREALISED] = BigInt.asIntN(64, sumOf(UNREALISED) - cost);
  }
  return (
    sumOf(INITIAL) < SUM_MAX &&
    sumOf(MAINTENANCE) < SUM_MAX &&
    sumOf(UNREALISED) < SUM_MAX &&
    sumOf(UNREALISED) > SUM_MIN
  );
}

const sumOf = (at: number): bigint => sums[at] as bigint;

function addValue(at: number): void {
  sums[at] = BigInt.asIntN(64, sumOf(at) + sumOf(VALUE));
}

function takeValue(at: number): void {
  sums[at] = BigInt.asIntN(64, sumOf(at) - sumOf(VALUE));
}

/** Adds what open orders priced worse than the mark would lose against it; false if it is too large. */
function addLossOfOpen({ standings }: State, at: number, market: Market): boolean {
  const buyLots = numberAt(standings.worseBuyLots, at);
  const sellLots = numberAt(standings.worseSellLots, at);
  if (buyLots === 0 && sellLots === 0) return true;
  const bought = partsAt(standings.worseBuyTickLots, at);
  const sold = partsAt(standings.worseSellTickLots, at);
  if (bought >= TICK_LOTS_MAX || sold >= TICK_LOTS_MAX) return false;
  if (market.perTickLot >= PER_TICK_LOT_MAX) return false;
  const tickLots = BigInt.asIntN(64, bought - sold);
  const paid = BigInt.asIntN(64, tickLots * BigInt.asIntN(64, market.perTickLot));
  sums[INITIAL] = BigInt.asIntN(64, sumOf(INITIAL) + paid);
  setValueAtLeast(market.price, buyLots);
  takeValue(INITIAL);
  setValueAtMost(market.price, sellLots);
  addValue(INITIAL);
  return sumOf(VALUE) < TERM_MAX;
}

/** Adds what the order would lose against the mark, if its price is worse; false if it is too large. */
function addLossOf(market: Market, { order, sizeLots }: Resting): boolean {
  const { price, perTickLot } = market;
  const { priceTicks } = order;
  if (!isNarrow(perTickLot, priceTicks, sizeLots)) return false;
  const paid = narrowTickLots(perTickLot, priceTicks, sizeLots);
  if (paid >= TERM_MAX) return false;
  if (order.side === 'BUY') {
    setValueAtLeast(price, sizeLots);
    sums[VALUE] = BigInt.asIntN(64, paid - sumOf(VALUE));
  } else {
    setValueAtMost(price, sizeLots);
    sums[VALUE] = BigInt.asIntN(64, sumOf(VALUE) - paid);
  }
  if (sumOf(VALUE) > 0n) addValue(INITIAL);
  return true;
}

/**
 * The value of lots at the mark, at most or at least. A lot is worth `lotParts` and a fraction of a part, which
 * counts as a whole one or not at all. The caller has checked that they are no more than `lotsCounted`, so the
 * value is below 2^61.
 */
function setValueAtMost({ lotParts, lotRest }: MarketPrice, lots: number): void {
  const fraction = lotRest === 0n ? 0n : 1n;
  const each = BigInt.asIntN(64, BigInt.asIntN(64, lotParts) + fraction);
  sums[VALUE] = BigInt.asIntN(64, BigInt(lots | 0) * each);
}

function setValueAtLeast({ lotParts }: MarketPrice, lots: number): void {
  sums[VALUE] = BigInt.asIntN(64, BigInt(lots | 0) * BigInt.asIntN(64, lotParts));
}

const NO_TIER = -1;

/** The tier that holds the value; none beyond the last cap, which is the position limit, and beyond 2^58. */
function tierOfValue({ marginTiers }: Market): number {
  const value = sumOf(VALUE);
  if (value >= TERM_MAX) return NO_TIER;
  for (let at = 0; at < marginTiers.length; at++) {
    const tier = marginTiers[at] as MarginTier;
    if (value <= BigInt.asIntN(64, tier.notionalCap)) return at;
  }
  return NO_TIER;
}

const leverageOf = ({ spec }: Market, tier: number): number =>
  (spec.tiers[tier] as LeverageTier).leverage;

/**
 * Adds value / divisor at most: the number of started 2^32 parts, times the share of one. The processor takes
 * ten times as long for a division, and shifting a bigint is a function call.
 */
function addShare(to: number, divisor: number): void {
  const started = indexAt(halves, UPPER_HALF) + 1;
  const share = partsAt(SHARES, Math.min(divisor, SHARES_MAX));
  sums[to] = BigInt.asIntN(64, sumOf(to) + BigInt.asIntN(64, BigInt(started | 0) * share));
}
const SHARES_MAX = 2_000;
/** By divisor: its share of 2^32, rounded up. */
const SHARES = BigInt64Array.from({ length: SHARES_MAX + 1 }, (_, divisor) =>
  divisor === 0 ? 1n << 32n : ((1n << 32n) + BigInt(divisor) - 1n) / BigInt(divisor),
);
