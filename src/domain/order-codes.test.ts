import { expect, test } from 'vitest';
import {
  BUY,
  FOK,
  GTC,
  IOC,
  LIMIT,
  MAKER_ONLY,
  MAKER_ONLY_REPRICE,
  MARKET,
  opposite,
  orderStateCode,
  orderTypeCode,
  SELL,
  STOP_LIMIT,
  STOP_MARKET,
  STP_EXPIRE_BOTH,
  STP_EXPIRE_MAKER,
  STP_EXPIRE_TAKER,
  STP_NONE,
  sideCode,
  stpModeCode,
  TRIGGER_LAST_PRICE,
  TRIGGER_MARK_PRICE,
  timeInForceCode,
  triggerTypeCode,
} from './order-codes.ts';
import {
  ORDER_STATES,
  ORDER_TYPES,
  SIDES,
  STP_MODES,
  TIMES_IN_FORCE,
  TRIGGER_TYPES,
} from './terms.ts';

test('a code is the place of its word in the list of terms', () => {
  const places = (words: readonly string[]): number[] => words.map((_, place) => place);
  expect(SIDES.map(sideCode)).toEqual(places(SIDES));
  expect(ORDER_TYPES.map(orderTypeCode)).toEqual(places(ORDER_TYPES));
  expect(TIMES_IN_FORCE.map(timeInForceCode)).toEqual(places(TIMES_IN_FORCE));
  expect(STP_MODES.map(stpModeCode)).toEqual(places(STP_MODES));
  expect(TRIGGER_TYPES.map(triggerTypeCode)).toEqual(places(TRIGGER_TYPES));
  expect(ORDER_STATES.map(orderStateCode)).toEqual(places(ORDER_STATES));
});

test('a named code is the place of the word it is named after', () => {
  expect([SIDES[BUY], SIDES[SELL]]).toEqual(['BUY', 'SELL']);
  expect([LIMIT, MARKET, STOP_LIMIT, STOP_MARKET].map((code) => ORDER_TYPES[code])).toEqual([
    'LIMIT',
    'MARKET',
    'STOP_LIMIT',
    'STOP_MARKET',
  ]);
  const times = [GTC, IOC, FOK, MAKER_ONLY, MAKER_ONLY_REPRICE];
  expect(times.map((code) => TIMES_IN_FORCE[code])).toEqual([
    'GTC',
    'IOC',
    'FOK',
    'MAKER_ONLY',
    'MAKER_ONLY_REPRICE',
  ]);
  expect(STP_MODES[STP_NONE]).toBe('NONE');
  expect(STP_MODES[STP_EXPIRE_MAKER]).toBe('EXPIRE_MAKER');
  expect(STP_MODES[STP_EXPIRE_TAKER]).toBe('EXPIRE_TAKER');
  expect(STP_MODES[STP_EXPIRE_BOTH]).toBe('EXPIRE_BOTH');
  expect(TRIGGER_TYPES[TRIGGER_MARK_PRICE]).toBe('MARK_PRICE');
  expect(TRIGGER_TYPES[TRIGGER_LAST_PRICE]).toBe('LAST_PRICE');
  expect([opposite(BUY), opposite(SELL)]).toEqual([SELL, BUY]);
});
