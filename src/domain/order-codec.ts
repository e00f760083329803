import type { ByteReader, ByteWriter } from '../bytes/pack.ts';
import { assert } from './assert.ts';
import {
  FLAG_REDUCE_ONLY,
  FLAG_STOP,
  FLAG_TEXTS,
  FLAG_TRIGGERED,
  ORDER_OFFSETS,
  type OrderField,
  type OrderRows,
  type OrderTexts,
  RECORD_BYTES,
  RECORD_START,
  WORD_BYTES,
} from './order-layout.ts';
import { readTexts, writeTexts } from './order-texts.ts';
import type { MatchSide, OrderRecord } from './orders.ts';
import { ORDER_TYPES, SIDES, STP_MODES, TIMES_IN_FORCE, TRIGGER_TYPES } from './terms.ts';
import {
  type AccountIndex,
  type AssetIndex,
  amount,
  type FamilyIndex,
  lots,
  type MarketIndex,
  ticks,
} from './units.ts';

/**
 * Orders as bytes: the public part of a row, copied word by word, followed by its texts. Views, events and
 * history hold the same bytes (order-layout.ts).
 */
const RECORD_WORDS = RECORD_BYTES / WORD_BYTES;
const FIRST_WORD = RECORD_START / WORD_BYTES;
/**
 * Offsets of the fields of a match, as constants: looking a name up in a table of thirty costs more than
 * copying its field.
 */
const ORDER_ID_WORD = ORDER_OFFSETS.orderId / WORD_BYTES;
const CLIENT_ORDER_ID_WORD = ORDER_OFFSETS.clientOrderId / WORD_BYTES;
const ACCOUNT_HALF = ORDER_OFFSETS.account / 4;
const SOURCE_BYTE = ORDER_OFFSETS.source;
const FLAGS_BYTE = ORDER_OFFSETS.flags;

/** Two thirds of all events contain this copy. */
export function writeOrder(out: ByteWriter, rows: OrderRows, slot: number): void {
  const at = out.take(RECORD_BYTES) >>> 3;
  const to = out.longs;
  const { parts } = rows;
  const from = slot + FIRST_WORD;
  for (let i = 0; i < RECORD_WORDS; i++) to[at + i] = parts[from + i] as bigint;
  if (hasTexts(rows, slot)) writeTexts(out, textsAt(rows, slot));
}

/** Whether the order of a row has texts. */
export const hasTexts = (rows: OrderRows, slot: number): boolean =>
  ((rows.codes[WORD_BYTES * slot + FLAGS_BYTE] as number) & FLAG_TEXTS) !== 0;

function textsAt(rows: OrderRows, slot: number): OrderTexts {
  const texts = rows.texts.get(slot);
  assert(texts !== undefined, 'the texts of an order lie beside its row');
  return texts;
}

const AT = ORDER_OFFSETS;

export function readOrder(reader: ByteReader): OrderRecord {
  const start = reader.take(RECORD_BYTES) - RECORD_START;
  const from = reader.fields;
  const number = (offset: number) => from.getFloat64(start + offset, true);
  const parts = (offset: number) => amount(from.getBigInt64(start + offset, true));
  const index = (offset: number) => from.getInt32(start + offset, true);
  const code = (offset: number) => from.getUint8(start + offset);
  const flags = code(AT.flags);
  const totalLots = lots(number(AT.totalLots));
  const openLots = lots(number(AT.openLots));
  const order: OrderRecord = {
    orderId: number(AT.orderId),
    clientOrderId: parts(AT.clientOrderId),
    account: index(AT.account) as AccountIndex,
    family: index(AT.family) as FamilyIndex,
    market: index(AT.market) as MarketIndex,
    side: word(SIDES, code(AT.side)),
    orderType: word(ORDER_TYPES, code(AT.orderType)),
    timeInForce: word(TIMES_IN_FORCE, code(AT.timeInForce)),
    stpMode: word(STP_MODES, code(AT.stpMode)),
    triggerType: word(TRIGGER_TYPES, code(AT.triggerType)),
    source: code(AT.source),
    isStop: (flags & FLAG_STOP) !== 0,
    isTriggered: (flags & FLAG_TRIGGERED) !== 0,
    reduceOnly: (flags & FLAG_REDUCE_ONLY) !== 0,
    priceTicks: ticks(number(AT.priceTicks)),
    stopTicks: ticks(number(AT.stopTicks)),
    totalLots,
    openLots,
    filledLots: lots(totalLots - openLots),
    displayLots: lots(number(AT.displayLots)),
    amountParts: parts(AT.amountParts),
    filledCost: parts(AT.filledCostParts),
    fees: {
      native: parts(AT.feeNativeParts),
      usdt: parts(AT.feeUsdtParts),
      other: parts(AT.feeOtherParts),
      otherAsset: index(AT.feeOtherAsset) as AssetIndex,
    },
    createdAtMs: number(AT.createdAtMs),
    lastModifiedAtMs: number(AT.lastModifiedAtMs),
    lastMatchedAtMs: number(AT.lastMatchedAtMs),
  };
  return (flags & FLAG_TEXTS) === 0 ? order : { ...order, texts: readTexts(reader) };
}

