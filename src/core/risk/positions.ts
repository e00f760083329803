import { shareUp } from '../../domain/decimal.ts';
import { tickLotsInParts } from '../../domain/market.ts';
import { BUY, SELL, type SideCode } from '../../domain/order-codes.ts';
import { type AccountIndex, amount } from '../../domain/units.ts';
import { codeAt, indexAt, numberAt, partsAt } from '../memory/columns.ts';
import { move, purseOf, touchHolder } from '../memory/ledger.ts';
import type { OrderSlot } from '../memory/order-rows.ts';
import { standingOfOrder } from '../memory/order-rows.ts';
import type { Market, State } from '../state.ts';

/**
 * A position is (lots, cost): cost is the exact signed sum of price x quantity in native parts.
 *
 * A match adds its value to the buyer's cost and takes it from the seller's. What reduces a position
 * realises the difference between its value and its share of the cost, the share rounded up, so that
 * nothing is ever rounded in the account's favour and the rest stays in the cost. At every moment the
 * lots of a market sum to zero, and its clearing purse is minus the sum of the costs.
 */

/** Fills an order's account by signed lots at a price. Returns what was realised, in native parts. */
export function fillPosition(
  state: State,
  market: Market,
  slot: OrderSlot,
  signedLots: number,
  priceTicks: number,
): bigint {
  const standing = standingOfOrder(state.orders, slot);
  return fillStanding(state, market, standing, signedLots, priceTicks);
}

export function fillStanding(
  state: State,
  market: Market,
  standing: number,
  signedLots: number,
  priceTicks: number,
): bigint {
  const { lots, cost } = state.standings;
  const held = numberAt(lots, standing);
  const after = held + signedLots;
  market.openInterestLots += Math.max(0, after) - Math.max(0, held);
  const { perTickLot } = market;
  // A flip is a reduction to zero and an opening; what has the position's sign only opens.
  const isReducing = held !== 0 && held > 0 !== signedLots > 0;
  let realised = 0n;
  let costAfter = partsAt(cost, standing);
  let opening = signedLots;
  if (isReducing) {
    const closing = held > 0 ? Math.max(signedLots, -held) : Math.min(signedLots, -held);
    const share = shareUp(costAfter, Math.abs(closing), Math.abs(held));
    realised = BigInt.asIntN(64, tickLotsInParts(perTickLot, priceTicks, -closing) - share);
    costAfter = BigInt.asIntN(64, costAfter - share);
    opening = signedLots - closing;
    markClosingSide(state, standing, signedLots > 0 ? BUY : SELL);
  }
  // A match that could exceed 64 bits is not made: see ledger-room.ts.
  cost[standing] = BigInt.asIntN(
    64,
    costAfter + BigInt.asIntN(64, tickLotsInParts(perTickLot, priceTicks, opening)),
  );
  lots[standing] = after;
  state.standings.updatedAtMs[standing] = state.timeMs;
  touchHolder(state.ledger, indexAt(state.standings.account, standing));
  payRealised(state, market, state.standings.account[standing] as AccountIndex, realised);
  return realised;
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
  else move(ledger, purse, clearing, amount(-realised), state.timeMs);
}
