import type { ByteWriter } from '../../bytes/pack.ts';
import type { SetOrderLimits } from '../../domain/commands.ts';
import { encodeEvent } from '../../domain/event-codec.ts';
import { type Refusal, refuse } from '../../domain/rejections.ts';
import type { State } from '../state.ts';

/** The most an operator may set: more would let one account fill the venue's memory. */
const OPEN_ORDERS_SETTABLE_MAX = 1_000_000;

/** The limit applies to new orders; orders already open stay. */
export function setOrderLimits(
  state: State,
  { perMarket, inAll }: SetOrderLimits,
  out: ByteWriter,
): Refusal | undefined {
  for (const [name, limit] of Object.entries({ perMarket, inAll })) {
    if (Number.isSafeInteger(limit) && limit >= 1 && limit <= OPEN_ORDERS_SETTABLE_MAX) continue;
    return refuse(
      'PARAMETER_INVALID',
      `${name} ${limit} is no whole number from 1 to ${OPEN_ORDERS_SETTABLE_MAX}`,
    );
  }
  state.orderLimits.perMarket = perMarket;
  state.orderLimits.inAll = inAll;
  encodeEvent(out, { kind: 'order-limits-set', perMarket, inAll });
  return undefined;
}
