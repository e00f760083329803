import { matchOf, matchSideOf, type StoredEvent } from '../domain/stored-events.ts';
import { type AccountIndex, AMOUNT_LIMIT, type Amount, amount } from '../domain/units.ts';
import type { Database } from './database.ts';
import type { Subject } from './subject.ts';

/** What an account made and paid in an hour, in native parts. */
export type AccountHourRow = {
  readonly hourMs: number;
  /** After the funding at the beginning of the hour; undefined where none was due: it had no position. */
  readonly collateral: Amount | undefined;
  readonly unrealised: Amount | undefined;
  readonly realised: Amount;
  readonly funding: Amount;
};
export type AccountHoursAsk = {
  readonly account: AccountIndex;
  readonly fromMs: number;
  readonly toMs: number;
  readonly limit: number;
};
export type AccountHourQueries = {
  /** Hours that begin within, newest first; only those in which something happened. */
  accountHours(ask: AccountHoursAsk): readonly AccountHourRow[];
};

/**
 * A row for each account and hour in which it realised a profit or loss, or was due funding. Realised
 * amounts are gathered in memory and added when the hour or the transaction ends.
 */
export const ACCOUNT_HOURS: Subject<AccountHourQueries> = {
  name: 'account-hours',
  revision: 1,
  tables: [
    `CREATE TABLE account_hours (
      account INTEGER NOT NULL,
      at_ms INTEGER NOT NULL,
      collateral INTEGER,
      unrealised INTEGER,
      realised INTEGER NOT NULL,
      funding INTEGER NOT NULL,
      PRIMARY KEY (account, at_ms)
    ) STRICT, WITHOUT ROWID`,
  ],
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
        finish: () => {
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
      accountHours: ({ account, fromMs, toMs, limit }) =>
        read(account, fromMs, toMs, limit).map(restored),
    };
  },
};

const HOUR_MS = 3_600_000;
const hourOf = (timeMs: number): number => timeMs - (timeMs % HOUR_MS);

/** Figures stop at what a column holds: they move nothing. Two of them still add up. */
const bounded = (parts: bigint): bigint =>
  parts > AMOUNT_LIMIT ? AMOUNT_LIMIT : parts < -AMOUNT_LIMIT ? -AMOUNT_LIMIT : parts;

/** Adds to what the row has, which may be as much as a column holds. */
const SUM = (column: string): string =>
  `max(-${AMOUNT_LIMIT}, min(${AMOUNT_LIMIT}, ${column} + excluded.${column}))`;

function realisedWriter(
  database: Database,
): (account: AccountIndex, atMs: number, parts: bigint) => number {
  const add = database.change(
    `INSERT INTO account_hours (account, at_ms, realised, funding) VALUES (?, ?, ?, 0)
      ON CONFLICT DO UPDATE SET realised = ${SUM('realised')}`,
  );
  return (account, atMs, parts) => add(account, atMs, bounded(parts));
}

type Funded = {
  readonly account: AccountIndex;
  readonly atMs: number;
  readonly payment: Amount;
  readonly collateral: Amount | undefined;
  readonly unrealised: Amount | undefined;
};

/** The last payment of an hour tells what the account has after all of them. */
function fundingWriter(database: Database): (funded: Funded) => number {
  const add = database.change(
    `INSERT INTO account_hours (account, at_ms, collateral, unrealised, realised, funding)
      VALUES (?, ?, ?, ?, 0, ?)
      ON CONFLICT DO UPDATE SET collateral = excluded.collateral,
        unrealised = excluded.unrealised, funding = ${SUM('funding')}`,
  );
  const orNull = (parts: Amount | undefined) => (parts === undefined ? null : bounded(parts));
  return ({ account, atMs, payment, collateral, unrealised }) =>
    add(account, atMs, orNull(collateral), orNull(unrealised), payment);
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
