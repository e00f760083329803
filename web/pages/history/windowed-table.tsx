import { type ReactNode, useEffect, useRef, useState } from 'react';

const ROW_PX = 32;
/** Extra rows beyond the visible ones, so that scrolling meets rendered ones. */
const SPARE = 12;

export type WindowedColumn<Row> = {
  readonly title: string;
  readonly share: number;
  readonly isRight: boolean;
  readonly show: (row: Row) => ReactNode;
};

/**
 * A table of any length: only the visible rows are in the document, all of one height. Requests more when the
 * end comes near.
 */
export function WindowedTable<Row>(props: {
  readonly label: string;
  readonly columns: readonly WindowedColumn<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** Whether there may be more than `rows`. */
  readonly isMore: boolean;
  readonly onEnd: () => void;
}) {
  const { label, columns, rows, keyOf, isMore, onEnd } = props;
  const box = useRef<HTMLElement>(null);
  const [seen, setSeen] = useState({ top: 0, height: 640 });
  const look = (): void => {
    const { current } = box;
    if (current === null) return;
    const top = Math.floor(current.scrollTop / ROW_PX) * ROW_PX;
    const height = current.clientHeight;
    setSeen((before) =>
      before.top === top && before.height === height ? before : { top, height },
    );
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is in sight is looked at again when there is more
  useEffect(() => {
    look();
    const observer = new ResizeObserver(look);
    if (box.current !== null) observer.observe(box.current);
    return () => observer.disconnect();
  }, [rows.length]);
  const first = Math.max(0, Math.floor(seen.top / ROW_PX) - SPARE);
  const last = Math.min(rows.length, Math.ceil((seen.top + seen.height) / ROW_PX) + SPARE);
  const isNearEnd = isMore && last >= rows.length - SPARE;
  useEffect(() => {
    if (isNearEnd) onEnd();
  }, [isNearEnd, onEnd]);
  const total = columns.reduce((sum, { share }) => sum + share, 0);
  return (
    <section
      className="pg-window"
      aria-label={`${label}, list`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
      tabIndex={0}
      ref={box}
      onScroll={look}
    >
      <table aria-label={label} aria-rowcount={isMore ? -1 : rows.length + 1}>
        <colgroup>
          {columns.map(({ title, share }) => (
            <col key={title} style={{ width: `${(100 * share) / total}%` }} />
          ))}
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map(({ title, isRight }) => (
              <th key={title} scope="col" className={isRight ? 'r' : undefined}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Space rows={first} columns={columns.length} />
          {rows.slice(first, last).map((row, at) => (
            <tr key={keyOf(row)} aria-rowindex={first + at + 2}>
              {columns.map(({ title, isRight, show }) => (
                <td key={title} className={isRight ? 'r num' : undefined}>
                  {show(row)}
                </td>
              ))}
            </tr>
          ))}
          <Space rows={rows.length - last} columns={columns.length} />
        </tbody>
      </table>
    </section>
  );
}

/** As high as the rows that are left out. */
const Space = ({ rows, columns }: { readonly rows: number; readonly columns: number }) =>
  rows <= 0 ? null : (
    <tr className="pg-space">
      <td colSpan={columns} style={{ height: rows * ROW_PX }} />
    </tr>
  );
