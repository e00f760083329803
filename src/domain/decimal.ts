/**
 * Decimal text to integer parts and back: exact, or refused.
 *
 * Used only at the edge. It never rounds: a venue that rounds a caller's price has traded at a price that
 * nobody asked for.
 */

const PLAIN = /^(-?)(\d{1,40})(?:\.(\d{1,40}))?$/;
const EXPONENT = /^(-?)(\d{1,40})(?:\.(\d{1,40}))?[eE]([+-]?\d{1,3})$/;

/** A decimal number as it was written: digits x 10^-scale. */
export type Decimal = { readonly digits: bigint; readonly scale: number };

/** Reads plain or exponent notation ("9e-05" is what some clients send for a JSON number). */
export function decimalFromText(text: string): Decimal | undefined {
  const plain = PLAIN.exec(text);
  if (plain !== null) return decimal(plain[1], plain[2], plain[3], 0);
  const withExponent = EXPONENT.exec(text);
  if (withExponent === null) return undefined;
  const exponent = Number.parseInt(withExponent[4] as string, 10);
  if (exponent > 40 || exponent < -60) return undefined;
  return decimal(withExponent[1], withExponent[2], withExponent[3], exponent);
}

function decimal(
  sign: string | undefined,
  whole: string | undefined,
  fraction: string | undefined,
  exponent: number,
): Decimal {
  const kept = fraction === undefined ? '' : fraction.slice(0, endOfDigits(fraction, 0));
  const digits = BigInt((sign ?? '') + (whole ?? '0') + kept);
  const scale = kept.length - exponent;
  if (scale >= 0) return { digits, scale };
  return { digits: digits * 10n ** BigInt(-scale), scale: 0 };
}

/**
 * Reads "12.50" as a count of parts, where 1 is 10^scale parts. Undefined if the text is not a number or has
 * more digits than the scale allows.
 */
export function partsFromText(text: string, scale: number): bigint | undefined {
  const read = decimalFromText(text);
  return read === undefined ? undefined : partsFromDecimal(read, scale);
}

export function partsFromDecimal(read: Decimal, scale: number): bigint | undefined {
  if (read.scale <= scale) return read.digits * 10n ** BigInt(scale - read.scale);
  const surplus = 10n ** BigInt(read.scale - scale);
  return read.digits % surplus === 0n ? read.digits / surplus : undefined;
}

/** A whole number in any spelling: "1e3" and "1000.0" are 1000. Undefined for anything else. */
export function wholeFromText(text: string): bigint | undefined {
  const read = decimalFromText(text);
  return read === undefined ? undefined : partsFromDecimal(read, 0);
}

/** Writes parts back as text, without trailing zeros: 1250n at scale 2 is "12.5". */
export function textFromParts(parts: bigint, scale: number, digitsMin = 0): string {
  const sign = parts < 0n ? '-' : '';
  const digits = (parts < 0n ? -parts : parts).toString().padStart(scale + 1, '0');
  const point = digits.length - scale;
  const shown = digits.slice(point, endOfDigits(digits, point)).padEnd(digitsMin, '0');
  return sign + digits.slice(0, point) + (shown === '' ? '' : `.${shown}`);
}

/** The same for a non-negative safe integer. */
export function textFromNumber(parts: number, scale: number, digitsMin = 0): string {
  const digits = String(parts).padStart(scale + 1, '0');
  const point = digits.length - scale;
  const shown = digits.slice(point, endOfDigits(digits, point)).padEnd(digitsMin, '0');
  return shown === '' ? digits.slice(0, point) : `${digits.slice(0, point)}.${shown}`;
}

/** Where the trailing zeros begin. Every response prints a dozen numbers, so no regular expression is used. */
function endOfDigits(digits: string, from: number): number {
  let end = digits.length;
  while (end > from && digits.charCodeAt(end - 1) === ZERO) end--;
  return end;
}
const ZERO = 48;

/**
 * Exact division of bigints. If the numbers are known to fit, it is done in 64 bits: `asIntN(64)` around
 * every step lets the compiler use machine integers, at a fifth of the cost of bigints on the heap. The
 * bounds are checked, so the result is the same either way.
 */
const WIDE = 1n << 62n;
const MINUS_WIDE = -WIDE;
const NARROW = 1n << 31n;

