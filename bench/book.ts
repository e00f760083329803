/**
 * S1: the order book alone. Ours replays the whole flow, `nodejs-order-book` its first 200,000 operations,
 * round robin in one process; figures are medians over the rounds. The clock covers the replay loop: decoding
 * a record, the book, and adding each trade to the hash, which must be the generator's own in every round.
 */

import { createRequire } from 'node:module';
import { type Book, newBook, removeResting, rest } from '../src/core/book/book.ts';
import { applyMatch, MEETS_MAKER, newMatch, newTaker, nextMatch } from '../src/core/book/match.ts';
import {
  closeOrder,
  newOrders,
  type Orders,
  openOrder,
  orderIdOf,
  setDisplayLots,
  setOpenLots,
  setPriceTicks,
  setSide,
  setTotalLots,
  slotOf,
} from '../src/core/memory/order-rows.ts';
import type { SideCode } from '../src/domain/order-codes.ts';
import type { FamilyIndex, Lots, Ticks } from '../src/domain/units.ts';
import {
  DEEP_FLOW,
  DEFAULT_FLOW,
  type Flow,
  generateFlow,
  HASH_START,
  mix,
  OP_CANCEL,
  OP_PASSIVE,
  THIN_FLOW,
} from './flow.ts';

export type BookFigure = {
  readonly name: string;
  readonly operations: number;
  readonly opsPerSecond: number;
  readonly nanosecondsPerOp: number;
  readonly rounds: number;
};
export type BookFigures = {
  readonly rows: readonly BookFigure[];
  /** Our rate on the default flow divided by theirs on its prefix. */
  readonly timesFaster: number;
  /** At the end of the deep flow: orders, levels and index. */
  readonly bytesPerOpenOrder: number;
};

const PREFIX = 200_000;

export function benchBook({ rounds = 5 }: { rounds?: number } = {}): BookFigures {
  const normal = generateFlow(DEFAULT_FLOW);
  const prefix = generateFlow({ ...DEFAULT_FLOW, operations: PREFIX });
  const thin = generateFlow(THIN_FLOW);
  const deep = generateFlow(DEEP_FLOW);
  let bytesPerOpenOrder = 0;
  const runners = [
    { name: 'rialto, default flow', operations: normal.operations, run: () => timeOurs(normal).ms },
    { name: 'nodejs-order-book, prefix', operations: PREFIX, run: () => timeTheirs(prefix) },
    { name: 'rialto, the same prefix', operations: PREFIX, run: () => timeOurs(prefix).ms },
    { name: 'rialto, thin flow', operations: thin.operations, run: () => timeOurs(thin).ms },
    {
      name: 'rialto, 1,000,000 orders deep, after prefill',
      operations: deep.operations - deep.target,
      run: () => {
        const { ms, book, orders } = timeOurs(deep, deep.target);
        bytesPerOpenOrder = (bytesIn(book) + bytesIn(orders)) / orders.openCount;
        return ms;
      },
    },
  ].map((runner) => ({ ...runner, times: [] as number[] }));
  timeOurs(normal); // warm
  for (let round = 0; round < rounds; round++) {
    for (const runner of runners) runner.times.push(runner.run());
  }
  const rows = runners.map(({ name, operations, times }) => {
    const ms = median(times);
    return {
      name,
      operations,
      opsPerSecond: Math.round((operations / ms) * 1000),
      nanosecondsPerOp: Math.round((ms / operations) * 1e6),
      rounds,
    };
  });
  const [ours, theirs] = rows as [BookFigure, BookFigure];
  return { rows, timesFaster: ours.opsPerSecond / theirs.opsPerSecond, bytesPerOpenOrder };
}

/** Replays a flow and checks its trades. The clock starts at operation `from`. */
export function timeOurs(flow: Flow, from = 0): { ms: number; book: Book; orders: Orders } {
  const book = newBook();
  const orders = newOrders();
  const start = replay(flow, book, orders, 0, from, HASH_START);
  const startMs = performance.now();
  const hash = replay(flow, book, orders, from, flow.operations, start);
  const ms = performance.now() - startMs;
  if (hash >>> 0 !== flow.expected.tradeHash) throw new Error('the book made other trades');
  if (orders.openCount !== flow.expected.live) throw new Error('the book holds other orders');
  return { ms, book, orders };
}

