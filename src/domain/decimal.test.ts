import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  ceilDiv,
  decimalFromText,
  floorDiv,
  mulDivDown,
  mulDivUp,
  partsFromText,
  putShareUp,
  putTimesRatioDown,
  putTimesRatioUp,
  type Ratio,
  ratioOf,
  shareUp,
  textFromParts,
  timesRatioDown,
} from './decimal.ts';

test('decimal text is read exactly or refused, never rounded', () => {
  const rows: [string, number, bigint | undefined][] = [
    ['12.50', 2, 1250n],
    ['12.5', 8, 1_250_000_000n],
    ['0', 8, 0n],
    ['-0.1', 1, -1n],
    ['1.001', 2, undefined],
    ['1.100', 1, 11n],
    ['9e-05', 8, 9000n],
    ['1.5E3', 0, 1500n],
    ['15e-1', 0, undefined],
    ['', 8, undefined],
    ['.5', 8, undefined],
    ['5.', 8, undefined],
    ['+5', 8, undefined],
    ['0x10', 8, undefined],
    [' 5', 8, undefined],
    ['1,000', 8, undefined],
    ['NaN', 8, undefined],
    ['1e999', 8, undefined],
    ['007', 0, 7n],
  ];
  for (const [text, scale, parts] of rows) expect(partsFromText(text, scale)).toBe(parts);
});

test('what was written is read back the same, at any scale', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: -(2n ** 62n), max: 2n ** 62n }),
      fc.integer({ min: 0, max: 18 }),
      (parts, scale) => {
        expect(partsFromText(textFromParts(parts, scale), scale)).toBe(parts);
      },
    ),
  );
});

test('text has no trailing zeros, but the decimals asked for', () => {
  expect(textFromParts(1250n, 2)).toBe('12.5');
  expect(textFromParts(1200n, 2)).toBe('12');
  expect(textFromParts(1200n, 2, 1)).toBe('12.0');
  expect(textFromParts(-5n, 8)).toBe('-0.00000005');
});

test('a decimal keeps its digits as written', () => {
  expect(decimalFromText('3.1400')).toEqual({ digits: 314n, scale: 2 });
  expect(decimalFromText('2e2')).toEqual({ digits: 200n, scale: 0 });
});

test('divisions in 64 bits and beyond give what plain arithmetic gives', () => {
  const whole = fc.oneof(fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }), nearPowersOfTwo);
  fc.assert(
    fc.property(whole, whole, whole, (value, numerator, denominator) => {
      fc.pre(denominator !== 0n);
      const up = (a: bigint, b: bigint): bigint => -down(-a, b);
      expect(floorDiv(value, denominator)).toBe(down(value, denominator));
      expect(ceilDiv(value, denominator)).toBe(up(value, denominator));
      const product = value * numerator;
      expect(mulDivDown(value, numerator, denominator)).toBe(down(product, denominator));
      expect(mulDivUp(value, numerator, denominator)).toBe(up(product, denominator));
    }),
    { numRuns: 20_000 },
  );
});

test('values times a prepared ratio, and shares, are what plain arithmetic gives', () => {
  const value = fc.oneof(fc.bigInt({ min: -(2n ** 66n), max: 2n ** 66n }), nearPowersOfTwo);
  const size = value.map((one) => (one < 0n ? -one : one));
  const count = fc.oneof(
    fc.integer({ min: 0, max: 2 ** 31 + 2 }),
    fc.maxSafeNat(),
    fc.integer({ min: 0, max: 9 }),
  );
  fc.assert(
    fc.property(value, size, size, count, count, (parts, top, below, one, other) => {
      const ratio = ratioOf(top, below + 1n);
      expect(timesRatioDown(parts, ratio)).toBe(down(parts * top, below + 1n));
      expectPut(parts, ratio);
      // Exactly at the limits between the three ways of computing.
      for (const bound of [ratio.directBelow, ratio.narrowBelow]) {
        for (const near of [bound - 1n, bound, bound + 1n]) {
          expect(timesRatioDown(near, ratio)).toBe(down(near * top, below + 1n));
          expectPut(near, ratio);
        }
      }
      const of = Math.max(one, other, 1);
      const part = Math.min(one, other);
      const share = -down(-parts * BigInt(part), BigInt(of));
      expect(shareUp(parts, part, of)).toBe(share);
      for (const narrow of [BigInt.asIntN(45, parts), BigInt.asIntN(60, parts)]) {
        putShareUp(to, 1, narrow, part, of);
        expect(to[1]).toBe(-down(-narrow * BigInt(part), BigInt(of)));
      }
    }),
    { numRuns: 4_000 },
  );
});

const to = new BigInt64Array(2);

/** What is put is exact, and it is put where the ratio says so. */
function expectPut(value: bigint, ratio: Ratio): void {
  const { numerator, denominator } = ratio;
  const isDirect = value >= 0n && value < ratio.directBelow;
  expect(putTimesRatioDown(to, 0, value, ratio)).toBe(isDirect);
  expect(putTimesRatioUp(to, 1, value, ratio)).toBe(isDirect);
  if (!isDirect) return;
  expect(to[0]).toBe(down(value * numerator, denominator));
  expect(to[1]).toBe(-down(-value * numerator, denominator));
}

/** Where an off-by-one bound would show. */
const nearPowersOfTwo = fc
  .tuple(fc.integer({ min: 0, max: 66 }), fc.integer({ min: -2, max: 2 }), fc.boolean())
  .map(([power, offset, isNegative]) => {
    const size = 2n ** BigInt(power) + BigInt(offset);
    return isNegative ? -size : size;
  });

/** Rounds toward minus infinity, computed from the remainder. */
function down(dividend: bigint, divisor: bigint): bigint {
  const rest = dividend % divisor;
  const floorRest = rest !== 0n && rest < 0n !== divisor < 0n ? rest + divisor : rest;
  return (dividend - floorRest) / divisor;
}

test('each division rounds to the side that its name says', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: -1000n, max: 1000n }),
      fc.bigInt({ min: -50n, max: 50n }).filter((divisor) => divisor !== 0n),
      (dividend, divisor) => {
        const exact = Number(dividend) / Number(divisor);
        expect(Number(floorDiv(dividend, divisor)) + 0).toBe(Math.floor(exact) + 0);
        expect(Number(ceilDiv(dividend, divisor)) + 0).toBe(Math.ceil(exact) + 0);
      },
    ),
  );
});
