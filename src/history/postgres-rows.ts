import { assert } from '../domain/assert.ts';
import type { RowInserter, Value } from './database.ts';
import { type Column, conflictClause, type Merge, type Table } from './tables.ts';

/** A statement and its values, as text. */
export type Statement = { readonly text: string; readonly values: readonly string[] };

/** Per statement; more rows need several. */
const ROWS_MAX = 5_000;

const ARRAY_TYPES: Readonly<Record<Column, string>> = {
  integer: 'bigint[]',
  'integer?': 'bigint[]',
  text: 'text[]',
  bytes: 'bytea[]',
};

/**
 * Rows to be written to PostgreSQL: collected by column and written thousands per statement with `unnest`,
 * because a statement is a round trip.
 *
 * One statement may not change a row twice. So if rows are merged, the second row with the same key goes into
 * a second layer, and layers are written one after another.
 */
export class UnnestRows implements RowInserter {
  /** Bytes are converted to text when they are added. */
  readonly pending = 0;
  readonly #text: string;
  readonly #types: readonly Column[];
  /** How many of the first columns are the key, if rows are merged. */
  readonly #keyWidth: number;
  readonly #countByKey = new Map<string, number>();
  /** Literals by layer and column. */
  #layers: string[][][] = [];

  constructor(table: Table, columns: readonly string[], merge?: Merge) {
    this.#types = columns.map((column) => table.columns[column] as Column);
    const arrays = this.#types.map((type, at) => `$${at + 1}::${ARRAY_TYPES[type]}`);
    this.#text =
      `INSERT INTO ${table.name} (${columns.join(', ')})` +
      ` SELECT * FROM unnest(${arrays.join(', ')})${conflictClause(table, merge)}`;
    this.#keyWidth = merge === undefined ? 0 : table.key.length;
    const isKeyFirst = table.key.every((column, at) => columns[at] === column);
    assert(merge === undefined || isKeyFirst, 'the columns of a merged row begin with its key');
  }

  add(...values: readonly Value[]): 1 {
    const at = this.#layerOf(values);
    const layer = this.#layers[at] ?? this.#types.map((): string[] => []);
    this.#layers[at] = layer;
    for (const [column, type] of this.#types.entries()) {
      layer[column]?.push(literal(values[column] as Value, type));
    }
    return 1;
  }

  /** The statements for the added rows, to be run in this order. */
  take(): Statement[] {
    const statements = this.#layers.flatMap((columns) => {
      const count = columns[0]?.length ?? 0;
      const starts = Array.from(
        { length: Math.ceil(count / ROWS_MAX) },
        (_, chunk) => chunk * ROWS_MAX,
      );
      return starts.map((start) => ({
        text: this.#text,
        values: columns.map((column) => `{${column.slice(start, start + ROWS_MAX).join(',')}}`),
      }));
    });
    this.clear();
    return statements;
  }

  /** Drops what a failed transaction has left. */
  clear(): void {
    this.#layers = [];
    this.#countByKey.clear();
  }

  #layerOf(values: readonly Value[]): number {
    if (this.#keyWidth === 0) return 0;
    const key = values.slice(0, this.#keyWidth).join(' ');
    const count = this.#countByKey.get(key) ?? 0;
    this.#countByKey.set(key, count + 1);
    return count;
  }
}

/** As an element of an array literal. */
function literal(value: Value, type: Column): string {
  if (value === null) return 'NULL';
  if (value instanceof Uint8Array) return `"\\\\x${hexOf(value)}"`;
  if (type !== 'text') return String(value);
  return `"${storedText(String(value)).replace(/["\\]/g, '\\$&')}"`;
}

const hexOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');

/**
 * PostgreSQL's text holds every character except NUL. A NUL character in a note becomes a replacement
 * character: better than a history that stops for ever.
 */
export const storedText = (text: string): string => text.replaceAll('\0', '\uFFFD');
