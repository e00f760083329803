import type { ByteWriter } from '../../bytes/pack.ts';
import { assert } from '../../domain/assert.ts';
import { beginMatched, endEvent } from '../../domain/event-codec.ts';
import { lotsInParts, tickLotsInParts, valueOfMatch } from '../../domain/market.ts';
import { setMatchFee, setMatchRealised, writeSideOfRow } from '../../domain/order-codec.ts';
import { BUY } from '../../domain/order-codes.ts';
import { FLAG_HOLDS_PLAN } from '../../domain/order-layout.ts';
import { SOURCES } from '../../domain/terms.ts';
import {
  AMOUNT_LIMIT,
  type AssetIndex,
  amount,
  type Lots,
  TICKS_MAX,
  type Ticks,
} from '../../domain/units.ts';
import type { Match } from '../book/match.ts';
import { numberAt } from '../memory/columns.ts';
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
import { fillPosition } from '../risk/positions.ts';
import type { Market, State } from '../state.ts';
import { countVolume, takeFee, volumeOf } from './fees.ts';

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
  const { maker, priceTicks, lots } = match;
  const value = valueOfMatch(market.perTickLot, priceTicks, lots);
  market.matches++;
  market.lastTicks = priceTicks;
  market.lastLots = lots;
  market.lastMatchAtMs = state.timeMs;
  const terms = {
    market: marketOf(orders, taker),
    match: market.matches,
    priceTicks,
    lots,
    value,
  };
  const event = beginMatched(out, sideOf(orders, taker), terms);
  // The book changes after this, so what is open after the match is computed here.
  const takerOpen = Math.max(0, openLotsOf(orders, taker) - lots);
  const takerAt = writeSideOfRow(out, orders, taker, takerOpen);
  const makerAt = writeSideOfRow(out, orders, maker, openLotsOf(orders, maker) - lots);
  endEvent(out, event);
  noteFill(state, taker, value);
  noteFill(state, maker, value);
  if (market.spec.type === 'SPOT') {
    const isBuyer = sideOf(orders, taker) === BUY;
    settleSpot(state, market, isBuyer ? taker : maker, isBuyer ? maker : taker, match, value);
    setMatchRealised(out, takerAt, 0n);
    setMatchRealised(out, makerAt, 0n);
    charge(state, market, taker, { isTaker: true, lots, value }, out, takerAt);
    charge(state, market, maker, { isTaker: false, lots, value }, out, makerAt);
    noteCollateral(state, taker);
    noteCollateral(state, maker);
  } else settlePerpetual(state, market, taker, match, value, out, { takerAt, makerAt });
  countFamilies(state, market, taker, maker, value);
}

/** Both positions first, then both fees, then the allowance of each account (memory/watch.ts). */
function settlePerpetual(
  state: State,
  market: Market,
  taker: OrderSlot,
  match: Match,
  value: bigint,
  out: ByteWriter,
  { takerAt, makerAt }: { readonly takerAt: number; readonly makerAt: number },
): void {
  const { maker, priceTicks, lots } = match;
  const signedLots = sideOf(state.orders, taker) === BUY ? lots : -lots;
  const takerRealised = fillPosition(state, market, taker, signedLots, priceTicks);
  const makerRealised = fillPosition(state, market, maker, -signedLots, priceTicks);
  setMatchRealised(out, takerAt, takerRealised);
  setMatchRealised(out, makerAt, makerRealised);
  const takerFeeIn = charge(state, market, taker, { isTaker: true, lots, value }, out, takerAt);
  const makerFeeIn = charge(state, market, maker, { isTaker: false, lots, value }, out, makerAt);
  const size = sizeOf(market, match, value);
  noteRisk(state, taker, size, takerFeeIn, takerRealised);
  noteRisk(state, maker, size, makerFeeIn, makerRealised);
}

