import { Value } from 'typebox/value';
import { expect, test } from 'vitest';
import { isRefusal } from '../domain/rejections.ts';
import { DAY_MS, limitOf, PAGE, pageOf, subAccountNames, windowOf } from './scalars.ts';

const NOW = 1_750_000_000_000;
const WEEK_MS = 7 * DAY_MS;

type Sent = { startTime?: string; endTime?: string };
const sent = (startMs?: number, endMs?: number): Sent => ({
  ...(startMs === undefined ? {} : { startTime: String(startMs) }),
  ...(endMs === undefined ? {} : { endTime: String(endMs) }),
});

test('the window of a history', () => {
  const rows: [string, Sent, [number, number] | '20001'][] = [
    ['nothing: the last day', sent(), [NOW - DAY_MS, NOW]],
    ['both, exactly 7 days', sent(NOW - WEEK_MS, NOW), [NOW - WEEK_MS, NOW]],
    ['both, a millisecond more', sent(NOW - WEEK_MS - 1, NOW), '20001'],
    ['an end in the future', sent(NOW, NOW + WEEK_MS), [NOW, NOW + WEEK_MS]],
    ['start = end', sent(NOW, NOW), [NOW, NOW]],
    ['start after end', sent(NOW, NOW - 1), '20001'],
    ['only start, recent', sent(NOW - 5), [NOW - 5, NOW]],
    ['only start, old', sent(NOW - 30 * DAY_MS), [NOW - 30 * DAY_MS, NOW - 23 * DAY_MS]],
    ['only start, in the future', sent(NOW + 1), '20001'],
    ['only end, recent', sent(undefined, NOW - 5), [NOW - 5 - DAY_MS, NOW - 5]],
    ['only end, in the future', sent(undefined, NOW + 5), [NOW - DAY_MS, NOW + 5]],
    ['only end, 6 days ahead', sent(undefined, NOW + 6 * DAY_MS), [NOW - DAY_MS, NOW + 6 * DAY_MS]],
    ['only end, further ahead', sent(undefined, NOW + 6 * DAY_MS + 1), '20001'],
    ['only end, at the epoch', sent(undefined, 5), [0, 5]],
    ['beyond any calendar', { startTime: '9999999999999999' }, '20001'],
  ];
  for (const [name, ask, expected] of rows) {
    const window = windowOf(ask, NOW);
    if (expected === '20001') expect(isRefusal(window), name).toBe(true);
    else expect(window, name).toEqual({ fromMs: expected[0], toMs: expected[1] });
  }
});

test('the refusal of a window that is too long names the limit and the nearest end', () => {
  const refusal = windowOf(sent(0, WEEK_MS + 1), NOW);
  expect(refusal).toMatchObject({ rejected: 'PARAMETER_INVALID' });
  expect((refusal as { message: string }).message).toContain('nearest endTime 604800000');
});

test('a limit above the maximum becomes the maximum', () => {
  const limits = { default: 50, max: 200 };
  expect(limitOf(undefined, limits)).toBe(50);
  expect(limitOf('1', limits)).toBe(1);
  expect(limitOf('200.0', limits)).toBe(200);
  expect(limitOf('201', limits)).toBe(200);
  expect(limitOf('99999999999999999999999', limits)).toBe(200);
});

test('a limit below 1 or no number, and a time that is none, do not pass the schema', () => {
  for (const text of ['0', '-1', '00', 'abc', '1.5', '', '1e2', ' 5', '0x10', 'NaN']) {
    expect(Value.Check(PAGE.limit, text), text).toBe(false);
  }
  for (const text of ['-1', 'abc', '1.5', '', '2025-01-01', '12345678901234567']) {
    expect(Value.Check(PAGE.startTime, text), text).toBe(false);
  }
  for (const text of ['0', '1750000000000', '1750000000000.0']) {
    expect(Value.Check(PAGE.startTime, text), text).toBe(true);
  }
});

test('beforeId is the id of a row, exact beyond 2^53', () => {
  const limits = { page: { default: 50, max: 200 } };
  expect(pageOf({ beforeId: '970000000000000201' }, limits, NOW)).toMatchObject({ beforeId: 201n });
  expect(pageOf({ beforeId: '5' }, limits, NOW)).toMatchObject({ rejected: 'PARAMETER_INVALID' });
});

test('names of sub-accounts: distinct, in order, not too many', () => {
  const limits = { subAccountsMax: 2 };
  expect(subAccountNames(undefined, limits)).toEqual([]);
  expect(subAccountNames(',b,,a,b', limits)).toEqual(['b', 'a']);
  expect(subAccountNames('a,b,c', limits)).toMatchObject({
    message: 'Parameter is invalid: subAcc holds 3 names, at most 2',
  });
});
