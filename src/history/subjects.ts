import type { Event } from '../domain/events.ts';
import type { Database, Schema } from './database.ts';
import { ENTRY_TIMES } from './entry-times.ts';
import type { Subject } from './subject.ts';
import { TRANSFERS } from './transfers.ts';
import { WALLET } from './wallet.ts';

/** Everything history remembers. A new subject is a file and a line here. */
export const SUBJECTS = [ENTRY_TIMES, WALLET, TRANSFERS] as const;

/** Raised when the frame around the subjects changes: the table `about`, the cursor, the pragmas. */
const FRAME_REVISION = 1;

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

/** Answers how many rows an event became. */
export type WriteRows = (event: Event, timeMs: number) => number;

/** Only the subjects that care for a kind of event hear of it. */
export function writerOf(database: Database): WriteRows {
  const writersByKind = new Map<string, WriteRows[]>();
  const subjects: readonly Subject[] = SUBJECTS;
  for (const { projection } of subjects) {
    for (const [kind, write] of Object.entries(projection(database))) {
      const writers = writersByKind.get(kind) ?? [];
      writers.push(write as WriteRows);
      writersByKind.set(kind, writers);
    }
  }
  return (event, timeMs) => {
    let rows = 0;
    for (const write of writersByKind.get(event.kind) ?? NONE) rows += write(event, timeMs);
    return rows;
  };
}

const NONE: readonly WriteRows[] = [];
