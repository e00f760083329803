import { depositIdText, entryIdText, withdrawalIdText } from '../../domain/ids.ts';
import type { NetworkSpec } from '../../domain/market.ts';
import type { Directory, UnfinishedView } from '../../domain/views.ts';
import type { DepositRecord } from '../../domain/wallet.ts';
import type { WalletEntryRow } from '../../history/history.ts';
import type { ReplyOf } from '../../wire/endpoint.ts';
import type { getUnfinished, getWallet } from '../../wire/wallet.ts';
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

type Unfinished = ReplyOf<typeof getUnfinished>;
type ReadNetwork = { readonly spec: NetworkSpec; readonly height: number | undefined } | undefined;

export function unfinishedWithdrawal(
  { id, status, holds, holdEndMs, sinceHeight }: UnfinishedView['withdrawals'][number],
  network: ReadNetwork,
): Unfinished['withdrawals'][number] {
  return {
    id: withdrawalIdText(id),
    status,
    holds: [...holds],
    ...(holds.includes('new-address') ? { holdUntil: String(holdEndMs) } : {}),
    ...onChain(network, status === 'PROCESSING' ? sinceHeight + 1 : undefined),
  };
}

export const unfinishedDeposit = (
  { id, status, hold, height }: DepositRecord,
  network: ReadNetwork,
): Unfinished['deposits'][number] => ({
  id: depositIdText(id),
  status,
  ...(hold === undefined ? {} : { hold }),
  ...onChain(network, height),
});

/** The block a transaction is in counts as the first. */
function onChain(
  network: ReadNetwork,
  fromHeight: number | undefined,
): { readonly confirmations?: string; readonly confirmationsNeeded: string } {
  const needed = network?.spec.confirmations ?? 0;
  const confirmationsNeeded = String(needed);
  if (network?.height === undefined || fromHeight === undefined) return { confirmationsNeeded };
  const seen = Math.min(needed, Math.max(0, network.height - fromHeight + 1));
  return { confirmations: String(seen), confirmationsNeeded };
}
