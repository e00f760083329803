import type { ByteWriter } from '../../bytes/pack.ts';
import { assert } from '../../domain/assert.ts';
import { beginMatched, endEvent, setMatchName, setMatchTerms } from '../../domain/event-codec.ts';
import {
  isNarrow,
  narrowTickLots,
  putLots,
  putTickLots,
  tickLotsInParts,
} from '../../domain/market.ts';
import { setMatchFee, setMatchRealised, writeSideOfRow } from '../../domain/order-codec.ts';
import { BUY } from '../../domain/order-codes.ts';
import { FLAG_HOLDS_PLAN } from '../../domain/order-layout.ts';
import { SOURCES } from '../../domain/terms.ts';
import { AMOUNT_LIMIT, type AssetIndex, amount, TICKS_MAX } from '../../domain/units.ts';
import type { Match } from '../book/match.ts';
import { numberAt, partsAt } from '../memory/columns.ts';
import { moveHeld, purseOf, release } from '../memory/ledger.ts';
import type { OrderSlot } from '../memory/order-rows.ts';
import {
  accountOf,
  familyOf,
  filledCostPartsOf,
  flagsOf,
  heldPartsOf,
  marketOf,
  openLotsOf,
  priceTicksOf,
  setFilledCostParts,
  setHeldParts,
  setLastMatchedAtMs,
  sideOf,
  sourceOf,
  standingOfOrder,
} from '../memory/order-rows.ts';
import { markForReview } from '../memory/pending.ts';
import { useAllowance } from '../memory/watch.ts';
import {
  BASE,
  MAKER_REALISED,
  REALISED,
  SIZE,
  SPARE,
  TAKER_REALISED,
  VALUE,
  VOLUME,
} from '../risk/match-amounts.ts';
import { fillPosition } from '../risk/positions.ts';
import type { Market, State } from '../state.ts';
import { countVolume, putVolume, takeFee } from './fees.ts';

/**
 * Settles one match: both assets and the fees on spot, positions and what they realise on a perpetual.
 * The caller changes the book; this moves value from purse to purse.
 */
export function settleMatch(
  state: State,
  market: Market,
  taker: OrderSlot,
  match: Match,
  out: ByteWriter,
): void {
  const { orders } = state;
  const { maker, priceTicks, lots, amounts } = match;
  putTickLots(amounts, VALUE, market.perTickLot, priceTicks, lots);
  market.matches++;
  market.lastTicks = priceTicks;
  market.lastLots = lots;
  market.lastMatchAtMs = state.timeMs;
  const event = beginMatched(out, sideOf(orders, taker));
  setMatchName(out.fields, event, marketOf(orders, taker), market.matches);
  setMatchTerms(out.fields, event, match, partsAt(amounts, VALUE));
  // The book changes after this, so what is open after the match is computed here.
  const takerOpen = Math.max(0, openLotsOf(orders, taker) - lots);
  const takerAt = writeSideOfRow(out, orders, taker, takerOpen);
  const makerAt = writeSideOfRow(out, orders, maker, openLotsOf(orders, maker) - lots);
  endEvent(out, event);
  noteFill(state, taker, match);
  noteFill(state, maker, match);
  if (market.spec.type === 'SPOT') {
    const isBuyer = sideOf(orders, taker) === BUY;
    settleSpot(state, market, isBuyer ? taker : maker, isBuyer ? maker : taker, match);
    charge(state, market, taker, match, out, takerAt);
    charge(state, market, maker, match, out, makerAt);
    noteCollateral(state, taker);
    noteCollateral(state, maker);
  } else settlePerpetual(state, market, taker, match, out, takerAt, makerAt);
  countFamilies(state, market, taker, match);
}

/** Both positions first, then both fees, then the allowance of each account (memory/watch.ts). */
function settlePerpetual(
  state: State,
  market: Market,
  taker: OrderSlot,
  match: Match,
  out: ByteWriter,
  takerAt: number,
  makerAt: number,
): void {
  const { maker, lots, amounts } = match;
  const signedLots = sideOf(state.orders, taker) === BUY ? lots : -lots;
  fillPosition(state, market, taker, signedLots, match);
  amounts[TAKER_REALISED] = partsAt(amounts, REALISED);
  fillPosition(state, market, maker, -signedLots, match);
  amounts[MAKER_REALISED] = partsAt(amounts, REALISED);
  setMatchRealised(out, takerAt, partsAt(amounts, TAKER_REALISED));
  setMatchRealised(out, makerAt, partsAt(amounts, MAKER_REALISED));
  const takerFeeIn = charge(state, market, taker, match, out, takerAt);
  const makerFeeIn = charge(state, market, maker, match, out, makerAt);
  putSize(market, match);
  noteRisk(state, taker, takerFeeIn, amounts, TAKER_REALISED);
  noteRisk(state, maker, makerFeeIn, amounts, MAKER_REALISED);
}

