import type { Database } from './database.ts';

/** Connections for reads. A query has one to itself from its first statement to its last. */
export type Sessions = {
  /** How far history was when they were opened. */
  readonly cursor: number;
  use<Result>(work: (database: Database) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
};

/** One connection: one query after another. */
export function oneSession(database: Database, cursor: number): Sessions {
  let last: Promise<unknown> = Promise.resolve();
  const use: Sessions['use'] = (work) => {
    const answer = last.then(() => work(database));
    last = answer.catch(() => undefined);
    return answer;
  };
  return {
    cursor,
    use,
    close: () => use((each) => each.close()),
  };
}
