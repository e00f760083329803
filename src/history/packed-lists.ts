import { ByteWriter } from '../bytes/pack.ts';
import { assert } from '../domain/assert.ts';
import type { StoredEvent } from '../domain/stored-events.ts';
import { Chains, NONE } from './chains.ts';
import {
  type Database,
  ROWS_AT_ONCE,
  type RowInserter,
  type WritableDatabase,
} from './database.ts';
import { type IdRange, idsOf, type Window } from './entry-times.ts';
import { Packer, packedBytesMax, RECORD_BYTES_MAX, unpack } from './packing.ts';
import type { PageQuery } from './pages.ts';
import type { Table } from './tables.ts';

/**
 * Long lists of records, many per row: an account's trades, a market's matches. A list is divided into parts,
 * so that one part can be read without searching for it among the others.
 *
 * The records of one transaction are collected and written part by part, in key order: one row per record,
 * each at a random position, would be most of the cost of history. So a busy list has rows of twenty records
 * and a quiet one a row for each; reading returns the same.
 */
export const packedTable = (name: string): Table => ({
  name,
  columns: { list: 'integer', part: 'integer', first_id: 'integer', records: 'bytes' },
  key: ['list', 'part', 'first_id'],
});

export class PackedListWriter {
  readonly #rows: RowInserter;
  readonly #packer = new Packer();
  readonly #packed = new Uint8Array(ROWS_AT_ONCE * packedBytesMax(RECORD_BYTES_MAX));
  /** The records of this transaction, where each begins, and which belong to the same part. */
  readonly #bytes = new ByteWriter(1 << 16);
  readonly #starts: number[] = [];
  readonly #chains = new Chains();

  constructor(database: WritableDatabase, table: Table) {
    this.#rows = database.inserter(table, Object.keys(table.columns));
  }

  /** Drops what a failed transaction has left. */
  begin(): void {
    this.#chains.clear();
    this.#bytes.clear();
    this.#starts.length = 0;
  }

  /** Starts a record at the end of its part; `append` fills it. Ids grow. */
  add(list: number, part: number, id: number, timeMs: number): void {
    assert(part < PARTS_MAX, 'a list has a bounded number of parts');
    this.#starts[this.#chains.add(list * PARTS_MAX + part)] = this.#bytes.length;
    this.#bytes.f64(id);
    this.#bytes.f64(timeMs);
  }

  /**
   * Whole words of eight bytes. Copied in a loop: allocating an array for each copy would cost more than the
   * copy.
   */
  append({ view }: Pick<StoredEvent, 'view'>, start: number, end: number): void {
    let to = this.#bytes.take(end - start) / 4;
    const { words } = this.#bytes;
    for (let from = start; from < end; from += 4) words[to++] = view.getInt32(from, true);
  }

  /** Writes everything that was added since the transaction began. */
  finish(): void {
    this.#starts.push(this.#bytes.length);
    for (const key of this.#chains.keys()) {
      const part = key % PARTS_MAX;
      const list = (key - part) / PARTS_MAX;
      let record = this.#chains.first(key);
      while (record !== NONE) record = this.#writeRow(list, part, record);
    }
    this.begin();
  }

  /** Writes as many of a part's records as fit into one row; returns the first that does not. */
  #writeRow(list: number, part: number, first: number): number {
    const firstId = this.#bytes.fields.getFloat64(this.#starts[first] as number, true);
    const from = this.#rows.pending * packedBytesMax(RECORD_BYTES_MAX);
    let to = from;
    let record = first;
    this.#packer.restart(this.#bytes.words);
    do {
      const start = this.#starts[record] as number;
      const end = this.#starts[record + 1] as number;
      if (record !== first && to + packedBytesMax(end - start) > from + ROW_BYTES) break;
      to = this.#packer.pack(start, end, this.#packed, to);
      record = this.#chains.next(record);
    } while (record !== NONE);
    this.#rows.add(list, part, firstId, this.#packed.subarray(from, to));
    return record;
  }
}

