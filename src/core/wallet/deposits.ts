import type { ByteWriter } from '../../bytes/pack.ts';
import { assert } from '../../domain/assert.ts';
import { encodeEvent } from '../../domain/event-codec.ts';
import { AMOUNT_LIMIT, type Amount, amount } from '../../domain/units.ts';
import { availableIn, move, purseOf } from '../memory/ledger.ts';
import { markForReview } from '../memory/pending.ts';
import { type Deposit, familyWalletOf, recordOfDeposit } from '../memory/wallet.ts';
import { crossedOf, holderIndex, type State } from '../state.ts';
import { followRestrictions } from './withdrawals.ts';

/** The steps of a deposit's life that several commands share. */

export function emitDeposit(
  out: ByteWriter,
  deposit: Deposit,
  change: { readonly credited?: Amount; readonly actor?: string } = {},
): void {
  encodeEvent(out, {
    kind: 'deposit-changed',
    deposit: recordOfDeposit(deposit),
    credited: change.credited ?? amount(0n),
    ...(change.actor === undefined ? {} : { actor: change.actor }),
  });
}

/** From outside into the venue, once: to the account, or to suspense until an operator decides. */
export function bringIn(state: State, deposit: Deposit, to: 'account' | 'suspense'): void {
  const { ledger } = state;
  const { asset, account, quantity } = deposit;
  const outside = purseOf(ledger, holderIndex('outside'), asset);
  const holder = to === 'account' ? account : holderIndex('suspense');
  move(ledger, outside, purseOf(ledger, holder, asset), quantity, state.timeMs);
  const crossed = crossedOf(state, asset);
  crossed.deposits = amount(crossed.deposits + quantity);
  if (to === 'account') noteBalance(state, deposit);
}

/** An operator has approved it: from suspense to the account. */
export function passOn(state: State, deposit: Deposit): void {
  const { ledger } = state;
  const { asset, account, quantity } = deposit;
  const suspense = purseOf(ledger, holderIndex('suspense'), asset);
  move(ledger, suspense, purseOf(ledger, account, asset), quantity, state.timeMs);
  noteBalance(state, deposit);
}

/**
 * A deposit that its chain has taken back leaves the venue again: from what the account has available,
 * the rest from the deficit. Returns what the account paid.
 */
export function takeBack(state: State, deposit: Deposit): Amount {
  const { ledger, timeMs } = state;
  const { asset, account, quantity } = deposit;
  const from = purseOf(ledger, account, asset);
  const outside = purseOf(ledger, holderIndex('outside'), asset);
  const available = availableIn(ledger, from);
  const has = available > 0n ? available : 0n;
  const paid = amount(has < quantity ? has : quantity);
  move(ledger, from, outside, paid, timeMs);
  const deficit = purseOf(ledger, holderIndex('deficit'), asset);
  move(ledger, deficit, outside, amount(quantity - paid), timeMs);
  const crossed = crossedOf(state, asset);
  crossed.deposits = amount(crossed.deposits - quantity);
  noteBalance(state, deposit);
  return paid;
}

/** While one of its deposits has vanished, a family's withdrawals wait. */
export function countVanished(
  state: State,
  { account }: Deposit,
  change: 1 | -1,
  out: ByteWriter,
): void {
  const family = state.accounts[account]?.family;
  assert(family !== undefined, 'a deposit is of an account');
  familyWalletOf(state.wallet, family).vanishedDeposits += change;
  followRestrictions(state, family, out);
}

/** Whether the ledger can represent it: the account's balance, and the total of all deposits. */
export function isCountable(state: State, { asset, account, quantity }: Deposit): boolean {
  const { ledger } = state;
  const has = availableIn(ledger, purseOf(ledger, account, asset));
  const outside = availableIn(ledger, purseOf(ledger, holderIndex('outside'), asset));
  return has + quantity < AMOUNT_LIMIT && outside - quantity > -AMOUNT_LIMIT;
}

function noteBalance(state: State, { account }: Deposit): void {
  if (state.watch.place[account] !== 0) markForReview(state.pending, account);
}