/** Encodes a record, as `writeOrder` would write its row. */
export function writeRecord(out: ByteWriter, order: OrderRecord): void {
  const start = out.take(RECORD_BYTES) - RECORD_START;
  const to = out.fields;
  const number = (name: OrderField, value: number) =>
    to.setFloat64(start + ORDER_OFFSETS[name], value, true);
  const parts = (name: OrderField, value: bigint) =>
    to.setBigInt64(start + ORDER_OFFSETS[name], value, true);
  const index = (name: OrderField, value: number) =>
    to.setInt32(start + ORDER_OFFSETS[name], value, true);
  const code = (name: OrderField, value: number) => to.setUint8(start + ORDER_OFFSETS[name], value);
  number('orderId', order.orderId);
  parts('clientOrderId', order.clientOrderId);
  index('account', order.account);
  index('family', order.family);
  index('market', order.market);
  code('side', SIDES.indexOf(order.side));
  code('orderType', ORDER_TYPES.indexOf(order.orderType));
  code('timeInForce', TIMES_IN_FORCE.indexOf(order.timeInForce));
  code('stpMode', STP_MODES.indexOf(order.stpMode));
  code('triggerType', TRIGGER_TYPES.indexOf(order.triggerType));
  code('source', order.source);
  code('flags', flagsOf(order));
  code('reserved', 0);
  number('priceTicks', order.priceTicks);
  number('stopTicks', order.stopTicks);
  number('totalLots', order.totalLots);
  number('openLots', order.openLots);
  number('displayLots', order.displayLots);
  parts('amountParts', order.amountParts);
  parts('filledCostParts', order.filledCost);
  parts('feeNativeParts', order.fees.native);
  parts('feeUsdtParts', order.fees.usdt);
  parts('feeOtherParts', order.fees.other);
  index('feeOtherAsset', order.fees.otherAsset);
  number('createdAtMs', order.createdAtMs);
  number('lastModifiedAtMs', order.lastModifiedAtMs);
  number('lastMatchedAtMs', order.lastMatchedAtMs);
  if (order.texts !== undefined) writeTexts(out, order.texts);
}

const flagsOf = (order: OrderRecord): number =>
  (order.isStop ? FLAG_STOP : 0) |
  (order.isTriggered ? FLAG_TRIGGERED : 0) |
  (order.reduceOnly ? FLAG_REDUCE_ONLY : 0) |
  (order.texts === undefined ? 0 : FLAG_TEXTS);

/** Offsets within one side of a match. The id of its order is at 0. */
const SIDE_CLIENT_ORDER_ID = 8;
export const SIDE_ACCOUNT = 16;
const SIDE_FEE_ASSET = 20;
const SIDE_OPEN_LOTS = 24;
export const SIDE_FEE = 32;
export const SIDE_REALISED = 40;
const SIDE_SOURCE = 48;
/** The number of bytes of its texts, which follow it. */
export const SIDE_TEXTS = 52;
export const MATCH_SIDE_BYTES = 56;

/**
 * Writes one side of a match from its order, texts included, with no fee and nothing realised. Returns where the
 * side begins.
 */
