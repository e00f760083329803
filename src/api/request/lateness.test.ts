import { expect, test } from 'vitest';
import { cancelLatenessOf, latenessOf } from './lateness.ts';

test('the four rules of recvWindow', () => {
  const timestamp = '1717000003123';
  expect(latenessOf({ timestamp, recvWindow: '5000' })).toEqual({
    lateAfterMs: 1_717_000_008_123,
    recvWindowMs: 5_000,
  });
  expect(latenessOf({ timestamp })).toEqual({
    lateAfterMs: 1_717_000_004_123,
    recvWindowMs: 1_000,
  });
  expect(latenessOf({ recvWindow: '5000' })).toEqual({});
  expect(latenessOf({})).toEqual({});
});

test('a cancel is judged only by a recvWindow that was sent', () => {
  expect(cancelLatenessOf({ timestamp: '1000' })).toEqual({});
  expect(cancelLatenessOf({ recvWindow: '1000' })).toEqual({});
  expect(cancelLatenessOf({ timestamp: '1000', recvWindow: '0' })).toEqual({
    lateAfterMs: 1_000,
    recvWindowMs: 0,
  });
});

test('an end beyond every clock is never reached', () => {
  expect(latenessOf({ timestamp: '9999999999999999', recvWindow: '1' })).toEqual({});
});
