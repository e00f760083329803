import { type AccountIndex, AMOUNT_LIMIT, amount } from '../../domain/units.ts';
import { availableIn, move, purseOf } from '../memory/ledger.ts';
import { holderIndex, type State } from '../state.ts';

/**
 * The insurance fund pays what a liquidated account cannot, in native parts. The deficit is what even the
 * fund could not pay; the fund's income repays it first.
 */
export const insuranceHolds = (state: State): bigint =>
  availableIn(state.ledger, purseOf(state.ledger, holderIndex('insurance'), state.native));

/** Pays an account as much as the fund holds. Returns what was paid. */
export function payFromInsurance(state: State, accountIndex: AccountIndex, wanted: bigint): bigint {
  const held = insuranceHolds(state);
  const paid = wanted < held ? wanted : held;
  if (paid <= 0n) return 0n;
  const { ledger, native } = state;
  const from = purseOf(ledger, holderIndex('insurance'), native);
  move(ledger, from, purseOf(ledger, accountIndex, native), amount(paid), state.timeMs);
  return paid;
}

/**
 * Pays an account from the fund and the rest from the deficit, which is bounded only by what the ledger
 * can hold. Returns what was paid.
 */
export function payShortfall(state: State, accountIndex: AccountIndex, wanted: bigint): bigint {
  const paid = payFromInsurance(state, accountIndex, wanted);
  return paid + payFromDeficit(state, accountIndex, wanted - paid);
}

export function payFromDeficit(state: State, accountIndex: AccountIndex, wanted: bigint): bigint {
  const { ledger, native } = state;
  const from = purseOf(ledger, holderIndex('deficit'), native);
  const to = purseOf(ledger, accountIndex, native);
  const bounds = [
    wanted,
    AMOUNT_LIMIT - 1n + availableIn(ledger, from),
    AMOUNT_LIMIT - 1n - availableIn(ledger, to),
  ];
  const paid = bounds.reduce((least, one) => (one < least ? one : least));
  if (paid <= 0n) return 0n;
  move(ledger, from, to, amount(paid), state.timeMs);
  return paid;
}

/** Takes a payment to the fund, which repays the deficit first. */
export function takeForInsurance(state: State, accountIndex: AccountIndex, parts: bigint): void {
  const { ledger, native } = state;
  const from = purseOf(ledger, accountIndex, native);
  const deficit = purseOf(ledger, holderIndex('deficit'), native);
  const owed = -availableIn(ledger, deficit);
  const repaid = owed <= 0n ? 0n : parts < owed ? parts : owed;
  if (repaid > 0n) move(ledger, from, deficit, amount(repaid), state.timeMs);
  const rest = parts - repaid;
  if (rest > 0n) {
    move(
      ledger,
      from,
      purseOf(ledger, holderIndex('insurance'), native),
      amount(rest),
      state.timeMs,
    );
  }
}
