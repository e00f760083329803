import { BUY, SELL, type SideCode } from '../../domain/order-codes.ts';
import type { Ticks } from '../../domain/units.ts';
import {
  type Book,
  bestLevel,
  bestTicks,
  type Level,
  levelAt,
  NO_LEVEL,
  nextLevel,
} from '../book/book.ts';
import { keyOf } from '../book/ladder.ts';
import {
  isReduceOnly,
  NO_ORDER,
  nextOf,
  type OrderSlot,
  type Orders,
  openLotsOf,
  orderIdOf,
  placeOf,
  previousOf,
  priceTicksOf,
  sideOf,
  visibleLotsOf,
} from '../memory/order-rows.ts';

/** Walks a whole book and returns a sentence for every broken invariant. */
export function auditBook(book: Book, orders: Orders): string[] {
  const faults = [...auditSide(book, orders, BUY), ...auditSide(book, orders, SELL)];
  const bid = bestTicks(book, BUY);
  const ask = bestTicks(book, SELL);
  if (bid !== undefined && ask !== undefined && bid >= ask) {
    faults.push(`the book is crossed: bid ${bid}, ask ${ask}`);
  }
  return faults;
}

function auditSide(book: Book, orders: Orders, side: SideCode): string[] {
  const faults: string[] = [];
  let lastKey = Number.NEGATIVE_INFINITY;
  for (
    let level = bestLevel(book, side);
    level !== NO_LEVEL;
    level = nextLevel(book, side, level)
  ) {
    const priceTicks = book.levels.priceTicks[level] as Ticks;
    const key = keyOf(side, priceTicks);
    if (key <= lastKey) faults.push(`level ${priceTicks} stands behind a worse one`);
    if (levelAt(book, side, priceTicks) !== level) faults.push(`level ${priceTicks} is not found`);
    faults.push(...auditLevel(book, orders, side, level));
    lastKey = key;
  }
  return faults;
}

function auditLevel(book: Book, orders: Orders, side: SideCode, level: Level): string[] {
  const { levels } = book;
  const faults: string[] = [];
  let openLots = 0;
  let visibleLots = 0;
  let reducingLots = 0;
  let previous = NO_ORDER;
  let slot = levels.firstOrder[level] as OrderSlot;
  for (; slot !== NO_ORDER; slot = nextOf(orders, slot)) {
    const isAtHome =
      placeOf(orders, slot) === level &&
      previousOf(orders, slot) === previous &&
      sideOf(orders, slot) === side &&
      priceTicksOf(orders, slot) === levels.priceTicks[level];
    if (!isAtHome) faults.push(`order ${orderIdOf(orders, slot)} stands in the wrong level`);
    const shown = visibleLotsOf(orders, slot);
    const open = openLotsOf(orders, slot);
    if (shown < 1 || shown > open) faults.push(`order ${orderIdOf(orders, slot)} shows ${shown}`);
    openLots += open;
    visibleLots += shown;
    if (isReduceOnly(orders, slot)) reducingLots += shown;
    previous = slot;
  }
  const name = `level ${levels.priceTicks[level]}`;
  if (previous === NO_ORDER) faults.push(`${name} is empty`);
  if (previous !== levels.lastOrder[level]) faults.push(`${name} does not end at its last order`);
  if (openLots !== levels.openLots[level]) faults.push(`${name} has another sum of open lots`);
  if (visibleLots !== levels.visibleLots[level]) faults.push(`${name} shows another sum of lots`);
  if (reducingLots !== levels.reducingLots[level]) {
    faults.push(`${name} has another sum of lots that only reduce`);
  }
  return faults;
}
