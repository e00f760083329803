import { floorDiv } from '../../domain/decimal.ts';
import { isNarrow, narrowTickLots, tickLotsInParts } from '../../domain/market.ts';
import { type AccountIndex, AMOUNT_LIMIT, exactNumber } from '../../domain/units.ts';
import type { Match } from '../book/match.ts';
import { partsAt } from '../memory/columns.ts';
import { availableIn, purseOf } from '../memory/ledger.ts';
import { accountOf, type OrderSlot, standingOfOrder } from '../memory/order-rows.ts';
import { standingOf } from '../memory/standings.ts';
import type { Market, State } from '../state.ts';

/**
 * Whether a match of a perpetual can be settled in amounts below 2^62 parts.
 *
 * A price is never refused because of what somebody holds, so a position may become worth more than the
 * ledger can represent. A match moves at most its value, the cost it closes and a fee far below its value,
 * between the two accounts and the clearing purse; one that could take any of them beyond the limit is not
 * made. The venue continues: prices come back, and smaller matches may fit.
 */

/** Matches leave 2^58 parts free for payments that cannot be refused: funding and fees. */
const MATCH_LIMIT = AMOUNT_LIMIT - (1n << 58n);

/** A few of these sum to less than the limit, so the usual match needs no exact check. */
const SMALL = 1n << 59n;
const MINUS_SMALL = -SMALL;

const isSmall = (parts: bigint): boolean => parts < SMALL && parts > MINUS_SMALL;
const sizeOf = (parts: bigint): bigint => (parts < 0n ? -parts : parts);

type Side = { readonly native: bigint; readonly cost: bigint };

/** The account's native balance, and its cost in a standing. */
function sideOf({ ledger, standings, native }: State, account: number, standing: number): Side {
  return {
    native: availableIn(ledger, purseOf(ledger, account as AccountIndex, native)),
    cost: standing < 0 ? 0n : partsAt(standings.cost, standing),
  };
}

const sideOfOrder = (state: State, slot: OrderSlot): Side =>
  sideOf(state, accountOf(state.orders, slot), standingOfOrder(state.orders, slot));

/** Allocates no record: it runs twice per match. */
function isSmallSide({ ledger, orders, standings, native }: State, slot: OrderSlot): boolean {
  return (
    isSmall(availableIn(ledger, purseOf(ledger, accountOf(orders, slot), native))) &&
    isSmall(partsAt(standings.cost, standingOfOrder(orders, slot)))
  );
}

const clearingOf = ({ ledger }: State, market: Market): bigint =>
  availableIn(ledger, purseOf(ledger, market.clearing as AccountIndex, market.settleAsset));

/**
 * The side that prevents a match: a maker, whose order is cancelled, or the taker (or clearing), which ends.
 */
export type Hindrance = 'taker' | 'maker' | undefined;

export function hindranceOf(
  state: State,
  market: Market,
  takerSlot: OrderSlot,
  match: Match,
): Hindrance {
  const { priceTicks, lots } = match;
  const { perTickLot } = market;
  const isUsual =
    isNarrow(perTickLot, priceTicks, lots) &&
    isSmall(narrowTickLots(perTickLot, priceTicks, lots)) &&
    isSmall(clearingOf(state, market)) &&
    isSmallSide(state, takerSlot) &&
    isSmallSide(state, match.maker);
  return isUsual ? undefined : exactHindranceOf(state, market, takerSlot, match);
}

function exactHindranceOf(
  state: State,
  market: Market,
  takerSlot: OrderSlot,
  match: Match,
): Hindrance {
  const value = tickLotsInParts(market.perTickLot, match.priceTicks, match.lots);
  const clearing = clearingOf(state, market);
  const taker = sideOfOrder(state, takerSlot);
  const maker = sideOfOrder(state, match.maker);
  if (value > roomOf(taker) || value > roomBetween(clearing, taker, maker)) return 'taker';
  return value > roomOf(maker) ? 'maker' : undefined;
}

/** The largest match value that an account has room for, with a fee below 1/1024 of it. */
const roomOf = ({ native, cost }: Side): bigint =>
  withoutFee(MATCH_LIMIT - sizeOf(native) - sizeOf(cost));

/** Both sides realise against the same clearing purse. */
const roomBetween = (clearing: bigint, a: Side, b: Side): bigint =>
  withoutFee((MATCH_LIMIT - sizeOf(clearing) - sizeOf(a.cost) - sizeOf(b.cost)) / 2n);

const withoutFee = (room: bigint): bigint => room - (room >> 10n) - 1n;

/** How many of the lots of a direct match (ADL, backstop) can be settled. */
export function lotsThatFit(
  state: State,
  index: number,
  meeting: {
    readonly accounts: readonly [number, number];
    readonly priceTicks: number;
    readonly lots: number;
  },
): number {
  const market = state.markets[index] as Market;
  const [a, b] = meeting.accounts.map((account) =>
    sideOf(state, account, standingOf(state.standings, account, index)),
  ) as [Side, Side];
  const rooms = [roomOf(a), roomOf(b), roomBetween(clearingOf(state, market), a, b)];
  const room = rooms.reduce((least, one) => (one < least ? one : least));
  if (room <= 0n) return 0;
  const lots = floorDiv(room, BigInt(meeting.priceTicks) * market.perTickLot);
  return lots < BigInt(meeting.lots) ? exactNumber(lots) : meeting.lots;
}
