import './cards.css';
import { type ReactNode, useEffect, useState } from 'react';
import { reasonText } from '../../shared/messages.tsx';
import { type Column, Heads, Rows } from '../../shared/table.tsx';

export const Panel = (props: {
  readonly title: string;
  readonly id?: string;
  readonly beside?: ReactNode;
  readonly className?: string;
  readonly children: ReactNode;
}) => (
  <section className={`panel ${props.className ?? ''}`} aria-label={props.title} id={props.id}>
    <div className="bar">
      <h2>{props.title}</h2>
      <span className="grow" />
      {props.beside}
    </div>
    {props.children}
  </section>
);

/** Scrolling areas must be reachable by keyboard. */
const Scroll = (props: { readonly label: string; readonly children: ReactNode }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
  <section className="pg-scroll" aria-label={props.label} tabIndex={0}>
    {props.children}
  </section>
);

export type Listed<Row> = {
  readonly data: readonly Row[] | undefined;
  readonly failure?: unknown;
  readonly refetch?: () => void;
};

/** A column that is hidden on a phone. */
export type WideColumn<Row> = Column<Row> & { readonly isWide?: boolean };

/**
 * A list from the venue: headers and empty rows while it is loading, one sentence if it is empty, and the
 * previous data, in grey, while it cannot be loaded.
 */
export function DataTable<Row>(props: {
  readonly label: string;
  readonly columns: readonly WideColumn<Row>[];
  readonly query: Listed<Row>;
  readonly keyOf: (row: Row) => string;
  readonly empty: ReactNode;
  readonly foot?: ReactNode;
  /** On a phone each row is a card that shows all columns with their names. */
  readonly areCards?: boolean;
}) {
  const { label, columns, query, keyOf, empty, foot, areCards } = props;
  const { data, failure, refetch } = query;
  const since = useAnsweredAt(data);
  const classOf = ({ isRight, isWide }: WideColumn<Row>, more = ''): string | undefined =>
    [isRight === true ? `r ${more}` : '', isWide === true ? 'wide' : ''].join(' ').trim() ||
    undefined;
  const cellOf = (column: WideColumn<Row>) => ({
    className: classOf(column, 'num'),
    'data-name': column.isHeadHidden === true ? undefined : column.name,
  });
  if (data?.length === 0 && failure === undefined) return <div className="empty">{empty}</div>;
  return (
    <>
      {failure === undefined ? null : (
        <p className="pg-old" role="alert">
          {data === undefined ? 'Not read' : `As of ${since}`}: {reasonText(failure)}
          {refetch === undefined ? null : (
            <button type="button" className="btn s" onClick={refetch}>
              Try again
            </button>
          )}
        </p>
      )}
      <Scroll label={`${label}, list`}>
        <table
          aria-label={label}
          aria-busy={data === undefined && failure === undefined}
          className={classesOf({
            'pg-stale': failure !== undefined,
            'pg-cards': areCards === true,
          })}
        >
          <Heads columns={columns} classOf={(column) => classOf(column)} />
          <Rows rows={data ?? []} {...{ columns, keyOf, cellOf }}>
            {data === undefined ? <Awaited columns={columns.length} /> : null}
          </Rows>
          {foot}
        </table>
      </Scroll>
    </>
  );
}

const classesOf = (all: Readonly<Record<string, boolean>>): string | undefined =>
  Object.keys(all)
    .filter((name) => all[name])
    .join(' ') || undefined;

const AWAITED_ROWS = ['first', 'second', 'third'] as const;

/** Placeholder rows of the right height: nothing moves when the answer arrives. */
const Awaited = ({ columns }: { readonly columns: number }) =>
  AWAITED_ROWS.map((name) => (
    <tr key={name}>
      <td colSpan={columns} />
    </tr>
  ));

/** When the shown answer arrived: stale data shows its time. */
function useAnsweredAt(data: unknown): string {
  const [since, setSince] = useState('');
  // biome-ignore lint/correctness/useExhaustiveDependencies: each answer has its own time
  useEffect(() => setSince(new Date().toISOString().slice(11, 19)), [data]);
  return since;
}

export const Figure = (props: {
  readonly name: string;
  readonly unit?: string;
  readonly title?: string;
  readonly note?: ReactNode;
  readonly className?: string;
  readonly children: ReactNode;
}) => (
  <div className={props.className}>
    <dt>{props.name}</dt>
    <dd className="num" title={props.title}>
      {props.children}
      {props.unit === undefined ? null : <span className="pg-unit">{props.unit}</span>}
    </dd>
    {props.note === undefined ? null : <dd className="pg-note">{props.note}</dd>}
  </div>
);
