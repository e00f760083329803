/**
 * The book of one market: price levels, in each the oldest order first.
 *
 * A level is a row of the level columns and the ends of a list that runs through the rows of its orders.
 * Resting, removing and filling touch one level and the order's two neighbours; opening or closing a level
 * touches one node per floor of the ladder. Nothing depends on how many orders or levels there are.
 *
 * Invariants: a level in the ladder has an order; its lots are the sums over its orders; every order in it
 * shows 1 lot or more. The caller keeps bids below asks: match, then rest. Known limit: the lots of a level
 * stay below 2^53, as the sum of its orders' maximum sizes must.
 */

import { assert } from '../../domain/assert.ts';
import { BUY, type SideCode } from '../../domain/order-codes.ts';
import type { Lots, Ticks } from '../../domain/units.ts';
import { indexAt, numberAt } from '../memory/columns.ts';
import {
  displayLotsOf,
  isReduceOnly,
  nextOf,
  type OrderSlot,
  type Orders,
  openLotsOf,
  placeOf,
  previousOf,
  priceTicksOf,
  setNext,
  setOpenLots,
  setPlace,
  setPrevious,
  setTotalLots,
  setVisibleLots,
  sideOf,
  totalLotsOf,
  visibleLotsOf,
} from '../memory/order-rows.ts';
import {
  addKey,
  findKey,
  firstLevel,
  keyOf,
  type Ladder,
  NONE,
  newLadder,
  nextLevelAbove,
  removeKey,
} from './ladder.ts';

declare const unit: unique symbol;
/** A price with orders, as a row of the book's levels. Valid until its last order leaves. */
export type Level = number & { readonly [unit]: 'level' };

export const NO_LEVEL = NONE as Level;

export type Book = {
  readonly bids: Ladder;
  readonly asks: Ladder;
  bestBid: Level;
  bestAsk: Level;
  readonly levels: Levels;
  /** Resting orders that only reduce: what they can match depends on a position. */
  reduceOnlyOrders: number;
};

export type Levels = LevelColumns & {
  usedLevels: number;
  /** Head of the list of closed levels, linked by `firstOrder`. */
  freeLevel: Level;
};

type LevelColumns = ReturnType<typeof newLevelColumns>;

const newLevelColumns = (capacity: number) => ({
  priceTicks: new Float64Array(capacity),
  /** What the depth shows. */
  visibleLots: new Float64Array(capacity),
  /** The part of visibleLots that belongs to reduce-only orders, which impact prices leave out. */
  reducingLots: new Float64Array(capacity),
  /** All open lots, the hidden part of icebergs included. */
  openLots: new Float64Array(capacity),
  firstOrder: new Int32Array(capacity),
  lastOrder: new Int32Array(capacity),
  /** Its leaf in the ladder. */
  leaf: new Int32Array(capacity),
});

export function newBook(): Book {
  return {
    bids: newLadder(),
    asks: newLadder(),
    bestBid: NO_LEVEL,
    bestAsk: NO_LEVEL,
    levels: { ...newLevelColumns(64), usedLevels: 0, freeLevel: NO_LEVEL },
    reduceOnlyOrders: 0,
  };
}

/** Puts an order at the back of its price, with the slice that its filled quantity leaves. */
export function rest(book: Book, orders: Orders, slot: OrderSlot): void {
  const side = sideOf(orders, slot);
  const openLots = openLotsOf(orders, slot);
  assert(placeOf(orders, slot) === NONE, 'an order rests in one place');
  assert(openLots > 0, 'an order that rests has something left');
  const level = levelFor(book, side, priceTicksOf(orders, slot));
  const visibleLots = sliceOf(orders, slot);
  setPlace(orders, slot, level);
  setVisibleLots(orders, slot, visibleLots);
  addLots(book.levels, level, openLots, visibleLots);
  append(book.levels, level, orders, slot);
  if (isReduceOnly(orders, slot)) {
    book.reduceOnlyOrders++;
    addReducing(book.levels, level, visibleLots);
  }
}

/** Removes an order from its level; its open lots do not change. */
export function removeResting(book: Book, orders: Orders, slot: OrderSlot): void {
  const { levels } = book;
  const level = placeOf(orders, slot) as Level;
  assert(level > NONE, 'only what rests is removed');
  const visibleLots = visibleLotsOf(orders, slot);
  addLots(levels, level, -openLotsOf(orders, slot), -visibleLots);
  if (isReduceOnly(orders, slot)) addReducing(levels, level, -visibleLots);
  leave(book, orders, slot, level);
}

