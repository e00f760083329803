/**
 * Every field of an order, once: its name, how it is stored, and what it means.
 *
 * The core stores an order as one row of ORDER_WORDS words of 8 bytes, in the order of this table: first its
 * position in the book and what matching reads (one cache line), then what settling reads (another), then the
 * rest. The fields marked as record, which are adjacent, are public: an event holds a copy of exactly those
 * words, and history stores the same bytes. Offsets, wiping, events, history and what copies rows follow from
 * this table. By hand a new field of the record also needs its accessors (core/memory/order-rows.ts), a value
 * when an order opens (core/trading/open-order.ts), a member of OrderRecord (orders.ts), and a line in both
 * directions of order-codec.ts; tests fail while one of the last two is missing. A text needs none of that:
 * see ORDER_TEXTS.
 *
 * Kinds: `number` a safe integer (8 bytes), `parts` a 64-bit amount of an asset (8), `index` an index into
 * one of the venue's lists (4, -1 for none), `code` an index into a list of values, or flags (1).
 */
export type FieldKind = 'number' | 'parts' | 'index' | 'code';

type Field = { readonly kind: FieldKind; readonly isRecord: boolean };

const link = <Kind extends FieldKind>(kind: Kind) => ({ kind, isRecord: false }) as const;
const record = <Kind extends FieldKind>(kind: Kind) => ({ kind, isRecord: true }) as const;

export const ORDER_FIELDS = {
  /** Neighbours in the price level. A free row links to the next free one by `next`. */
  previous: link('index'),
  next: link('index'),
  /** In the book: its level. Waiting at position p of the heap of stops: -2 - p. Neither: -1. */
  place: link('index'),
  /** The record of its account in its market (core/memory/standings.ts). */
  standing: link('index'),
  /** What is left of the slice in the book. */
  visibleLots: link('number'),

  orderId: record('number'),
  side: record('code'),
  orderType: record('code'),
  timeInForce: record('code'),
  stpMode: record('code'),
  triggerType: record('code'),
  source: record('code'),
  flags: record('code'),
  /** Aligns the following fields to whole words. */
  reserved: record('code'),
  account: record('index'),
  family: record('index'),
  priceTicks: record('number'),
  /** Not yet filled, including the hidden part. */
  openLots: record('number'),
  totalLots: record('number'),
  market: record('index'),
  feeOtherAsset: record('index'),
  /** The size of an iceberg's slice; the total for an order that shows its whole size. */
  displayLots: record('number'),
  /** Sum of price x quantity of its matches, for the average price. */
  filledCostParts: record('parts'),
  feeNativeParts: record('parts'),
  lastMatchedAtMs: record('number'),
  clientOrderId: record('parts'),
  stopTicks: record('number'),
  /** The counter amount of an amount order. */
  amountParts: record('parts'),
  feeUsdtParts: record('parts'),
  feeOtherParts: record('parts'),
  createdAtMs: record('number'),
  lastModifiedAtMs: record('number'),

  /** What the ledger still reserves for it. */
  heldParts: link('parts'),
} as const satisfies Readonly<Record<string, Field>>;

export type OrderField = keyof typeof ORDER_FIELDS;
/** The fields of one kind. */
export type FieldOf<Kind extends FieldKind> = {
  [Name in OrderField]: (typeof ORDER_FIELDS)[Name]['kind'] extends Kind ? Name : never;
}[OrderField];

const BYTES: Readonly<Record<FieldKind, number>> = { number: 8, parts: 8, index: 4, code: 1 };
export const WORD_BYTES = 8;

/**
 * The offset of each field in bytes from the beginning of the row. A copy: what is filled name by name is a hash
 * table to V8, in which every decoded order would look up thirty names.
 */
export const ORDER_OFFSETS: Readonly<Record<OrderField, number>> = { ...offsets() };

/** A whole number of cache lines of 64 bytes. */
export const ORDER_WORDS = wholeLines(endOf('heldParts')) / WORD_BYTES;

/** The public words, as bytes of the row. */
export const RECORD_START = ORDER_OFFSETS.orderId;
export const RECORD_BYTES = endOf('lastModifiedAtMs') - RECORD_START;

function offsets(): Record<OrderField, number> {
  const found: Partial<Record<OrderField, number>> = {};
  let at = 0;
  for (const name of Object.keys(ORDER_FIELDS) as OrderField[]) {
    found[name] = at;
    at += BYTES[ORDER_FIELDS[name].kind];
  }
  return found as Record<OrderField, number>;
}

function endOf(name: OrderField): number {
  return ORDER_OFFSETS[name] + BYTES[ORDER_FIELDS[name].kind];
}

function wholeLines(bytes: number): number {
  return Math.ceil(bytes / 64) * 64;
}

/**
 * The texts that an order may have, once: how long each may be, and whether it names the order. Few orders
 * have any, so they are stored beside the rows, by slot, and FLAG_TEXTS in a row says that there are some. A
 * new text is a line here, after the others, because its position is part of the format; requests, commands,
 * memory, events, history, views and responses follow from it.
 */
export const ORDER_TEXTS = {
  label: { lengthMax: 36, isName: true, about: "the caller's own name for the order" },
} as const satisfies Readonly<Record<string, OrderText>>;

export type OrderText = {
  /** In characters; all of them printable ASCII; never empty. */
  readonly lengthMax: number;
  /** Unique among the open orders of an account, and accepted in place of an id. */
  readonly isName: boolean;
  /** What it is, for the documentation. */
  readonly about: string;
};
export type TextName = keyof typeof ORDER_TEXTS;
/** The texts of an order: a record without members is never stored. */
export type OrderTexts = { readonly [Name in TextName]?: string };

/** The bits of `flags`. */
export const FLAG_STOP = 1;
export const FLAG_TRIGGERED = 2;
export const FLAG_REDUCE_ONLY = 4;
/** It reserves the exact cost of its planned matches, not its limit price. */
export const FLAG_HOLDS_PLAN = 8;
/** It has texts. */
export const FLAG_TEXTS = 16;

/** Orders as the core stores them: four views of the same rows, and the texts of those that have any. */
export type OrderRows = {
  readonly numbers: Float64Array;
  readonly parts: BigInt64Array;
  readonly indexes: Int32Array;
  readonly codes: Uint8Array;
  /** By slot. */
  readonly texts: ReadonlyMap<number, OrderTexts>;
};
