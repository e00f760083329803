import { expect, test } from 'vitest';
import { troubleOf } from './network-trouble.ts';

const NONE = { reason: undefined, lostBelow: undefined, shortage: undefined, contradictions: [] };

test('a payment that was undone does not hide what the network lacks now', () => {
  expect(troubleOf(NONE)).toBeUndefined();
  expect(troubleOf({ ...NONE, shortage: 'no gas' })).toBe('withdrawals wait: no gas');
  expect(troubleOf({ ...NONE, shortage: 'no gas', reason: 'the node is down' })).toBe(
    'the node is down',
  );
  const contradictions = ['withdrawal 1: nobody was paid'];
  expect(troubleOf({ ...NONE, contradictions, reason: 'the node is down' })).toBe(
    'withdrawal 1: nobody was paid; the node is down',
  );
  expect(troubleOf({ ...NONE, contradictions, lostBelow: 7 })).toBe(
    'withdrawal 1: nobody was paid; reorganised below block 7',
  );
});

test('of many payments that were undone the first are named, and the others counted', () => {
  const contradictions = Array.from({ length: 1_000 }, (_, at) => `withdrawal ${at}`);
  expect(troubleOf({ ...NONE, contradictions })).toBe(
    'withdrawal 0; withdrawal 1; withdrawal 2; withdrawal 3; withdrawal 4; and 995 more payments',
  );
});
