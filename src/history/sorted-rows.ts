import { Chains, NONE } from './chains.ts';
import type { RowInserter, Value, WritableDatabase } from './database.ts';
import type { Table } from './tables.ts';

/**
 * The rows of one transaction, written at its end in key order: neighbours in the tree are found together,
 * whereas one row at a time would search all of it each time.
 */
export class SortedRows {
  readonly #rows: RowInserter;
  readonly #chains = new Chains();
  /** Concatenated, without the key. */
  readonly #values: Value[] = [];
  readonly #width: number;

  /** All columns of the table, the key first. */
  constructor(database: WritableDatabase, table: Table) {
    const columns = Object.keys(table.columns);
    this.#rows = database.inserter(table, columns);
    this.#width = columns.length - 1;
  }

  /** Drops what a failed transaction has left. */
  begin(): void {
    this.#chains.clear();
    this.#values.length = 0;
  }

  add(key: number, ...values: readonly Value[]): void {
    this.#chains.add(key);
    for (const value of values) this.#values.push(value);
  }

  finish(): void {
    for (const key of this.#chains.keys()) {
      for (let row = this.#chains.first(key); row !== NONE; row = this.#chains.next(row)) {
        const at = row * this.#width;
        this.#rows.add(key, ...this.#values.slice(at, at + this.#width));
      }
    }
    this.begin();
  }
}
