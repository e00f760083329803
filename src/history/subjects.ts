import { assert } from '../domain/assert.ts';
import { EVENT_KINDS, type EventKind } from '../domain/event-codec.ts';
import type { Event } from '../domain/events.ts';
import type { EventWalk } from '../domain/stored-events.ts';
import { ACCOUNT_HOURS } from './account-hours.ts';
import { ACTS } from './acts.ts';
import { CANDLES } from './candles.ts';
import { CATALOGUE, CatalogueMemory } from './catalogue.ts';
import type { Database, WritableDatabase } from './database.ts';
import { ENTRY_TIMES, timeMarker } from './entry-times.ts';
import { FUNDING } from './funding.ts';
import { LIQUIDATIONS } from './liquidations.ts';
import { MATCHES } from './matches.ts';
import { ORDERS } from './orders.ts';
import type { Projection, StoredWriter, Subject } from './subject.ts';
import { type Schema, schemaOf } from './tables.ts';
import { TRADES } from './trades.ts';
import { TRANSFERS } from './transfers.ts';
import { WALLET } from './wallet.ts';
import { WALLET_RECORDS } from './wallet-records.ts';

/** All subjects of history. A new subject is a file and a line here. */
export const SUBJECTS = [
  ENTRY_TIMES,
  CATALOGUE,
  WALLET,
  TRANSFERS,
  ORDERS,
  TRADES,
  MATCHES,
  CANDLES,
  FUNDING,
  LIQUIDATIONS,
  WALLET_RECORDS,
  ACCOUNT_HOURS,
  ACTS,
] as const;

/** Raised when the frame around the subjects changes: the table `about`, the cursor, the pragmas. */
const FRAME_REVISION = 3;

export const SCHEMA: Schema = schemaOf(
  SUBJECTS.reduce((sum, { revision }) => sum + revision, FRAME_REVISION),
  SUBJECTS.flatMap(({ tables }) => [...tables]),
);

/** The queries of all subjects together. */
export type Queries = Joined<ReturnType<(typeof SUBJECTS)[number]['queries']>>;
type Joined<Union> = (Union extends object ? (each: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never;

export function queriesOf(database: Database): Queries {
  const each = SUBJECTS.map(({ queries }) => queries(database));
  return Object.assign({}, ...each) as Queries;
}

/** The same queries, each passed to whatever `run` chooses: a free connection. */
export function queriesThrough(
  run: (name: keyof Queries, values: readonly unknown[]) => Promise<unknown>,
): Queries {
  const names = Object.keys(queriesOf(EMPTY_DATABASE)) as (keyof Queries)[];
  const each = names.map((name) => [name, (...values: unknown[]) => run(name, values)]);
  return Object.fromEntries(each) as Queries;
}

/** Used to list the queries; answers none. */
const EMPTY_DATABASE: Database = {
  query: () => () => Promise.resolve([]),
  snapshot: (work) => work(),
  close: () => Promise.resolve(),
};

/** Turns the events of one transaction after another into rows. */
export type RowWriter = {
  begin(): Promise<void>;
  /** Returns how many rows the event produced. */
  write(event: EventWalk, id: number): number;
  finish(): Promise<void>;
  /** The transaction was rolled back: nothing of it may be remembered. */
  forget(): void;
};

/** An event is passed only to the subjects that use its kind, and decoded only for them. */
export function writerOf(database: WritableDatabase): RowWriter {
  const known = new CatalogueMemory(database);
  const turns: NonNullable<Projection['ofTransaction']>[] = [];
  const writersByKind = EVENT_KINDS.map((): Writers => ({ stored: [], decoded: [] }));
  const writersOf = (kind: string): Writers =>
    writersByKind[EVENT_KINDS.indexOf(kind as EventKind)] as Writers;
  const subjects: readonly Subject[] = SUBJECTS;
  for (const { projection } of subjects) {
    const { ofTransaction, stored = {}, ...decoded } = projection(database, known);
    if (ofTransaction !== undefined) turns.push(ofTransaction);
    for (const [kind, write] of Object.entries(stored)) writersOf(kind).stored.push(write);
    for (const [kind, write] of Object.entries(decoded)) {
      writersOf(kind).decoded.push(write as DecodedWriter);
    }
  }
  const markTime = timeMarker(database);
  return {
    begin: async () => {
      for (const turn of turns) turn.begin();
      await known.read();
    },
    write: (event, id) => {
      const { timeMs } = event;
      const writers = writersByKind[event.kind];
      assert(writers !== undefined, 'an encoded event is of a known kind');
      let rows = event.isNumbered ? markTime(id, timeMs) : 0;
      for (const write of writers.stored) rows += write(event, timeMs, id);
      if (writers.decoded.length === 0) return rows;
      const decoded = event.decode();
      for (const write of writers.decoded) rows += write(decoded, timeMs, id);
      return rows;
    },
    finish: async () => {
      for (const turn of turns) await turn.finish();
    },
    forget: () => known.forget(),
  };
}

type DecodedWriter = (event: Event, timeMs: number, id: number) => number;
type Writers = { readonly stored: StoredWriter[]; readonly decoded: DecodedWriter[] };
