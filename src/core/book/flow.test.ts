import { expect, test } from 'vitest';
import { replay, timeOurs } from '../../../bench/book.ts';
import {
  DEFAULT_FLOW,
  DEFAULT_FLOW_EXPECTED,
  DEFAULT_FLOW_SHA256,
  type Flow,
  generateFlow,
  HASH_START,
  mix,
  OP_CANCEL,
  sha256OfFlow,
  THIN_FLOW,
  THIN_FLOW_EXPECTED,
} from '../../../bench/flow.ts';
import { type Plain, pack, unpack } from '../../bytes/pack.ts';
import { BUY, SELL, type SideCode, STP_NONE } from '../../domain/order-codes.ts';
import { newOrders } from '../memory/order-rows.ts';
import { bestTicks, newBook } from './book.ts';
import {
  newPlainBook,
  type PlainOrder,
  type PlainTaker,
  removePlain,
  restPlain,
  takePlain,
} from './plain-book.fixture.ts';

/** Millions of operations: a second alone, more on a busy machine. */
const SLOW = { timeout: 300_000 };

test('the flow is the published one, byte for byte, and so are its trades', SLOW, () => {
  const flow = generateFlow(DEFAULT_FLOW);
  expect(sha256OfFlow(flow)).toBe(DEFAULT_FLOW_SHA256);
  expect(flow.expected).toEqual(DEFAULT_FLOW_EXPECTED);
  expectSameTrades(flow);
});

test('the book reproduces the trades of the thin flow', SLOW, () => {
  const flow = generateFlow(THIN_FLOW);
  expect(flow.expected).toEqual(THIN_FLOW_EXPECTED);
  expectSameTrades(flow);
});

test('the plain book reproduces the trades of the beginning of the thin flow', SLOW, () => {
  const flow = generateFlow({ ...THIN_FLOW, operations: 200_000 });
  expect(hashOfPlain(flow)).toBe(flow.expected.tradeHash);
  expectSameTrades(flow);
});

test(
  'a book restored from a snapshot in the middle of the flow ends with the same bytes',
  SLOW,
  () => {
    const flow = generateFlow({ ...THIN_FLOW, operations: 100_000 });
    const bytesOf = (state: unknown): Uint8Array => pack(state as Plain);
    const before = { book: newBook(), orders: newOrders() };
    const hash = replay(flow, before.book, before.orders, 0, 50_000, HASH_START);
    const restored = [
      unpack(bytesOf(before)),
      structuredClone(before),
    ] as unknown as (typeof before)[];
    const ends = [before, ...restored].map((state) => {
      const endHash = replay(flow, state.book, state.orders, 50_000, 100_000, hash);
      expect(endHash >>> 0).toBe(flow.expected.tradeHash);
      return bytesOf(state);
    });
    expect(ends[1]).toEqual(ends[0]);
    expect(ends[2]).toEqual(ends[0]);
  },
);

/** `timeOurs` throws when the hash of the trades or the number of open orders differs. */
function expectSameTrades(flow: Flow): void {
  const { book } = timeOurs(flow);
  expect(bestTicks(book, BUY)).toBe(flow.expected.bestBid);
  expect(bestTicks(book, SELL)).toBe(flow.expected.bestAsk);
}

function hashOfPlain({ words, operations }: Flow): number {
  const book = newPlainBook();
  const orderById = new Map<number, PlainOrder>();
  let hash = HASH_START;
  for (let at = 0; at < operations * 4; at += 4) {
    const [word, orderId, priceTicks, totalLots] = words.subarray(at, at + 4) as unknown as [
      number,
      number,
      number,
      number,
    ];
    if ((word & 255) === OP_CANCEL) {
      removePlain(book, orderById.get(orderId) as PlainOrder);
      continue;
    }
    const side = (word >> 8) as SideCode;
    const taker: PlainTaker = {
      side,
      limitTicks: priceTicks,
      family: 0,
      stpMode: STP_NONE,
      openLots: totalLots,
    };
    for (const outcome of takePlain(book, taker)) {
      if (outcome.kind !== 'match') continue;
      const { makerId, ticks, lots } = outcome;
      for (const value of [orderId, makerId, ticks, lots]) hash = mix(hash, value);
    }
    if (taker.openLots === 0) continue;
    const { openLots } = taker;
    const order = {
      orderId,
      family: 0,
      side,
      priceTicks,
      displayLots: totalLots,
      totalLots,
      openLots,
    };
    restPlain(book, order);
    orderById.set(orderId, order);
  }
  return hash >>> 0;
}
