import {
  type AccountIndex,
  type Amount,
  type AssetIndex,
  amount,
  type FamilyIndex,
} from '../domain/units.ts';
import type { Database } from './database.ts';
import { type List, type PageQuery, pageReader } from './pages.ts';
import type { Subject } from './subject.ts';
import type { Table } from './tables.ts';

/** A transfer from one account of a family to another. */
export type TransferRow = {
  readonly id: bigint;
  readonly asset: AssetIndex;
  readonly amount: Amount;
  readonly from: AccountIndex;
  readonly to: AccountIndex;
  readonly timeMs: number;
};
export type TransferQuery = PageQuery & {
  readonly family: FamilyIndex;
  /** Only transfers from or to this account. */
  readonly account?: AccountIndex | undefined;
  readonly asset?: AssetIndex | undefined;
};
export type TransferQueries = {
  transfers(query: TransferQuery): Promise<readonly TransferRow[]>;
};

const MOVED = {
  at_ms: 'integer',
  id: 'integer',
  asset: 'integer',
  amount: 'integer',
  giver: 'integer',
  taker: 'integer',
} as const;
const OF_FAMILY: Table = {
  name: 'family_transfers',
  columns: { family: 'integer', ...MOVED },
  key: ['family', 'id'],
  indexes: [{ name: 'family_transfers_by_asset', columns: ['family', 'asset', 'id'] }],
};
const OF_ACCOUNT: Table = {
  name: 'account_transfers',
  columns: { family: 'integer', account: 'integer', ...MOVED },
  key: ['family', 'account', 'id'],
  indexes: [{ name: 'account_transfers_by_asset', columns: ['family', 'account', 'asset', 'id'] }],
};

/**
 * A transfer is stored three times: in the list of its family, and in those of the giver and the taker.
 * Transfers are few compared with trades, and so each query walks one list. An account's list is stored under
 * its family too: for an account of another family it is empty.
 */
export const TRANSFERS: Subject<TransferQueries> = {
  name: 'transfers',
  revision: 3,
  tables: [OF_FAMILY, OF_ACCOUNT],
  projection: (database) => {
    const ofFamily = database.inserter(OF_FAMILY, Object.keys(OF_FAMILY.columns));
    const ofAccount = database.inserter(OF_ACCOUNT, Object.keys(OF_ACCOUNT.columns));
    return {
      transferred: ({ family, asset, amount: parts, from, to }, timeMs, id) =>
        ofFamily.add(family, timeMs, id, asset, parts, from, to) +
        ofAccount.add(family, from, timeMs, id, asset, parts, from, to) +
        ofAccount.add(family, to, timeMs, id, asset, parts, from, to),
    };
  },
  queries: (database) => ({ transfers: transfersReader(database) }),
};

function transfersReader(database: Database): TransferQueries['transfers'] {
  const reader = (list: Omit<List, 'columns'>): ReturnType<typeof pageReader<Stored>> =>
    pageReader<Stored>(database, {
      ...list,
      columns: ['id', 'asset', 'amount', 'giver', 'taker', 'at_ms'],
    });
  const ofFamily = reader({ table: 'family_transfers', equal: ['family'] });
  const ofFamilyAsset = reader({
    table: 'family_transfers',
    equal: ['family', 'asset'],
  });
  const ofAccount = reader({ table: 'account_transfers', equal: ['family', 'account'] });
  const ofAccountAsset = reader({
    table: 'account_transfers',
    equal: ['family', 'account', 'asset'],
  });
  const read = (query: TransferQuery): Promise<Stored[]> => {
    const { family, account, asset } = query;
    if (account === undefined) {
      return asset === undefined
        ? ofFamily([family], query)
        : ofFamilyAsset([family, asset], query);
    }
    return asset === undefined
      ? ofAccount([family, account], query)
      : ofAccountAsset([family, account, asset], query);
  };
  return async (query) => (await read(query)).map(restored);
}

type Stored = {
  readonly id: bigint;
  readonly asset: bigint;
  readonly amount: bigint;
  readonly giver: bigint;
  readonly taker: bigint;
  readonly at_ms: bigint;
};

const restored = (row: Stored): TransferRow => ({
  id: row.id,
  asset: Number(row.asset) as AssetIndex,
  amount: amount(row.amount),
  from: Number(row.giver) as AccountIndex,
  to: Number(row.taker) as AccountIndex,
  timeMs: Number(row.at_ms),
});
