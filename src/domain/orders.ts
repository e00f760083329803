import { idFromText } from './ids.ts';
import type { OrderTexts } from './order-layout.ts';
import type { OrderState, OrderType, Side, StpMode, TimeInForce, TriggerType } from './terms.ts';
import {
  type AccountIndex,
  type Amount,
  type AssetIndex,
  exactNumber,
  type FamilyIndex,
  type Lots,
  type MarketIndex,
  type Ticks,
} from './units.ts';

/** Match ids are printed with the market's number in front, so that no two markets share one. */
const MATCH_ID_SPAN = 100_000_000_000_000_000n;

export const matchIdText = (market: number, counter: number): string =>
  (BigInt(market + 1) * MATCH_ID_SPAN + BigInt(counter)).toString();

/** Match counters are safe integers, so an id with a larger counter is not a match. */
const MATCH_MAX = 2n ** 53n - 1n;

/** The market and the counter of a printed id; undefined if it is not the id of a match. */
export function matchFromIdText(text: string): { market: number; match: number } | undefined {
  const id = idFromText(text) ?? 0n;
  const match = id % MATCH_ID_SPAN;
  if (id < MATCH_ID_SPAN || match > MATCH_MAX) return undefined;
  return { market: exactNumber(id / MATCH_ID_SPAN) - 1, match: exactNumber(match) };
}

/**
 * One order as requested, parsed and converted to the market's own units. Zero stands for "none" in prices,
 * sizes and amounts: no valid one is zero.
 */
export type OrderRequest = {
  readonly market: MarketIndex;
  /** The version of the specification that defines ticks and lots. */
  readonly version: number;
  readonly side: Side;
  readonly orderType: OrderType;
  readonly timeInForce: TimeInForce;
  readonly stpMode: StpMode;
  readonly triggerType: TriggerType;
  readonly clientOrderId: bigint;
  readonly priceTicks: number;
  readonly stopTicks: number;
  readonly sizeLots: number;
  readonly displayLots: number;
  /** Spot BUY by counter amount, in the counter asset's parts. */
  readonly amountParts: bigint;
  readonly reduceOnly: boolean;
  readonly texts?: OrderTexts;
};

/** Which open order is meant: by the venue's id, else by the client's; or by a text that names it. */
export type OrderRef = {
  readonly market: MarketIndex;
  /** 0 if the caller gave none. */
  readonly orderId: number;
  readonly clientOrderId: bigint;
  readonly named?: OrderTexts;
};

/**
 * The new price and size of an open order; 0 keeps the current value. Side and type cannot change: they are there
 * if the caller has repeated them, and then have to be the order's.
 */
export type Amendment = OrderRef & {
  readonly version: number;
  readonly priceTicks: number;
  readonly stopTicks: number;
  readonly sizeLots: number;
  readonly side?: Side;
  readonly orderType?: OrderType;
};

/** All fields of an order at one moment: responses, history and stream are derived from it. */
export type OrderRecord = {
  readonly orderId: number;
  readonly clientOrderId: bigint;
  readonly account: AccountIndex;
  readonly family: FamilyIndex;
  readonly market: MarketIndex;
  readonly side: Side;
  readonly orderType: OrderType;
  readonly timeInForce: TimeInForce;
  readonly stpMode: StpMode;
  readonly triggerType: TriggerType;
  readonly source: number;
  readonly isStop: boolean;
  readonly isTriggered: boolean;
  readonly reduceOnly: boolean;
  readonly priceTicks: Ticks;
  readonly stopTicks: Ticks;
  readonly totalLots: Lots;
  readonly openLots: Lots;
  /** `totalLots - openLots`. The total of an amount order is what it has bought so far. */
  readonly filledLots: Lots;
  readonly displayLots: Lots;
  readonly amountParts: Amount;
  /** Sum of price x quantity of its matches, in parts of the market's settlement asset. */
  readonly filledCost: Amount;
  readonly fees: OrderFees;
  readonly createdAtMs: number;
  readonly lastModifiedAtMs: number;
  readonly lastMatchedAtMs: number;
  readonly texts?: OrderTexts;
};

/** The fees of an order so far, by asset. */
export type OrderFees = {
  readonly native: Amount;
  readonly usdt: Amount;
  readonly other: Amount;
  readonly otherAsset: AssetIndex;
};

/** One side of a match: the effect on that order and its account. */
export type MatchSide = {
  readonly orderId: number;
  readonly clientOrderId: bigint;
  readonly account: AccountIndex;
  readonly source: number;
  /** After the match. */
  readonly openLots: Lots;
  readonly feeAsset: AssetIndex;
  readonly fee: Amount;
  /** Perpetuals: what the reducing part realised, in native parts. */
  readonly realised: Amount;
  readonly texts?: OrderTexts;
};

/** The state of an open order, from its filled lots. */
export const openState = (order: { readonly filledLots: number }): OrderState =>
  order.filledLots > 0 ? 'PARTIAL_FILL' : 'OPEN';
