import type { ByteWriter } from '../../bytes/pack.ts';
import { assert } from '../../domain/assert.ts';
import { encodeEvent } from '../../domain/event-codec.ts';
import {
  type AccountIndex,
  type Amount,
  amount,
  type FamilyIndex,
  type NetworkIndex,
} from '../../domain/units.ts';
import type { HoldReason } from '../../domain/wallet.ts';
import type { GasSpent } from '../../domain/wallet-commands.ts';
import { availableIn, move, moveHeld, purseOf, release } from '../memory/ledger.ts';
import { markForReview } from '../memory/pending.ts';
import {
  DAY_MS,
  type FamilyWallet,
  familyWalletOf,
  NEVER_MS,
  recordOfWithdrawal,
  type Withdrawal,
} from '../memory/wallet.ts';
import { crossedOf, holderIndex, type State } from '../state.ts';

/** The steps of a withdrawal's life that several commands share. */

export function emitWithdrawal(out: ByteWriter, withdrawal: Withdrawal, actor?: string): void {
  encodeEvent(out, {
    kind: 'withdrawal-changed',
    withdrawal: recordOfWithdrawal(withdrawal),
    ...(actor === undefined ? {} : { actor }),
  });
}

/** No sender has taken it yet: it may still be cancelled. */
export const isCancellable = ({ status }: Withdrawal): boolean =>
  status === 'PENDING' || status === 'ON HOLD' || status === 'IN SWEEPING';

/** One reason to wait is gone; with the last one the withdrawal continues. */
export function endHold(withdrawal: Withdrawal, reason: HoldReason): boolean {
  const at = withdrawal.holds.indexOf(reason);
  if (at < 0) return false;
  withdrawal.holds.splice(at, 1);
  if (withdrawal.holds.length === 0) withdrawal.status = 'PENDING';
  return true;
}

export function addHold(withdrawal: Withdrawal, reason: HoldReason): void {
  if (!withdrawal.holds.includes(reason)) withdrawal.holds.push(reason);
  withdrawal.status = 'ON HOLD';
}

/** All of it is returned, and it no longer counts against the daily limit. */
export function cancelWithdrawal(
  state: State,
  withdrawal: Withdrawal,
  end: { readonly cause: string; readonly actor?: string },
  out: ByteWriter,
): void {
  withdrawal.status = 'CANCELED';
  if (withdrawal.holds.includes('new-address')) state.wallet.timedHolds--;
  withdrawal.holds.length = 0;
  withdrawal.cause = end.cause;
  giveBack(state, withdrawal);
  forget(state, withdrawal);
  emitWithdrawal(out, withdrawal, end.actor);
}

/** The account goes into liquidation: what no sender has taken is returned, and may be enough. */
export function cancelWithdrawalsOf(state: State, account: AccountIndex, out: ByteWriter): void {
  const { withdrawals, withdrawalsByAccount } = state.wallet;
  for (const id of [...(withdrawalsByAccount.get(account) ?? [])]) {
    const withdrawal = withdrawals.get(id) as Withdrawal;
    if (isCancellable(withdrawal)) {
      cancelWithdrawal(state, withdrawal, { cause: 'the account is liquidated' }, out);
    }
  }
}

export function completeWithdrawal(
  state: State,
  withdrawal: Withdrawal,
  txId: string,
  out: ByteWriter,
): void {
  const { ledger, timeMs } = state;
  const { account, asset, debited, fee } = withdrawal;
  const from = purseOf(ledger, account, asset);
  const left = amount(debited - fee);
  moveHeld(ledger, from, purseOf(ledger, holderIndex('outside'), asset), left, timeMs);
  if (fee > 0n) {
    moveHeld(ledger, from, purseOf(ledger, holderIndex('network-costs'), asset), fee, timeMs);
  }
  const crossed = crossedOf(state, asset);
  crossed.withdrawals = amount(crossed.withdrawals + left);
  withdrawal.status = 'COMPLETED';
  withdrawal.txId = txId;
  withdrawal.completedAtMs = timeMs;
  forget(state, withdrawal);
  emitWithdrawal(out, withdrawal);
}

export function failWithdrawal(
  state: State,
  withdrawal: Withdrawal,
  cause: string,
  out: ByteWriter,
): void {
  withdrawal.status = 'FAILED';
  withdrawal.cause = cause;
  giveBack(state, withdrawal);
  forget(state, withdrawal);
  emitWithdrawal(out, withdrawal);
}

