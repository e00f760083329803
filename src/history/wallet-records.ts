import { type Plain, pack, unpack } from '../bytes/pack.ts';
import { assert } from '../domain/assert.ts';
import type { AccountIndex, AssetIndex } from '../domain/units.ts';
import type { DepositRecord, WithdrawalRecord } from '../domain/wallet.ts';
import type { Database } from './database.ts';
import { downwards, within } from './pages.ts';
import type { Subject } from './subject.ts';
import { newest, type Table } from './tables.ts';

/** Newest first; `beforeId` is the venue's number of the last record of the previous page. */
export type WalletRecordQuery = {
  readonly account: AccountIndex;
  readonly asset?: AssetIndex | undefined;
  readonly fromMs: number;
  readonly toMs: number;
  readonly limit: number;
  readonly beforeId?: number | undefined;
};
/** Over all accounts, by what names a record: its number, its address or its transaction. */
export type NamedRecordQuery = {
  readonly number?: number | undefined;
  readonly name: string;
  readonly limit: number;
};
export type WalletRecordQueries = {
  withdrawalsNamed(query: NamedRecordQuery): Promise<readonly WithdrawalRecord[]>;
  depositsNamed(query: NamedRecordQuery): Promise<readonly DepositRecord[]>;

  /** By the time of the request. */
  withdrawals(query: WalletRecordQuery): Promise<readonly WithdrawalRecord[]>;
  withdrawal(account: AccountIndex, id: number): Promise<WithdrawalRecord | undefined>;
  /** Of all accounts, those requested last first. */
  newestWithdrawals(limit: number): Promise<readonly WithdrawalRecord[]>;
  /** By the time of the credit, or of the first sighting while there is none. */
  deposits(query: WalletRecordQuery): Promise<readonly DepositRecord[]>;
};

const tableOf = (name: string): Table => ({
  name,
  columns: {
    account: 'integer',
    number: 'integer',
    at_ms: 'integer',
    asset: 'integer',
    address: 'text',
    tx_id: 'text',
    record: 'bytes',
  },
  key: ['account', 'number'],
  indexes: [
    { name: `${name}_by_time`, columns: ['account', 'at_ms', 'number'] },
    { name: `${name}_by_asset`, columns: ['account', 'asset', 'at_ms', 'number'] },
    { name: `${name}_by_number`, columns: ['number'] },
    { name: `${name}_by_address`, columns: ['address', 'number'] },
    { name: `${name}_by_transaction`, columns: ['tx_id', 'number'], where: "tx_id <> ''" },
  ],
});
const WITHDRAWALS = tableOf('withdrawals');
const DEPOSITS = tableOf('deposits');

/**
 * Deposits and withdrawals, each as of its newest event. Both lists are ordered by time, then by number: a
 * page is one descent and a walk over its rows, however much history there is, and so is a search by number,
 * address or transaction.
 */
export const WALLET_RECORDS: Subject<WalletRecordQueries> = {
  name: 'wallet-records',
  revision: 2,
  tables: [WITHDRAWALS, DEPOSITS],
  projection: (database) => {
    const keeper = (table: Table) =>
      database.inserter(table, Object.keys(table.columns), {
        at_ms: newest('at_ms'),
        tx_id: newest('tx_id'),
        record: newest('record'),
      });
    const withdrawals = keeper(WITHDRAWALS);
    const deposits = keeper(DEPOSITS);
    return {
      'withdrawal-changed': ({ withdrawal }) => {
        const { account, id, requestedAtMs, asset, address, txId = '' } = withdrawal;
        const named = [nameOf(address), nameOf(txId)] as const;
        return withdrawals.add(account, id, requestedAtMs, asset, ...named, packed(withdrawal));
      },
      'deposit-changed': ({ deposit }) => {
        const { account, id, creditedAtMs, seenAtMs, asset, address, txId } = deposit;
        const atMs = creditedAtMs ?? seenAtMs;
        const named = [nameOf(address), nameOf(txId)] as const;
        return deposits.add(account, id, atMs, asset, ...named, packed(deposit));
      },
    };
  },
  queries: (database) => {
    const byNumber = database.query<Stored>(
      'SELECT record FROM withdrawals WHERE account = ? AND number = ?',
    );
    const byNewest = database.query<Stored>(
      'SELECT record FROM withdrawals WHERE number <= ? ORDER BY number DESC LIMIT ?',
    );
    return {
      newestWithdrawals: async (limit) =>
        (await byNewest(NUMBER_MAX, limit)).map(restored<WithdrawalRecord>),
      withdrawals: recordsReader<WithdrawalRecord>(database, 'withdrawals'),
      withdrawal: async (account, id) =>
        (await byNumber(account, id)).map(restored<WithdrawalRecord>)[0],
      deposits: recordsReader<DepositRecord>(database, 'deposits'),
      withdrawalsNamed: namedReader<WithdrawalRecord>(database, 'withdrawals'),
      depositsNamed: namedReader<DepositRecord>(database, 'deposits'),
    };
  },
};

