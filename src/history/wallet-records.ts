import { type Plain, pack, unpack } from '../bytes/pack.ts';
import { assert } from '../domain/assert.ts';
import type { AccountIndex, AssetIndex } from '../domain/units.ts';
import type { DepositRecord, WithdrawalRecord } from '../domain/wallet.ts';
import type { Database } from './database.ts';
import type { Subject } from './subject.ts';

/** Newest first; `beforeId` is the venue's number of the last record of the page before. */
export type WalletRecordAsk = {
  readonly account: AccountIndex;
  readonly asset?: AssetIndex | undefined;
  readonly fromMs: number;
  readonly toMs: number;
  readonly limit: number;
  readonly beforeId?: number | undefined;
};
/** Of all accounts, by what names a record: its number, its address or its transaction. */
export type NamedRecordAsk = {
  readonly number?: number | undefined;
  readonly name: string;
  readonly limit: number;
};
export type WalletRecordQueries = {
  withdrawalsNamed(ask: NamedRecordAsk): readonly WithdrawalRecord[];
  depositsNamed(ask: NamedRecordAsk): readonly DepositRecord[];

  /** By when they were requested. */
  withdrawals(ask: WalletRecordAsk): readonly WithdrawalRecord[];
  withdrawal(account: AccountIndex, id: number): WithdrawalRecord | undefined;
  /** By when they were credited, or first seen while they are not. */
  deposits(ask: WalletRecordAsk): readonly DepositRecord[];
};

/**
 * Deposits and withdrawals, each as its newest event has it. Both lists lie by time, then by number: a page
 * is one descent and a walk over its rows, however much history there is; and so is a search by number, address or
 * transaction.
 */
export const WALLET_RECORDS: Subject<WalletRecordQueries> = {
  name: 'wallet-records',
  revision: 2,
  tables: ['withdrawals', 'deposits'].flatMap((table) => [
    `CREATE TABLE ${table} (
      account INTEGER NOT NULL,
      number INTEGER NOT NULL,
      at_ms INTEGER NOT NULL,
      asset INTEGER NOT NULL,
      address TEXT NOT NULL,
      tx_id TEXT NOT NULL,
      record BLOB NOT NULL,
      PRIMARY KEY (account, number)
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX ${table}_by_time ON ${table} (account, at_ms, number)`,
    `CREATE INDEX ${table}_by_asset ON ${table} (account, asset, at_ms, number)`,
    `CREATE INDEX ${table}_by_number ON ${table} (number)`,
    `CREATE INDEX ${table}_by_address ON ${table} (address, number)`,
    `CREATE INDEX ${table}_by_transaction ON ${table} (tx_id, number) WHERE tx_id <> ''`,
  ]),
  projection: (database) => {
    const keeper = (table: string) =>
      database.change(
        `INSERT INTO ${table} (account, number, at_ms, asset, address, tx_id, record)
          VALUES (?, ?, ?, ?, ?, ?, ?)
          ON CONFLICT (account, number) DO UPDATE
          SET at_ms = excluded.at_ms, tx_id = excluded.tx_id, record = excluded.record`,
      );
    const keepWithdrawal = keeper('withdrawals');
    const keepDeposit = keeper('deposits');
    return {
      'withdrawal-changed': ({ withdrawal }) => {
        const { account, id, requestedAtMs, asset, address, txId = '' } = withdrawal;
        const named = [nameOf(address), nameOf(txId)] as const;
        return keepWithdrawal(account, id, requestedAtMs, asset, ...named, packed(withdrawal));
      },
      'deposit-changed': ({ deposit }) => {
        const { account, id, creditedAtMs, seenAtMs, asset, address, txId } = deposit;
        const atMs = creditedAtMs ?? seenAtMs;
        const named = [nameOf(address), nameOf(txId)] as const;
        return keepDeposit(account, id, atMs, asset, ...named, packed(deposit));
      },
    };
  },
  queries: (database) => {
    const byNumber = database.query<Stored>(
      'SELECT record FROM withdrawals WHERE account = ? AND number = ?',
    );
    return {
      withdrawals: recordsReader<WithdrawalRecord>(database, 'withdrawals'),
      withdrawal: (account, id) => byNumber(account, id).map(restored<WithdrawalRecord>)[0],
      deposits: recordsReader<DepositRecord>(database, 'deposits'),
      withdrawalsNamed: namedReader<WithdrawalRecord>(database, 'withdrawals'),
      depositsNamed: namedReader<DepositRecord>(database, 'deposits'),
    };
  },
};

