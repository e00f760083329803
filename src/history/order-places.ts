import { assert } from '../domain/assert.ts';
import type { Database } from './database.ts';

/**
 * Finds closed orders: the id of an order's entry, by order id. Order ids are counted
 * without gaps and orders that close together were placed together, so the places of 128 neighbours
 * share a row. A row for each order would cost more than the rest of what history does with it.
 */
export const ORDER_PLACES_TABLE = `CREATE TABLE order_places (
      bucket INTEGER PRIMARY KEY,
      places BLOB NOT NULL
    ) STRICT`;

export class OrderPlaceWriter {
  readonly #read: ReturnType<typeof placesReader>;
  readonly #write: (bucket: number, places: Uint8Array) => void;
  /** What this transaction has changed. */
  readonly #placesByBucket = new Map<number, Float64Array>();

  constructor(database: Database) {
    this.#read = placesReader(database);
    this.#write = database.change('REPLACE INTO order_places (bucket, places) VALUES (?, ?)');
  }

  /** Forgets what a transaction that failed has left. */
  begin(): void {
    this.#placesByBucket.clear();
  }

  add(orderId: number, id: number): void {
    const bucket = bucketOf(orderId);
    let places = this.#placesByBucket.get(bucket);
    if (places === undefined) {
      places = this.#read(bucket) ?? new Float64Array(BUCKET_ORDERS);
      this.#placesByBucket.set(bucket, places);
    }
    const slot = orderId % BUCKET_ORDERS;
    assert(places[slot] === 0, 'an order closes once');
    places[slot] = id;
  }

  finish(): void {
    for (const [bucket, places] of this.#placesByBucket) {
      this.#write(bucket, new Uint8Array(places.buffer));
    }
    this.begin();
  }
}

/** Returns the id of the entry of a closed order; undefined when it has not closed. */
export function orderPlaceReader(database: Database): (orderId: number) => number | undefined {
  const read = placesReader(database);
  return (orderId) => read(bucketOf(orderId))?.[orderId % BUCKET_ORDERS] || undefined;
}

function placesReader(database: Database): (bucket: number) => Float64Array | undefined {
  const read = database.query<{ places: Uint8Array }>(
    'SELECT places FROM order_places WHERE bucket = ? LIMIT 1',
  );
  return (bucket) => {
    const [row] = read(bucket);
    // Copied, because eight bytes must be aligned.
    return row && new Float64Array(row.places.slice().buffer);
  };
}

const BUCKET_ORDERS = 128;
const bucketOf = (orderId: number): number => Math.floor(orderId / BUCKET_ORDERS);
