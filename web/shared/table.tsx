import type { ReactNode } from 'react';
import { reasonText } from './messages.tsx';

export type Column<Row> = {
  readonly name: string;
  readonly isRight?: boolean;
  readonly isHeadHidden?: boolean;
  readonly show: (row: Row) => ReactNode;
};

type Head = Pick<Column<unknown>, 'name' | 'isHeadHidden'>;

/** Every column has a name, even if its header shows none. */
export const Heads = <Shown extends Head>(props: {
  readonly columns: readonly Shown[];
  readonly classOf: (column: Shown) => string | undefined;
}) => (
  <thead>
    <tr>
      {props.columns.map((column) => (
        <th key={column.name} scope="col" className={props.classOf(column)}>
          {column.isHeadHidden === true ? <span className="sr">{column.name}</span> : column.name}
        </th>
      ))}
    </tr>
  </thead>
);

/** A real table: headers, rows of one height, one sentence if there are none. */
export function Table<Row>(props: {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  /** Undefined while they are not known: then there are only headers. */
  readonly rows: readonly Row[] | undefined;
  readonly keyOf: (row: Row) => string;
  readonly empty: ReactNode;
  readonly failure?: unknown;
  /** Sums, by the name of their column. */
  readonly foot?: Readonly<Record<string, ReactNode>> | undefined;
}) {
  const { label, columns, rows, keyOf, empty, failure, foot } = props;
  if (failure !== undefined) return <p className="empty bad">{reasonText(failure)}</p>;
  if (rows?.length === 0) return <div className="empty">{empty}</div>;
  return (
    <table aria-label={label} aria-busy={rows === undefined}>
      <Heads columns={columns} classOf={({ isRight }) => (isRight === true ? 'r' : undefined)} />
      <tbody>
        {rows?.map((row) => (
          <tr key={keyOf(row)} data-key={keyOf(row)}>
            {columns.map(({ name, isRight, show }) => (
              <td key={name} className={isRight === true ? 'r num' : undefined} data-name={name}>
                {show(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
      {foot === undefined ? null : (
        <tfoot>
          <tr>
            {columns.map(({ name, isRight }) => (
              <td key={name} className={isRight === true ? 'r num' : undefined} data-name={name}>
                {foot[name] ?? null}
              </td>
            ))}
          </tr>
        </tfoot>
      )}
    </table>
  );
}
