import { decimalFromText, partsFromText, textFromParts } from '../../src/domain/decimal.ts';

/** Numbers for display: text from the wire stays exact text, grouped and truncated, never a float. */

/** U+2212, as wide as a plus. */
const MINUS = '−';
export const NONE = '—';

/** Thousands separators. The decimal point is the same in all, so that no number can be read in two ways. */
const BY_STYLE = { comma: ',', space: '\u202f', apostrophe: '’' } as const;
export type Separators = keyof typeof BY_STYLE;
let separator: string = BY_STYLE.comma;

/** For everything that is formatted from now on. */
export function setSeparators(style: Separators): void {
  separator = BY_STYLE[style] ?? BY_STYLE.comma;
}

/** How many decimals a tick or a lot has: "0.001" has three. */
export const decimalsOf = (step: string): number => step.split('.')[1]?.length ?? 0;

/** With thousands separated: "-1234567.5" becomes "−1,234,567.5". */
export function grouped(text: string): string {
  const sign = text.startsWith('-') ? MINUS : '';
  const [whole = '', fraction] = text.replace(/^[-+]/, '').split('.');
  const thousands = whole.replace(/\B(?=(\d{3})+$)/g, separator);
  return `${sign}${thousands}${fraction === undefined ? '' : `.${fraction}`}`;
}

/** Exactly this many decimals, truncated toward zero, padded with zeros; without grouping. */
export function fixed(text: string, decimals: number): string {
  const read = decimalFromText(text);
  if (read === undefined) return text;
  const isNegative = read.digits < 0n;
  const digits = isNegative ? -read.digits : read.digits;
  const scaled =
    read.scale <= decimals
      ? digits * 10n ** BigInt(decimals - read.scale)
      : digits / 10n ** BigInt(read.scale - decimals);
  const printed = textFromParts(scaled, decimals, decimals);
  return isNegative && scaled !== 0n ? `-${printed}` : printed;
}

export const shown = (text: string | undefined, decimals: number): string =>
  text === undefined ? NONE : grouped(fixed(text, decimals));

/** Without trailing zeros, grouped: for balances, whose scales differ. */
export function plain(text: string, decimalsMax = 8): string {
  const cut = fixed(text, decimalsMax);
  return grouped(cut.includes('.') ? cut.replace(/\.?0+$/, '') : cut);
}

/** With so many decimals, or as many more as a small number needs so that it is not shown as zero. */
export function visible(
  text: string | undefined,
  decimals: number,
  print: (text: string, decimals: number) => string = shown,
): string {
  if (text === undefined) return NONE;
  if (isZero(text) || !isZero(fixed(text, decimals))) return print(text, decimals);
  const zeros = /\.(0*)/.exec(text)?.[1]?.length ?? 0;
  return plain(text, zeros + 2);
}

const LARGE = [
  ['T', 12],
  ['B', 9],
  ['M', 6],
  ['K', 3],
] as const;

/**
 * A size for a narrow column: whole if it fits, else with fewer decimals, else in thousands, millions and so on.
 * It is cut, never rounded up, and never shown as zero.
 */
export function fitting(size: string, fits: (text: string) => boolean): string {
  const whole = grouped(size);
  if (fits(whole)) return whole;
  const cuts = [...tries(size, decimalsOf(size) - 1)];
  for (const [unit, power] of LARGE) {
    const part = product(size, `0.${'1'.padStart(power, '0')}`);
    if (compare(part, '1') >= 0) cuts.push(...tries(part, 3, unit));
  }
  return cuts.find(fits) ?? whole;
}

function* tries(size: string, decimalsMax: number, unit = ''): Generator<string> {
  for (let decimals = decimalsMax; decimals >= 0; decimals--) {
    const cut = fixed(size, decimals);
    if (!isZero(cut)) yield `${grouped(cut)}${unit}`;
  }
}

/**
 * At least the decimals of a tick or a lot, and every digit there is: a market may have had a finer tick when
 * the order was placed.
 */
export function padded(text: string, step = '1'): string {
  const own = text.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '');
  return grouped(fixed(text, Math.max(decimalsOf(step), decimalsOf(own))));
}

/** A funding rate as a percentage of four decimals, with its sign: "+0.0011 %". */
export const fundingText = (rate: string): string => percentText(Number(rate), 4);

/** The native asset: two decimals below 10,000, none above. */
export function nativeText(text: string | undefined): string {
  if (text === undefined) return NONE;
  return shown(text, isBelow(text, 10_000n) ? 2 : 0);
}

const isBelow = (text: string, limit: bigint): boolean => {
  const whole = BigInt(fixed(text, 0));
  return whole < limit && whole > -limit;
};

/** With its sign, if it has one. */
export function signed(text: string, print: (text: string) => string): string {
  const isZero = /^-?0*\.?0*$/.test(text);
  return isZero || text.startsWith('-') ? print(text) : `+${print(text)}`;
}

export const isNegative = (text: string): boolean => text.startsWith('-');
export const isZero = (text: string): boolean => /^-?0*\.?0*$/.test(text);

/** A ratio such as 0.0184 as "1.84 %". */
export function percentText(ratio: number, decimals = 2): string {
  if (!Number.isFinite(ratio)) return NONE;
  const text = (ratio * 100).toFixed(decimals);
  // A value that rounds to zero is neither gain nor loss.
  return `${isZero(text) ? text.replace('-', '') : signed(text, grouped)} %`;
}

/** How far away a price is: near it a tenth of a percent matters, far from it none does. */
export const distanceText = (ratio: number): string =>
  percentText(ratio, Math.abs(ratio) < 0.1 ? 1 : 0);

