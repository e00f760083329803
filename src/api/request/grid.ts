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

/** A decimal text as a number of steps, or why it is none. */
export type OnGrid =
  | { readonly steps: number }
  | { readonly fault: 'no number' | 'not positive' | 'off grid' | 'too large'; why: string };

/** Exact or refused: text is never rounded; the refusal names the nearest valid value. */
export function onGrid(name: string, text: string, grid: Grid): OnGrid {
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
  if (steps > STEPS_MAX) {
    const most = textFromParts(STEPS_MAX * grid.stepParts, grid.scale);
    return { fault: 'too large', why: `${what} is above all bounds; nearest ${most}` };
  }
  return { steps: exactNumber(steps) };
}

/** Ticks and lots are exact numbers inside. */
const STEPS_MAX = BigInt(Number.MAX_SAFE_INTEGER);

/** digits x 10^-scale / (step x 10^-gridScale), as a fraction of whole numbers. */
function stepsOf(read: Decimal, { stepParts, scale }: Grid) {
  return {
    dividend: read.digits * 10n ** BigInt(scale),
    divisor: stepParts * 10n ** BigInt(read.scale),
  };
}

/** The nearest whole, half up, and never zero: zero is no price and no quantity. */
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
