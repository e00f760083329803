import { MARKET, STOP_MARKET } from '../../domain/order-codes.ts';
import type { OrderSlot, Orders } from '../memory/order-rows.ts';
import { amountPartsOf, orderTypeOf } from '../memory/order-rows.ts';

/** At any price inside the band, and never resting. */
export const isMarket = (orders: Orders, slot: OrderSlot): boolean =>
  orderTypeOf(orders, slot) === MARKET || orderTypeOf(orders, slot) === STOP_MARKET;

/** A market order that spends an amount: it has no size of its own. */
export const isByAmount = (orders: Orders, slot: OrderSlot): boolean =>
  orderTypeOf(orders, slot) === MARKET && amountPartsOf(orders, slot) > 0n;