/** Hexadecimal names are written with capitals or without. */
const nameOf = (text: string): string => (/^0x/i.test(text) ? text.toLowerCase() : text);

/** Newest first. A record that two of its names fit comes once. */
function namedReader<Record>(
  database: Database,
  table: string,
): (ask: NamedRecordAsk) => readonly Record[] {
  const reader = (index: string, fits: string) =>
    database.query<Stored & { readonly number: bigint }>(
      `SELECT number, record FROM ${table} INDEXED BY ${table}_by_${index}
        WHERE ${fits} ORDER BY number DESC LIMIT ?`,
    );
  const byNumber = reader('number', 'number = ?');
  const byAddress = reader('address', 'address = ?');
  const byTransaction = reader('transaction', "tx_id = ? AND tx_id <> ''");
  return ({ number, name: text, limit }) =>
    database.snapshot(() => {
      const name = nameOf(text);
      const found = [
        ...(number === undefined ? [] : byNumber(number, limit)),
        ...byAddress(name, limit),
        ...byTransaction(name, limit),
      ];
      const byId = new Map(found.map((row) => [row.number, row]));
      return [...byId.values()]
        .sort((a, b) => (a.number > b.number ? -1 : 1))
        .slice(0, limit)
        .map(restored<Record>);
    });
}

const packed = (record: WithdrawalRecord | DepositRecord): Uint8Array =>
  pack(record as unknown as Plain);

type Stored = { readonly record: Uint8Array };
const restored = <Record>({ record }: Stored): Record => unpack(record) as unknown as Record;

/** Above every number: they stay exact in a double. */
const NUMBER_MAX = Number.MAX_SAFE_INTEGER;

function recordsReader<Record>(
  database: Database,
  table: string,
): (ask: WalletRecordAsk) => readonly Record[] {
  const reader = (index: string, equal: string) =>
    database.query<Stored>(
      `SELECT record FROM ${table} INDEXED BY ${table}_${index}
        WHERE ${equal} AND at_ms >= ? AND (at_ms, number) < (?, ?)
        ORDER BY at_ms DESC, number DESC LIMIT ?`,
    );
  const ofAccount = reader('by_time', 'account = ?');
  const ofAsset = reader('by_asset', 'account = ? AND asset = ?');
  const endOf = endReader(database, table);
  return (ask) => {
    const { account, asset, fromMs, limit } = ask;
    assert(Number.isSafeInteger(limit) && limit >= 0, 'a page has a limit');
    return database.snapshot(() => {
      const end = endOf(ask);
      if (end === undefined) return [];
      const place = [fromMs, end.atMs, end.number, limit] as const;
      const rows =
        asset === undefined ? ofAccount(account, ...place) : ofAsset(account, asset, ...place);
      return rows.map(restored<Record>);
    });
  };
}

type End = { readonly atMs: number; readonly number: number };

/**
 * The page lies before this place. A record moves when it is credited, so the place of `beforeId` is looked
 * up; of an id that is not the account's, it is that of the nearest one below.
 */
function endReader(database: Database, table: string): (ask: WalletRecordAsk) => End | undefined {
  const nearest = database.query<{ readonly number: bigint; readonly at_ms: bigint }>(
    `SELECT number, at_ms FROM ${table} WHERE account = ? AND number <= ?
      ORDER BY number DESC LIMIT 1`,
  );
  return ({ account, toMs, beforeId }) => {
    if (beforeId === undefined) return { atMs: toMs, number: NUMBER_MAX };
    const [found] = nearest(account, beforeId);
    if (found === undefined) return undefined;
    const [atMs, number] = [Number(found.at_ms), Number(found.number)];
    if (atMs > toMs) return { atMs: toMs, number: NUMBER_MAX };
    return { atMs, number: number === beforeId ? number : number + 1 };
  };
}