/**
 * Fills a resting order, from its visible slice. An exhausted slice is followed by the next one at
 * the back of the level. Returns whether the order is filled and has left the book.
 */
export function fillResting(book: Book, orders: Orders, slot: OrderSlot, lots: Lots): boolean {
  const { levels } = book;
  const level = placeOf(orders, slot) as Level;
  const openLots = openLotsOf(orders, slot) - lots;
  const visibleLots = visibleLotsOf(orders, slot) - lots;
  assert(level > NONE && visibleLots >= 0, 'a fill takes what a resting order shows');
  setOpenLots(orders, slot, openLots);
  setVisibleLots(orders, slot, visibleLots);
  addLots(levels, level, -lots, -lots);
  const isReducing = book.reduceOnlyOrders > 0 && isReduceOnly(orders, slot);
  if (isReducing) addReducing(levels, level, -lots);
  if (visibleLots > 0) return false;
  if (openLots === 0) {
    leave(book, orders, slot, level);
    return true;
  }
  const slice = Math.min(displayLotsOf(orders, slot), openLots);
  setVisibleLots(orders, slot, slice);
  addLots(levels, level, 0, slice);
  if (isReducing) addReducing(levels, level, slice);
  unlink(levels, level, orders, slot);
  append(levels, level, orders, slot);
  return false;
}

/** Makes an order's total smaller. It keeps its place in the queue. */
export function shrinkResting(book: Book, orders: Orders, slot: OrderSlot, totalLots: Lots): void {
  const openLots = openLotsOf(orders, slot);
  const visibleLots = visibleLotsOf(orders, slot);
  const lessLots = totalLotsOf(orders, slot) - totalLots;
  assert(placeOf(orders, slot) > NONE, 'only what rests is made smaller');
  assert(lessLots >= 0 && lessLots < openLots, 'a smaller order still has something open');
  setTotalLots(orders, slot, totalLots);
  setOpenLots(orders, slot, openLots - lessLots);
  const level = placeOf(orders, slot) as Level;
  const moreVisible = sliceOf(orders, slot) - visibleLots;
  setVisibleLots(orders, slot, visibleLots + moreVisible);
  addLots(book.levels, level, -lessLots, moreVisible);
  if (isReduceOnly(orders, slot)) addReducing(book.levels, level, moreVisible);
}

/** The best level of a side, or NO_LEVEL. */
export const bestLevel = (book: Book, side: SideCode): Level =>
  side === BUY ? book.bestBid : book.bestAsk;

/** The next worse level, or NO_LEVEL. */
export function nextLevel(book: Book, side: SideCode, level: Level): Level {
  const { priceTicks, leaf } = book.levels;
  const key = keyOf(side, numberAt(priceTicks, level));
  return nextLevelAbove(ladderOf(book, side), indexAt(leaf, level), key) as Level;
}

/** The level of a price, or NO_LEVEL. */
export const levelAt = (book: Book, side: SideCode, priceTicks: Ticks): Level =>
  findKey(ladderOf(book, side), keyOf(side, priceTicks)) as Level;

/** The best price of a side; undefined when it is empty. */
export function bestTicks(book: Book, side: SideCode): Ticks | undefined {
  const level = bestLevel(book, side);
  return level === NO_LEVEL ? undefined : (book.levels.priceTicks[level] as Ticks);
}

export type DepthLevel = { readonly priceTicks: Ticks; readonly visibleLots: Lots };

/** What everyone may see of a side, best first. */
export function depthOf(book: Book, side: SideCode, levelsMax: number): DepthLevel[] {
  const { priceTicks, visibleLots } = book.levels;
  const depth: DepthLevel[] = [];
  let level = bestLevel(book, side);
  while (level !== NO_LEVEL && depth.length < levelsMax) {
    depth.push({
      priceTicks: priceTicks[level] as Ticks,
      visibleLots: visibleLots[level] as Lots,
    });
    level = nextLevel(book, side, level);
  }
  return depth;
}

