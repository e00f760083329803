import { type RefObject, useEffect, useState } from 'react';

/** Which rows of a long table are drawn: those in sight and some beside them. The others are empty rows. */

export type RowsInSight = {
  readonly from: number;
  readonly to: number;
  /** The height of a row; undefined until one was measured. */
  readonly rowPx: number | undefined;
};

/** Up to here all rows are drawn. */
export const WHOLE_MAX = 100;
/** Rows come in steps of so many, and as many are drawn beyond those in sight: the focus moves to them. */
const STEP = 16;
/** Panels whose content scrolls. */
const SCROLLERS = '.scroll, .pg-scroll';
const FIRST: RowsInSight = { from: 0, to: 3 * STEP, rowPx: undefined };

/** Drawn rows, if those from `first` to before `last` are in sight. */
export const rowsAround = (first: number, last: number): Omit<RowsInSight, 'rowPx'> => ({
  from: Math.max(0, (Math.floor(first / STEP) - 1) * STEP),
  to: (Math.ceil(last / STEP) + 1) * STEP,
});

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
    const scroller = body.current?.closest(SCROLLERS);
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
  const drawn = body.querySelector<HTMLElement>('tr:not(.unseen)');
  if (drawn === null || drawn.offsetHeight === 0) return undefined;
  const around = body.closest(SCROLLERS)?.getBoundingClientRect();
  const upper = Math.max(0, around?.top ?? 0);
  const lower = Math.min(innerHeight, around?.bottom ?? innerHeight);
  const first = countUntil(body.rows, ({ bottom }) => bottom > upper);
  const last = countUntil(body.rows, ({ top }) => top >= lower);
  return { ...rowsAround(first, last), rowPx: drawn.offsetHeight };
}

/** Rows may have different heights: each is asked where it is, and few are. */
function countUntil(
  rows: HTMLCollectionOf<HTMLTableRowElement>,
  isReached: (box: DOMRect) => boolean,
): number {
  let [from, to] = [0, rows.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (isReached((rows[middle] as HTMLTableRowElement).getBoundingClientRect())) to = middle;
    else from = middle + 1;
  }
  return from;
}
