import { assert } from '../domain/assert.ts';
import { Chains, NONE } from './chains.ts';
import type { Database, RowInserter, WritableDatabase } from './database.ts';
import { newest, type Table } from './tables.ts';

/**
 * Finds closed orders: the id of an order's entry, by order id. Order ids are consecutive and orders that
 * close together were placed together, so the places of 128 neighbours share a row. A row for each order
 * would cost more than everything else that history does with it.
 */
export const ORDER_PLACES: Table = {
  name: 'order_places',
  columns: { bucket: 'integer', places: 'bytes' },
  key: ['bucket'],
  hasLargeRows: true,
};

export class OrderPlaceWriter {
  readonly #read: ReturnType<typeof placesReader>;
  readonly #rows: RowInserter;
  /** The orders that this transaction has closed, with their entries, and which of them share a bucket. */
  readonly #chains = new Chains();
  readonly #orderIds: number[] = [];
  readonly #ids: number[] = [];

  constructor(database: WritableDatabase) {
    this.#read = placesReader(database);
    this.#rows = database.inserter(ORDER_PLACES, Object.keys(ORDER_PLACES.columns), {
      places: newest('places'),
    });
  }

  /** Drops what a failed transaction has left. */
  begin(): void {
    this.#chains.clear();
    this.#orderIds.length = 0;
    this.#ids.length = 0;
  }

  add(orderId: number, id: number): void {
    this.#chains.add(bucketOf(orderId));
    this.#orderIds.push(orderId);
    this.#ids.push(id);
  }

  async finish(): Promise<void> {
    const buckets = [...this.#chains.keys()];
    const placesByBucket = await this.#read(buckets);
    for (const bucket of buckets) {
      const places = placesByBucket.get(bucket) ?? new Float64Array(BUCKET_ORDERS);
      for (let at = this.#chains.first(bucket); at !== NONE; at = this.#chains.next(at)) {
        const slot = (this.#orderIds[at] as number) % BUCKET_ORDERS;
        assert(places[slot] === 0, 'an order closes once');
        places[slot] = this.#ids[at] as number;
      }
      this.#rows.add(bucket, new Uint8Array(places.buffer));
    }
    this.begin();
  }
}

/** Returns the id of the entry of a closed order; undefined if it has not closed. */
export function orderPlaceReader(
  database: Database,
): (orderId: number) => Promise<number | undefined> {
  const read = database.query<StoredPlaces>(
    'SELECT bucket, places FROM order_places WHERE bucket = ? LIMIT 1',
  );
  return async (orderId) => {
    if (!Number.isSafeInteger(orderId)) return undefined;
    const [row] = await read(bucketOf(orderId));
    return (row && placesOf(row)[orderId % BUCKET_ORDERS]) || undefined;
  };
}

/** Many per statement: another store needs a round trip, and a transaction closes thousands of orders. */
function placesReader(
  database: Database,
): (buckets: readonly number[]) => Promise<Map<number, Float64Array>> {
  const marks = Array(BUCKETS_AT_ONCE).fill('?').join(', ');
  const read = database.query<StoredPlaces>(
    `SELECT bucket, places FROM order_places WHERE bucket IN (${marks})`,
  );
  return async (buckets) => {
    const found = new Map<number, Float64Array>();
    for (let at = 0; at < buckets.length; at += BUCKETS_AT_ONCE) {
      const some = buckets.slice(at, at + BUCKETS_AT_ONCE);
      const padded = [...some, ...Array(BUCKETS_AT_ONCE - some.length).fill(NO_BUCKET)];
      for (const row of await read(...padded)) found.set(Number(row.bucket), placesOf(row));
    }
    return found;
  };
}

type StoredPlaces = { readonly bucket: bigint; readonly places: Uint8Array };

/** A copy, because eight-byte elements must be aligned. */
const placesOf = ({ places }: StoredPlaces): Float64Array =>
  new Float64Array(places.slice().buffer);

const BUCKETS_AT_ONCE = 64;
const NO_BUCKET = -1;
const BUCKET_ORDERS = 128;
const bucketOf = (orderId: number): number => Math.floor(orderId / BUCKET_ORDERS);
