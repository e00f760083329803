import {
  type AccountIndex,
  type AssetIndex,
  amount,
  type FamilyIndex,
  lots,
  type MarketIndex,
  ticks,
} from '../../domain/units.ts';
import type { OrderFacts } from './facts.ts';

/** Orders of the first version: columns, and in each price level a list through them. See v1.ts. */
export type V1Orders = {
  readonly orderId: Float64Array;
  readonly clientOrderId: BigInt64Array;
  readonly account: Int32Array;
  readonly family: Int32Array;
  readonly market: Int32Array;
  readonly side: Uint8Array;
  readonly orderType: Uint8Array;
  readonly timeInForce: Uint8Array;
  readonly stpMode: Uint8Array;
  readonly triggerType: Uint8Array;
  readonly source: Uint8Array;
  readonly flags: Uint8Array;
  readonly priceTicks: Float64Array;
  readonly stopTicks: Float64Array;
  readonly totalLots: Float64Array;
  readonly openLots: Float64Array;
  readonly displayLots: Float64Array;
  readonly heldParts: BigInt64Array;
  readonly amountParts: BigInt64Array;
  readonly filledCostParts: BigInt64Array;
  readonly feeNativeParts: BigInt64Array;
  readonly feeUsdtParts: BigInt64Array;
  readonly feeOtherParts: BigInt64Array;
  readonly feeOtherAsset: Int32Array;
  readonly createdAtMs: Float64Array;
  readonly lastModifiedAtMs: Float64Array;
  readonly lastMatchedAtMs: Float64Array;
  readonly next: Int32Array;
  /** In the book: its level. Waiting for its trigger: below -1. */
  readonly place: Int32Array;
  readonly nextOfAccount: Int32Array;
  readonly usedSlots: number;
  /** Head of the list of free slots, linked by `next`. */
  readonly freeSlot: number;
};

export type V1Book = {
  readonly levels: { readonly priceTicks: Float64Array; readonly firstOrder: Int32Array };
};

const NONE = -1;
const SIDES = ['BUY', 'SELL'] as const;
const ORDER_TYPES = ['LIMIT', 'MARKET', 'STOP_LIMIT', 'STOP_MARKET'] as const;
const TIMES_IN_FORCE = ['GTC', 'IOC', 'FOK', 'MAKER_ONLY', 'MAKER_ONLY_REPRICE'] as const;
const STP_MODES = ['NONE', 'EXPIRE_MAKER', 'EXPIRE_TAKER', 'EXPIRE_BOTH'] as const;
const TRIGGER_TYPES = ['MARK_PRICE', 'LAST_PRICE'] as const;
const FLAG_STOP = 1;
const FLAG_TRIGGERED = 2;
const FLAG_REDUCE_ONLY = 4;
const FLAG_HOLDS_PLAN = 8;

/** An account's open orders, oldest first: a ring from its first. */
export function ordersOfV1(orders: V1Orders, first: number): OrderFacts[] {
  const found: OrderFacts[] = [];
  let slot = first;
  while (slot !== NONE) {
    found.push(orderFacts(orders, slot));
    slot = orders.nextOfAccount[slot] as number;
    if (slot === first) break;
  }
  return found;
}

/** Ids of a market's resting orders: bids then asks, each best price first, then by priority. */
export function queueOfV1(orders: V1Orders, { levels }: V1Book, market: number): number[] {
  const sideByLevel = new Map<number, number>();
  const isFree = freeSlots(orders);
  for (let slot = 0; slot < orders.usedSlots; slot++) {
    const level = orders.place[slot] as number;
    if (level < 0 || isFree[slot] === 1 || orders.market[slot] !== market) continue;
    sideByLevel.set(level, orders.side[slot] as number);
  }
  const rankOf = (level: number, side: number): number => {
    const price = levels.priceTicks[level] as number;
    return side === 0 ? -price : price;
  };
  return [...sideByLevel]
    .sort(([a, aSide], [b, bSide]) =>
      aSide === bSide ? rankOf(a, aSide) - rankOf(b, bSide) : aSide - bSide,
    )
    .flatMap(([level]) => idsFrom(orders, levels.firstOrder[level] as number));
}

function idsFrom(orders: V1Orders, first: number): number[] {
  const ids: number[] = [];
  for (let slot = first; slot !== NONE; slot = orders.next[slot] as number) {
    ids.push(orders.orderId[slot] as number);
  }
  return ids;
}

/** Rows that closed orders have left: what stands in them means nothing. */
function freeSlots(orders: V1Orders): Uint8Array {
  const isFree = new Uint8Array(orders.usedSlots);
  for (let slot = orders.freeSlot; slot !== NONE; slot = orders.next[slot] as number) {
    isFree[slot] = 1;
  }
  return isFree;
}

function orderFacts(orders: V1Orders, slot: number): OrderFacts {
  const flags = orders.flags[slot] as number;
  const totalLots = orders.totalLots[slot] as number;
  const openLots = orders.openLots[slot] as number;
  return {
    heldParts: orders.heldParts[slot] as bigint,
    holdsPlan: (flags & FLAG_HOLDS_PLAN) !== 0,
    isWaiting: (orders.place[slot] as number) < NONE,
    order: {
      orderId: orders.orderId[slot] as number,
      clientOrderId: orders.clientOrderId[slot] as bigint,
      account: orders.account[slot] as AccountIndex,
      family: orders.family[slot] as FamilyIndex,
      market: orders.market[slot] as MarketIndex,
      side: SIDES[orders.side[slot] as 0],
      orderType: ORDER_TYPES[orders.orderType[slot] as 0],
      timeInForce: TIMES_IN_FORCE[orders.timeInForce[slot] as 0],
      stpMode: STP_MODES[orders.stpMode[slot] as 0],
      triggerType: TRIGGER_TYPES[orders.triggerType[slot] as 0],
      source: orders.source[slot] as number,
      isStop: (flags & FLAG_STOP) !== 0,
      isTriggered: (flags & FLAG_TRIGGERED) !== 0,
      reduceOnly: (flags & FLAG_REDUCE_ONLY) !== 0,
      priceTicks: ticks(orders.priceTicks[slot] as number),
      stopTicks: ticks(orders.stopTicks[slot] as number),
      totalLots: lots(totalLots),
      openLots: lots(openLots),
      filledLots: lots(totalLots - openLots),
      displayLots: lots(orders.displayLots[slot] as number),
      amountParts: amount(orders.amountParts[slot] as bigint),
      filledCost: amount(orders.filledCostParts[slot] as bigint),
      fees: {
        native: amount(orders.feeNativeParts[slot] as bigint),
        usdt: amount(orders.feeUsdtParts[slot] as bigint),
        other: amount(orders.feeOtherParts[slot] as bigint),
        otherAsset: orders.feeOtherAsset[slot] as AssetIndex,
      },
      createdAtMs: orders.createdAtMs[slot] as number,
      lastModifiedAtMs: orders.lastModifiedAtMs[slot] as number,
      lastMatchedAtMs: orders.lastMatchedAtMs[slot] as number,
    },
  };
}
