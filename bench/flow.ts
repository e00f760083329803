/**
 * The synthetic order flow of one instrument with which the book is measured and checked.
 *
 * Deterministic: sfc32 and integers, so any language can produce the same bytes. The model below is
 * deliberately simple; every book must reproduce its trades. A flow of fewer operations is a prefix of a
 * longer one with the same seed and target.
 */
import { createHash } from 'node:crypto';

export type FlowOptions = {
  readonly operations: number;
  readonly seed: number;
  /** The average number of live orders, after as many operations of prefill. */
  readonly target: number;
};

/** The state of a book after the flow. */
export type FlowResult = {
  readonly trades: number;
  readonly tradedLots: number;
  readonly notional: bigint;
  readonly tradeHash: number;
  readonly live: number;
  readonly bestBid: number;
  readonly bestAsk: number;
};

export type Flow = FlowOptions & {
  /** Four words per operation: op | side << 8, id, price in ticks, lots. 16 bytes, little-endian. */
  readonly words: Int32Array;
  readonly expected: FlowResult;
};

/** A passive limit order; never crosses when it arrives. */
export const OP_PASSIVE = 0;
/** Cancels a live id. */
export const OP_CANCEL = 1;
/** An aggressive limit order that is filled completely on arrival. */
export const OP_TAKE = 2;
/** Takes the whole opposite touch; its remainder rests. */
export const OP_TAKE_AND_REST = 3;

export const DEFAULT_FLOW: FlowOptions = { operations: 2_000_000, seed: 42, target: 20_000 };
export const THIN_FLOW: FlowOptions = { operations: 2_000_000, seed: 42, target: 1_000 };
export const DEEP_FLOW: FlowOptions = { operations: 4_000_000, seed: 42, target: 1_000_000 };

/** As published with the generator: the bytes of the default flow, and the expected results. */
export const DEFAULT_FLOW_SHA256 =
  '914ec5b2659cd63afe26a28f4fc94bffd10b75a7c9b972d044911627b4f8f100';
export const DEFAULT_FLOW_EXPECTED: FlowResult = {
  trades: 676_989,
  tradedLots: 24_904_720,
  notional: 2_489_853_399_519n,
  tradeHash: 1_385_850_154,
  live: 19_510,
  bestBid: 99_935,
  bestAsk: 99_937,
};
export const THIN_FLOW_EXPECTED: FlowResult = {
  trades: 644_232,
  tradedLots: 23_634_778,
  notional: 2_364_756_139_231n,
  tradeHash: 4_006_969_530,
  live: 969,
  bestBid: 100_074,
  bestAsk: 100_076,
};

export const HASH_START = 0x811c9dc5;
/** The trade hash takes taker id, maker id, price and lots of every trade in turn. */
export const mix = (hash: number, value: number): number => Math.imul(hash ^ value, 0x01000193);

export const sha256OfFlow = ({ words }: Flow): string =>
  createHash('sha256')
    .update(new Uint8Array(words.buffer, words.byteOffset, words.byteLength))
    .digest('hex');

export function generateFlow({ operations, seed, target }: FlowOptions): Flow {
  const random = sfc32(seed);
  const model = newModel();
  const words = new Int32Array(operations * 4);
  let count = 0;
  let lastId = 0;
  let mid = 100_000;

  const below = (bound: number): number => random() % bound;
  const isChance = (per10000: number): boolean => random() % 10_000 < per10000;
  const emit = (op: number, side: number, id: number, price: number, lots: number): void => {
    const at = count++ * 4;
    words[at] = op | (side << 8);
    words[at + 1] = id;
    words[at + 2] = price;
    words[at + 3] = lots;
  };

  const passive = (): void => {
    const side = random() & 1;
    const u = below(65_536) / 65_536; // exact in binary
    const offset = Math.floor(200 * (u * u) * (u * u));
    const [bestBid, bestAsk] = model.best;
    let price = side === 0 ? mid - 1 - offset : mid + 1 + offset;
    if (side === 0 && bestAsk !== 0 && price >= bestAsk) price = bestAsk - 1;
    if (side === 1 && bestBid !== 0 && price <= bestBid) price = bestBid + 1;
    const lots = 1 + below(100);
    emit(OP_PASSIVE, side, ++lastId, price, lots);
    rest(model, { id: lastId, side, price, lots, place: 0, isDead: false });
  };

  const aggressive = (): void => {
    let side = random() & 1;
    const [bestBid, bestAsk] = model.best;
    // The mid has moved through an order: most of the time someone takes it.
    if (bestAsk !== 0 && bestAsk <= mid && isChance(8_000)) side = 0;
    else if (bestBid !== 0 && bestBid >= mid && isChance(8_000)) side = 1;
    const touch = model.best[1 - side] as number;
    if (touch === 0) {
      passive();
      return;
    }
    const touchLots = levelOf(model, 1 - side, touch).lots;
    const rests = isChance(1_000) && touchLots <= 2_000;
    let price = touch;
    let lots: number;
    if (rests) {
      lots = touchLots + 1 + below(100);
    } else {
      price = side === 0 ? touch + 64 : touch - 64;
      lots = isChance(100) ? 1 + below(2_000) : 1 + below(200);
      lots = Math.min(lots, available(model, side, price, lots));
    }
    emit(rests ? OP_TAKE_AND_REST : OP_TAKE, side, ++lastId, price, lots);
    const order = { id: lastId, side, price, lots, place: 0, isDead: false };
    match(model, order);
    if (order.lots > 0) rest(model, order);
  };

  while (count < operations) {
    if (isChance(78)) mid += (random() & 1) === 1 ? 1 : -1;
    if (count < target) {
      passive();
      continue;
    }
    const draw = below(10_000);
    const live = model.live.length;
    const cancels = live > target * 1.025 ? 4_000 : live < target * 0.975 ? 3_000 : 3_500;
    if (draw < 1_000) aggressive();
    else if (draw < 1_000 + cancels && live > 100) {
      const order = model.live[below(live)] as ModelOrder;
      emit(OP_CANCEL, order.side, order.id, order.price, 0);
      cancel(model, order);
    } else passive();
  }
  const { trades, tradedLots, notional, hash, best } = model;
  const expected = {
    trades,
    tradedLots,
    notional,
    tradeHash: hash >>> 0,
    live: model.live.length,
    bestBid: best[0] as number,
    bestAsk: best[1] as number,
  };
  return { operations, seed, target, words, expected };
}