/** Enough for a thousand markets; list and part together stay a small integer. */
const PARTS_MAX = 2 ** 12;
/** A quarter of a page: larger values are not stored in the tree itself. */
const ROW_BYTES = 960;

/** A record as it was added. */
export type ListedRecord = {
  readonly id: number;
  readonly timeMs: number;
  readonly fields: Uint8Array;
};
export type PackedQuery = PageQuery & {
  readonly list: number;
  /** The range of parts, inclusive, all if omitted; of these, only the requested ones. */
  readonly parts?: readonly [from: number, to: number];
  readonly isWanted?: (part: number) => boolean;
};
type PartsQuery = Pick<PackedQuery, 'list' | 'parts' | 'isWanted'>;
type NewestRow = {
  readonly part: number;
  /** The first record of the whole part: nothing precedes it. */
  readonly oldestId: number;
  readonly records: ListedRecord[];
};
export type PackedListReader = {
  /** One page, newest first, over all requested parts. */
  page(query: PackedQuery): Promise<ListedRecord[]>;
  /** In any part. */
  find(list: number, id: number): Promise<ListedRecord | undefined>;
};

/**
 * A page costs one descent per part of the list, and the records it returns: the parts are merged, always
 * taking the newest record, and each part is read only as far as needed.
 */
export function packedListReader(database: Database, { name }: Table): PackedListReader {
  // One statement that descends once per part and from there to the newest row: over a network each statement
  // is a round trip.
  const newestRows = database.query<{ part: bigint; oldest: bigint; records: Uint8Array | null }>(
    `WITH RECURSIVE parts (part) AS (
      SELECT (SELECT part FROM ${name} WHERE list = ? AND part >= ? ORDER BY part LIMIT 1)
      UNION ALL
      SELECT (SELECT part FROM ${name} WHERE list = ? AND part > parts.part ORDER BY part LIMIT 1)
        FROM parts WHERE parts.part < ?)
    SELECT part, (SELECT first_id FROM ${name}
        WHERE list = ? AND part = parts.part ORDER BY first_id LIMIT 1) AS oldest,
      (SELECT records FROM ${name}
        WHERE list = ? AND part = parts.part AND first_id < ? ORDER BY first_id DESC LIMIT 1) AS records
      FROM parts WHERE part <= ?`,
  );
  const rowsBefore = database.query<StoredRow>(
    `SELECT first_id, records FROM ${name} WHERE list = ? AND part = ? AND first_id < ?
      ORDER BY first_id DESC LIMIT ?`,
  );
  const idsOfPage = idsOf(database);
  /** The requested parts, each with the newest row that begins before an id. */
  const newestOfParts = async (
    { list, parts: [from, to] = [0, PARTS_MAX], isWanted }: PartsQuery,
    beforeId: number,
  ): Promise<NewestRow[]> => {
    const rows = await newestRows(list, from, list, to, list, list, beforeId, to);
    return rows
      .map((row) => ({ ...row, part: Number(row.part), oldestId: Number(row.oldest) }))
      .filter(({ part }) => isWanted?.(part) !== false)
      .map(({ records, ...row }) => ({
        ...row,
        records: records === null ? [] : recordsOf(records),
      }));
  };
  const page = async (query: PackedQuery): Promise<ListedRecord[]> => {
    assert(Number.isSafeInteger(query.limit) && query.limit >= 0, 'a page has a limit');
    const ids = await idsOfPage(query);
    const walks: PartWalk[] = [];
    for (const { part, oldestId, records } of await newestOfParts(query, ids.beforeId)) {
      const read: RowsBefore = (beforeId, rows) => rowsBefore(query.list, part, beforeId, rows);
      const walk = new PartWalk({ newest: records, oldestId, read, ids, window: query });
      await walk.step();
      walks.push(walk);
    }
    const found: ListedRecord[] = [];
    while (found.length < query.limit) {
      const walk = newestOf(walks);
      if (walk?.head === undefined) break;
      found.push(walk.head);
      if (!walk.stepInRow()) await walk.step();
    }
    return found;
  };
  return {
    page: (query) => database.snapshot(() => page(query)),
    find: async (list, id) => {
      const newest = await newestOfParts({ list }, id + 1);
      return newest.flatMap(({ records }) => records).find((record) => record.id === id);
    },
  };
}

