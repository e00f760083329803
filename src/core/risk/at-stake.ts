import type { State } from '../state.ts';

/**
 * Whether nothing depends on time or prices: no open order, no position, no debt. A debt counts like a
 * position, because prices decide whether its collateral suffices; whoever has either is watched.
 * Unfinished withdrawals belong here, too, once there are any: their holds end with time.
 */
export const isNothingAtStake = ({ orders, watch, liquidating, markets }: State): boolean =>
  orders.openCount === 0 &&
  watch.count === 0 &&
  liquidating.length === 0 &&
  markets.every(({ openInterestLots }) => openInterestLots === 0);
