import { ORDER_TYPES, TIMES_IN_FORCE } from '../../domain/terms.ts';
import type { OrderSlot, Orders } from '../memory/order-rows.ts';
import { amountPartsOf, orderTypeOf } from '../memory/order-rows.ts';

/** The words of orders as codes: places in their lists, as they stand in the orders' columns. */
export const GTC = TIMES_IN_FORCE.indexOf('GTC');
export const IOC = TIMES_IN_FORCE.indexOf('IOC');
export const FOK = TIMES_IN_FORCE.indexOf('FOK');
export const MAKER_ONLY = TIMES_IN_FORCE.indexOf('MAKER_ONLY');
export const MAKER_ONLY_REPRICE = TIMES_IN_FORCE.indexOf('MAKER_ONLY_REPRICE');

export const LIMIT = ORDER_TYPES.indexOf('LIMIT');
export const MARKET = ORDER_TYPES.indexOf('MARKET');
export const STOP_LIMIT = ORDER_TYPES.indexOf('STOP_LIMIT');
export const STOP_MARKET = ORDER_TYPES.indexOf('STOP_MARKET');

/** At any price inside the band, and never resting. */
export const isMarket = (orders: Orders, slot: OrderSlot): boolean =>
  orderTypeOf(orders, slot) === MARKET || orderTypeOf(orders, slot) === STOP_MARKET;

/** A market order that spends an amount: it has no size of its own. */
export const isByAmount = (orders: Orders, slot: OrderSlot): boolean =>
  orderTypeOf(orders, slot) === MARKET && amountPartsOf(orders, slot) > 0n;
