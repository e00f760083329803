import type { ReactNode } from 'react';
import { RialtoError } from '../../src/client/index.ts';
import { reasonText } from '../shared/messages.tsx';
import { linkTo } from '../shared/navigate.ts';
import { clockText, grouped } from '../shared/number-text.ts';
import { type Column as AnyColumn, Heads } from '../shared/table.tsx';
import { type Read, useOldSince } from './reads.ts';
import { nativeShort } from './text.ts';

/** A panel shows when its data is stale, or why the venue does not return it. */
export function Panel(props: {
  readonly title: string;
  readonly count?: number | string | undefined;
  readonly note?: ReactNode;
  readonly to?: readonly [path: string, label: string];
  readonly beside?: ReactNode;
  readonly className?: string;
  readonly reads?: readonly Read<unknown>[];
  readonly everyMs?: number;
  readonly children: ReactNode;
}) {
  const { title, count, note, to, beside, className = '', reads = [], everyMs } = props;
  const oldSince = useOldSince(reads, everyMs);
  const failed = reads.find(({ failure }) => failure !== undefined);
  const isRefused = failed?.failure instanceof RialtoError;
  return (
    <section
      className={`panel ${className}${oldSince === undefined ? '' : ' old'}`}
      aria-label={title}
    >
      <div className="bar">
        <h2>{title}</h2>
        {count === undefined ? null : <span className="count">{count}</span>}
        <span className="grow" />
        {oldSince === undefined ? (
          <span className="t3 note-s">{note}</span>
        ) : (
          <span className="chip warn">as of {clockText(oldSince)}</span>
        )}
        {beside}
        {to === undefined ? null : (
          <a className="btn s ghost" {...linkTo(to[0])}>
            {to[1]}
          </a>
        )}
      </div>
      {isRefused ? (
        <p className="note bad" role="alert">
          {reasonText(failed.failure)}
        </p>
      ) : null}
      {props.children}
    </section>
  );
}

export type Column<Row> = AnyColumn<Row> & {
  /** Shown from this width on; the detail view has the rest of a row. */
  readonly from?: 'm' | 'l' | 'xl';
  readonly isWrapped?: boolean;
};

/** A real table. Rows are selected by the link or button in their first cell. */
export function List<Row>(props: {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[] | undefined;
  readonly keyOf: (row: Row) => string;
  readonly empty: ReactNode;
  readonly chosen?: string | undefined;
  readonly isTall?: boolean;
}) {
  const { label, columns, rows, keyOf, empty, chosen, isTall } = props;
  if (rows === undefined) return <div className="waiting" aria-busy="true" />;
  if (rows.length === 0) return <p className="nothing">{empty}</p>;
  const classOf = ({ isRight, from, isWrapped }: Column<Row>): string =>
    [
      isRight === true ? 'r num' : '',
      from === undefined ? '' : `from-${from}`,
      isWrapped === true ? 'wrap' : '',
    ]
      .join(' ')
      .trim();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <section className="scroll" aria-label={`${label}, list`} tabIndex={0}>
      <table aria-label={label} className={isTall === true ? 'tall' : undefined}>
        <Heads columns={columns} classOf={(column) => classOf(column)} />
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} className={keyOf(row) === chosen ? 'chosen' : undefined}>
              {columns.map((column) => (
                <td key={column.name} className={classOf(column)}>
                  {column.show(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** An amount of the native asset, shortened; the full value is the title. */
export const Native = ({ text }: { readonly text: string | undefined }) => (
  <span title={text === undefined ? undefined : grouped(text)}>{nativeShort(text)}</span>
);

/** A value with its context below, small. */
export const Two = (props: { readonly above: ReactNode; readonly below: ReactNode }) => (
  <span className="two">
    <span>{props.above}</span>
    <span className="t3">{props.below}</span>
  </span>
);

/** Names and values side by side. */
export const Facts = (props: {
  readonly facts: readonly (readonly [name: string, value: ReactNode])[];
}) => (
  <dl className="facts">
    {props.facts.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd className="num">{value}</dd>
      </div>
    ))}
  </dl>
);