/** Division that rounds toward minus infinity; BigInt's own `/` rounds toward zero. */
export function floorDiv(dividend: bigint, divisor: bigint): bigint {
  if (dividend >= 0n && dividend < WIDE && divisor > 0n && divisor < WIDE) {
    return BigInt.asIntN(64, BigInt.asIntN(64, dividend) / BigInt.asIntN(64, divisor));
  }
  const quotient = dividend / divisor;
  const isExact = quotient * divisor === dividend;
  return !isExact && dividend < 0n !== divisor < 0n ? quotient - 1n : quotient;
}

/** Division that rounds toward plus infinity. */
export function ceilDiv(dividend: bigint, divisor: bigint): bigint {
  if (dividend >= 0n && dividend < WIDE && divisor > 0n && divisor < WIDE) {
    const below = BigInt.asIntN(64, BigInt.asIntN(64, divisor) - 1n);
    const top = BigInt.asIntN(64, BigInt.asIntN(64, dividend) + below);
    return BigInt.asIntN(64, top / BigInt.asIntN(64, divisor));
  }
  return -floorDiv(-dividend, divisor);
}

/** value x numerator / denominator, rounded down. */
export function mulDivDown(value: bigint, numerator: bigint, denominator: bigint): bigint {
  return isNarrow(value, numerator, denominator)
    ? mulDiv64(value, numerator, denominator, 0n)
    : floorDiv(value * numerator, denominator);
}

/** value x numerator / denominator, rounded up. */
export function mulDivUp(value: bigint, numerator: bigint, denominator: bigint): bigint {
  return isNarrow(value, numerator, denominator)
    ? mulDiv64(value, numerator, denominator, BigInt.asIntN(64, denominator - 1n))
    : ceilDiv(value * numerator, denominator);
}

/** Whether the result, and each intermediate product, stays below 2^63. */
function isNarrow(value: bigint, numerator: bigint, denominator: bigint): boolean {
  if (value < 0n || value >= WIDE) return false;
  if (numerator <= 0n || numerator >= NARROW) return false;
  if (denominator <= 0n || denominator >= NARROW) return false;
  const whole = BigInt.asIntN(64, BigInt.asIntN(64, value) / BigInt.asIntN(64, denominator));
  return whole <= BigInt.asIntN(64, WIDE / BigInt.asIntN(64, numerator));
}

/** Splits off whole denominators, so that no product needs more than 64 bits. */
function mulDiv64(value: bigint, numerator: bigint, denominator: bigint, roundBy: bigint): bigint {
  const divisor = BigInt.asIntN(64, denominator);
  const factor = BigInt.asIntN(64, numerator);
  const whole = BigInt.asIntN(64, BigInt.asIntN(64, value) / divisor);
  const rest = BigInt.asIntN(64, BigInt.asIntN(64, value) - BigInt.asIntN(64, whole * divisor));
  const top = BigInt.asIntN(64, BigInt.asIntN(64, rest * factor) + BigInt.asIntN(64, roundBy));
  return BigInt.asIntN(64, BigInt.asIntN(64, whole * factor) + BigInt.asIntN(64, top / divisor));
}

/**
 * A ratio by which many values are multiplied: in lowest terms, with precomputed bounds. Values below
 * `directBelow` are multiplied directly, those below `narrowBelow` in two parts, both in 64 bits.
 */
export type Ratio = {
  readonly numerator: bigint;
  readonly denominator: bigint;
  readonly directBelow: bigint;
  readonly narrowBelow: bigint;
};

/** `top` is not negative, `bottom` is above zero. */
export function ratioOf(top: bigint, bottom: bigint): Ratio {
  const common = greatestCommonDivisor(top, bottom);
  const numerator = top / common;
  const denominator = bottom / common;
  const factor = numerator === 0n ? 1n : numerator;
  const direct = (WIDE - denominator) / factor;
  const narrow = (WIDE / factor) * denominator;
  return {
    numerator,
    denominator,
    directBelow: direct > 0n && factor < WIDE ? direct : 0n,
    narrowBelow: factor < NARROW && denominator < NARROW ? (narrow < WIDE ? narrow : WIDE) : 0n,
  };
}

/** value x ratio, rounded down. */
export function timesRatioDown(value: bigint, ratio: Ratio): bigint {
  const { numerator, denominator } = ratio;
  if (value < 0n) return floorDiv(value * numerator, denominator);
  if (value < ratio.directBelow) return mulDivDirect(value, numerator, denominator);
  if (value < ratio.narrowBelow) return mulDiv64(value, numerator, denominator, 0n);
  return floorDiv(value * numerator, denominator);
}

/**
 * The same, written to `to`, if the value is not negative and the product fits 64 bits; else false. For what is
 * computed with every match: a bigint that may come from several branches is allocated on the heap.
 */
