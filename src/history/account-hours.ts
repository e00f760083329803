import { matchOf, matchSideOf, type StoredEvent } from '../domain/stored-events.ts';
import { type AccountIndex, AMOUNT_LIMIT, type Amount, amount } from '../domain/units.ts';
import type { WritableDatabase } from './database.ts';
import type { Subject } from './subject.ts';
import { boundedSum, newest, type Table } from './tables.ts';

/** What an account realised and paid in an hour, in native parts. */
export type AccountHourRow = {
  readonly hourMs: number;
  /** After the funding at the beginning of the hour; undefined if none was due because it had no position. */
  readonly collateral: Amount | undefined;
  readonly unrealised: Amount | undefined;
  readonly realised: Amount;
  readonly funding: Amount;
};
export type AccountHoursQuery = {
  readonly account: AccountIndex;
  readonly fromMs: number;
  readonly toMs: number;
  readonly limit: number;
};
export type AccountHourQueries = {
  /** Hours that begin within the window, newest first; only those in which something happened. */
  accountHours(query: AccountHoursQuery): Promise<readonly AccountHourRow[]>;
};

const HOURS: Table = {
  name: 'account_hours',
  columns: {
    account: 'integer',
    at_ms: 'integer',
    collateral: 'integer?',
    unrealised: 'integer?',
    realised: 'integer',
    funding: 'integer',
  },
  key: ['account', 'at_ms'],
};

/**
 * A row per account and hour in which it realised a profit or loss, or was due funding. Realised amounts are
 * collected in memory and added when the hour or the transaction ends.
 */
export const ACCOUNT_HOURS: Subject<AccountHourQueries> = {
  name: 'account-hours',
  revision: 1,
  tables: [HOURS],
  projection: (database) => {
    const realisedByAccount = new Map<AccountIndex, bigint>();
    let hourMs = 0;
    const addRealised = realisedWriter(database);
    const addFunding = fundingWriter(database);
    const write = (): number => {
      for (const [account, parts] of realisedByAccount) addRealised(account, hourMs, parts);
      const rows = realisedByAccount.size;
      realisedByAccount.clear();
      return rows;
    };
    const gather = (event: StoredEvent, side: number): void => {
      if (!matchSideOf.hasRealised(event, side)) return;
      const account = matchSideOf.account(event, side);
      const before = realisedByAccount.get(account) ?? 0n;
      realisedByAccount.set(account, before + matchSideOf.realised(event, side));
    };
    return {
      ofTransaction: {
        begin: () => realisedByAccount.clear(),
        finish: async () => {
          write();
        },
      },
      'funding-paid': ({ account, payment, collateral, unrealised }, timeMs) =>
        addFunding({ account, atMs: hourOf(timeMs), payment, collateral, unrealised }),
      stored: {
        'order-matched': (event, timeMs) => {
          const isNext = hourOf(timeMs) !== hourMs;
          const rows = isNext ? write() : 0;
          hourMs = hourOf(timeMs);
          gather(event, matchOf.taker(event));
          gather(event, matchOf.maker(event));
          return rows;
        },
      },
    };
  },
  queries: (database) => {
    const read = database.query<StoredHour>(
      `SELECT at_ms, collateral, unrealised, realised, funding FROM account_hours
        WHERE account = ? AND at_ms >= ? AND at_ms <= ? ORDER BY at_ms DESC LIMIT ?`,
    );
    return {
      accountHours: async ({ account, fromMs, toMs, limit }) =>
        (await read(account, fromMs, toMs, limit)).map(restored),
    };
  },
};

const HOUR_MS = 3_600_000;
const hourOf = (timeMs: number): number => timeMs - (timeMs % HOUR_MS);

/** Figures are capped at what a column holds: nothing is computed from them. The sum of two still fits. */
const bounded = (parts: bigint): bigint =>
  parts > AMOUNT_LIMIT ? AMOUNT_LIMIT : parts < -AMOUNT_LIMIT ? -AMOUNT_LIMIT : parts;

/** Adds to the value of the row, which may already be at the limit of its column. */
const total = (column: string): string => boundedSum(HOURS, column, AMOUNT_LIMIT);

function realisedWriter(
  database: WritableDatabase,
): (account: AccountIndex, atMs: number, parts: bigint) => number {
  const columns = ['account', 'at_ms', 'realised', 'funding'];
  const rows = database.inserter(HOURS, columns, { realised: total('realised') });
  return (account, atMs, parts) => rows.add(account, atMs, bounded(parts), 0);
}

type Funded = {
  readonly account: AccountIndex;
  readonly atMs: number;
  readonly payment: Amount;
  readonly collateral: Amount | undefined;
  readonly unrealised: Amount | undefined;
};

/** The last payment of an hour has the account's collateral after all of them. */
function fundingWriter(database: WritableDatabase): (funded: Funded) => number {
  const columns = ['account', 'at_ms', 'collateral', 'unrealised', 'realised', 'funding'];
  const rows = database.inserter(HOURS, columns, {
    collateral: newest('collateral'),
    unrealised: newest('unrealised'),
    funding: total('funding'),
  });
  const orNull = (parts: Amount | undefined) => (parts === undefined ? null : bounded(parts));
  return ({ account, atMs, payment, collateral, unrealised }) =>
    rows.add(account, atMs, orNull(collateral), orNull(unrealised), 0, payment);
}

type StoredHour = {
  readonly at_ms: bigint;
  readonly collateral: bigint | null;
  readonly unrealised: bigint | null;
  readonly realised: bigint;
  readonly funding: bigint;
};

const restored = (row: StoredHour): AccountHourRow => ({
  hourMs: Number(row.at_ms),
  collateral: row.collateral === null ? undefined : amount(row.collateral),
  unrealised: row.unrealised === null ? undefined : amount(row.unrealised),
  realised: amount(row.realised),
  funding: amount(row.funding),
});
