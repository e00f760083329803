import type { ByteWriter } from '../../bytes/pack.ts';
import { NO_ELEMENT } from '../../domain/events.ts';
import type { SideCode } from '../../domain/order-codes.ts';
import type { AccountIndex } from '../../domain/units.ts';
import { codeAt, indexAt } from '../memory/columns.ts';
import { isReduceOnly, isResting, marketOf, sideOf } from '../memory/order-rows.ts';
import { dropFirst } from '../memory/pending.ts';
import { exceedsPosition } from '../memory/standings.ts';
import { isBelow50, marginOf } from '../risk/margin.ts';
import { surelyCarries } from '../risk/quick-margin.ts';
import type { Account, Market, State } from '../state.ts';
import { endOrder } from './end-order.ts';
import { openOrdersOf } from './find-order.ts';

/**
 * Reviews the closing orders of a position that has shrunk. Orders that were accepted without margin because
 * they could only reduce it may now exceed it: while margin is missing, the newest is cancelled, until the
 * rest only reduces. Without this an account at ratio 61 could turn its position around.
 *
 * Returns whether margin had to be computed, which counts as a consequence; where nothing exceeds the
 * position a review is one comparison, and the next in the queue follows.
 */
export function reviewClosingOrders(state: State, out: ByteWriter): boolean {
  const { standings } = state;
  const { closingReviews } = state.pending;
  for (let passed = 1; passed <= closingReviews.length; passed++) {
    const review = closingReviews[passed - 1] as number;
    const standing = Math.floor(review / 2);
    const side = (review % 2) as SideCode;
    standings.isInReview[standing] = codeAt(standings.isInReview, standing) & ~(1 << side);
    if (!exceedsPosition(standings, standing, side)) continue;
    dropFirst(closingReviews, passed);
    if (!isCarried(state, standing, side)) cancelNewest(state, standing, side, out);
    return true;
  }
  dropFirst(closingReviews, closingReviews.length);
  return false;
}

function isCarried(state: State, standing: number, side: SideCode): boolean {
  if (!exceedsPosition(state.standings, standing, side)) return true;
  const accountIndex = state.standings.account[standing] as AccountIndex;
  const account = state.accounts[accountIndex] as Account;
  if (surelyCarries(state, { accountIndex, account })) return true;
  const margin = marginOf(state, accountIndex, account);
  return margin.collateral >= margin.initial && isBelow50(margin);
}

function cancelNewest(state: State, standing: number, side: SideCode, out: ByteWriter): void {
  const { orders, standings } = state;
  const index = indexAt(standings.market, standing);
  const market = state.markets[index] as Market;
  const account = state.accounts[indexAt(standings.account, standing)] as Account;
  for (const slot of openOrdersOf(state, account).reverse()) {
    if (marketOf(orders, slot) !== index || sideOf(orders, slot) !== side) continue;
    if (!isResting(orders, slot) || isReduceOnly(orders, slot)) continue;
    const reason = 'MARGIN_TOO_LOW';
    const end = { element: NO_ELEMENT, state: 'CANCELED_BY_USER', reason } as const;
    endOrder(state, market, slot, end, out);
    if (isCarried(state, standing, side)) return;
  }
}
