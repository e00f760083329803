import { accountIdText, entryIdText } from '../../domain/ids.ts';
import type { Directory } from '../../domain/views.ts';
import type { TransferRow } from '../../history/history.ts';
import type { ReplyOf } from '../../wire/endpoint.ts';
import type { getTransfers } from '../../wire/transfers.ts';
import { amountText } from '../figures.ts';

type TransferShape = ReplyOf<typeof getTransfers>[number];
type Moved = Pick<TransferRow, 'asset' | 'amount' | 'from' | 'to'>;
type MovedShape = Pick<TransferShape, 'asset' | 'quantity' | 'fromAccount' | 'toAccount'>;

/** A transfer as its answer and its history both show it. */
export const movedShape = (directory: Directory, moved: Moved): MovedShape => ({
  asset: directory.asset(moved.asset).code,
  quantity: amountText(directory, moved.asset, moved.amount),
  fromAccount: accountIdText(moved.from),
  toAccount: accountIdText(moved.to),
});

export const transferShape = (directory: Directory, row: TransferRow): TransferShape => ({
  ...movedShape(directory, row),
  id: entryIdText(row.id),
  status: 'COMPLETED',
  transferredAt: String(row.timeMs),
});
