import { type RefObject, useEffect, useState } from 'react';

/** Which rows of a long table are drawn: those in sight and some beside them. The others are empty rows. */

export type RowsInSight = {
  readonly from: number;
  readonly to: number;
  /** The height of a row; undefined until one was measured. */
  readonly rowPx: number | undefined;
};

/** Up to here all rows are drawn. */
export const WHOLE_MAX = 60;
/** Rows come in steps of so many, and as many are drawn beyond those in sight: the focus moves to them. */
const STEP = 16;
const FIRST: RowsInSight = { from: 0, to: 3 * STEP, rowPx: undefined };

/** The rows between two heights, measured from the top of the first. */
export function rowsBetween(topPx: number, bottomPx: number, rowPx: number): RowsInSight {
  const from = (Math.floor(topPx / rowPx / STEP) - 1) * STEP;
  const to = (Math.ceil(bottomPx / rowPx / STEP) + 1) * STEP;
  return { from: Math.max(0, from), to: Math.max(0, to), rowPx };
}

/** Follows whatever scrolls around the table: a panel on a desk, the page on a phone. */
export function useRowsInSight(
  body: RefObject<HTMLTableSectionElement | null>,
  count: number,
): RowsInSight | undefined {
  const [inSight, setInSight] = useState(FIRST);
  const isLong = count > WHOLE_MAX;
  useEffect(() => {
    if (!isLong) return undefined;
    const look = (): void => {
      const found = body.current === null ? undefined : rowsSeen(body.current);
      if (found === undefined) return;
      setInSight((before) => (isSame(before, found) ? before : found));
    };
    look();
    const resized = new ResizeObserver(look);
    const scroller = body.current?.closest('.scroll');
    if (scroller) resized.observe(scroller);
    if (body.current !== null) resized.observe(body.current);
    addEventListener('scroll', look, { capture: true, passive: true });
    return () => {
      resized.disconnect();
      removeEventListener('scroll', look, { capture: true });
    };
  }, [body, isLong]);
  return isLong ? inSight : undefined;
}

const isSame = (one: RowsInSight, other: RowsInSight): boolean =>
  one.from === other.from && one.to === other.to && one.rowPx === other.rowPx;

function rowsSeen(body: HTMLTableSectionElement): RowsInSight | undefined {
  const row = body.querySelector<HTMLElement>('tr:not(.unseen)');
  if (row === null || row.offsetHeight === 0) return undefined;
  const { top } = body.getBoundingClientRect();
  const around = body.closest('.scroll')?.getBoundingClientRect();
  const upper = Math.max(0, around?.top ?? 0);
  const lower = Math.min(innerHeight, around?.bottom ?? innerHeight);
  return rowsBetween(upper - top, Math.max(upper, lower) - top, row.offsetHeight);
}
