import { tickLotsInParts } from '../../domain/market.ts';
import type { OrderRequest } from '../../domain/orders.ts';
import type { AccountIndex } from '../../domain/units.ts';
import { indexAt, numberAt, partsAt } from '../memory/columns.ts';
import { availableIn, purseOf } from '../memory/ledger.ts';
import { NO_STANDING } from '../memory/standings.ts';
import type { Account, MarginTier, Market, State } from '../state.ts';
import { markValueUp } from './tiers.ts';

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
const TICK_LOTS_MAX = 1n << 40n;
const PER_TICK_LOT_MAX = 1n << 18n;

/**
 * The sums, in memory: a bigint that is kept in a variable across a loop, or in a record, is allocated on the
 * heap.
 */
const sums = new BigInt64Array(3);
const INITIAL = 0;
const MAINTENANCE = 1;
const UNREALISED = 2;

/**
 * Whether the account certainly has the margin it needs, including an additional order if one is given: its
 * native balance, with the profit of its positions, covers its initial margin and twice its maintenance
 * margin, and the order stays within its market's position limit.
 *
 * Nearly every order of a perpetual is decided by this, without allocating and in 64 bits; the figures are
 * those of marginOf, rounded alike. False means "not known": if other holdings count, legs are netted, native
 * is owed, or a figure is large, marginOf decides.
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
  const isBuy = resting !== undefined && resting.order.side === 'BUY';
  const lots = numberAt(standings.lots, at);
  const addedLots = resting === undefined ? 0 : resting.sizeLots;
  const buyLots = numberAt(standings.buyLots, at) + (isBuy ? addedLots : 0);
  const sellLots = numberAt(standings.sellLots, at) + (isBuy ? 0 : addedLots);
  const { lotsCounted } = market.price;
  if (buyLots > lotsCounted || sellLots > lotsCounted) return false;
  const worstLots = Math.max(Math.abs(lots + buyLots), Math.abs(lots - sellLots));
  if (worstLots > lotsCounted) return false;

  const worst = markValueUp(market, worstLots);
  const worstTier = tierAt(market, worst);
  if (worstTier === undefined || worst >= TERM_MAX) return false;
  const loss = lossOfOpen(state, at, market);
  if (loss < 0n) return false;
  let initial = BigInt.asIntN(64, ceilShare(worst, worstTier.leverage) + loss);
  if (resting !== undefined) {
    const lossOfOrder = lossOf(market, resting);
    if (lossOfOrder >= TERM_MAX) return false;
    initial = BigInt.asIntN(64, initial + lossOfOrder);
  }
  sums[INITIAL] = BigInt.asIntN(64, sumOf(INITIAL) + initial);

  const cost = partsAt(standings.cost, at);
  if (cost >= TERM_MAX || cost <= TERM_MIN) return false;
  if (lots !== 0 || cost !== 0n) {
    const notional = markValueUp(market, Math.abs(lots));
    const tier = tierAt(market, notional);
    if (tier === undefined) return false;
    const required = ceilShare(notional, tier.twiceLeverage);
    const maintenance = BigInt.asIntN(64, required - BigInt.asIntN(64, tier.maintenanceAmount));
    sums[MAINTENANCE] = BigInt.asIntN(64, sumOf(MAINTENANCE) + maintenance);
    const gained = BigInt.asIntN(64, BigInt.asIntN(64, -markValueUp(market, -lots)) - cost);
    sums[UNREALISED] = BigInt.asIntN(64, sumOf(UNREALISED) + gained);
  }
  return (
    sumOf(INITIAL) < SUM_MAX &&
    sumOf(MAINTENANCE) < SUM_MAX &&
    sumOf(UNREALISED) < SUM_MAX &&
    sumOf(UNREALISED) > SUM_MIN
  );
}

const sumOf = (at: number): bigint => sums[at] as bigint;

/**
 * What open orders priced worse than the mark would lose against it; below 0 if it is too large for 64 bits.
 */
function lossOfOpen({ standings }: State, at: number, market: Market): bigint {
  const buyLots = numberAt(standings.worseBuyLots, at);
  const sellLots = numberAt(standings.worseSellLots, at);
  if (buyLots === 0 && sellLots === 0) return 0n;
  const buyTickLots = partsAt(standings.worseBuyTickLots, at);
  const sellTickLots = partsAt(standings.worseSellTickLots, at);
  if (buyTickLots >= TICK_LOTS_MAX || sellTickLots >= TICK_LOTS_MAX) return -1n;
  if (market.perTickLot >= PER_TICK_LOT_MAX) return -1n;
  const perTickLot = BigInt.asIntN(64, market.perTickLot);
  const sold = markValueUp(market, sellLots);
  if (sold >= TERM_MAX) return -1n;
  const paid = BigInt.asIntN(64, buyTickLots * perTickLot);
  const bought = BigInt.asIntN(64, -markValueUp(market, -buyLots));
  const received = BigInt.asIntN(64, sellTickLots * perTickLot);
  const ofBuys = BigInt.asIntN(64, paid - bought);
  return BigInt.asIntN(64, ofBuys + BigInt.asIntN(64, sold - received));
}

/** What the order would lose against the mark; 0 if its price is better, TERM_MAX if it is too large. */
function lossOf(market: Market, { order, sizeLots }: Resting): bigint {
  const exact = tickLotsInParts(market.perTickLot, order.priceTicks, sizeLots);
  if (exact >= TERM_MAX) return TERM_MAX;
  const value = BigInt.asIntN(64, exact);
  const loss =
    order.side === 'BUY'
      ? BigInt.asIntN(64, value + markValueUp(market, -sizeLots))
      : BigInt.asIntN(64, markValueUp(market, sizeLots) - value);
  return loss > 0n ? loss : 0n;
}

/** The tier that holds a notional; none beyond the last cap, which is the position limit. */
function tierAt({ marginTiers }: Market, notional: bigint): MarginTier | undefined {
  for (let at = 0; at < marginTiers.length; at++) {
    const tier = marginTiers[at] as MarginTier;
    if (notional <= BigInt.asIntN(64, tier.notionalCap)) return tier;
  }
  return undefined;
}

/** Rounded up; both are below 2^62. */
function ceilShare(parts: bigint, divisor: bigint): bigint {
  const by = BigInt.asIntN(64, divisor);
  return BigInt.asIntN(64, BigInt.asIntN(64, parts + BigInt.asIntN(64, by - 1n)) / by);
}
