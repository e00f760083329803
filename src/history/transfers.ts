import {
  type AccountIndex,
  type Amount,
  type AssetIndex,
  amount,
  type FamilyIndex,
} from '../domain/units.ts';
import type { Database } from './database.ts';
import { type List, type PageAsk, pageReader } from './pages.ts';
import type { Subject } from './subject.ts';

/** What one account of a family gave to another. */
export type TransferRow = {
  readonly id: bigint;
  readonly asset: AssetIndex;
  readonly amount: Amount;
  readonly from: AccountIndex;
  readonly to: AccountIndex;
  readonly timeMs: number;
};
export type TransferAsk = PageAsk & {
  readonly family: FamilyIndex;
  /** Only what this account gave or took. */
  readonly account?: AccountIndex | undefined;
  readonly asset?: AssetIndex | undefined;
};
export type TransferQueries = {
  transfers(ask: TransferAsk): readonly TransferRow[];
};

/**
 * A transfer is stored three times: in the list of its family, and in those of the giver and of the
 * taker. Transfers are few beside trades, and so each question is one walk of one list. An account's
 * list is kept under its family too: an account of another family has an empty one.
 */
export const TRANSFERS: Subject<TransferQueries> = {
  name: 'transfers',
  revision: 3,
  tables: [
    `CREATE TABLE family_transfers (
      family INTEGER NOT NULL,
      at_ms INTEGER NOT NULL,
      id INTEGER NOT NULL,
      asset INTEGER NOT NULL,
      amount INTEGER NOT NULL,
      giver INTEGER NOT NULL,
      taker INTEGER NOT NULL,
      PRIMARY KEY (family, id)
    ) STRICT, WITHOUT ROWID`,
    'CREATE INDEX family_transfers_by_asset ON family_transfers (family, asset, id)',
    `CREATE TABLE account_transfers (
      family INTEGER NOT NULL,
      account INTEGER NOT NULL,
      at_ms INTEGER NOT NULL,
      id INTEGER NOT NULL,
      asset INTEGER NOT NULL,
      amount INTEGER NOT NULL,
      giver INTEGER NOT NULL,
      taker INTEGER NOT NULL,
      PRIMARY KEY (family, account, id)
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX account_transfers_by_asset
      ON account_transfers (family, account, asset, id)`,
  ],
  projection: (database) => {
    const insertForFamily = database.change(
      `INSERT INTO family_transfers (family, at_ms, id, asset, amount, giver, taker)
        VALUES (?, ?, ?, ?, ?, ?, ?)`,
    );
    const insertForAccount = database.change(
      `INSERT INTO account_transfers (family, account, at_ms, id, asset, amount, giver, taker)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    return {
      transferred: ({ family, asset, amount: parts, from, to }, timeMs, id) =>
        insertForFamily(family, timeMs, id, asset, parts, from, to) +
        insertForAccount(family, from, timeMs, id, asset, parts, from, to) +
        insertForAccount(family, to, timeMs, id, asset, parts, from, to),
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
    index: 'family_transfers_by_asset',
    equal: ['family', 'asset'],
  });
  const ofAccount = reader({ table: 'account_transfers', equal: ['family', 'account'] });
  const ofAccountAsset = reader({
    table: 'account_transfers',
    index: 'account_transfers_by_asset',
    equal: ['family', 'account', 'asset'],
  });
  const read = (ask: TransferAsk): Stored[] => {
    const { family, account, asset } = ask;
    if (account === undefined) {
      return asset === undefined ? ofFamily([family], ask) : ofFamilyAsset([family, asset], ask);
    }
    return asset === undefined
      ? ofAccount([family, account], ask)
      : ofAccountAsset([family, account, asset], ask);
  };
  return (ask) => read(ask).map(restored);
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
