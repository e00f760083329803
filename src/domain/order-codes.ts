import type { OrderState, OrderType, Side, StpMode, TimeInForce, TriggerType } from './terms.ts';

/**
 * The enumerated values of an order as small integers, because orders are stored in typed arrays. Every code
 * is the value's position in its list of `domain/terms.ts`; `order-codes.test.ts` checks that.
 *
 * A value becomes a code by comparing it with each value of its own set, the usual one first: that takes a
 * fraction of a search through a list, and every order needs a dozen of them.
 */
export const BUY = 0;
export const SELL = 1;
export type SideCode = typeof BUY | typeof SELL;

export const opposite = (side: SideCode): SideCode => (side === BUY ? SELL : BUY);

export const sideCode = (side: Side): SideCode => (side === 'BUY' ? BUY : SELL);

export const LIMIT = 0;
export const MARKET = 1;
export const STOP_LIMIT = 2;
export const STOP_MARKET = 3;

export function orderTypeCode(orderType: OrderType): number {
  if (orderType === 'LIMIT') return LIMIT;
  if (orderType === 'MARKET') return MARKET;
  return orderType === 'STOP_LIMIT' ? STOP_LIMIT : STOP_MARKET;
}

export const GTC = 0;
export const IOC = 1;
export const FOK = 2;
export const MAKER_ONLY = 3;
export const MAKER_ONLY_REPRICE = 4;

export function timeInForceCode(timeInForce: TimeInForce): number {
  if (timeInForce === 'GTC') return GTC;
  if (timeInForce === 'IOC') return IOC;
  if (timeInForce === 'FOK') return FOK;
  return timeInForce === 'MAKER_ONLY' ? MAKER_ONLY : MAKER_ONLY_REPRICE;
}

export const STP_NONE = 0;
export const STP_EXPIRE_MAKER = 1;
export const STP_EXPIRE_TAKER = 2;
export const STP_EXPIRE_BOTH = 3;
export type StpCode =
  | typeof STP_NONE
  | typeof STP_EXPIRE_MAKER
  | typeof STP_EXPIRE_TAKER
  | typeof STP_EXPIRE_BOTH;

export function stpModeCode(stpMode: StpMode): StpCode {
  if (stpMode === 'NONE') return STP_NONE;
  if (stpMode === 'EXPIRE_MAKER') return STP_EXPIRE_MAKER;
  return stpMode === 'EXPIRE_TAKER' ? STP_EXPIRE_TAKER : STP_EXPIRE_BOTH;
}

export const TRIGGER_MARK_PRICE = 0;
export const TRIGGER_LAST_PRICE = 1;
export type TriggerCode = typeof TRIGGER_MARK_PRICE | typeof TRIGGER_LAST_PRICE;

export const triggerTypeCode = (triggerType: TriggerType): TriggerCode =>
  triggerType === 'MARK_PRICE' ? TRIGGER_MARK_PRICE : TRIGGER_LAST_PRICE;

/** The current or final state of an order. */
export function orderStateCode(state: OrderState): number {
  switch (state) {
    case 'FILLED':
      return 2;
    case 'CANCELED_BY_USER':
      return 3;
    case 'OPEN':
      return 0;
    case 'PARTIAL_FILL':
      return 1;
    case 'CANCELED_BY_MAKER_ONLY':
      return 4;
    case 'CANCELED_BY_FOK':
      return 5;
    case 'CANCELED_ALL_BY_IOC':
      return 6;
    case 'CANCELED_PARTIAL_BY_IOC':
      return 7;
    case 'CANCELED_BY_AMEND':
      return 8;
    case 'CANCELED_BY_SELF_TRADE_PROTECTION':
      return 9;
  }
}
