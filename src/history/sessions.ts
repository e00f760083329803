import type { Database } from './database.ts';

/** Connections for reads. A question has one to itself from its first read to its last. */
export type Sessions = {
  /** How far history had come when they were opened. */
  readonly cursor: number;
  use<Result>(work: (database: Database) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
};

/** One connection: one question after the other. */
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
