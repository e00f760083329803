import { createHash } from 'node:crypto';

/**
 * What a column holds: a whole number of 64 bits (amounts, prices, times, ids: nothing here is ever a float), text, or
 * bytes. With `?` it may be null.
 */
export type Column = 'integer' | 'integer?' | 'text' | 'bytes';

/** A table, declared once for every store that holds history. Rows lie in the order of the key. */
export type Table = {
  readonly name: string;
  readonly columns: Readonly<Record<string, Column>>;
  readonly key: readonly string[];
  readonly indexes?: readonly Index[];
  /** Rows too large to lie in the tree of the key; the key is one whole number. */
  readonly hasLargeRows?: boolean;
};
export type Index = {
  readonly name: string;
  readonly columns: readonly string[];
  /** Only these rows are in it. */
  readonly where?: string;
};

export type Schema = {
  readonly version: number;
  readonly tables: readonly Table[];
  /** Of everything that is declared: two programs with one version and different tables are told apart. */
  readonly digest: string;
};

export const schemaOf = (version: number, tables: readonly Table[]): Schema => ({
  version,
  tables,
  digest: createHash('sha256').update(JSON.stringify(tables)).digest('hex').slice(0, 16),
});

/** What a row that is there already becomes, by column; columns left out stay. */
export type Merge = Readonly<Record<string, string>>;

/** Expressions of `Merge` that every store understands. The row that came is `excluded`. */
export const newest = (column: string): string => `excluded.${column}`;

export const sum = ({ name }: Table, column: string): string =>
  `${name}.${column} + excluded.${column}`;

export const larger = (table: Table, column: string): string => chosen(table, column, '>');

export const smaller = (table: Table, column: string): string => chosen(table, column, '<');

const chosen = ({ name }: Table, column: string, sign: string): string =>
  `CASE WHEN excluded.${column} ${sign} ${name}.${column} THEN excluded.${column}` +
  ` ELSE ${name}.${column} END`;

/** A sum that stops at the largest number a column is to hold, either way. */
export function boundedSum(table: Table, column: string, limit: bigint): string {
  const total = sum(table, column);
  return `CASE WHEN ${total} > ${limit} THEN ${limit} WHEN ${total} < -${limit} THEN -${limit} ELSE ${total} END`;
}

export const conflictClause = ({ key }: Table, merge: Merge | undefined): string => {
  if (merge === undefined) return '';
  const sets = Object.entries(merge).map(([column, value]) => `${column} = ${value}`);
  return ` ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${sets.join(', ')}`;
};
