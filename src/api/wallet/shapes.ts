import { entryIdText } from '../../domain/ids.ts';
import type { Directory } from '../../domain/views.ts';
import type { WalletEntryRow } from '../../history/history.ts';
import type { ReplyOf } from '../../wire/endpoint.ts';
import type { getWallet } from '../../wire/wallet.ts';
import { amountText } from '../figures.ts';

type WalletEntryShape = ReplyOf<typeof getWallet>[number]['walletHistory'][number];

export function walletEntryShape(directory: Directory, row: WalletEntryRow): WalletEntryShape {
  const time = String(row.timeMs);
  return {
    id: entryIdText(row.id),
    asset: directory.asset(row.asset).code,
    type: row.type,
    amount: amountText(directory, row.asset, row.amount),
    createdAt: time,
    'createdAt/lastUpdatedAt': time,
  };
}
