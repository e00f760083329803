import {
  ceilDiv,
  type Decimal,
  decimalFromText,
  floorDiv,
  textFromParts,
} from '../domain/decimal.ts';

/** How a value between two steps is rounded. `nearest`: a tie goes up. */
export type Rounding = 'down' | 'up' | 'nearest';

/**
 * Exact arithmetic with decimal text: no value passes through a floating-point number. All functions throw a
 * RangeError for text that is not a number.
 */
export const decimals = {
  /** `add('0.1', '0.2')` is `'0.3'`. */
  add(one: string, other: string): string {
    const [a, b, scale] = aligned(one, other);
    return textFromParts(a + b, scale);
  },

  /** `subtract('1', '0.9')` is `'0.1'`. */
  subtract(one: string, other: string): string {
    const [a, b, scale] = aligned(one, other);
    return textFromParts(a - b, scale);
  },

  /** `multiply('59000.5', '0.01')` is `'590.005'`. */
  multiply(one: string, other: string): string {
    const a = read(one);
    const b = read(other);
    return textFromParts(a.digits * b.digits, a.scale + b.scale);
  },

  /** Below zero, zero or above it, as `sort` expects: `compare('2', '10')` is -1. */
  compare(one: string, other: string): -1 | 0 | 1 {
    const [a, b] = aligned(one, other);
    if (a === b) return 0;
    return a < b ? -1 : 1;
  },

  /** To a multiple of a step, such as a market's tickSize or minSize: `round('59000.37', '0.5')` is `'59000.5'`. */
  round(value: string, step: string, rounding: Rounding = 'nearest'): string {
    const [a, b, scale] = aligned(value, step);
    if (b <= 0n) throw new RangeError(`a step is above zero, not ${step}`);
    return textFromParts(stepsIn(a, b, rounding) * b, scale);
  },
};

function stepsIn(value: bigint, step: bigint, rounding: Rounding): bigint {
  if (rounding === 'down') return floorDiv(value, step);
  if (rounding === 'up') return ceilDiv(value, step);
  return floorDiv(2n * value + step, 2n * step);
}

function read(text: string): Decimal {
  const found = decimalFromText(text);
  if (found === undefined) throw new RangeError(`${JSON.stringify(text)} is no decimal number`);
  return found;
}

/** Both as integers in the finer of the two scales. */
function aligned(one: string, other: string): [one: bigint, other: bigint, scale: number] {
  const a = read(one);
  const b = read(other);
  const scale = Math.max(a.scale, b.scale);
  const parts = (value: Decimal): bigint => value.digits * 10n ** BigInt(scale - value.scale);
  return [parts(a), parts(b), scale];
}
