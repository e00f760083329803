import type { WalletType } from '../domain/terms.ts';
import { type AccountIndex, type AssetIndex, amount } from '../domain/units.ts';
import { pageTermsReader, type TermsAt } from './catalogue.ts';
import type { Database } from './database.ts';
import { TRADE_SLOT } from './entry-ids.ts';
import type { PageQuery } from './pages.ts';
import { MOVES, type Trade, tradesReader } from './trades.ts';
import type { WalletEntryRow } from './wallet-entry.ts';

/** The wallet types of a trade's entries. */
export type TradeEntryType = Extract<WalletType, 'TRADE' | 'TRADE_FEE'>;

/**
 * The wallet entries of trades, derived from the trades themselves: on spot the changes of the base and of
 * the counter asset, on a perpetual the realised amount, and the fee of either. Without a type, both.
 */
export function tradeEntriesReader(
  database: Database,
): (
  account: AccountIndex,
  type: TradeEntryType | undefined,
  query: PageQuery,
) => Promise<WalletEntryRow[]> {
  const read = tradesReader(database);
  const termsOfPage = pageTermsReader(database);
  return async (account, type, query) => {
    // Every trade read is at least one entry, except the one that `beforeId` may split.
    const trades = await read(
      { ...query, account, limit: query.limit + 1 },
      (moves) => (moves & MOVES_OF[type ?? 'any']) !== 0,
    );
    const termsAt = termsOfPage();
    const entries: WalletEntryRow[] = [];
    for (const trade of trades) {
      if (entries.length >= query.limit) break;
      for (const entry of await entriesOf(trade, termsAt)) {
        const isWanted = type === undefined || entry.type === type;
        if (isWanted && (query.beforeId === undefined || entry.id < query.beforeId))
          entries.push(entry);
      }
    }
    return entries.slice(0, query.limit);
  };
}

const MOVES_OF = { TRADE: MOVES.assets, TRADE_FEE: MOVES.fee, any: MOVES.both } as const;

/** Newest first: the highest slot is first. */
async function entriesOf(trade: Trade, termsAt: TermsAt): Promise<WalletEntryRow[]> {
  const { id, timeMs } = trade;
  const { isSpot, base, settle, baseParts } = await termsAt(trade.market, id);
  const entries: WalletEntryRow[] = [];
  const add = (type: TradeEntryType, slot: number, asset: AssetIndex, parts: bigint): void => {
    if (parts === 0n) return;
    entries.push({ id: id + BigInt(slot), asset, type, amount: amount(parts), timeMs });
  };
  add('TRADE_FEE', TRADE_SLOT.fee, trade.feeAsset, -trade.fee);
  if (isSpot) {
    const bought = trade.side === 'SELL' ? -1n : 1n;
    add('TRADE', TRADE_SLOT.settle, settle, -bought * trade.value);
    add('TRADE', TRADE_SLOT.base, base, bought * BigInt(trade.lots) * baseParts);
  } else add('TRADE', TRADE_SLOT.settle, settle, trade.realised);
  return entries;
}
