/**
 * The words of an order as small integers, because orders live in typed arrays. Every code is the
 * word's place in its list of `domain/terms.ts`; `order-codes.test.ts` holds the two equal.
 */
export const BUY = 0;
export const SELL = 1;
export type SideCode = typeof BUY | typeof SELL;

export const STP_NONE = 0;
export const STP_EXPIRE_MAKER = 1;
export const STP_EXPIRE_TAKER = 2;
export const STP_EXPIRE_BOTH = 3;
export type StpCode =
  | typeof STP_NONE
  | typeof STP_EXPIRE_MAKER
  | typeof STP_EXPIRE_TAKER
  | typeof STP_EXPIRE_BOTH;

export const TRIGGER_MARK_PRICE = 0;
export const TRIGGER_LAST_PRICE = 1;
export type TriggerCode = typeof TRIGGER_MARK_PRICE | typeof TRIGGER_LAST_PRICE;

export const opposite = (side: SideCode): SideCode => (side === BUY ? SELL : BUY);
