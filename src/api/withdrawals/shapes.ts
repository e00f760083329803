import { textFromParts } from '../../domain/decimal.ts';
import { withdrawalIdText } from '../../domain/ids.ts';
import type { Amount, AssetIndex } from '../../domain/units.ts';
import type { Directory, SavedAddressView } from '../../domain/views.ts';
import type { WithdrawalRecord } from '../../domain/wallet.ts';
import type { ReplyOf } from '../../wire/endpoint.ts';
import type {
  getWithdrawalAddresses,
  getWithdrawals,
  requestWithdrawal,
} from '../../wire/withdrawals.ts';
import { amountText, placeShape } from '../figures.ts';

/** As the published interface prints it in lists. */
const FEE_DIGITS = 9;

/** As lists show it: the quantity is what the account is debited. */
export function withdrawalShape(
  directory: Directory,
  withdrawal: WithdrawalRecord,
): ReplyOf<typeof getWithdrawals>[number] {
  const { asset, txId, completedAtMs } = withdrawal;
  const { scale } = directory.asset(asset);
  return {
    id: withdrawalIdText(withdrawal.id),
    ...placeShape(directory, withdrawal),
    quantity: amountText(directory, asset, withdrawal.debited),
    fee: textFromParts(withdrawal.fee, scale, FEE_DIGITS),
    ...burnFeeShape(directory, asset, withdrawal.burnFee),
    status: withdrawal.status,
    ...(txId === undefined ? {} : { txId }),
    requestedAt: String(withdrawal.requestedAtMs),
    ...(completedAtMs === undefined ? {} : { completedAt: String(completedAtMs) }),
  };
}

/** As the request's response shows it: the quantity is the requested one. */
export const requestedShape = (
  directory: Directory,
  withdrawal: WithdrawalRecord,
): ReplyOf<typeof requestWithdrawal> => ({
  id: withdrawalIdText(withdrawal.id),
  ...placeShape(directory, withdrawal),
  quantity: amountText(directory, withdrawal.asset, withdrawal.quantity),
  externalFee: withdrawal.externalFee,
  fee: amountText(directory, withdrawal.asset, withdrawal.fee),
  ...burnFeeShape(directory, withdrawal.asset, withdrawal.burnFee),
  status: withdrawal.status,
  requestedAt: String(withdrawal.requestedAtMs),
});

export const burnFeeShape = (
  directory: Directory,
  asset: AssetIndex,
  burnFee: Amount,
): { burnFee?: string } =>
  burnFee === 0n ? {} : { burnFee: amountText(directory, asset, burnFee) };

export const savedAddressShape = (
  directory: Directory,
  saved: SavedAddressView,
): ReplyOf<typeof getWithdrawalAddresses>[number] => ({
  ...placeShape(directory, saved),
  label: saved.label,
  whitelisted: saved.whitelisted,
});
