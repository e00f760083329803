import type { OperatorActed } from '../domain/events.ts';
import { downwards, within } from './pages.ts';
import type { Subject } from './subject.ts';
import type { Table } from './tables.ts';

/** What an operator did. */
export type ActRow = Omit<OperatorActed, 'kind'> & {
  /** It was attempted and refused: `reason` says why. */
  readonly isRefused: boolean;
  /** Sequence of the command: one command is one act. */
  readonly sequence: number;
  readonly timeMs: number;
};
export type ActQuery = {
  /** Both ends are inclusive. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly beforeSequence?: number | undefined;
  readonly actor?: string | undefined;
  readonly limit: number;
};
export type ActQueries = {
  /** Newest first. */
  acts(query: ActQuery): Promise<readonly ActRow[]>;
};

const TABLE: Table = {
  name: 'acts',
  columns: {
    sequence: 'integer',
    at_ms: 'integer',
    actor: 'text',
    act: 'text',
    subject: 'text',
    before: 'text',
    after: 'text',
    reason: 'text',
    is_refused: 'integer',
  },
  key: ['sequence'],
  indexes: [
    { name: 'acts_by_actor', columns: ['actor', 'sequence'] },
    { name: 'acts_by_time', columns: ['at_ms', 'sequence'] },
  ],
};

/** The audit log. Acts are few compared with trades: each is a row, found by its command or its time. */
export const ACTS: Subject<ActQueries> = {
  name: 'acts',
  revision: 3,
  tables: [TABLE],
  projection: (database) => {
    const rows = database.inserter(TABLE, Object.keys(TABLE.columns));
    return {
      'operator-acted': ({ actor, act, subject, before, after, reason }, timeMs, sequence) =>
        rows.add(sequence, timeMs, actor, act, subject, before, after, reason, 0),
      'operator-refused': ({ actor, act, subject, reason }, timeMs, sequence) =>
        rows.add(sequence, timeMs, actor, act, subject, '', '', reason, 1),
    };
  },
  queries: (database) => {
    const columns = 'sequence, at_ms, actor, act, subject, before, after, reason, is_refused';
    // Time and sequence grow together, so a window of time is a window of sequences.
    const firstFrom = database.query<{ sequence: bigint }>(
      'SELECT sequence FROM acts WHERE at_ms >= ? ORDER BY at_ms, sequence LIMIT 1',
    );
    const lastUpTo = database.query<{ sequence: bigint }>(
      'SELECT sequence FROM acts WHERE at_ms <= ? ORDER BY at_ms DESC, sequence DESC LIMIT 1',
    );
    const all = database.query<StoredAct>(
      `SELECT ${columns} FROM acts WHERE sequence < ? AND sequence >= ? ORDER BY sequence DESC LIMIT ?`,
    );
    const ofActor = database.query<StoredAct>(
      `SELECT ${columns} FROM acts WHERE ${within(['actor', 'sequence'])}
        ORDER BY ${downwards(['actor', 'sequence'])} LIMIT ?`,
    );
    return {
      acts: async ({ fromMs, toMs, beforeSequence, actor, limit }) => {
        const [first] = await firstFrom(fromMs);
        const [last] = await lastUpTo(toMs);
        if (first === undefined || last === undefined) return [];
        const end = Number(last.sequence) + 1;
        const before = Math.min(end, beforeSequence ?? end);
        const rows =
          actor === undefined
            ? await all(before, first.sequence, limit)
            : await ofActor(actor, first.sequence - 1n, actor, before, limit);
        return rows.map(({ sequence, at_ms, is_refused, ...row }) => ({
          ...row,
          isRefused: is_refused === 1n,
          sequence: Number(sequence),
          timeMs: Number(at_ms),
        }));
      },
    };
  },
};

type StoredAct = Omit<OperatorActed, 'kind'> & {
  readonly sequence: bigint;
  readonly at_ms: bigint;
  readonly is_refused: bigint;
};
