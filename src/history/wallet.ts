import type { CollateralSold } from '../domain/events.ts';
import type { WalletType } from '../domain/terms.ts';
import { type AccountIndex, type AssetIndex, amount } from '../domain/units.ts';
import type { Database } from './database.ts';
import { FUNDING_SLOT, LIQUIDATION_SLOT, TRANSFER_SLOT } from './entry-ids.ts';
import { type List, type PageQuery, pageReader } from './pages.ts';
import type { Subject } from './subject.ts';
import type { Table } from './tables.ts';
import { tradeEntriesReader } from './trade-entries.ts';
import type { WalletEntryRow } from './wallet-entry.ts';

export type WalletQuery = PageQuery & {
  readonly account: AccountIndex;
  readonly type?: WalletType | undefined;
};
export type WalletQueries = {
  walletEntries(query: WalletQuery): Promise<readonly WalletEntryRow[]>;
};

const TABLE: Table = {
  name: 'wallet_entries',
  columns: {
    account: 'integer',
    at_ms: 'integer',
    id: 'integer',
    type: 'integer',
    asset: 'integer',
    amount: 'integer',
  },
  key: ['account', 'id'],
  indexes: [{ name: 'wallet_entries_by_type', columns: ['account', 'type', 'id'] }],
};

/** What trades moved is not stored again here: see trade-entries.ts. */
export const WALLET: Subject<WalletQueries> = {
  name: 'wallet',
  revision: 5,
  tables: [TABLE],
  projection: (database, known) => {
    const rows = database.inserter(TABLE, Object.keys(TABLE.columns));
    const moveNative =
      (type: WalletType) =>
      (account: AccountIndex, timeMs: number, id: number, parts: bigint): number =>
        parts === 0n ? 0 : rows.add(account, timeMs, id, TYPE_CODE[type], known.nativeAsset, parts);
    const fund = moveNative('FUNDING');
    const liquidate = moveNative('LIQUIDATION');
    return {
      'genesis-credited': ({ account, asset, amount: parts }, timeMs, id) =>
        rows.add(account, timeMs, id, TYPE_CODE.DEPOSIT, asset, parts),
      transferred: ({ asset, amount: parts, from, to }, timeMs, id) =>
        rows.add(from, timeMs, id + TRANSFER_SLOT.giver, TYPE_CODE.INTERNAL, asset, -parts) +
        rows.add(to, timeMs, id + TRANSFER_SLOT.taker, TYPE_CODE.INTERNAL, asset, parts),
      // Purses of the venue have no entries.
      'funds-moved': ({ asset, amount: parts, from, to }, timeMs, id) => {
        const entry = (account: AccountIndex, slot: number, moved: bigint): number =>
          rows.add(account, timeMs, id + slot, TYPE_CODE.INTERNAL, asset, moved);
        const given = typeof from === 'string' ? 0 : entry(from, TRANSFER_SLOT.giver, -parts);
        return given + (typeof to === 'string' ? 0 : entry(to, TRANSFER_SLOT.taker, parts));
      },
      'deposit-changed': ({ deposit: { account, asset }, credited }, timeMs, id) =>
        credited === 0n ? 0 : rows.add(account, timeMs, id, TYPE_CODE.DEPOSIT, asset, credited),
      // While it is unfinished the amount is reserved; the balance falls when it is completed.
      'withdrawal-changed': ({ withdrawal: { account, asset, status, debited } }, timeMs, id) =>
        status === 'COMPLETED'
          ? rows.add(account, timeMs, id, TYPE_CODE.WITHDRAWAL, asset, -debited)
          : 0,
      'funding-paid': ({ account, payment }, timeMs, id) =>
        fund(account, timeMs, id + FUNDING_SLOT.entry, payment),
      'liquidation-step': ({ account, help, fee }, timeMs, id) =>
        liquidate(account, timeMs, id + LIQUIDATION_SLOT.received, help) +
        liquidate(account, timeMs, id + LIQUIDATION_SLOT.fee, -fee),
      'collateral-sold': (event, timeMs, id) => {
        const { account, asset, given, repaid } = event;
        const received = isByTrades(event) ? 0n : repaid;
        const count = liquidate(account, timeMs, id + LIQUIDATION_SLOT.received, received);
        if (asset === undefined || given === 0n) return count;
        const slot = id + LIQUIDATION_SLOT.given;
        return count + rows.add(account, timeMs, slot, TYPE_CODE.LIQUIDATION, asset, -given);
      },
    };
  },
  queries: (database) => ({ walletEntries: walletEntriesReader(database) }),
};

/** What was sold in the book is in the trades, which have their own entries. */
const isByTrades = ({ phase }: CollateralSold): boolean => phase === 'book';

function walletEntriesReader(database: Database): WalletQueries['walletEntries'] {
  const ofAccount = pageReader<Stored>(database, { ...ENTRIES, equal: ['account'] });
  const ofType = pageReader<Stored>(database, {
    ...ENTRIES,
    equal: ['account', 'type'],
  });
  const ofTrades = tradeEntriesReader(database);
  return async (query) => {
    const { account, type } = query;
    if (type === 'TRADE' || type === 'TRADE_FEE') return ofTrades(account, type, query);
    if (type !== undefined) {
      return (await ofType([account, TYPE_CODE[type]], query)).map(restored);
    }
    // Both reads see the same state: if the second were newer, the next page would miss rows of the first.
    return database.snapshot(async () => {
      const stored = (await ofAccount([account], query)).map(restored);
      return newestOf(stored, await ofTrades(account, undefined, query)).slice(0, query.limit);
    });
  };
}

/** Merges two lists by id, which grows with time. */
function newestOf(some: readonly WalletEntryRow[], others: readonly WalletEntryRow[]) {
  if (others.length === 0) return some;
  return [...some, ...others].sort((a, b) => (a.id > b.id ? -1 : 1));
}

const ENTRIES: Omit<List, 'equal'> = {
  table: 'wallet_entries',
  columns: ['id', 'asset', 'type', 'amount', 'at_ms'],
};

type Stored = {
  readonly id: bigint;
  readonly asset: bigint;
  readonly type: bigint;
  readonly amount: bigint;
  readonly at_ms: bigint;
};

const restored = (row: Stored): WalletEntryRow => ({
  id: row.id,
  asset: Number(row.asset) as AssetIndex,
  type: TYPE_OF_CODE[Number(row.type)] as WalletType,
  amount: amount(row.amount),
  timeMs: Number(row.at_ms),
});

/** How a type is stored. A new one takes a new number; the compiler reports a forgotten one. */
const TYPE_CODE = {
  DEPOSIT: 1,
  WITHDRAWAL: 2,
  INTERNAL: 3,
  FUNDING: 4,
  TRADE: 5,
  TRADE_FEE: 6,
  LIQUIDATION: 7,
} as const satisfies Record<WalletType, number>;

const TYPE_OF_CODE: Readonly<Record<number, WalletType>> = Object.fromEntries(
  Object.entries(TYPE_CODE).map(([type, code]) => [code, type as WalletType]),
);