/** The buyer pays from its hold; what it held for a worse price is released. */
function settleSpot(
  state: State,
  market: Market,
  buyer: OrderSlot,
  seller: OrderSlot,
  match: Match,
): void {
  const { ledger, orders, timeMs } = state;
  const { lots, amounts } = match;
  const value = partsAt(amounts, VALUE);
  const buyerRow = accountOf(orders, buyer);
  const sellerRow = accountOf(orders, seller);
  const buyerCounter = purseOf(ledger, buyerRow, market.settleAsset);
  moveHeld(
    ledger,
    buyerCounter,
    purseOf(ledger, sellerRow, market.settleAsset),
    amount(value),
    timeMs,
  );
  putSpare(state, market, buyer, match);
  const spare = partsAt(amounts, SPARE);
  if (spare > 0n) release(ledger, buyerCounter, amount(spare), timeMs);
  const held = BigInt.asIntN(64, heldPartsOf(orders, buyer) - value);
  setHeldParts(orders, buyer, BigInt.asIntN(64, held - spare));

  putLots(amounts, BASE, market.perLot, lots);
  const base = partsAt(amounts, BASE);
  const sellerBase = purseOf(ledger, sellerRow, market.baseAsset);
  moveHeld(ledger, sellerBase, purseOf(ledger, buyerRow, market.baseAsset), amount(base), timeMs);
  setHeldParts(orders, seller, BigInt.asIntN(64, heldPartsOf(orders, seller) - base));
}

/** A limit order holds its limit price; an order that was planned holds exactly its cost. */
function putSpare(
  { orders }: State,
  { perTickLot }: Market,
  buyer: OrderSlot,
  { priceTicks, lots, amounts }: Match,
): void {
  amounts[SPARE] = 0n;
  if ((flagsOf(orders, buyer) & FLAG_HOLDS_PLAN) !== 0) return;
  const better = priceTicksOf(orders, buyer) - priceTicks;
  assert(better >= 0, 'a buyer pays at most its limit');
  putTickLots(amounts, SPARE, perTickLot, better, lots);
}

function noteFill(state: State, slot: OrderSlot, { amounts }: Match): void {
  const { orders } = state;
  const filledCost = BigInt.asIntN(64, filledCostPartsOf(orders, slot) + partsAt(amounts, VALUE));
  setFilledCostParts(orders, slot, filledCost);
  setLastMatchedAtMs(orders, slot, state.timeMs);
}

/** Lots at the price of the match, or at the mark if that is higher: see memory/watch.ts. */
function putSize({ price, perTickLot }: Market, { priceTicks, lots, amounts }: Match): void {
  const { ceilTicks } = price;
  if (ceilTicks <= priceTicks) amounts[SIZE] = partsAt(amounts, VALUE);
  else if (isNarrow(perTickLot, ceilTicks, lots)) {
    amounts[SIZE] = narrowTickLots(perTickLot, ceilTicks, lots);
  } else {
    const size = tickLotsInParts(perTickLot, ceilTicks, lots);
    amounts[SIZE] = ceilTicks < TICKS_MAX && size < AMOUNT_LIMIT ? size : -1n;
  }
}

/** A perpetual fill uses up allowance. One that closes the position may leave nothing to watch. */
function noteRisk(
  { orders, standings, watch, pending, native }: State,
  slot: OrderSlot,
  feeAsset: AssetIndex,
  amounts: BigInt64Array,
  realisedAt: number,
): void {
  const accountIndex = accountOf(orders, slot);
  const size = partsAt(amounts, SIZE);
  const realised = partsAt(amounts, realisedAt);
  const isBeyondCounting = size < 0n || feeAsset !== native;
  const isClosed = numberAt(standings.lots, standingOfOrder(orders, slot)) === 0;
  if (isBeyondCounting || isClosed || useAllowance(watch, accountIndex, size, realised)) {
    markForReview(pending, accountIndex);
  }
}

/** A spot fill changes the account's collateral. */
function noteCollateral({ orders, watch, pending }: State, slot: OrderSlot): void {
  const accountIndex = accountOf(orders, slot);
  if (watch.place[accountIndex] !== 0) markForReview(pending, accountIndex);
}

/** Orders placed by the venue itself pay no trading fee. */
const isFree = (source: number): boolean =>
  source === SOURCES.POSITION_LIQUIDATION ||
  source === SOURCES.ADL ||
  source === SOURCES.BLP_ASSIGNMENT;

function charge(
  state: State,
  market: Market,
  slot: OrderSlot,
  match: Match,
  out: ByteWriter,
  sideAt: number,
): AssetIndex {
  if (!isFree(sourceOf(state.orders, slot))) {
    return takeFee(state, market, slot, match, out, sideAt);
  }
  setMatchFee(out, sideAt, state.native, 0n);
  return state.native;
}

/** Matches inside a family do not count towards its volume. */
function countFamilies(
  state: State,
  market: Market,
  taker: OrderSlot,
  { maker, amounts }: Match,
): void {
  const one = familyOf(state.orders, taker);
  const other = familyOf(state.orders, maker);
  if (one === other) return;
  putVolume(market, amounts);
  countVolume(state, one, partsAt(amounts, VOLUME));
  countVolume(state, other, partsAt(amounts, VOLUME));
}
