/**
 * Decimal text to whole parts and back: exact, or refused.
 *
 * At the edge only. It never rounds: a venue that rounds a caller's price has traded at a price
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
  const kept = (fraction ?? '').replace(/0+$/, '');
  const digits = BigInt((sign ?? '') + (whole ?? '0') + kept);
  const scale = kept.length - exponent;
  if (scale >= 0) return { digits, scale };
  return { digits: digits * 10n ** BigInt(-scale), scale: 0 };
}

/**
 * Reads "12.50" as a count of parts, where one whole is 10^scale parts.
 * Undefined when the text is no number or holds more digits than the scale can.
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

/** Writes parts back as text, without trailing zeros: 1250n at scale 2 is "12.5". */
export function textFromParts(parts: bigint, scale: number, digitsMin = 0): string {
  const sign = parts < 0n ? '-' : '';
  const digits = (parts < 0n ? -parts : parts).toString().padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, '');
  const shown = fraction.padEnd(digitsMin, '0');
  return sign + whole + (shown === '' ? '' : `.${shown}`);
}

/** Division that rounds toward minus infinity; BigInt's own `/` rounds toward zero. */
export function floorDiv(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  const isExact = quotient * divisor === dividend;
  return !isExact && dividend < 0n !== divisor < 0n ? quotient - 1n : quotient;
}

/** Division that rounds toward plus infinity. */
export const ceilDiv = (dividend: bigint, divisor: bigint): bigint => -floorDiv(-dividend, divisor);
