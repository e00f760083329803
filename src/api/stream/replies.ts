import { REJECTIONS, type Refusal } from '../../domain/rejections.ts';
import type { OrderEventName } from '../../wire/stream.ts';

/** Answers to a client's messages. Compact JSON: an existing client looks for `"event":"Welcome"`. */

/** Common members of the answers to one message: its tag, if one was sent, and the time. */
export type Answered = {
  readonly tag: string | undefined;
  readonly timeMs: number;
  /** The command was sent before under the same name: this is its first answer. */
  readonly isRepeat?: boolean;
};

const tagText = (tag: string | undefined): string =>
  tag === undefined ? '' : `"tag":${JSON.stringify(tag)},`;

const refusalText = ({ rejected, message }: Refusal): string =>
  `"message":${JSON.stringify(message)},"code":"${REJECTIONS[rejected].code}",`;

export const welcome = (nonce: string, timeMs: number): string =>
  `{"event":"Welcome","nonce":"${nonce}","timestamp":"${timeMs}"}`;

export const done = (event: string, { tag, timeMs }: Answered, channel?: string): string =>
  `{"event":${JSON.stringify(event)},"success":true,${tagText(tag)}` +
  `${channel === undefined ? '' : `"channel":${JSON.stringify(channel)},`}"timestamp":"${timeMs}"}`;

export const failed = (
  event: string,
  refusal: Refusal,
  { tag, timeMs }: Answered,
  channel?: string,
): string =>
  `{"event":${JSON.stringify(event)},"success":false,${tagText(tag)}${refusalText(refusal)}` +
  `${channel === undefined ? '' : `"channel":${JSON.stringify(channel)},`}"timestamp":"${timeMs}"}`;

export const submitted = (
  event: OrderEventName,
  { tag, timeMs, isRepeat }: Answered,
  dataText: string,
): string =>
  `{"event":"${event}","submitted":true,${tagText(tag)}"timestamp":"${timeMs}",` +
  `${isRepeat === true ? '"replayed":true,' : ''}"data":${dataText}}`;

export const notSubmitted = (
  event: string,
  refusal: Refusal,
  { tag, timeMs, isRepeat }: Answered,
  dataText?: string,
): string =>
  `{"event":${JSON.stringify(event)},"submitted":false,${tagText(tag)}${refusalText(refusal)}` +
  `"timestamp":"${timeMs}"${isRepeat === true ? ',"replayed":true' : ''}${dataText === undefined ? '' : `,"data":${dataText}`}}`;

/** Sent before the venue closes a connection by itself. */
export const farewell = (refusal: Refusal, timeMs: number): string =>
  `{"event":"close","success":false,${refusalText(refusal)}"timestamp":"${timeMs}"}`;

export const shutdownNotice = (timeMs: number): string =>
  `{"event":"shutdown","message":"the venue closes; connect again in a moment","timestamp":"${timeMs}"}`;