export function putTimesRatioDown(
  to: BigInt64Array,
  at: number,
  value: bigint,
  ratio: Ratio,
): boolean {
  return putTimesRatio(to, at, value, ratio, 0n);
}

/** The same, rounded up. */
export function putTimesRatioUp(
  to: BigInt64Array,
  at: number,
  value: bigint,
  ratio: Ratio,
): boolean {
  return putTimesRatio(to, at, value, ratio, BigInt.asIntN(64, ratio.denominator - 1n));
}

function putTimesRatio(
  to: BigInt64Array,
  at: number,
  value: bigint,
  { numerator, denominator, directBelow }: Ratio,
  roundBy: bigint,
): boolean {
  if (value < 0n || value >= directBelow) return false;
  const product = BigInt.asIntN(64, BigInt.asIntN(64, value) * BigInt.asIntN(64, numerator));
  // A division takes longer than everything else here, so it is omitted if it would do nothing.
  if (denominator === 1n) to[at] = product;
  else {
    const top = BigInt.asIntN(64, product + BigInt.asIntN(64, roundBy));
    to[at] = BigInt.asIntN(64, top / BigInt.asIntN(64, denominator));
  }
  return true;
}

function mulDivDirect(value: bigint, numerator: bigint, denominator: bigint): bigint {
  const product = BigInt.asIntN(64, BigInt.asIntN(64, value) * BigInt.asIntN(64, numerator));
  return BigInt.asIntN(64, product / BigInt.asIntN(64, denominator));
}

/**
 * The share of `count` in `of`, rounded up: parts x count / of with 0 <= count <= of. In 64 bits if the
 * counts are below 2^31: no product is then larger than the parts, or than the product of the counts.
 */
export function shareUp(parts: bigint, count: number, of: number): bigint {
  if (count === of) return parts;
  const isNarrow = of === (of | 0) && parts < WIDE && parts > MINUS_WIDE;
  if (!isNarrow) return ceilDiv(parts * BigInt(count), BigInt(of));
  const divisor = BigInt.asIntN(64, BigInt(of | 0));
  const factor = BigInt.asIntN(64, BigInt(count | 0));
  // Rounding a negative value up is rounding its magnitude down.
  return parts < 0n
    ? BigInt.asIntN(64, -mulDiv64(BigInt.asIntN(64, -parts), factor, divisor, 0n))
    : mulDiv64(parts, factor, divisor, BigInt.asIntN(64, divisor - 1n));
}

/** The same, written to `to`. Shares of usual size take one division in 64 bits. */
export function putShareUp(
  to: BigInt64Array,
  at: number,
  parts: bigint,
  count: number,
  of: number,
): void {
  const isDirect =
    count < COUNT_DIRECT && of === (of | 0) && parts < DIRECT && parts > MINUS_DIRECT;
  if (count === of) to[at] = parts;
  else if (!isDirect) to[at] = shareUp(parts, count, of);
  else {
    const divisor = BigInt.asIntN(64, BigInt(of | 0));
    const product = BigInt.asIntN(64, BigInt.asIntN(64, parts) * BigInt(count | 0));
    // Division rounds toward zero, which is up for negative numbers.
    if (product < 0n) to[at] = BigInt.asIntN(64, product / divisor);
    else {
      const top = BigInt.asIntN(64, product + BigInt.asIntN(64, divisor - 1n));
      to[at] = BigInt.asIntN(64, top / divisor);
    }
  }
}
/** The product of the two stays below 2^62. */
const COUNT_DIRECT = 2 ** 18;
const DIRECT = 1n << 44n;
const MINUS_DIRECT = -DIRECT;

const POWERS_OF_TEN = Array.from({ length: 40 }, (_, exponent) => 10n ** BigInt(exponent));

/** From a table if it is small: an exponentiation of bigints costs more than a match. */
export const powerOfTen = (exponent: number): bigint =>
  POWERS_OF_TEN[exponent] ?? 10n ** BigInt(exponent);

export const greatestCommonDivisor = (a: bigint, b: bigint): bigint =>
  b === 0n ? a : greatestCommonDivisor(b, a % b);

/** Rounds to nearest, a tie to the even neighbour, so that it favours nobody. */
export function halfEven(dividend: bigint, divisor: bigint): bigint {
  const quotient = floorDiv(dividend, divisor);
  const twice = 2n * (dividend - quotient * divisor);
  if (twice < divisor) return quotient;
  if (twice > divisor) return quotient + 1n;
  return quotient % 2n === 0n ? quotient : quotient + 1n;
}
