import { assert } from '../../domain/assert.ts';
import { ceilDiv, floorDiv, halfEven } from '../../domain/decimal.ts';
import { RATE_ONE, tickSize } from '../../domain/market.ts';
import { BUY, SELL, type SideCode } from '../../domain/order-codes.ts';
import { exactNumber, type MarketIndex, TICKS_MAX, USD_SCALE } from '../../domain/units.ts';
import { type Book, bestLevel, NO_LEVEL, nextLevel } from '../book/book.ts';
import { numberAt } from '../memory/columns.ts';
import {
  isReduceOnly,
  NO_ORDER,
  nextOf,
  type OrderSlot,
  openLotsOf,
  priceTicksOf,
  sideOf,
  standingOfOrder,
} from '../memory/order-rows.ts';
import { sweepStops } from '../memory/pending.ts';
import { countWorse } from '../memory/standings.ts';
import { MOVE_MAX, MOVE_ONE } from '../memory/watch.ts';
import type { Market, MarketPrice, State } from '../state.ts';
import { meanPremium } from './premium.ts';
import { setMarkPrice } from './tiers.ts';

/**
 * Index and mark of a market, its price band, and the totals of open orders that depend on the mark.
 *
 * A perpetual's index is its base asset's; a spot market's is base / counter. The mark of a perpetual is
 * the index plus the mean premium of its book, at most half the band away; on spot it is the index. Both
 * are whole numbers of 10^-8.
 */
export const newMarketPrice = (): MarketPrice => ({
  index: 0n,
  mark: 0n,
  lotParts: 0n,
  lotRest: 0n,
  lotsCounted: 0,
  updatedAtMs: 0,
  lowerTicks: 0,
  upperTicks: 0,
  floorTicks: 0,
  ceilTicks: 0,
});

/** Takes the newest index prices. A market without one cannot be traded yet. */
export function updatePrice(state: State, index: MarketIndex): void {
  const market = marketAt(state, index);
  const indexPrice = indexOf(state, market);
  if (indexPrice === 0n) return;
  const { price } = market;
  price.index = indexPrice;
  price.updatedAtMs = state.timeMs;
  setMark(state, index, market, markOf(market));
}

/** Recomputes the mark after a sample of the book. */
export function refreshMark(state: State, index: MarketIndex): void {
  const market = marketAt(state, index);
  setMark(state, index, market, markOf(market));
}

function markOf({ price, premium, spec }: Market): bigint {
  const { index } = price;
  if (spec.type === 'SPOT') return index;
  const mark = index + meanPremium(premium);
  const room = halfEven(index * spec.band, 2n * RATE_ONE);
  return mark > index + room ? index + room : mark < index - room ? index - room : mark;
}

function setMark(state: State, index: MarketIndex, market: Market, mark: bigint): void {
  const { price, spec } = market;
  const before = { floor: price.floorTicks, ceil: price.ceilTicks };
  if (mark === price.mark) return;
  // A spot mark is computed from two index prices, whose moves are recorded when they are set.
  if (spec.type === 'FUTURE') noteMove(state, price.mark, mark);
  setMarkPrice(market, mark);
  countInTicks(market);
  if (spec.type === 'FUTURE') {
    const { floorTicks, ceilTicks } = price;
    recountWorse(state, market.book, { side: BUY, from: before.floor, to: floorTicks });
    recountWorse(state, market.book, { side: SELL, from: before.ceil, to: ceilTicks });
  }
  sweepStops(state.pending, index);
}

/**
 * The mark and its band in ticks. The band is rounded outward, so that no price that it allows is refused.
 */
export function countInTicks({ price, spec }: Market): void {
  const { mark } = price;
  const tick = tickSize(spec);
  price.floorTicks = ticksUpTo(floorDiv(mark, tick));
  price.ceilTicks = ticksUpTo(ceilDiv(mark, tick));
  price.upperTicks = ticksUpTo(ceilDiv(mark * (RATE_ONE + spec.band), tick * RATE_ONE));
  price.lowerTicks = ticksUpTo(floorDiv(mark * (RATE_ONE - spec.band), tick * RATE_ONE));
}

/** A spot mark is a quotient of two prices: in fine ticks it may exceed what a number holds exactly. */
export const ticksUpTo = (ticks: bigint): number =>
  exactNumber(ticks < TICKS_WIDE ? ticks : TICKS_WIDE);
const TICKS_WIDE = BigInt(TICKS_MAX);

/**
 * Records the largest relative price move of this command, (larger - smaller) / smaller rounded up, for
 * memory/watch.ts. No price moves twice in a command.
 */
export function noteMove(state: State, before: bigint, after: bigint): void {
  if (before === 0n) return;
  const difference = after > before ? after - before : before - after;
  const smaller = after < before ? after : before;
  const move = ceilDiv(difference * MOVE_ONE, smaller === 0n ? 1n : smaller);
  const parts = exactNumber(move < MOVE_MAX ? move : MOVE_MAX);
  if (parts > state.pending.priceMove) state.pending.priceMove = parts;
}

/** Whether an order at this price loses against the mark the moment it is filled. */
export const isWorseThanMark = (price: MarketPrice, side: SideCode, priceTicks: number): boolean =>
  side === BUY ? priceTicks > price.floorTicks : priceTicks < price.ceilTicks;

/** The mark, in ticks, against which orders of one side are worse or not, before and after a move. */
type MarkMove = { readonly side: SideCode; readonly from: number; readonly to: number };

/**
 * Recounts the orders that the mark has passed: they are now worse than it, or no longer. Orders worse
 * than the mark are at the top of the book, so the walk ends at the first level that never was.
 */
function recountWorse(state: State, book: Book, { side, from, to }: MarkMove): void {
  if (from === to) return;
  const isWorse = (priceTicks: number, markTicks: number): boolean =>
    side === BUY ? priceTicks > markTicks : priceTicks < markTicks;
  for (
    let level = bestLevel(book, side);
    level !== NO_LEVEL;
    level = nextLevel(book, side, level)
  ) {
    const priceTicks = numberAt(book.levels.priceTicks, level);
    const was = isWorse(priceTicks, from);
    const is = isWorse(priceTicks, to);
    if (!was && !is) return;
    if (was === is) continue;
    recountLevel(state, book.levels.firstOrder[level] as OrderSlot, is ? 1 : -1);
  }
}

function recountLevel(state: State, first: OrderSlot, sign: 1 | -1): void {
  const { orders, standings } = state;
  for (let slot = first; slot !== NO_ORDER; slot = nextOf(orders, slot)) {
    if (isReduceOnly(orders, slot)) continue;
    const standing = standingOfOrder(orders, slot);
    const openLots = sign * openLotsOf(orders, slot);
    countWorse(standings, standing, sideOf(orders, slot), priceTicksOf(orders, slot), openLots);
  }
}

function marketAt(state: State, index: MarketIndex): Market {
  const market = state.markets[index];
  assert(market !== undefined, 'a market index names a market');
  return market;
}

function indexOf(state: State, market: Market): bigint {
  const base = state.assets[market.baseAsset]?.indexPrice ?? 0n;
  if (market.spec.type === 'FUTURE') return base;
  const counter = state.assets[market.settleAsset]?.indexPrice ?? 0n;
  if (base === 0n || counter === 0n) return 0n;
  const quotient = halfEven(base * 10n ** BigInt(USD_SCALE), counter);
  // The smallest price; 0 would mean that there is no price.
  return quotient === 0n ? 1n : quotient;
}
