import { createHash } from 'node:crypto';

/**
 * The type of a column: a 64-bit integer (amounts, prices, times, ids: nothing here is ever a float), text,
 * or bytes. With `?` it may be null.
 */
export type Column = 'integer' | 'integer?' | 'text' | 'bytes';

/** A table, declared once for all stores of history. Rows are stored in key order. */
export type Table = {
  readonly name: string;
  readonly columns: Readonly<Record<string, Column>>;
  readonly key: readonly string[];
  readonly indexes?: readonly Index[];
  /** Rows are too large for the tree of the key; the key is one integer. */
  readonly hasLargeRows?: boolean;
};
export type Index = {
  readonly name: string;
  readonly columns: readonly string[];
  /** A partial index: only these rows are in it. */
  readonly where?: string;
};

export type Schema = {
  readonly version: number;
  readonly tables: readonly Table[];
  /** Of all declarations: distinguishes two programs with the same version and different tables. */
  readonly digest: string;
};

export const schemaOf = (version: number, tables: readonly Table[]): Schema => ({
  version,
  tables,
  digest: createHash('sha256').update(JSON.stringify(tables)).digest('hex').slice(0, 16),
});

/** How an existing row is updated, by column; omitted columns stay. */
export type Merge = Readonly<Record<string, string>>;

/** Expressions of `Merge` that every store understands. The new row is `excluded`. */
export const newest = (column: string): string => `excluded.${column}`;

export const sum = ({ name }: Table, column: string): string =>
  `${name}.${column} + excluded.${column}`;

export const larger = (table: Table, column: string): string => chosen(table, column, '>');

export const smaller = (table: Table, column: string): string => chosen(table, column, '<');

const chosen = ({ name }: Table, column: string, sign: string): string =>
  `CASE WHEN excluded.${column} ${sign} ${name}.${column} THEN excluded.${column}` +
  ` ELSE ${name}.${column} END`;

/** A sum that is capped at the limit of a column, in both directions. */
export function boundedSum(table: Table, column: string, limit: bigint): string {
  const total = sum(table, column);
  return `CASE WHEN ${total} > ${limit} THEN ${limit} WHEN ${total} < -${limit} THEN -${limit} ELSE ${total} END`;
}

export const conflictClause = ({ key }: Table, merge: Merge | undefined): string => {
  if (merge === undefined) return '';
  const sets = Object.entries(merge).map(([column, value]) => `${column} = ${value}`);
  return ` ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${sets.join(', ')}`;
};
