import { expect, test } from 'vitest';
import { decimals } from './index.ts';

test('sums and products are exact', () => {
  expect(decimals.add('0.1', '0.2')).toBe('0.3');
  expect(decimals.add('9007199254740993', '-0.000000000000000001')).toBe(
    '9007199254740992.999999999999999999',
  );
  expect(decimals.subtract('1', '1.10')).toBe('-0.1');
  expect(decimals.multiply('59000.5', '0.01')).toBe('590.005');
  expect(decimals.multiply('-1.5', '9e-05')).toBe('-0.000135');
  expect(decimals.add('1.50', '-1.5')).toBe('0');
});

test('numbers are compared by value, not as text', () => {
  const sorted = ['10', '9.5', '-1', '-10', '9.50001'].sort(decimals.compare);
  expect(sorted).toEqual(['-10', '-1', '9.5', '9.50001', '10']);
  expect(decimals.compare('1.0', '1')).toBe(0);
});

test('a value becomes a multiple of a tick or a lot', () => {
  const rows: [value: string, step: string, down: string, nearest: string, up: string][] = [
    ['59000.37', '0.5', '59000', '59000.5', '59000.5'],
    ['59000.25', '0.5', '59000', '59000.5', '59000.5'],
    ['-1.2', '1', '-2', '-1', '-1'],
    ['0.00123', '0.0001', '0.0012', '0.0012', '0.0013'],
    ['7', '0.25', '7', '7', '7'],
    ['1', '3', '0', '0', '3'],
  ];
  for (const [value, step, ...expected] of rows) {
    const found = (['down', 'nearest', 'up'] as const).map((how) =>
      decimals.round(value, step, how),
    );
    expect(found, value).toEqual(expected);
  }
  expect(decimals.round('2.5', '1')).toBe('3');
});

test('text that is not a number, and an invalid step, are refused', () => {
  for (const text of ['', 'NaN', '1,5', ' 1', '0x1', 'Infinity', '1e999']) {
    expect(() => decimals.add(text, '1'), text).toThrow(RangeError);
  }
  expect(() => decimals.round('1', '0')).toThrow('above zero');
});
