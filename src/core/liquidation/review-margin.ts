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
 * Reviews the margin of one account: at ratio 50 it cancels orders that add risk, at 100 it starts the
 * liquidation. Below that it records how far prices may move and how large fills may be before the next
 * review is needed (memory/watch.ts).
 */
export function reviewMargin(state: State, accountIndex: AccountIndex, out: ByteWriter): void {
  const { watch } = state;
  const account = state.accounts[accountIndex] as Account;
  if (account.liquidating) {
    unwatch(watch, accountIndex); // Each step of the liquidation computes its margin anyway.
    return;
  }
  const margin = marginOf(state, accountIndex, account);
  const { collateral, maintenance, notional } = margin;
  let { otherCollateral } = margin;
  if (maintenance === 0n) {
    unwatch(watch, accountIndex);
    watch.allowance[accountIndex] = NO_ALLOWANCE;
    return;
  }
  if (maintenance >= collateral) {
    startLiquidation(state, accountIndex, out);
    return;
  }
  let slack = collateral - 2n * maintenance;
  const isAt50 = slack <= 0n;
  if (isAt50) {
    cancelRisky(state, accountIndex, account, out);
    // Above 50 the next threshold is 100.
    const left = marginOf(state, accountIndex, account);
    slack = left.collateral - maintenance;
    otherCollateral = left.otherCollateral;
  }
  slack -= roundingOf(state);
  const exposure = 2n * notional + 2n * otherCollateral + 1n;
  watch.allowance[accountIndex] = isAt50 ? NO_ALLOWANCE : allowanceOf(slack);
  watchAfter(watch, accountIndex, quietMove(slack, exposure));
}

/**
 * Bounds the rounding error of collateral - 2 x margin, in parts: for each position its value once and
 * its margin, with one part per tier, twice; for each asset held its value once.
 */
const roundingOf = ({ markets, assets }: State): bigint =>
  BigInt(markets.length * (8 + 2 * TIERS_MAX) + assets.length + 2);

/** Cancels spot orders, and perpetual orders that do not only reduce: newest first, until the rest does. */
function cancelRisky(
  state: State,
  accountIndex: AccountIndex,
  account: Account,
  out: ByteWriter,
): void {
  for (const slot of openOrdersOf(state, account).reverse()) {
    const market = marketOfOrder(state, slot);
    if (!isRisky(state, accountIndex, market, slot)) continue;
    const end = {
      element: NO_ELEMENT,
      state: 'CANCELED_BY_USER',
      reason: 'MARGIN_TOO_LOW',
    } as const;
    endOrder(state, market, slot, end, out);
  }
}

function isRisky(
  state: State,
  accountIndex: AccountIndex,
  market: Market,
  slot: OrderSlot,
): boolean {
  const { orders, standings } = state;
  if (market.spec.type === 'SPOT') return true;
  // An untriggered stop adds no margin; it is checked when it triggers.
  if (isWaiting(orders, slot) || isReduceOnly(orders, slot)) return false;
  const standing = standingOf(standings, accountIndex, marketOf(orders, slot));
  return exceedsPosition(standings, standing, sideOf(orders, slot));
}
