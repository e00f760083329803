import { expect, test } from 'vitest';
import { cancelLatenessOf, latenessOf, timesRefusal } from './lateness.ts';

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

test('times are whole numbers, however they are spelled', () => {
  expect(latenessOf({ timestamp: '1.717000003123E12', recvWindow: '5e3' })).toEqual({
    lateAfterMs: 1_717_000_008_123,
    recvWindowMs: 5_000,
  });
  for (const text of ['0', '5.0', '50e-1', '1.5e1', '9999999999999999999', '1e18']) {
    expect(timesRefusal({ timestamp: text, recvWindow: text }), text).toBeUndefined();
  }
  for (const text of ['1.5', '15e-1', '-1', '1e19', '99999999999999999999', 'x', '1e', '+1']) {
    expect(timesRefusal({ timestamp: text }), text).toMatchObject({
      rejected: 'PARAMETER_INVALID',
      message: `Parameter is invalid: timestamp ${text} is no whole number of milliseconds`,
    });
    expect(timesRefusal({ recvWindow: text }), text).toBeDefined();
  }
});
