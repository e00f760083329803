import { type FocusEvent, memo, type ReactNode, useRef, useState } from 'react';
import { reasonText } from './messages.tsx';
import { useRowsInSight } from './rows-in-sight.ts';

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
      <Rows rows={rows ?? []} {...{ columns, keyOf }} cellOf={CELL} />
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

/** What a cell has of its column. */
export type CellOf<Shown> = (column: Shown) => {
  readonly className: string | undefined;
  readonly 'data-name'?: string | undefined;
};

const CELL: CellOf<Pick<Column<unknown>, 'name' | 'isRight'>> = ({ name, isRight }) => ({
  className: isRight === true ? 'r num' : undefined,
  'data-name': name,
});

/** All of them count, are found by their keys and take their room; of many, those out of sight are empty. */
export function Rows<Row, Shown extends Column<Row>>(props: {
  readonly rows: readonly Row[];
  readonly columns: readonly Shown[];
  readonly keyOf: (row: Row) => string;
  readonly cellOf: CellOf<Shown>;
  readonly children?: ReactNode;
}) {
  const { rows, columns, keyOf, cellOf, children } = props;
  const body = useRef<HTMLTableSectionElement>(null);
  const inSight = useRowsInSight(body, rows.length);
  // What is being typed in a row, and the focus, stay while it is out of sight.
  const [held, setHeld] = useState<string>();
  const hold = ({ target }: FocusEvent): void =>
    setHeld(target.closest<HTMLElement>('tr')?.dataset['key']);
  const shared = { columns, cellOf } as unknown as Pick<FilledProps, 'columns' | 'cellOf'>;
  return (
    <tbody ref={body} onFocus={hold}>
      {rows.map((row, at) => {
        const key = keyOf(row);
        const isSeen = inSight === undefined || (at >= inSight.from && at < inSight.to);
        return isSeen || key === held ? (
          <Filled key={key} name={key} row={row} {...shared} />
        ) : (
          <Unseen key={key} name={key} span={columns.length} rowPx={inSight.rowPx} />
        );
      })}
      {children}
    </tbody>
  );
}

type FilledProps = {
  readonly name: string;
  readonly row: unknown;
  readonly columns: readonly Column<unknown>[];
  readonly cellOf: CellOf<Column<unknown>>;
};

const Filled = memo(function Filled({ name, row, columns, cellOf }: FilledProps) {
  return (
    <tr data-key={name}>
      {columns.map((column) => (
        <td key={column.name} {...cellOf(column)}>
          {column.show(row)}
        </td>
      ))}
    </tr>
  );
});

const Unseen = memo(function Unseen(props: {
  readonly name: string;
  readonly span: number;
  readonly rowPx: number | undefined;
}) {
  return (
    <tr data-key={props.name} className="unseen" style={{ height: props.rowPx }}>
      <td colSpan={props.span} />
    </tr>
  );
});
