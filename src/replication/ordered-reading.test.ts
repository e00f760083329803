import type { JsMsg } from '@nats-io/jetstream';
import { expect, test } from 'vitest';
import type { LogMessage } from './log.ts';
import { OrderedReading } from './ordered-reading.ts';

const message = (seq: number): JsMsg =>
  ({ seq, data: new Uint8Array([seq]), info: { timestampNanos: 0 } }) as unknown as JsMsg;

function reading(onMessage: (message: LogMessage) => void | Promise<void>, enough = 100) {
  const read: number[] = [];
  const one = new OrderedReading(
    1,
    (got) => {
      read.push(got.place);
      return onMessage(got);
    },
    () => read.length >= enough,
  );
  return { one, read };
}

test('messages are handed on as they come, each once; enough ends it', async () => {
  const { one, read } = reading(() => undefined, 3);
  for (const place of [1, 2, 1, 2, 3, 4]) one.take(message(place));
  expect(read).toEqual([1, 2, 3]);
  expect(one.next).toBe(4);
  await one.ended;
  await one.end();
  expect(one.isGapAhead).toBe(false);
});

test('what comes while one is being handled waits for it, in order', async () => {
  const held: (() => void)[] = [];
  const { one, read } = reading(({ place }) =>
    place % 2 === 1 ? new Promise<void>((resolve) => void held.push(resolve)) : undefined,
  );
  for (const place of [1, 2, 3, 4, 5]) one.take(message(place));
  expect(read).toEqual([1]);
  held.shift()?.();
  await new Promise((resolve) => setImmediate(resolve));
  expect(read).toEqual([1, 2, 3]);
  // Ended, it waits for the one at work and hands on nothing behind it.
  const ended = one.end();
  held.shift()?.();
  await ended;
  expect(read).toEqual([1, 2, 3]);
  expect(one.next).toBe(4);
});

test('a gap ends it before the message behind it', async () => {
  const { one, read } = reading(() => undefined);
  one.take(message(1));
  one.take(message(3));
  one.take(message(2));
  await one.ended;
  expect({ read, next: one.next, isGapAhead: one.isGapAhead }).toEqual({
    ...{ read: [1], next: 2, isGapAhead: true },
  });
});

test('what a handler throws, at once or later, is not lost, also where the consumer has ended before', async () => {
  const failure = new Error('cannot be applied');
  const atOnce = reading(() => {
    throw failure;
  }).one;
  atOnce.take(message(1));
  await expect(atOnce.ended).rejects.toBe(failure);
  const later = reading(async () => {
    await Promise.resolve();
    throw failure;
  }).one;
  later.take(message(1));
  await expect(later.end()).rejects.toBe(failure);
});