/** Hexadecimal names may be in upper or lower case. */
const nameOf = (text: string): string => (/^0x/i.test(text) ? text.toLowerCase() : text);

/** Newest first. A record that matches by two of its names is returned once. */
function namedReader<Record>(
  database: Database,
  table: string,
): (query: NamedRecordQuery) => Promise<readonly Record[]> {
  const reader = (column: string, condition = '') =>
    database.query<Stored & { readonly number: bigint }>(
      `SELECT number, record FROM ${table} WHERE ${within([column, 'number'])}${condition}
        ORDER BY ${downwards([column, 'number'])} LIMIT ?`,
    );
  const byNumber = database.query<Stored & { readonly number: bigint }>(
    `SELECT number, record FROM ${table} WHERE number = ? LIMIT ?`,
  );
  const byAddress = reader('address');
  const byTransaction = reader('tx_id', " AND tx_id <> ''");
  return ({ number, name: text, limit }) =>
    database.snapshot(async () => {
      const name = nameOf(text);
      const found = [
        ...(number === undefined ? [] : await byNumber(number, limit)),
        ...(await byAddress(name, 0, name, NUMBER_MAX, limit)),
        ...(await byTransaction(name, 0, name, NUMBER_MAX, limit)),
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
): (query: WalletRecordQuery) => Promise<readonly Record[]> {
  const reader = (columns: readonly string[]) =>
    database.query<Stored>(
      `SELECT record FROM ${table} WHERE ${within(columns)} ORDER BY ${downwards(columns)} LIMIT ?`,
    );
  const ofAccount = reader(['account', 'at_ms', 'number']);
  const ofAsset = reader(['account', 'asset', 'at_ms', 'number']);
  const endOf = endReader(database, table);
  return async (query) => {
    const { account, asset, fromMs, limit } = query;
    assert(Number.isSafeInteger(limit) && limit >= 0, 'a page has a limit');
    return database.snapshot(async () => {
      const end = await endOf(query);
      if (end === undefined) return [];
      const list = asset === undefined ? [account] : [account, asset];
      const read = asset === undefined ? ofAccount : ofAsset;
      const rows = await read(...list, fromMs, 0, ...list, end.atMs, end.number, limit);
      return rows.map(restored<Record>);
    });
  };
}

type End = { readonly atMs: number; readonly number: number };

/**
 * The page ends before this position. A record moves when it is credited, so the position of `beforeId` is
 * looked up; for an id that is not the account's, it is that of the nearest one below.
 */
function endReader(
  database: Database,
  table: string,
): (query: WalletRecordQuery) => Promise<End | undefined> {
  const nearest = database.query<{ readonly number: bigint; readonly at_ms: bigint }>(
    `SELECT number, at_ms FROM ${table} WHERE ${within(['account', 'number'])}
      ORDER BY ${downwards(['account', 'number'])} LIMIT 1`,
  );
  return async ({ account, toMs, beforeId }) => {
    if (beforeId === undefined) return { atMs: toMs, number: NUMBER_MAX };
    const [found] = await nearest(account, 0, account, beforeId + 1);
    if (found === undefined) return undefined;
    const [atMs, number] = [Number(found.at_ms), Number(found.number)];
    if (atMs > toMs) return { atMs: toMs, number: NUMBER_MAX };
    return { atMs, number: number === beforeId ? number : number + 1 };
  };
}