/** 32-bit integer arithmetic only. */
function sfc32(seed: number): () => number {
  let a = 0x9e3779b9 | 0;
  let b = 0x243f6a88 | 0;
  let c = seed | 0;
  let d = 1;
  const next = (): number => {
    const t = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + t) | 0;
    return t >>> 0;
  };
  for (let i = 0; i < 16; i++) next();
  return next;
}

type ModelOrder = {
  readonly id: number;
  readonly side: number;
  readonly price: number;
  lots: number;
  /** Its index in `live`. */
  place: number;
  isDead: boolean;
};
/** First in, first out; cancelled orders stay in the queue, marked dead. */
type ModelLevel = { head: number; queue: (ModelOrder | undefined)[]; lots: number; count: number };
type Model = {
  readonly sides: readonly Map<number, ModelLevel>[];
  /** By side; 0 for none. */
  readonly best: [number, number];
  readonly live: ModelOrder[];
  hash: number;
  trades: number;
  tradedLots: number;
  notional: bigint;
};

const newModel = (): Model => ({
  sides: [new Map(), new Map()],
  best: [0, 0],
  live: [],
  hash: HASH_START,
  trades: 0,
  tradedLots: 0,
  notional: 0n,
});

const sideOf = (model: Model, side: number): Map<number, ModelLevel> =>
  model.sides[side] as Map<number, ModelLevel>;
const levelOf = (model: Model, side: number, price: number): ModelLevel =>
  sideOf(model, side).get(price) as ModelLevel;

function rest(model: Model, order: ModelOrder): void {
  const levels = sideOf(model, order.side);
  let level = levels.get(order.price);
  if (level === undefined) {
    level = { head: 0, queue: [], lots: 0, count: 0 };
    levels.set(order.price, level);
  }
  level.queue.push(order);
  level.lots += order.lots;
  level.count++;
  const best = model.best[order.side] as number;
  if (best === 0 || (order.side === 0 ? order.price > best : order.price < best)) {
    model.best[order.side] = order.price;
  }
  order.place = model.live.push(order) - 1;
}

function leave(model: Model, order: ModelOrder, level: ModelLevel): void {
  level.count--;
  const last = model.live.pop() as ModelOrder;
  if (last !== order) {
    model.live[order.place] = last;
    last.place = order.place;
  }
  order.isDead = true;
  if (level.count > 0) return;
  const levels = sideOf(model, order.side);
  levels.delete(order.price);
  if (model.best[order.side] !== order.price) return;
  const step = order.side === 0 ? -1 : 1;
  let best = levels.size === 0 ? 0 : order.price + step;
  while (best !== 0 && !levels.has(best)) best += step;
  model.best[order.side] = best;
}

function cancel(model: Model, order: ModelOrder): void {
  const level = levelOf(model, order.side, order.price);
  level.lots -= order.lots;
  leave(model, order, level);
}

function match(model: Model, taker: ModelOrder): void {
  while (taker.lots > 0) {
    const price = model.best[1 - taker.side] as number;
    if (price === 0 || (taker.side === 0 ? price > taker.price : price < taker.price)) break;
    const level = levelOf(model, 1 - taker.side, price);
    while (level.queue[level.head]?.isDead !== false) level.queue[level.head++] = undefined;
    const maker = level.queue[level.head] as ModelOrder;
    const lots = Math.min(maker.lots, taker.lots);
    maker.lots -= lots;
    taker.lots -= lots;
    level.lots -= lots;
    model.trades++;
    model.tradedLots += lots;
    model.notional += BigInt(price) * BigInt(lots);
    model.hash = mix(mix(mix(mix(model.hash, taker.id), maker.id), price), lots);
    if (maker.lots === 0) leave(model, maker, level);
  }
}

/** What a taker could get up to its limit price; stops counting at what it needs. */
function available(model: Model, side: number, limit: number, needed: number): number {
  const levels = sideOf(model, 1 - side);
  const step = side === 0 ? 1 : -1;
  let lots = 0;
  let price = model.best[1 - side] as number;
  while (price !== 0 && (side === 0 ? price <= limit : price >= limit) && lots < needed) {
    lots += levels.get(price)?.lots ?? 0;
    price += step;
  }
  return lots;
}
