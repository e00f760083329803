import type { Event } from '../domain/events.ts';
import type { PriceGrid } from '../domain/market.ts';
import type { StoredEvent } from '../domain/stored-events.ts';
import type { AssetIndex, MarketIndex } from '../domain/units.ts';
import type { Database, WritableDatabase } from './database.ts';
import type { Table } from './tables.ts';

/**
 * One kind of history, complete in one file: its tables, which events become which rows, and its
 * queries. To add one, write the file and name it in `subjects.ts`.
 */
export type Subject<Queries extends object = object> = {
  readonly name: string;
  /**
   * Raise it by one with any change of the tables or of the rows that an event produces. The schema's version
   * is the sum of all of them, so the next start drops the file and projects everything again. For the same
   * reason a subject is never removed from the list.
   */
  readonly revision: number;
  readonly tables: readonly Table[];
  readonly projection: (database: WritableDatabase, known: KnownCatalogue) => Projection;
  readonly queries: (database: Database) => Queries;
};

/**
 * Writes the rows of each kind of event that concerns this subject; returns how many were written. `id` is
 * the first of the event's own entry ids: see entry-ids.ts.
 *
 * A rollback must undo everything. So a subject keeps nothing in memory between events, or drops it when a
 * transaction begins and writes it before the transaction ends.
 */
export type Projection = {
  readonly [Kind in Event['kind']]?: (
    event: Extract<Event, { readonly kind: Kind }>,
    timeMs: number,
    id: number,
  ) => number;
} & {
  readonly ofTransaction?: { begin(): void; finish(): Promise<void> };
  /** The same for the most frequent kinds: events as they are stored, not decoded. */
  readonly stored?: { readonly [Kind in Event['kind']]?: StoredWriter };
};
export type StoredWriter = (event: StoredEvent, timeMs: number, id: number) => number;

/** What the projector must know about assets and markets to write the rows of other subjects. */
export type KnownCatalogue = {
  asset(code: string): KnownAsset;
  addAsset(code: string, asset: KnownAsset): void;
  /** The asset in which perpetuals are settled, and funding and liquidations are paid. */
  readonly nativeAsset: AssetIndex;
  /** The current terms. */
  terms(market: MarketIndex): KnownTerms;
  addTerms(market: MarketIndex, terms: KnownTerms): void;
};
export type KnownAsset = { readonly asset: AssetIndex; readonly scale: number };
export type KnownTerms = { readonly isSpot: boolean; readonly grid: PriceGrid };