/** network-costs pays the gas, and the deficit pays what it lacks. */
export function payGas(
  state: State,
  network: NetworkIndex,
  { asset, amount: spent }: GasSpent,
  out: ByteWriter,
): void {
  if (spent === 0n) return;
  const { ledger, timeMs } = state;
  const outside = purseOf(ledger, holderIndex('outside'), asset);
  const costs = purseOf(ledger, holderIndex('network-costs'), asset);
  const had = availableIn(ledger, costs);
  const paid: Amount = had < spent ? had : spent;
  const fromDeficit = amount(spent - paid);
  move(ledger, costs, outside, paid, timeMs);
  if (fromDeficit > 0n) {
    move(ledger, purseOf(ledger, holderIndex('deficit'), asset), outside, fromDeficit, timeMs);
  }
  const crossed = crossedOf(state, asset);
  crossed.gas = amount(crossed.gas + spent);
  encodeEvent(out, { kind: 'gas-paid', network, asset, amount: spent, fromDeficit });
}

/** Time has passed: addresses have become old enough. At most this many per tick; the rest with the next. */
const HOLDS_PER_TICK = 1_000;

export function endHoldsOfTime(state: State, out: ByteWriter): void {
  const { wallet, timeMs } = state;
  if (timeMs < wallet.nextHoldEndMs) return;
  let nextMs = NEVER_MS;
  let ended = 0;
  for (const withdrawal of wallet.withdrawals.values()) {
    if (!withdrawal.holds.includes('new-address')) continue;
    if (timeMs < withdrawal.holdEndMs || ended >= HOLDS_PER_TICK) {
      nextMs = Math.min(nextMs, withdrawal.holdEndMs);
      continue;
    }
    ended++;
    wallet.timedHolds--;
    endHold(withdrawal, 'new-address');
    emitWithdrawal(out, withdrawal);
  }
  wallet.nextHoldEndMs = nextMs;
}

/** An operator has restricted it, or a deposit of the family has vanished from its chain. */
export function isBarred(state: State, family: FamilyIndex): boolean {
  const restrictions = state.families[family]?.restrictions ?? [];
  return (
    restrictions.includes('no-withdraw') ||
    familyWalletOf(state.wallet, family).vanishedDeposits > 0
  );
}

/** The family may withdraw again, or no longer: withdrawals that wait for a sender follow. */
export function followRestrictions(state: State, family: FamilyIndex, out: ByteWriter): void {
  const { withdrawals, withdrawalsByAccount } = state.wallet;
  const barred = isBarred(state, family);
  for (const account of state.families[family]?.accounts ?? []) {
    for (const id of withdrawalsByAccount.get(account) ?? []) {
      const withdrawal = withdrawals.get(id) as Withdrawal;
      if (!isCancellable(withdrawal)) continue;
      if (barred === withdrawal.holds.includes('restriction')) continue;
      if (barred) addHold(withdrawal, 'restriction');
      else endHold(withdrawal, 'restriction');
      emitWithdrawal(out, withdrawal);
    }
  }
}

function giveBack(state: State, { id, account, asset, debited }: Withdrawal): void {
  const { ledger } = state;
  release(ledger, purseOf(ledger, account, asset), debited, state.timeMs);
  if (state.watch.place[account] !== 0) markForReview(state.pending, account);
  const family = state.accounts[account]?.family;
  assert(family !== undefined, 'a withdrawal is of an account');
  const wallet = familyWalletOf(state.wallet, family);
  const counted = wallet.spent?.get(id);
  if (counted === undefined) return;
  wallet.spent?.delete(id);
  wallet.spentSum = amount(wallet.spentSum - counted.value);
}

/** Index value of what was requested in the last 24 hours and not cancelled since. */
export function spentOf({ spent, spentSum }: FamilyWallet, nowMs: number): bigint {
  let sum: bigint = spentSum;
  for (const { atMs, value } of spent?.values() ?? []) {
    if (atMs > nowMs - DAY_MS) break;
    sum -= value;
  }
  return sum;
}

/** It is finished: only history has it from now on. */
function forget({ wallet }: State, { id, account }: Withdrawal): void {
  wallet.withdrawals.delete(id);
  const open = wallet.withdrawalsByAccount.get(account);
  if (open === undefined) return;
  open.splice(open.indexOf(id), 1);
  if (open.length === 0) wallet.withdrawalsByAccount.delete(account);
}
