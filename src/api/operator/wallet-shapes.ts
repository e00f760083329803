import { accountIdText, depositIdText, withdrawalIdText } from '../../domain/ids.ts';
import type {
  OpenDepositView,
  OpenWithdrawalView,
  SolvencyView,
  WayView,
} from '../../domain/operator-views.ts';
import type { AccountIndex } from '../../domain/units.ts';
import type { Directory } from '../../domain/views.ts';
import type { ReplyOf } from '../../wire/endpoint.ts';
import type {
  listDeposits,
  listNetworks,
  listWithdrawals,
  moveFunds,
} from '../../wire/operator-wallet.ts';
import { amountText, nativeText, placeShape } from '../figures.ts';

/** The owner, as operators identify accounts. */
export function holderShape(
  directory: Directory,
  account: AccountIndex,
): { family: string; name: string; accountId: string } {
  const entry = directory.account(account);
  return {
    family: entry === undefined ? '' : directory.family(entry.family).name,
    name: entry?.name ?? '',
    accountId: accountIdText(account),
  };
}

export function openWithdrawalShape(
  directory: Directory,
  { withdrawal, holdEndMs, approvals, checks }: OpenWithdrawalView,
): ReplyOf<typeof listWithdrawals>[number] {
  const { id, account, asset, holds, txId } = withdrawal;
  const native = (parts: bigint): string => nativeText(directory, parts);
  return {
    id: withdrawalIdText(id),
    ...holderShape(directory, account),
    ...placeShape(directory, withdrawal),
    quantity: amountText(directory, asset, withdrawal.quantity),
    fee: amountText(directory, asset, withdrawal.fee),
    status: withdrawal.status,
    holds: [...holds],
    ...(holds.includes('new-address') ? { addressHoldEndsAt: String(holdEndMs) } : {}),
    releasedBy: [...approvals],
    checks: {
      ...(checks.factor === undefined ? {} : { secondFactor: checks.factor }),
      whitelisted: checks.isWhitelisted,
      addressSince: String(checks.addressSinceMs),
      value: native(checks.value),
      spent: native(checks.spent),
      dailyLimit: native(checks.daily),
      automaticLimit: native(checks.automatic),
      collateral: native(checks.collateral),
      initialMargin: native(checks.initialMargin),
    },
    ...(txId === undefined ? {} : { txId }),
    requestedAt: String(withdrawal.requestedAtMs),
  };
}

export function openDepositShape(
  directory: Directory,
  { deposit, approvals }: OpenDepositView,
): ReplyOf<typeof listDeposits>[number] {
  const { hold, creditedAtMs } = deposit;
  return {
    id: depositIdText(deposit.id),
    ...holderShape(directory, deposit.account),
    ...placeShape(directory, deposit),
    quantity: amountText(directory, deposit.asset, deposit.quantity),
    status: deposit.status,
    ...(hold === undefined ? {} : { hold }),
    vanished: deposit.isVanished,
    reversedBy: [...approvals],
    txId: deposit.txId,
    output: String(deposit.output),
    height: String(deposit.height),
    seenAt: String(deposit.seenAtMs),
    ...(creditedAtMs === undefined ? {} : { creditedAt: String(creditedAtMs) }),
  };
}

export const wayShape = (
  directory: Directory,
  way: WayView,
): ReplyOf<typeof listNetworks>[number] => ({
  network: directory.networks()[way.network]?.name ?? '',
  asset: directory.asset(way.asset).code,
  deposits: way.canDeposit,
  withdrawals: way.canWithdraw,
  fee: amountText(directory, way.asset, way.fee),
  feeFixed: way.isFeeFixed,
  ...(way.feeSetAtMs === 0 ? {} : { feeSetAt: String(way.feeSetAtMs) }),
  height: String(way.height),
});

export function fundsShape(directory: Directory, view: SolvencyView): ReplyOf<typeof moveFunds> {
  const text = (parts: bigint): string => amountText(directory, view.asset, parts);
  return {
    asset: directory.asset(view.asset).code,
    fees: text(view.fees),
    insurance: text(view.insurance),
    rounding: text(view.rounding),
    networkCosts: text(view.networkCosts),
    deficit: text(view.deficit),
    suspense: text(view.suspense),
  };
}