/** display - (filled mod display), or the remainder if that is smaller. */
function sliceOf(orders: Orders, slot: OrderSlot): number {
  const openLots = openLotsOf(orders, slot);
  const displayLots = displayLotsOf(orders, slot);
  const totalLots = totalLotsOf(orders, slot);
  // The same as below, without the division, for orders that show their whole size.
  if (displayLots >= totalLots) return openLots;
  return Math.min(displayLots - ((totalLots - openLots) % displayLots), openLots);
}

const ladderOf = (book: Book, side: SideCode): Ladder => (side === BUY ? book.bids : book.asks);

function levelFor(book: Book, side: SideCode, priceTicks: number): Level {
  const level = findKey(ladderOf(book, side), keyOf(side, priceTicks)) as Level;
  return level === NO_LEVEL ? openLevel(book, side, priceTicks) : level;
}

function openLevel(book: Book, side: SideCode, priceTicks: number): Level {
  const { levels } = book;
  let level = levels.freeLevel;
  if (level === NO_LEVEL) {
    if (levels.usedLevels === levels.leaf.length) growLevels(levels);
    level = levels.usedLevels++ as Level;
  } else {
    levels.freeLevel = levels.firstOrder[level] as Level;
  }
  const key = keyOf(side, priceTicks);
  levels.priceTicks[level] = priceTicks;
  levels.visibleLots[level] = 0;
  levels.reducingLots[level] = 0;
  levels.openLots[level] = 0;
  levels.firstOrder[level] = NONE;
  levels.lastOrder[level] = NONE;
  levels.leaf[level] = addKey(ladderOf(book, side), key, level);
  const best = bestLevel(book, side);
  if (best === NO_LEVEL || key < keyOf(side, numberAt(levels.priceTicks, best))) {
    setBest(book, side, level);
  }
  return level;
}

function leave(book: Book, orders: Orders, slot: OrderSlot, level: Level): void {
  unlink(book.levels, level, orders, slot);
  setPlace(orders, slot, NONE);
  if (isReduceOnly(orders, slot)) book.reduceOnlyOrders--;
  if (book.levels.firstOrder[level] === NONE) {
    closeLevel(book, sideOf(orders, slot), level);
  }
}

function closeLevel(book: Book, side: SideCode, level: Level): void {
  const { levels } = book;
  const ladder = ladderOf(book, side);
  const key = keyOf(side, numberAt(levels.priceTicks, level));
  removeKey(ladder, indexAt(levels.leaf, level), key);
  levels.firstOrder[level] = levels.freeLevel;
  levels.freeLevel = level;
  if (level === bestLevel(book, side)) setBest(book, side, firstLevel(ladder) as Level);
}

function setBest(book: Book, side: SideCode, level: Level): void {
  if (side === BUY) book.bestBid = level;
  else book.bestAsk = level;
}

function addLots(levels: Levels, level: Level, openLots: number, visibleLots: number): void {
  levels.openLots[level] = numberAt(levels.openLots, level) + openLots;
  levels.visibleLots[level] = numberAt(levels.visibleLots, level) + visibleLots;
}

function addReducing(levels: Levels, level: Level, lots: number): void {
  levels.reducingLots[level] = numberAt(levels.reducingLots, level) + lots;
}

function append(levels: Levels, level: Level, orders: Orders, slot: OrderSlot): void {
  const last = levels.lastOrder[level] as OrderSlot;
  setPrevious(orders, slot, last);
  setNext(orders, slot, NONE);
  if (last === NONE) levels.firstOrder[level] = slot;
  else setNext(orders, last, slot);
  levels.lastOrder[level] = slot;
}

function unlink(levels: Levels, level: Level, orders: Orders, slot: OrderSlot): void {
  const previous = previousOf(orders, slot);
  const next = nextOf(orders, slot);
  if (previous === NONE) levels.firstOrder[level] = next;
  else setNext(orders, previous, next);
  if (next === NONE) levels.lastOrder[level] = previous;
  else setPrevious(orders, next, previous);
}

function growLevels(levels: Levels): void {
  const bigger = newLevelColumns(levels.leaf.length * 2);
  for (const name of Object.keys(bigger) as (keyof LevelColumns)[]) {
    (bigger[name] as Float64Array).set(levels[name] as Float64Array);
  }
  Object.assign(levels, bigger);
}
