import { expect, test } from 'vitest';
import {
  BUY,
  opposite,
  SELL,
  STP_EXPIRE_BOTH,
  STP_EXPIRE_MAKER,
  STP_EXPIRE_TAKER,
  STP_NONE,
  TRIGGER_LAST_PRICE,
  TRIGGER_MARK_PRICE,
} from './order-codes.ts';
import { SIDES, STP_MODES, TRIGGER_TYPES } from './terms.ts';

test('a code is the place of its word in the list of terms', () => {
  expect([SIDES[BUY], SIDES[SELL]]).toEqual(['BUY', 'SELL']);
  expect(STP_MODES[STP_NONE]).toBe('NONE');
  expect(STP_MODES[STP_EXPIRE_MAKER]).toBe('EXPIRE_MAKER');
  expect(STP_MODES[STP_EXPIRE_TAKER]).toBe('EXPIRE_TAKER');
  expect(STP_MODES[STP_EXPIRE_BOTH]).toBe('EXPIRE_BOTH');
  expect(TRIGGER_TYPES[TRIGGER_MARK_PRICE]).toBe('MARK_PRICE');
  expect(TRIGGER_TYPES[TRIGGER_LAST_PRICE]).toBe('LAST_PRICE');
  expect([opposite(BUY), opposite(SELL)]).toEqual([SELL, BUY]);
});
