import { type AccountIndex, amount } from '../../domain/units.ts';
import { holderRow, type State } from '../state.ts';
import { availableIn, move, purseOf } from './ledger.ts';

/**
 * The fund that stands between a failing account and everybody else, in native parts; and the deficit,
 * which is what even the fund could not pay. What the fund earns repays the deficit first.
 */
export const insuranceHolds = (state: State): bigint =>
  availableIn(state.ledger, purseOf(state.ledger, holderRow('insurance'), state.native));

/** Pays an account, as far as the fund reaches. Answers what was paid. */
export function payFromInsurance(state: State, row: AccountIndex, wanted: bigint): bigint {
  const held = insuranceHolds(state);
  const paid = wanted < held ? wanted : held;
  if (paid <= 0n) return 0n;
  const { ledger, native } = state;
  const from = purseOf(ledger, holderRow('insurance'), native);
  move(ledger, from, purseOf(ledger, row, native), amount(paid), state.timeMs);
  return paid;
}

/** Pays an account in full: from the fund, the rest from the deficit. */
export function payShortfall(state: State, row: AccountIndex, wanted: bigint): bigint {
  const paid = payFromInsurance(state, row, wanted);
  payFromDeficit(state, row, wanted - paid);
  return wanted;
}

export function payFromDeficit(state: State, row: AccountIndex, wanted: bigint): void {
  if (wanted <= 0n) return;
  const { ledger, native } = state;
  const from = purseOf(ledger, holderRow('deficit'), native);
  move(ledger, from, purseOf(ledger, row, native), amount(wanted), state.timeMs);
}

/** What an account pays to the fund: the deficit is made good first. */
export function takeForInsurance(state: State, row: AccountIndex, parts: bigint): void {
  const { ledger, native } = state;
  const from = purseOf(ledger, row, native);
  const deficit = purseOf(ledger, holderRow('deficit'), native);
  const owed = -availableIn(ledger, deficit);
  const repaid = owed <= 0n ? 0n : parts < owed ? parts : owed;
  if (repaid > 0n) move(ledger, from, deficit, amount(repaid), state.timeMs);
  const rest = parts - repaid;
  if (rest > 0n) {
    move(ledger, from, purseOf(ledger, holderRow('insurance'), native), amount(rest), state.timeMs);
  }
}
