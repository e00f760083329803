import { type Refusal, refuse, shortened } from '../../domain/rejections.ts';
import { isJsonObject } from '../../wire/json.ts';
import { BATCH_MAX, ORDER_OPS, type OrderOp } from '../../wire/stream.ts';
import { type Members, textOf } from '../request/members.ts';

/** What the members of a client's message mean. */

export const isOrderOp = (op: string): op is OrderOp => Object.hasOwn(ORDER_OPS, op);
/** Echoed whatever it is, so an empty one too. */
export const tagOf = (sent: Members): string | undefined =>
  sent['tag'] === '' ? '' : textOf(sent, 'tag');

/** Anything taken for false would leave orders open that the caller believes to be guarded. */
export function guardOf(data: Members): boolean | Refusal {
  const guard = textOf(data, 'cancelOnDisconnect') ?? 'false';
  if (guard === 'true' || guard === 'false') return guard === 'true';
  const words = `cancelOnDisconnect ${shortened(guard)} is none of true, false`;
  return refuse('PARAMETER_INVALID', words);
}

export function argsOf(sent: Members): readonly unknown[] | undefined {
  const { args } = sent;
  return Array.isArray(args) && args.length > 0 ? args : undefined;
}

/** One that cannot be the name of a channel is answered by itself, like one that names none. */
export const isChannelText = (arg: unknown): arg is string =>
  typeof arg === 'string' && arg.length <= 100;
export const channelText = (arg: unknown): string =>
  isChannelText(arg)
    ? arg
    : shortened(typeof arg === 'string' ? arg : (JSON.stringify(arg) ?? 'null'));
export const noChannel = (channel: string): Refusal =>
  refuse('PARAMETER_INVALID', `there is no channel ${channel}`);

/** Undefined if none was sent, null if it is not a message number. */
export function seqOf(sent: unknown): number | undefined | null {
  if (sent === undefined) return undefined;
  const seq = typeof sent === 'string' && /^\d{1,16}$/.test(sent) ? Number(sent) : Number.NaN;
  return Number.isSafeInteger(seq) ? seq : null;
}

export function elementsOf(sent: Members, op: OrderOp): readonly unknown[] | Refusal {
  if (!ORDER_OPS[op].isBatch) {
    return isJsonObject(sent['data'])
      ? [sent['data']]
      : refuse('REQUEST_UNEXPECTED', 'data is an object');
  }
  const list = sent['dataArray'];
  if (!Array.isArray(list) || list.length === 0) {
    return refuse('REQUEST_UNEXPECTED', 'dataArray is a list of elements');
  }
  if (list.length <= BATCH_MAX) return list;
  return refuse('PARAMETER_INVALID', `${list.length} elements, at most ${BATCH_MAX}`);
}