/** The buyer pays from its hold; what it held for a worse price is released. */
function settleSpot(
  state: State,
  market: Market,
  buyer: OrderSlot,
  seller: OrderSlot,
  { priceTicks, lots }: Match,
  value: bigint,
): void {
  const { ledger, orders, timeMs } = state;
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
  const spare = heldBeyond(state, market, buyer, priceTicks, lots);
  if (spare > 0n) release(ledger, buyerCounter, amount(spare), timeMs);
  setHeldParts(orders, buyer, heldPartsOf(orders, buyer) - value - spare);

  const base = lotsInParts(market.perLot, lots);
  const sellerBase = purseOf(ledger, sellerRow, market.baseAsset);
  moveHeld(ledger, sellerBase, purseOf(ledger, buyerRow, market.baseAsset), amount(base), timeMs);
  setHeldParts(orders, seller, heldPartsOf(orders, seller) - base);
}

/** A limit order holds its limit price; an order that was planned holds exactly its cost. */
function heldBeyond(
  state: State,
  market: Market,
  buyer: OrderSlot,
  priceTicks: Ticks,
  lots: Lots,
): bigint {
  if ((flagsOf(state.orders, buyer) & FLAG_HOLDS_PLAN) !== 0) return 0n;
  const better = priceTicksOf(state.orders, buyer) - priceTicks;
  assert(better >= 0, 'a buyer pays at most its limit');
  return tickLotsInParts(market.perTickLot, better, lots);
}

function noteFill(state: State, slot: OrderSlot, value: bigint): void {
  const { orders } = state;
  const filledCost = BigInt.asIntN(64, filledCostPartsOf(orders, slot) + value);
  setFilledCostParts(orders, slot, filledCost);
  setLastMatchedAtMs(orders, slot, state.timeMs);
}

/** Lots at the price of the match, or at the mark if that is higher: see memory/watch.ts. */
function sizeOf(market: Market, { priceTicks, lots }: Match, value: bigint): bigint | undefined {
  const { ceilTicks } = market.price;
  if (ceilTicks <= priceTicks) return value;
  if (ceilTicks === TICKS_MAX) return undefined;
  const size = tickLotsInParts(market.perTickLot, ceilTicks, lots);
  return size < AMOUNT_LIMIT ? size : undefined;
}

/**
 * A perpetual fill uses up allowance; a size of undefined is too large to count. A fill that closes the
 * position may leave nothing to watch.
 */
function noteRisk(
  { orders, standings, watch, pending, native }: State,
  slot: OrderSlot,
  size: bigint | undefined,
  feeAsset: AssetIndex,
  realised: bigint,
): void {
  const account = accountOf(orders, slot);
  const isBeyondCounting = size === undefined || feeAsset !== native;
  const isClosed = numberAt(standings.lots, standingOfOrder(orders, slot)) === 0;
  if (isBeyondCounting || isClosed || useAllowance(watch, account, size, realised)) {
    markForReview(pending, account);
  }
}

/** A spot fill changes the account's collateral. */
function noteCollateral({ orders, watch, pending }: State, slot: OrderSlot): void {
  const account = accountOf(orders, slot);
  if (watch.place[account] !== 0) markForReview(pending, account);
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
  fill: { isTaker: boolean; lots: number; value: bigint },
  out: ByteWriter,
  sideAt: number,
): AssetIndex {
  if (!isFree(sourceOf(state.orders, slot))) {
    return takeFee(state, market, slot, fill, out, sideAt);
  }
  setMatchFee(out, sideAt, state.native, 0n);
  return state.native;
}

/** Matches inside a family do not count towards its volume. */
function countFamilies(
  state: State,
  market: Market,
  taker: OrderSlot,
  maker: OrderSlot,
  value: bigint,
): void {
  const one = familyOf(state.orders, taker);
  const other = familyOf(state.orders, maker);
  if (one === other) return;
  const units = volumeOf(market, value);
  countVolume(state, one, units);
  countVolume(state, other, units);
}
