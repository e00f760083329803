import type { ByteWriter } from '../../bytes/pack.ts';
import { NO_ELEMENT } from '../../domain/events.ts';
import type { AccountIndex } from '../../domain/units.ts';
import { isReduceOnly, isWaiting, marketOf, type OrderSlot, sideOf } from '../memory/order-rows.ts';
import { exceedsPosition, standingOf } from '../memory/standings.ts';
import { allowanceOf, NO_ALLOWANCE, quietMove, unwatch, watchAfter } from '../memory/watch.ts';
import { marginOf } from '../risk/margin.ts';
import { TIERS_MAX } from '../risk/tiers.ts';
import type { Account, Market, State } from '../state.ts';
import { endOrder, marketOfOrder } from '../trading/end-order.ts';
import { openOrdersOf } from '../trading/find-order.ts';
import { startLiquidation } from './liquidate.ts';

/**
 * Looks at one account: at 50 its risky orders go, at 100 it is liquidated; below, it learns how far
 * prices may move and how large its fills may be before it must be looked at again (memory/watch.ts).
 */
export function examine(state: State, row: AccountIndex, out: ByteWriter): void {
  const { watch } = state;
  const account = state.accounts[row] as Account;
  if (account.liquidating) {
    unwatch(watch, row); // Its steps look at it anyway.
    return;
  }
  const { collateral, maintenance, notional } = marginOf(state, row, account);
  if (maintenance === 0n) {
    unwatch(watch, row);
    watch.allowance[row] = NO_ALLOWANCE;
    return;
  }
  if (maintenance >= collateral) {
    startLiquidation(state, row, out);
    return;
  }
  let slack = collateral - 2n * maintenance;
  const isAt50 = slack <= 0n;
  if (isAt50) {
    cancelRisky(state, row, account, out);
    // At 50 nothing more can happen until 100.
    slack = marginOf(state, row, account).collateral - maintenance;
  }
  slack -= roundingOf(state);
  const exposure = 2n * notional + 2n * account.otherCollateral + 1n;
  watch.allowance[row] = isAt50 ? NO_ALLOWANCE : allowanceOf(slack);
  watchAfter(watch, row, quietMove(slack, exposure));
}

/**
 * What rounding may take from collateral and twice the margin, in parts: of a position its value once and
 * its margin, with a part for each of its tiers, twice; of each asset held its value once.
 */
const roundingOf = ({ markets, assets }: State): bigint =>
  BigInt(markets.length * (8 + 2 * TIERS_MAX) + assets.length + 2);

/** Spot orders, and perpetual orders that do not only reduce: newest first, until the rest only reduces. */
function cancelRisky(state: State, row: AccountIndex, account: Account, out: ByteWriter): void {
  for (const slot of openOrdersOf(state, account).reverse()) {
    const market = marketOfOrder(state, slot);
    if (!isRisky(state, row, market, slot)) continue;
    const end = {
      element: NO_ELEMENT,
      state: 'CANCELED_BY_USER',
      reason: 'MARGIN_TOO_LOW',
    } as const;
    endOrder(state, market, slot, end, out);
  }
}

function isRisky(state: State, row: AccountIndex, market: Market, slot: OrderSlot): boolean {
  const { orders, standings } = state;
  if (market.spec.type === 'SPOT') return true;
  // A stop that waits adds nothing; it is looked at when it fires.
  if (isWaiting(orders, slot) || isReduceOnly(orders, slot)) return false;
  const at = standingOf(standings, row, marketOf(orders, slot));
  return exceedsPosition(standings, at, sideOf(orders, slot));
}
