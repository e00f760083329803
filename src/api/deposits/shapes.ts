import { depositIdText } from '../../domain/ids.ts';
import type { Directory } from '../../domain/views.ts';
import type { DepositRecord } from '../../domain/wallet.ts';
import type { getDeposits } from '../../wire/deposits.ts';
import type { ReplyOf } from '../../wire/endpoint.ts';
import { amountText, placeShape } from '../figures.ts';

type DepositShape = ReplyOf<typeof getDeposits>[number];

export const depositShape = (directory: Directory, deposit: DepositRecord): DepositShape => ({
  ...placeShape(directory, deposit),
  quantity: amountText(directory, deposit.asset, deposit.quantity),
  id: depositIdText(deposit.id),
  status: deposit.status,
  txId: deposit.txId,
  creditedAt: String(deposit.creditedAtMs ?? deposit.seenAtMs),
});
