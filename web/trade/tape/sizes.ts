import type { TapeTrade } from '../live-state.ts';

/** Which trades are shown, and which are highlighted, by their sizes among the last ones. Pure. */

const ENOUGH = 20;
/** Sizes above this quantile of the last trades are highlighted. */
const LARGE = 0.95;

export type Filter = 'all' | 'half' | 'large';
/** The share of the last trades that each filter hides. */
const PARTS = { half: 0.5, large: LARGE } as const;

/** The sizes from which trades are in the upper half, or large; infinite until there are enough to tell. */
export type Sizes = { readonly half: number; readonly large: number };

export function sizesOf(tape: readonly TapeTrade[]): Sizes {
  if (tape.length < ENOUGH)
    return { half: Number.POSITIVE_INFINITY, large: Number.POSITIVE_INFINITY };
  const sizes = tape.map(({ quantity }) => Number(quantity)).sort((one, other) => one - other);
  const at = (part: number): number =>
    sizes[Math.floor(sizes.length * part)] ?? Number.POSITIVE_INFINITY;
  return { half: at(PARTS.half), large: at(PARTS.large) };
}

export type TapeRow = TapeTrade & { readonly isLarge: boolean };

/** The newest of those that pass the filter. */
export function tapeRows(
  tape: readonly TapeTrade[],
  { half, large }: Sizes,
  { filter, count }: { readonly filter: Filter; readonly count: number },
): readonly TapeRow[] {
  const from = filter === 'all' ? 0 : filter === 'half' ? half : large;
  const rows: TapeRow[] = [];
  for (const trade of tape) {
    if (rows.length === count) break;
    const size = Number(trade.quantity);
    if (size >= from) rows.push({ ...trade, isLarge: size >= large });
  }
  return rows;
}
