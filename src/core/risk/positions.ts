import { putShareUp } from '../../domain/decimal.ts';
import { putTickLots } from '../../domain/market.ts';
import { BUY, SELL, type SideCode } from '../../domain/order-codes.ts';
import { type AccountIndex, amount } from '../../domain/units.ts';
import type { Match } from '../book/match.ts';
import { codeAt, indexAt, numberAt, partsAt } from '../memory/columns.ts';
import { move, purseOf, touchHolder } from '../memory/ledger.ts';
import type { OrderSlot } from '../memory/order-rows.ts';
import { standingOfOrder } from '../memory/order-rows.ts';
import type { Market, State } from '../state.ts';
import { REALISED, SHARE } from './match-amounts.ts';

/**
 * A position is (lots, cost): cost is the exact signed sum of price x quantity in native parts.
 *
 * A match adds its value to the buyer's cost and takes it from the seller's. What reduces a position
 * realises the difference between its value and its share of the cost, the share rounded up, so that
 * nothing is ever rounded in the account's favour and the rest stays in the cost. At every moment the
 * lots of a market sum to zero, and its clearing purse is minus the sum of the costs.
 */

/**
 * Fills an order's account by signed lots at the price of the match. What was realised, in native parts, is
 * then in the amounts of the match.
 */
export function fillPosition(
  state: State,
  market: Market,
  slot: OrderSlot,
  signedLots: number,
  match: Fill,
): void {
  fillStanding(state, market, standingOfOrder(state.orders, slot), signedLots, match);
}
type Fill = Pick<Match, 'priceTicks' | 'amounts'>;

export function fillStanding(
  state: State,
  market: Market,
  standing: number,
  signedLots: number,
  { priceTicks, amounts }: Fill,
): void {
  const { lots, cost } = state.standings;
  const held = numberAt(lots, standing);
  const after = held + signedLots;
  market.openInterestLots += Math.max(0, after) - Math.max(0, held);
  const { perTickLot } = market;
  // A flip is a reduction to zero and an opening; what has the position's sign only opens.
  const isReducing = held !== 0 && held > 0 !== signedLots > 0;
  amounts[REALISED] = 0n;
  let opening = signedLots;
  if (isReducing) {
    const closing = held > 0 ? Math.max(signedLots, -held) : Math.min(signedLots, -held);
    putShareUp(amounts, SHARE, partsAt(cost, standing), Math.abs(closing), Math.abs(held));
    putTickLots(amounts, REALISED, perTickLot, priceTicks, -closing);
    const share = partsAt(amounts, SHARE);
    amounts[REALISED] = BigInt.asIntN(64, partsAt(amounts, REALISED) - share);
    cost[standing] = BigInt.asIntN(64, partsAt(cost, standing) - share);
    opening = signedLots - closing;
    markClosingSide(state, standing, signedLots > 0 ? BUY : SELL);
  }
  if (opening !== 0) {
    // A match that could exceed 64 bits is not made: see ledger-room.ts.
    putTickLots(amounts, SHARE, perTickLot, priceTicks, opening);
    cost[standing] = BigInt.asIntN(64, partsAt(cost, standing) + partsAt(amounts, SHARE));
  }
  lots[standing] = after;
  state.standings.updatedAtMs[standing] = state.timeMs;
  const account = indexAt(state.standings.account, standing) as AccountIndex;
  touchHolder(state.ledger, account);
  payRealised(state, market, account, partsAt(amounts, REALISED));
}

/** The position has shrunk: orders on the side that closes it are reviewed, once per command. */
function markClosingSide({ standings, pending }: State, standing: number, side: SideCode): void {
  const bit = 1 << side;
  const marked = codeAt(standings.isInReview, standing);
  if ((marked & bit) !== 0) return;
  standings.isInReview[standing] = marked | bit;
  pending.closingReviews.push(standing * 2 + side);
}

/** Moves what a position realised between its market's clearing purse and the account. */
function payRealised(state: State, market: Market, account: AccountIndex, realised: bigint): void {
  if (realised === 0n) return;
  const { ledger } = state;
  const clearing = purseOf(ledger, market.clearing as AccountIndex, market.settleAsset);
  const purse = purseOf(ledger, account, market.settleAsset);
  if (realised > 0n) move(ledger, clearing, purse, amount(realised), state.timeMs);
  // Subtracted from zero, because negating a bigint is a function call.
  else move(ledger, purse, clearing, amount(BigInt.asIntN(64, 0n - realised)), state.timeMs);
}
