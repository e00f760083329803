import type { Event } from '../domain/events.ts';
import { CANDLES } from './candles.ts';
import { CATALOGUE } from './catalogue.ts';
import type { Database, Schema } from './database.ts';
import { ENTRY_TIMES, timeMarker } from './entry-times.ts';
import { FUNDING } from './funding.ts';
import { LIQUIDATIONS } from './liquidations.ts';
import { MATCHES } from './matches.ts';
import { ORDERS } from './orders.ts';
import type { Projection, Subject } from './subject.ts';
import { TRADES } from './trades.ts';
import { TRANSFERS } from './transfers.ts';
import { WALLET } from './wallet.ts';

/** Everything history remembers. A new subject is a file and a line here. */
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
] as const;

/** Raised when the frame around the subjects changes: the table `about`, the cursor, the pragmas. */
const FRAME_REVISION = 2;

export const SCHEMA: Schema = {
  version: SUBJECTS.reduce((sum, { revision }) => sum + revision, FRAME_REVISION),
  tables: SUBJECTS.flatMap(({ tables }) => [...tables]),
};

/** What may be asked of all subjects together. */
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

/** Turns the events of one transaction after another into rows. */
export type RowWriter = {
  begin(): void;
  /** Answers how many rows the event became. */
  write(event: Event, timeMs: number, id: number): number;
  finish(): void;
};

/** Only the subjects that care for a kind of event hear of it. */
export function writerOf(database: Database): RowWriter {
  const writersByKind = new Map<string, RowWriter['write'][]>();
  const turns: NonNullable<Projection['ofTransaction']>[] = [];
  const subjects: readonly Subject[] = SUBJECTS;
  for (const { projection } of subjects) {
    const { ofTransaction, ...rowsByKind } = projection(database);
    if (ofTransaction !== undefined) turns.push(ofTransaction);
    for (const [kind, write] of Object.entries(rowsByKind)) {
      const writers = writersByKind.get(kind) ?? [];
      writers.push(write as RowWriter['write']);
      writersByKind.set(kind, writers);
    }
  }
  const markTime = timeMarker(database);
  return {
    begin: () => {
      for (const turn of turns) turn.begin();
    },
    write: (event, timeMs, id) => {
      let rows = markTime(id, timeMs);
      for (const write of writersByKind.get(event.kind) ?? NONE) rows += write(event, timeMs, id);
      return rows;
    },
    finish: () => {
      for (const turn of turns) turn.finish?.();
    },
  };
}

const NONE: readonly RowWriter['write'][] = [];
