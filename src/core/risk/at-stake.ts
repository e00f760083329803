import { isTimed } from '../memory/deadlines.ts';
import type { State } from '../state.ts';

/**
 * Whether nothing depends on time or prices: no open order, no position, no debt, no withdrawal whose hold
 * ends with time, no armed dead-man switch. A debt counts like a position, because prices decide whether its
 * collateral suffices; accounts with either are watched, and no others.
 */
export const isNothingAtStake = ({
  orders,
  watch,
  liquidating,
  markets,
  wallet,
  deadlines,
}: State): boolean =>
  orders.openCount === 0 &&
  wallet.timedHolds === 0 &&
  !isTimed(deadlines) &&
  watch.count === 0 &&
  liquidating.length === 0 &&
  markets.every(({ openInterestLots }) => openInterestLots === 0);
