import type { ByteReader } from '../bytes/pack.ts';
import type { OrderClosed, OrderMatched } from './events.ts';
import { FLAG_REDUCE_ONLY, FLAG_STOP, FLAG_TRIGGERED } from './order-layout.ts';
import type { MatchSide, OrderRecord } from './orders.ts';
import type { Rejection } from './rejections.ts';
import {
  ORDER_STATES,
  ORDER_TYPES,
  type OrderState,
  SIDES,
  STP_MODES,
  TIMES_IN_FORCE,
  TRIGGER_TYPES,
} from './terms.ts';
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
 * Events of orders as the first version wrote them, field by field. Event logs are kept for ever, so these
 * can be read for ever; nothing writes this format any more.
 */
export function readOrderV1(reader: ByteReader): OrderRecord {
  const orderId = reader.f64();
  const clientOrderId = reader.i64();
  const account = reader.u32() as AccountIndex;
  const family = reader.u32() as FamilyIndex;
  const market = reader.u32() as MarketIndex;
  const otherAsset = reader.u32() as AssetIndex;
  const priceTicks = ticks(reader.f64());
  const stopTicks = ticks(reader.f64());
  const totalLots = lots(reader.f64());
  const openLots = lots(reader.f64());
  const displayLots = lots(reader.f64());
  const amountParts = amount(reader.i64());
  const filledCost = amount(reader.i64());
  const native = amount(reader.i64());
  const usdt = amount(reader.i64());
  const other = amount(reader.i64());
  const createdAtMs = reader.f64();
  const lastModifiedAtMs = reader.f64();
  const lastMatchedAtMs = reader.f64();
  const side = word(SIDES, reader.u8());
  const orderType = word(ORDER_TYPES, reader.u8());
  const timeInForce = word(TIMES_IN_FORCE, reader.u8());
  const stpMode = word(STP_MODES, reader.u8());
  const triggerType = word(TRIGGER_TYPES, reader.u8());
  const source = reader.u8();
  const flags = reader.u8();
  return {
    orderId,
    clientOrderId,
    account,
    family,
    market,
    side,
    orderType,
    timeInForce,
    stpMode,
    triggerType,
    source,
    isStop: (flags & FLAG_STOP) !== 0,
    isTriggered: (flags & FLAG_TRIGGERED) !== 0,
    reduceOnly: (flags & FLAG_REDUCE_ONLY) !== 0,
    priceTicks,
    stopTicks,
    totalLots,
    openLots,
    filledLots: lots(totalLots - openLots),
    displayLots,
    amountParts,
    filledCost,
    fees: { native, usdt, other, otherAsset },
    createdAtMs,
    lastModifiedAtMs,
    lastMatchedAtMs,
  };
}

export function readClosedV1(reader: ByteReader): OrderClosed {
  const element = reader.u8();
  const state = ORDER_STATES[reader.u8()] as OrderState;
  const reason = reader.u8() === 0 ? undefined : (reader.text() as Rejection);
  return { kind: 'order-closed', element, state, reason, order: readOrderV1(reader) };
}

export const readMatchedV1 = (reader: ByteReader): OrderMatched => ({
  kind: 'order-matched',
  market: reader.u32() as MarketIndex,
  match: reader.f64(),
  priceTicks: ticks(reader.f64()),
  lots: lots(reader.f64()),
  value: amount(reader.i64()),
  takerSide: SIDES[reader.u8()] ?? 'BUY',
  taker: readMatchSideV1(reader),
  maker: readMatchSideV1(reader),
});

const readMatchSideV1 = (reader: ByteReader): MatchSide => ({
  orderId: reader.f64(),
  clientOrderId: reader.i64(),
  account: reader.u32() as AccountIndex,
  source: reader.u8(),
  openLots: lots(reader.f64()),
  feeAsset: reader.u32() as AssetIndex,
  fee: amount(reader.i64()),
  realised: amount(reader.i64()),
});

function word<const Word extends string>(words: readonly Word[], code: number): Word {
  const found = words[code];
  if (found === undefined) throw new Error(`an encoded order holds the unknown code ${code}`);
  return found;
}
