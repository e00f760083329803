/** The SDK: everything a program needs to talk to the venue. */

export type {
  OrderState,
  OrderStatus,
  OrderType,
  Side,
  StpMode,
  TimeInForce,
  TriggerType,
  WalletType,
} from '../domain/terms.ts';
export type { Endpoint, ReplyOf, RequestOf } from '../wire/endpoint.ts';
export { ENDPOINTS } from '../wire/endpoints.ts';
export type { AmendmentSent, OrderRefSent, OrderSent } from '../wire/orders.ts';
export type { ChangeSent, HypotheticalSent, PriceSent } from '../wire/what-if.ts';
export type { Prepared, Reply, RialtoClientOptions } from './caller.ts';
export { decimals, type Rounding } from './decimals.ts';
export { isRejectionCode, type RejectionCode, RialtoError } from './errors.ts';
export type { HandoutChoice, HandoutRead } from './handout.ts';
export { LocalBook } from './local-book.ts';
export { RialtoClient } from './rest.ts';
export type { RetryOptions } from './retry.ts';
export { importSecret } from './secret.ts';
export {
  RialtoStream,
  type RialtoStreamOptions,
  type StreamMessage,
} from './stream.ts';
export type { StreamAnswer } from './stream-commands.ts';
