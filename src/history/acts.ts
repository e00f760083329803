import type { OperatorActed } from '../domain/events.ts';
import type { Subject } from './subject.ts';

/** What an operator did. */
export type ActRow = Omit<OperatorActed, 'kind'> & {
  /** It was tried and refused: `reason` says why. */
  readonly isRefused: boolean;
  /** Of the command: one command is one act. */
  readonly sequence: number;
  readonly timeMs: number;
};
export type ActAsk = {
  /** Both ends are inside. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly beforeSequence?: number | undefined;
  readonly actor?: string | undefined;
  readonly limit: number;
};
export type ActQueries = {
  /** Newest first. */
  acts(ask: ActAsk): readonly ActRow[];
};

/** The audit log. Acts are few beside trades: each is a row, found by its command or its time. */
export const ACTS: Subject<ActQueries> = {
  name: 'acts',
  revision: 3,
  tables: [
    `CREATE TABLE acts (
      sequence INTEGER NOT NULL PRIMARY KEY,
      at_ms INTEGER NOT NULL,
      actor TEXT NOT NULL,
      act TEXT NOT NULL,
      subject TEXT NOT NULL,
      before TEXT NOT NULL,
      after TEXT NOT NULL,
      reason TEXT NOT NULL,
      is_refused INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
    'CREATE INDEX acts_by_actor ON acts (actor, sequence)',
    'CREATE INDEX acts_by_time ON acts (at_ms, sequence)',
  ],
  projection: (database) => {
    const insert = database.change(
      `INSERT INTO acts (sequence, at_ms, actor, act, subject, before, after, reason, is_refused)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    return {
      'operator-acted': ({ actor, act, subject, before, after, reason }, timeMs, sequence) =>
        insert(sequence, timeMs, actor, act, subject, before, after, reason, 0),
      'operator-refused': ({ actor, act, subject, reason }, timeMs, sequence) =>
        insert(sequence, timeMs, actor, act, subject, '', '', reason, 1),
    };
  },
  queries: (database) => {
    const columns = 'sequence, at_ms, actor, act, subject, before, after, reason, is_refused';
    // Time and sequence grow together, so the ends of a window are found by its times.
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
      `SELECT ${columns} FROM acts INDEXED BY acts_by_actor
        WHERE actor = ? AND sequence < ? AND sequence >= ? ORDER BY sequence DESC LIMIT ?`,
    );
    return {
      acts: ({ fromMs, toMs, beforeSequence, actor, limit }) => {
        const [first] = firstFrom(fromMs);
        const [last] = lastUpTo(toMs);
        if (first === undefined || last === undefined) return [];
        const end = Number(last.sequence) + 1;
        const before = Math.min(end, beforeSequence ?? end);
        const rows =
          actor === undefined
            ? all(before, first.sequence, limit)
            : ofActor(actor, before, first.sequence, limit);
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
