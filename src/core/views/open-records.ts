import type { OpenDepositView, OpenWithdrawalView } from '../../domain/operator-views.ts';
import { type Deposit, recordOfDeposit, recordOfWithdrawal } from '../memory/wallet.ts';
import type { State } from '../state.ts';

/** Deposits and withdrawals that the venue still remembers, as operators see them. */

export function openWithdrawal(state: State, id: number): OpenWithdrawalView | undefined {
  const found = state.wallet.withdrawals.get(id);
  if (found === undefined) return undefined;
  const { holdEndMs, approvals, checks } = found;
  return { withdrawal: recordOfWithdrawal(found), holdEndMs, approvals: [...approvals], checks };
}

export const depositView = (deposit: Deposit): OpenDepositView => ({
  deposit: recordOfDeposit(deposit),
  approvals: [...deposit.approvals],
});
