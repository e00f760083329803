import { type AccountIndex, AMOUNT_LIMIT, amount } from '../../domain/units.ts';
import { availableIn, move, purseOf } from '../memory/ledger.ts';
import { holderRow, type State } from '../state.ts';

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

/**
 * Pays an account in full: from the fund, the rest from the deficit, which is endless but for the limit
 * of what can be counted. Answers what was paid.
 */
export function payShortfall(state: State, row: AccountIndex, wanted: bigint): bigint {
  const paid = payFromInsurance(state, row, wanted);
  return paid + payFromDeficit(state, row, wanted - paid);
}

export function payFromDeficit(state: State, row: AccountIndex, wanted: bigint): bigint {
  const { ledger, native } = state;
  const from = purseOf(ledger, holderRow('deficit'), native);
  const to = purseOf(ledger, row, native);
  const rooms = [
    wanted,
    AMOUNT_LIMIT - 1n + availableIn(ledger, from),
    AMOUNT_LIMIT - 1n - availableIn(ledger, to),
  ];
  const paid = rooms.reduce((least, one) => (one < least ? one : least));
  if (paid <= 0n) return 0n;
  move(ledger, from, to, amount(paid), state.timeMs);
  return paid;
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