/**
 * What a person typed: "60,405", "60405", "60 405.5"; undefined if it is ambiguous. A group of thousands never
 * begins with 0: "0,125" is an eighth to those who write a decimal comma.
 */
export function typedNumber(typed: string): string | undefined {
  const text = typed.trim().replace(/[\u00a0\u202f ]/g, ' ');
  if (/^\d+(\.\d*)?$/.test(text)) return text.replace(/\.$/, '');
  if (/^\.\d+$/.test(text)) return `0${text}`;
  if (/^[1-9]\d{0,2}(,\d{3})+(\.\d*)?$/.test(text)) {
    // "1,234" is a thousand; with one group of three and no point it is read as grouped.
    return text.replaceAll(',', '').replace(/\.$/, '');
  }
  if (/^[1-9]\d{0,2}(['’]\d{3})+(\.\d*)?$/.test(text)) {
    return text.replace(/['’]/g, '').replace(/\.$/, '');
  }
  if (/^[1-9]\d{0,2}( \d{3})+(\.\d*)?$/.test(text))
    return text.replaceAll(' ', '').replace(/\.$/, '');
  return undefined;
}

/** The multiple of a step not above it (`down`), or the nearest; at least 0. */
export function toStep(
  text: string,
  step: string,
  rounding: 'down' | 'nearest' = 'nearest',
): string {
  const scale = Math.max(decimalsOf(text), decimalsOf(step));
  const value = partsFromText(text, scale) ?? 0n;
  const size = partsFromText(step, scale) ?? 1n;
  const half = rounding === 'nearest' ? size / 2n : 0n;
  const steps = (value + half) / size;
  return fixed(textFromParts((steps < 0n ? 0n : steps) * size, scale), decimalsOf(step));
}

/** This many steps up or down from a number, never below one step. */
export function stepped(text: string, step: string, count: number): string {
  const scale = Math.max(decimalsOf(text), decimalsOf(step));
  const size = partsFromText(step, scale) ?? 1n;
  const value = (partsFromText(text, scale) ?? 0n) + size * BigInt(count);
  return toStep(textFromParts(value < size ? size : value, scale), step);
}

/** The nearest multiple of a step between two bounds; without bounds it is only rounded to the step. */
export function toStepWithin(
  text: string,
  step: string,
  { lower, upper }: { readonly lower: string | undefined; readonly upper: string | undefined },
): string {
  const isPositive = (bound: string | undefined): bound is string =>
    bound !== undefined && compare(bound, '0') > 0;
  const at = toStep(text, step);
  if (isPositive(upper) && compare(at, upper) > 0) return toStep(upper, step, 'down');
  if (!isPositive(lower) || compare(at, lower) >= 0) return at;
  const least = toStep(lower, step, 'down');
  return compare(least, lower) < 0 ? stepped(least, step, 1) : least;
}

/** Exact product, for the value of an order. */
export function product(one: string, other: string): string {
  const left = decimalFromText(one);
  const right = decimalFromText(other);
  if (left === undefined || right === undefined) return '0';
  return textFromParts(left.digits * right.digits, left.scale + right.scale);
}

/** The largest multiple of a step that costs no more than `worth` at a price; exact, at least 0. */
export function sizeWorth(worth: string, price: string, step: string): string {
  const [spent, cost, least] = [worth, price, step].map(decimalFromText);
  const decimals = decimalsOf(step);
  if (spent === undefined || cost === undefined || least === undefined) return fixed('0', decimals);
  const one = cost.digits * least.digits * 10n ** BigInt(spent.scale);
  if (one <= 0n || spent.digits <= 0n) return fixed('0', decimals);
  const steps = (spent.digits * 10n ** BigInt(cost.scale + least.scale)) / one;
  return fixed(textFromParts(steps * least.digits, least.scale), decimals);
}

/** `one - other`, exact. */
export function difference(one: string, other: string): string {
  const scale = Math.max(decimalsOf(one), decimalsOf(other));
  const left = partsFromText(one, scale) ?? 0n;
  const right = partsFromText(other, scale) ?? 0n;
  return textFromParts(left - right, scale);
}

export const sum = (one: string, other: string): string =>
  difference(one, isNegative(other) ? other.slice(1) : `-${other}`);

export function compare(one: string, other: string): number {
  const text = difference(one, other);
  if (isZero(text)) return 0;
  return text.startsWith('-') ? -1 : 1;
}

const two = (value: number): string => String(value).padStart(2, '0');

export type TimeZone = 'utc' | 'local';

/** "06:41:12" */
export function clockText(ms: number, zone: TimeZone = 'utc'): string {
  const at = new Date(ms);
  const [hours, minutes, seconds] =
    zone === 'utc'
      ? [at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds()]
      : [at.getHours(), at.getMinutes(), at.getSeconds()];
  return `${two(hours)}:${two(minutes)}:${two(seconds)}`;
}

/** "2026-11-15 06:41:12" */
export function timeText(ms: number, zone: TimeZone = 'utc'): string {
  if (!Number.isFinite(ms) || ms <= 0) return NONE;
  const at = new Date(zone === 'utc' ? ms : ms - new Date(ms).getTimezoneOffset() * 60_000);
  return at.toISOString().slice(0, 19).replace('T', ' ');
}

/** The time left until a moment: "18:48". */
export function countdownText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  return `${two(Math.floor(seconds / 60))}:${two(seconds % 60)}`;
}

/** Of constant width, however long it took. */
export const tripText = (tookMs: number): string => {
  if (tookMs < 999.5) return `${tookMs.toFixed(0)} ms`;
  const seconds = Math.min(tookMs / 1_000, 999);
  return `${seconds.toFixed(seconds < 99.95 ? 1 : 0)} s`;
};
