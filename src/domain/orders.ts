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

/** Ids of matches are printed with the market's number in front, so that no two markets share one. */
const MATCH_ID_SPAN = 100_000_000_000_000_000n;

export const matchIdText = (market: number, counter: number): string =>
  (BigInt(market + 1) * MATCH_ID_SPAN + BigInt(counter)).toString();

/** Counters of matches are exact numbers, so an id with more behind the market is of no match. */
const MATCH_MAX = 2n ** 53n - 1n;

/** The market and the counter behind a printed id; undefined when it is no id of a match. */
export function matchFromIdText(text: string): { market: number; match: number } | undefined {
  const id = idFromText(text) ?? 0n;
  const match = id % MATCH_ID_SPAN;
  if (id < MATCH_ID_SPAN || match > MATCH_MAX) return undefined;
  return { market: exactNumber(id / MATCH_ID_SPAN) - 1, match: exactNumber(match) };
}

/**
 * One order as a caller asks for it, read from text and counted in the market's own units.
 * Zero stands for "none" in prices, sizes and amounts: no valid one is zero.
 */
export type OrderRequest = {
  readonly market: MarketIndex;
  /** The version of the specification that ticks and lots were counted by. */
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

/** Which open order is meant: by the venue's id, else by the caller's; or by a text that names it. */
export type OrderRef = {
  readonly market: MarketIndex;
  /** 0 where the caller named none. */
  readonly orderId: number;
  readonly clientOrderId: bigint;
  readonly named?: OrderTexts;
};

/** Price and size that an open order shall have; 0 keeps what it has. */
export type Amendment = OrderRef & {
  readonly version: number;
  readonly priceTicks: number;
  readonly stopTicks: number;
  readonly sizeLots: number;
};

/** All fields of an order at one moment: responses, history and stream are made of it. */
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
  /** `totalLots - openLots`. An order by amount has as its total what it has bought so far. */
  readonly filledLots: Lots;
  readonly displayLots: Lots;
  readonly amountParts: Amount;
  /** Sum of price x quantity of its matches, in parts of the asset that settles the market. */
  readonly filledCost: Amount;
  readonly fees: OrderFees;
  readonly createdAtMs: number;
  readonly lastModifiedAtMs: number;
  readonly lastMatchedAtMs: number;
  readonly texts?: OrderTexts;
};

/** What an order has paid so far, by the asset it was taken in. */
export type OrderFees = {
  readonly native: Amount;
  readonly usdt: Amount;
  readonly other: Amount;
  readonly otherAsset: AssetIndex;
};

/** One side of a match: what that order and its account have from it. */
export type MatchSide = {
  readonly orderId: number;
  readonly clientOrderId: bigint;
  readonly account: AccountIndex;
  readonly source: number;
  /** After the match. */
  readonly openLots: Lots;
  readonly feeAsset: AssetIndex;
  readonly fee: Amount;
  /** Perpetuals: what the reducing part brought, in native parts. */
  readonly realised: Amount;
  readonly texts?: OrderTexts;
};

/** How an open order stands, from what is left of it. */
export const openState = (order: { readonly filledLots: number }): OrderState =>
  order.filledLots > 0 ? 'PARTIAL_FILL' : 'OPEN';