/** Replays the operations from `from` to before `to`; returns the hash of the trades so far. */
export function replay(
  { words }: Flow,
  book: Book,
  orders: Orders,
  from: number,
  to: number,
  hashBefore: number,
): number {
  const taker = newTaker();
  const match = newMatch();
  let hash = hashBefore;
  for (let at = from * 4; at < to * 4; at += 4) {
    const word = words[at] as number;
    const op = word & 255;
    const side = (word >> 8) as SideCode;
    const id = words[at + 1] as number;
    const ticks = words[at + 2] as Ticks;
    let lots = words[at + 3] as Lots;
    if (op === OP_CANCEL) {
      const slot = slotOf(orders, id);
      removeResting(book, orders, slot);
      closeOrder(orders, slot);
      continue;
    }
    if (op !== OP_PASSIVE) {
      taker.side = side;
      taker.limitTicks = ticks;
      taker.openLots = lots;
      taker.family = 0 as FamilyIndex;
      while (nextMatch(book, orders, taker, match) === MEETS_MAKER) {
        hash = mix(hash, id);
        hash = mix(hash, orderIdOf(orders, match.maker));
        hash = mix(hash, match.priceTicks);
        hash = mix(hash, match.lots);
        if (applyMatch(book, orders, taker, match)) closeOrder(orders, match.maker);
      }
      lots = taker.openLots;
      if (lots === 0) continue;
    }
    const slot = openOrder(orders, id);
    setSide(orders, slot, side);
    setPriceTicks(orders, slot, ticks);
    setTotalLots(orders, slot, lots);
    setOpenLots(orders, slot, lots);
    setDisplayLots(orders, slot, lots);
    rest(book, orders, slot);
  }
  return hash;
}

type TheirOrder = { readonly id: string; readonly price: number };
type TheirResult = {
  readonly done: readonly TheirOrder[];
  readonly partial: TheirOrder | null;
  readonly partialQuantityProcessed: number;
  readonly err: unknown;
};
type TheirBook = {
  limit(order: { id: string; side: string; size: number; price: number }): TheirResult;
  cancel(id: string): unknown;
};

/** Ids as text, as the package expects them, created before the clock starts. */
function timeTheirs({ words, operations, expected }: Flow): number {
  // Its ES modules import files without an extension, so only the CommonJS build loads.
  const { OrderBook } = createRequire(import.meta.url)('nodejs-order-book') as {
    OrderBook: new () => TheirBook;
  };
  const ids = Array.from({ length: operations }, (_, at) => String(words[at * 4 + 1]));
  const openLots = new Map<string, number>();
  const book = new OrderBook();
  let hash = HASH_START;
  const startMs = performance.now();
  for (let at = 0; at < operations; at++) {
    const word = words[at * 4] as number;
    const id = ids[at] as string;
    if ((word & 255) === OP_CANCEL) {
      book.cancel(id);
      continue;
    }
    const side = word >> 8 === 0 ? 'buy' : 'sell';
    const size = words[at * 4 + 3] as number;
    const result = book.limit({ id, side, size, price: words[at * 4 + 2] as number });
    if (result.err !== null) throw new Error('nodejs-order-book refused an order');
    hash = countTheirTrades(hash, id, size, result, openLots);
  }
  const ms = performance.now() - startMs;
  if (hash >>> 0 !== expected.tradeHash) throw new Error('nodejs-order-book made other trades');
  return ms;
}

/** It returns the filled makers in order and the partially filled one; we must know their lots. */
function countTheirTrades(
  hashBefore: number,
  takerId: string,
  size: number,
  { done, partial, partialQuantityProcessed }: TheirResult,
  openLots: Map<string, number>,
): number {
  let hash = hashBefore;
  let leftLots = size;
  const count = (maker: TheirOrder, lots: number): void => {
    for (const value of [takerId, maker.id, maker.price, lots]) hash = mix(hash, Number(value));
    leftLots -= lots;
  };
  for (const maker of done) {
    if (maker.id === takerId) continue;
    count(maker, openLots.get(maker.id) as number);
    openLots.delete(maker.id);
  }
  if (partial !== null && partial.id !== takerId) {
    count(partial, partialQuantityProcessed);
    openLots.set(partial.id, (openLots.get(partial.id) as number) - partialQuantityProcessed);
  }
  if (leftLots > 0) openLots.set(takerId, leftLots);
  return hash;
}

function bytesIn(value: unknown): number {
  if (ArrayBuffer.isView(value)) return value.byteLength;
  if (typeof value !== 'object' || value === null) return 8;
  return Object.values(value).reduce((sum: number, part) => sum + bytesIn(part), 0);
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] as number;

if (import.meta.main) {
  const { rows, timesFaster, bytesPerOpenOrder } = benchBook();
  for (const { name, opsPerSecond, nanosecondsPerOp } of rows) {
    const rate = `${(opsPerSecond / 1e6).toFixed(3)} M operations/s`;
    console.log(`${name.padEnd(46)}${rate.padStart(24)}${String(nanosecondsPerOp).padStart(8)} ns`);
  }
  console.log(`${timesFaster.toFixed(0)} x nodejs-order-book; goal 100 x and 6 M operations/s`);
  console.log(`${bytesPerOpenOrder.toFixed(0)} bytes an open order; goal 300`);
}
