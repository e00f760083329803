/** Levels of a book as rows: grouped by price, with cumulative sizes. Pure. */

export type Level = readonly [price: number, quantity: number];
export type BookSides = { readonly asks: readonly Level[]; readonly bids: readonly Level[] };

export type Row = {
  readonly price: number;
  readonly quantity: number;
  readonly total: number;
};

/**
 * Bids fall into the group below, asks into the one above, so that a group never looks better than its
 * contents. Groups are counted in whole ticks: floats would put 0.3 into another group than 3 x 0.1.
 */
export function rowsOf(
  levels: readonly Level[],
  { tick, group, isBid, count }: RowsAsked,
): readonly Row[] {
  const rows: { price: number; quantity: number; total: number }[] = [];
  let total = 0;
  for (const [price, quantity] of levels) {
    const shown = rowPrice(price, { tick, group, isBid });
    const last = rows.at(-1);
    if (last !== undefined && last.price === shown) {
      total += quantity;
      last.quantity += quantity;
      last.total = total;
      continue;
    }
    if (rows.length === count) break;
    total += quantity;
    rows.push({ price: shown, quantity, total });
  }
  return rows;
}

/** The price of the row that contains a price. */
export function rowPrice(
  price: number,
  { tick, group, isBid }: Pick<RowsAsked, 'tick' | 'group' | 'isBid'>,
): number {
  const ticks = Math.round(price / tick);
  return (isBid ? Math.floor(ticks / group) : Math.ceil(ticks / group)) * group * tick;
}

export type RowsAsked = {
  readonly tick: number;
  /** Ticks a row. */
  readonly group: number;
  readonly isBid: boolean;
  readonly count: number;
};

const DRAW_MS = 50;
const DRAW_PHONE_MS = 100;
const DRAW_RESTING_MS = 250;

/** Nobody reads faster; while the pointer rests on the book, it is slow enough to be clicked. */
export function drawEveryMs(when: {
  readonly isResting: boolean;
  readonly isPhone: boolean;
  readonly isSlow: boolean;
}): number {
  const usual = when.isPhone ? DRAW_PHONE_MS : DRAW_MS;
  return (when.isResting ? DRAW_RESTING_MS : usual) * (when.isSlow ? 2 : 1);
}

/** 1, 2, 5, 10, 20... ticks. */
export const GROUPS = [1, 2, 5, 10, 20, 50, 100, 200, 500] as const;

/** The bid side's percentage of the shown size. */
export function bidShare(bids: readonly Row[], asks: readonly Row[]): number | undefined {
  const bid = bids.at(-1)?.total ?? 0;
  const ask = asks.at(-1)?.total ?? 0;
  return bid + ask === 0 ? undefined : Math.round((bid / (bid + ask)) * 100);
}