export function writeSideOfRow(
  out: ByteWriter,
  rows: OrderRows,
  slot: number,
  openLotsAfter: number,
): number {
  const at = out.take(MATCH_SIDE_BYTES);
  const to = out.fields;
  to.setFloat64(at, rows.numbers[slot + ORDER_ID_WORD] as number, true);
  to.setBigInt64(
    at + SIDE_CLIENT_ORDER_ID,
    rows.parts[slot + CLIENT_ORDER_ID_WORD] as bigint,
    true,
  );
  to.setInt32(at + SIDE_ACCOUNT, rows.indexes[2 * slot + ACCOUNT_HALF] as number, true);
  to.setInt32(at + SIDE_FEE_ASSET, 0, true);
  to.setFloat64(at + SIDE_OPEN_LOTS, openLotsAfter, true);
  to.setBigInt64(at + SIDE_FEE, 0n, true);
  to.setBigInt64(at + SIDE_REALISED, 0n, true);
  to.setInt32(at + SIDE_SOURCE, rows.codes[WORD_BYTES * slot + SOURCE_BYTE] as number, true);
  to.setInt32(at + SIDE_TEXTS, 0, true);
  if (hasTexts(rows, slot)) writeSideTexts(out, at, textsAt(rows, slot));
  return at;
}

/** The fee of one side. */
export function setMatchFee(out: ByteWriter, at: number, asset: number, fee: bigint): void {
  out.fields.setInt32(at + SIDE_FEE_ASSET, asset, true);
  out.fields.setBigInt64(at + SIDE_FEE, fee, true);
}

/** Perpetuals: what the reducing part realised for a side, in native parts. */
export function setMatchRealised(out: ByteWriter, at: number, realised: bigint): void {
  out.fields.setBigInt64(at + SIDE_REALISED, realised, true);
}

function writeSideTexts(out: ByteWriter, side: number, texts: OrderTexts): void {
  writeTexts(out, texts);
  out.fields.setInt32(side + SIDE_TEXTS, out.length - side - MATCH_SIDE_BYTES, true);
}

/** Encodes a decoded side, as the core would write it. */
export function writeMatchSide(out: ByteWriter, side: MatchSide): void {
  const at = out.take(MATCH_SIDE_BYTES);
  const to = out.fields;
  to.setFloat64(at, side.orderId, true);
  to.setBigInt64(at + SIDE_CLIENT_ORDER_ID, side.clientOrderId, true);
  to.setInt32(at + SIDE_ACCOUNT, side.account, true);
  to.setInt32(at + SIDE_FEE_ASSET, side.feeAsset, true);
  to.setFloat64(at + SIDE_OPEN_LOTS, side.openLots, true);
  to.setBigInt64(at + SIDE_FEE, side.fee, true);
  to.setBigInt64(at + SIDE_REALISED, side.realised, true);
  to.setInt32(at + SIDE_SOURCE, side.source, true);
  to.setInt32(at + SIDE_TEXTS, 0, true);
  if (side.texts !== undefined) writeSideTexts(out, at, side.texts);
}

export function readMatchSide(reader: ByteReader): MatchSide {
  const at = reader.take(MATCH_SIDE_BYTES);
  const from = reader.fields;
  const side: MatchSide = {
    orderId: from.getFloat64(at, true),
    clientOrderId: from.getBigInt64(at + SIDE_CLIENT_ORDER_ID, true),
    account: from.getInt32(at + SIDE_ACCOUNT, true) as AccountIndex,
    feeAsset: from.getInt32(at + SIDE_FEE_ASSET, true) as AssetIndex,
    openLots: lots(from.getFloat64(at + SIDE_OPEN_LOTS, true)),
    fee: amount(from.getBigInt64(at + SIDE_FEE, true)),
    realised: amount(from.getBigInt64(at + SIDE_REALISED, true)),
    source: from.getInt32(at + SIDE_SOURCE, true),
  };
  if (from.getInt32(at + SIDE_TEXTS, true) === 0) return side;
  return { ...side, texts: readTexts(reader) };
}

function word<const Word extends string>(words: readonly Word[], code: number): Word {
  const found = words[code];
  if (found === undefined) throw new Error(`an encoded order holds the unknown code ${code}`);
  return found;
}
