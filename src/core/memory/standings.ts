import { isNarrow, narrowTickLots, tickLotsInParts } from '../../domain/market.ts';
import { BUY, type SideCode } from '../../domain/order-codes.ts';
import { indexAt, numberAt, partsAt } from './columns.ts';

/**
 * One account's position in one market, and what its open orders could add to it.
 *
 * A standing is an index into these columns, one per pair of account and market that ever met, found
 * through a table of account x market in constant time. Open orders are kept as sums, which is all that
 * margin needs of them.
 */
export type Standings = Columns & {
  used: number;
  /** account x marketStride + market -> standing + 1. */
  table: Int32Array;
  marketStride: number;
};

export const NO_STANDING = -1;

type Columns = ReturnType<typeof newColumns>;

const newColumns = (capacity: number) => ({
  account: new Int32Array(capacity),
  market: new Int32Array(capacity),
  /** The next perpetual standing of the same account. */
  next: new Int32Array(capacity),
  /** The next standing in the same market. */
  nextOfMarket: new Int32Array(capacity),
  openOrders: new Int32Array(capacity),
  /** Signed: negative is short. */
  lots: new Float64Array(capacity),
  /** The exact signed sum of price x quantity, in native parts. */
  cost: new BigInt64Array(capacity),
  updatedAtMs: new Float64Array(capacity),
  /** The size when its account went into liquidation. */
  startLots: new Float64Array(capacity),
  /** In liquidation: steps in which its slice was not closed whole, since one last was. */
  unclosedSteps: new Uint8Array(capacity),
  /** One bit per side: it is in the queue of closing reviews. */
  isInReview: new Uint8Array(capacity),
  /** Open lots of orders that may add to the position, and of those that only reduce it. */
  buyLots: new Float64Array(capacity),
  sellLots: new Float64Array(capacity),
  reduceBuyLots: new Float64Array(capacity),
  reduceSellLots: new Float64Array(capacity),
  /** Of buyLots and sellLots, those priced worse than the mark, and the sum of their ticks x lots. */
  worseBuyLots: new Float64Array(capacity),
  worseSellLots: new Float64Array(capacity),
  worseBuyTickLots: new BigInt64Array(capacity),
  worseSellTickLots: new BigInt64Array(capacity),
});

export const newStandings = (): Standings => ({
  ...newColumns(64),
  used: 0,
  table: new Int32Array(0),
  marketStride: 8,
});

/** The standing of an account in a market, or NO_STANDING. */
export const standingOf = (standings: Standings, account: number, market: number): number =>
  (standings.table[account * standings.marketStride + market] ?? 0) - 1;

/** The standing of an account in a market, created when they first meet. */
export function standingFor(standings: Standings, account: number, market: number): number {
  const at = account * standings.marketStride + market;
  if (at >= standings.table.length) growTable(standings, account);
  const found = indexAt(standings.table, at) - 1;
  if (found !== NO_STANDING) return found;
  if (standings.used === standings.account.length) growColumns(standings);
  const standing = standings.used++;
  standings.account[standing] = account;
  standings.market[standing] = market;
  standings.next[standing] = NO_STANDING;
  standings.table[at] = standing + 1;
  return standing;
}

/** Adds lots of a resting order to the sums, or subtracts them. */
export function countOpenLots(
  standings: Standings,
  standing: number,
  order: {
    readonly side: SideCode;
    readonly isReduceOnly: boolean;
    readonly isWorse: boolean;
    readonly priceTicks: number;
  },
  lots: number,
): void {
  const isBuy = order.side === BUY;
  if (order.isReduceOnly) {
    add(isBuy ? standings.reduceBuyLots : standings.reduceSellLots, standing, lots);
    return;
  }
  add(isBuy ? standings.buyLots : standings.sellLots, standing, lots);
  if (order.isWorse) countWorse(standings, standing, order.side, order.priceTicks, lots);
}

export function countWorse(
  standings: Standings,
  standing: number,
  side: SideCode,
  priceTicks: number,
  lots: number,
): void {
  const isBuy = side === BUY;
  add(isBuy ? standings.worseBuyLots : standings.worseSellLots, standing, lots);
  const sums = isBuy ? standings.worseBuyTickLots : standings.worseSellTickLots;
  if (isNarrow(1n, priceTicks, lots)) {
    addParts(sums, standing, narrowTickLots(1n, priceTicks, lots));
  } else addParts(sums, standing, tickLotsInParts(1n, priceTicks, lots));
}

/** Makes room for a market in the table. */
export function ensureMarkets(standings: Standings, count: number): void {
  if (count <= standings.marketStride) return;
  const stride = standings.marketStride * 2;
  const accounts = standings.table.length / standings.marketStride;
  const table = new Int32Array(accounts * stride);
  for (let account = 0; account < accounts; account++) {
    const from = account * standings.marketStride;
    table.set(standings.table.subarray(from, from + standings.marketStride), account * stride);
  }
  standings.table = table;
  standings.marketStride = stride;
}

function growTable(standings: Standings, account: number): void {
  const rows = Math.max(64, account * 2);
  const table = new Int32Array(rows * standings.marketStride);
  table.set(standings.table);
  standings.table = table;
}

function growColumns(standings: Standings): void {
  const bigger = newColumns(standings.account.length * 2);
  for (const name of Object.keys(bigger) as (keyof Columns)[]) {
    (bigger[name] as Float64Array).set(standings[name] as Float64Array);
  }
  Object.assign(standings, bigger);
}

function add(column: Float64Array, standing: number, lots: number): void {
  column[standing] = (column[standing] as number) + lots;
}

function addParts(column: BigInt64Array, standing: number, parts: bigint): void {
  column[standing] = BigInt.asIntN(64, partsAt(column, standing) + BigInt.asIntN(64, parts));
}

/** Whether the resting orders of a side could take the position beyond zero: they do not only reduce. */
export function exceedsPosition(standings: Standings, standing: number, side: SideCode): boolean {
  const lots = numberAt(standings.lots, standing);
  if (side === BUY) {
    const open =
      numberAt(standings.buyLots, standing) + numberAt(standings.reduceBuyLots, standing);
    return open > Math.max(0, -lots);
  }
  const open =
    numberAt(standings.sellLots, standing) + numberAt(standings.reduceSellLots, standing);
  return open > Math.max(0, lots);
}