/** Oldest first, as they were packed. */
export const recordsOf = (packed: Uint8Array): ListedRecord[] =>
  unpack(packed).map((bytes) => {
    const head = new DataView(bytes.buffer, bytes.byteOffset);
    return {
      id: head.getFloat64(0, true),
      timeMs: head.getFloat64(8, true),
      fields: bytes.subarray(HEAD_BYTES),
    };
  });

const HEAD_BYTES = 16;

function newestOf(walks: readonly PartWalk[]): PartWalk | undefined {
  let newest: PartWalk | undefined;
  for (const walk of walks) {
    if (walk.head !== undefined && walk.head.id > (newest?.head?.id ?? NONE)) newest = walk;
  }
  return newest;
}

type RowsBefore = (beforeId: number, rows: number) => Promise<StoredRow[]>;
type StoredRow = { readonly first_id: bigint; readonly records: Uint8Array };

type Walked = {
  /** The newest row of the window; empty if there is none. */
  readonly newest: ListedRecord[];
  readonly oldestId: number;
  readonly read: RowsBefore;
  readonly ids: IdRange;
  readonly window: Window;
};

/** One part of a list, walked backwards from the newest record of the window. */
class PartWalk {
  head: ListedRecord | undefined;
  readonly #read: RowsBefore;
  readonly #ids: IdRange;
  readonly #window: Window;
  /** The remaining records of the current row, oldest first. */
  #records: ListedRecord[];
  /** Rows that were read but not reached, newest first. Some are never needed, so they stay packed. */
  #rows: StoredRow[] = [];
  #nextRow = 0;
  #rowsAtOnce = 4;
  #beforeId: number;
  readonly #oldestId: number;

  constructor({ newest, oldestId, read, ids, window }: Walked) {
    this.#oldestId = oldestId;
    this.#read = read;
    this.#ids = ids;
    this.#window = window;
    this.#records = newest;
    this.#beforeId = newest[0]?.id ?? 0;
  }

  /** Moves to the next record of the window, at first to the newest. */
  async step(): Promise<void> {
    while (!this.stepInRow()) {
      if (await this.#openRow()) continue;
      this.head = undefined;
      return;
    }
  }

  /** The same within the current row, without waiting. False at its end. */
  stepInRow(): boolean {
    const { afterId, beforeId } = this.#ids;
    const { fromMs, toMs } = this.#window;
    for (let record = this.#records.pop(); record !== undefined; record = this.#records.pop()) {
      const isOver = record.id <= afterId || record.timeMs < fromMs;
      this.head = isOver ? undefined : record;
      // A row may extend beyond the window, and ids give the time only to the nearest mark.
      if (isOver || (record.id < beforeId && record.timeMs <= toMs)) return true;
    }
    return false;
  }

  /** False at the beginning of the part. */
  async #openRow(): Promise<boolean> {
    if (this.#nextRow === this.#rows.length) await this.#readOn();
    const row = this.#rows[this.#nextRow];
    if (row === undefined) return false;
    this.#nextRow++;
    this.#records = recordsOf(row.records);
    return true;
  }

  async #readOn(): Promise<void> {
    const isOver = this.#beforeId <= this.#oldestId;
    this.#rows = isOver ? [] : await this.#read(this.#beforeId, this.#rowsAtOnce);
    this.#nextRow = 0;
    this.#rowsAtOnce = Math.min(4 * this.#rowsAtOnce, ROWS_READ_MAX);
    this.#beforeId = Number(this.#rows.at(-1)?.first_id ?? 0);
  }
}

const ROWS_READ_MAX = 16;
