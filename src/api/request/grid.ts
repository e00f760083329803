import { type Decimal, decimalFromText, textFromParts } from '../../domain/decimal.ts';
import { shortened } from '../../domain/rejections.ts';
import { exactNumber } from '../../domain/units.ts';

/** The step of a market's prices or quantities: a tick or a lot. */
export type Grid = {
  /** "tick" or "lot", for refusals. */
  readonly name: string;
  readonly stepParts: bigint;
  readonly scale: number;
};

/** A decimal text as a number of steps, or why it is not one. */
export type OnGrid =
  | { readonly steps: number }
  | { readonly fault: 'no number' | 'not positive' | 'off grid' | 'too large'; why: string };

/** Exact or refused: text is never rounded; the refusal names the nearest valid value. */
export function onGrid(name: string, text: string, grid: Grid): OnGrid {
  const steps = plainSteps(text, grid);
  return steps === undefined ? onGridExactly(name, text, grid) : { steps };
}

const TENS = Array.from({ length: 16 }, (_, power) => 10 ** power);

/**
 * The usual case, "60000" or "0.0001", without a bigint: at most 15 digits and signs, no more decimals than
 * the grid has, and a whole number of steps. Undefined for everything else.
 */
function plainSteps(text: string, { stepParts, scale }: Grid): number | undefined {
  const { length } = text;
  if (length > 15) return undefined;
  let point = length - 1;
  let digits = 0;
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at);
    if (code >= 48 && code <= 57) digits = digits * 10 + code - 48;
    else if (code === 46 && point === length - 1 && at > 0 && at < length - 1) point = at;
    else return undefined;
  }
  const missing = scale - (length - 1 - point);
  if (digits === 0 || missing < 0 || missing > 15) return undefined;
  const parts = digits * (TENS[missing] as number);
  const step = Number(stepParts);
  if (!Number.isSafeInteger(parts) || !Number.isSafeInteger(step)) return undefined;
  return parts % step === 0 ? parts / step : undefined;
}

function onGridExactly(name: string, text: string, grid: Grid): OnGrid {
  const read = decimalFromText(text);
  const what = `${name} ${shortened(text)}`;
  if (read === undefined) return { fault: 'no number', why: `${what} is no number` };
  if (read.digits <= 0n) {
    const least = textFromParts(grid.stepParts, grid.scale);
    return { fault: 'not positive', why: `${what} is not above zero; nearest ${least}` };
  }
  const { dividend, divisor } = stepsOf(read, grid);
  if (dividend % divisor !== 0n) return offGrid(what, grid, nearest(dividend, divisor));
  const steps = dividend / divisor;
  // What is nearest, only the market's own bound could tell.
  if (steps > STEPS_MAX) return { fault: 'too large', why: `${what} is above all bounds` };
  return { steps: exactNumber(steps) };
}

/** Ticks and lots are exact numbers internally. */
const STEPS_MAX = BigInt(Number.MAX_SAFE_INTEGER);

/** digits x 10^-scale / (step x 10^-gridScale), as a fraction of integers. */
function stepsOf(read: Decimal, { stepParts, scale }: Grid) {
  return {
    dividend: read.digits * 10n ** BigInt(scale),
    divisor: stepParts * 10n ** BigInt(read.scale),
  };
}

/** The nearest integer, half up, and never zero: zero is not a valid price or quantity. */
function nearest(dividend: bigint, divisor: bigint): bigint {
  const steps = (2n * dividend + divisor) / (2n * divisor);
  return steps === 0n ? 1n : steps;
}

const offGrid = (what: string, grid: Grid, steps: bigint): OnGrid => ({
  fault: 'off grid',
  why:
    `${what} is not a multiple of ${grid.name} ${textFromParts(grid.stepParts, grid.scale)}; ` +
    `nearest ${textFromParts(steps * grid.stepParts, grid.scale)}`,
});
