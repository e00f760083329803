import type { ByteWriter } from '../../bytes/pack.ts';
import { assert } from '../../domain/assert.ts';
import { floorDiv, powerOfTen } from '../../domain/decimal.ts';
import { encodeOrderMatched, type MatchRow } from '../../domain/event-codec.ts';
import { lotsInParts, tickLotsInParts, valueOfMatch } from '../../domain/market.ts';
import type { MatchShare } from '../../domain/order-codec.ts';
import { BUY } from '../../domain/order-codes.ts';
import { FLAG_HOLDS_PLAN } from '../../domain/order-layout.ts';
import { SOURCES } from '../../domain/terms.ts';
import {
  AMOUNT_LIMIT,
  amount,
  type Lots,
  NATIVE_PER_USD,
  TICKS_MAX,
  type Ticks,
  USD_SCALE,
} from '../../domain/units.ts';
import type { Match } from '../book/match.ts';
import { moveHeld, purseOf, release } from '../memory/ledger.ts';
import type { OrderSlot } from '../memory/order-rows.ts';
import {
  accountOf,
  familyOf,
  feeNativePartsOf,
  feeOtherPartsOf,
  feeUsdtPartsOf,
  filledCostPartsOf,
  flagsOf,
  heldPartsOf,
  marketOf,
  openLotsOf,
  priceTicksOf,
  setFeeNativeParts,
  setFeeOtherAsset,
  setFeeOtherParts,
  setFeeUsdtParts,
  setFilledCostParts,
  setHeldParts,
  setLastMatchedAtMs,
  sideOf,
  sourceOf,
} from '../memory/order-rows.ts';
import { markForReview } from '../memory/pending.ts';
import { useAllowance } from '../memory/watch.ts';
import { fillPosition } from '../risk/positions.ts';
import type { Market, State } from '../state.ts';
import { countVolume, type Fee, takeFee } from './fees.ts';

/**
 * Settles one match: both assets and the fees on spot, positions and what they realise on a perpetual.
 * The book is changed by the caller; here value moves, from purse to purse.
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
  const isBuyer = sideOf(orders, taker) === BUY;
  let takerRealised = 0n;
  let makerRealised = 0n;
  if (market.spec.type === 'SPOT') {
    settleSpot(state, market, isBuyer ? taker : maker, isBuyer ? maker : taker, match, value);
  } else {
    const sign = isBuyer ? 1 : -1;
    takerRealised = fillPosition(state, market, taker, sign * lots, priceTicks);
    makerRealised = fillPosition(state, market, maker, -sign * lots, priceTicks);
  }
  noteFill(state, taker, value);
  noteFill(state, maker, value);
  const takerFee = charge(state, market, taker, true, lots, value);
  const makerFee = charge(state, market, maker, false, lots, value);
  countFamilies(state, market, taker, maker, value);
  if (market.spec.type === 'FUTURE') {
    const size = sizeOf(market, match, value);
    noteRisk(state, taker, size, takerFee, takerRealised);
    noteRisk(state, maker, size, makerFee, makerRealised);
  } else {
    noteCollateral(state, taker);
    noteCollateral(state, maker);
  }

  market.matches++;
  market.lastTicks = priceTicks;
  market.lastLots = lots;
  market.lastMatchAtMs = state.timeMs;
  // The book has not been told yet: what will be open after this match is said here.
  const takerOpen = Math.max(0, openLotsOf(orders, taker) - lots);
  const makerOpen = openLotsOf(orders, maker) - lots;
  const row: MatchRow = {
    market: marketOf(orders, taker),
    match: market.matches,
    priceTicks,
    lots,
    value,
    takerSide: sideOf(orders, taker),
    taker: shareOf(takerOpen, takerFee, takerRealised),
    maker: shareOf(makerOpen, makerFee, makerRealised),
  };
  encodeOrderMatched(out, row, orders, taker, maker);
}

/** The buyer pays from what its order holds; what it held for a worse price comes back. */
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
  setFilledCostParts(orders, slot, filledCostPartsOf(orders, slot) + value);
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

/** A fill of a perpetual uses up what the account may have; a size of undefined is beyond counting. */
function noteRisk(
  { orders, watch, pending, native }: State,
  slot: OrderSlot,
  size: bigint | undefined,
  fee: Fee,
  realised: bigint,
): void {
  const account = accountOf(orders, slot);
  const isBeyondCounting = size === undefined || fee.asset !== native;
  if (isBeyondCounting || useAllowance(watch, account, size, realised)) {
    markForReview(pending, account);
  }
}

/** A spot fill changes what backs the account. */
function noteCollateral({ orders, watch, pending }: State, slot: OrderSlot): void {
  const account = accountOf(orders, slot);
  if (watch.place[account] !== 0) markForReview(pending, account);
}

/** Orders the venue itself placed cost nobody a trading fee. */
const FREE_SOURCES: ReadonlySet<number> = new Set([
  SOURCES.POSITION_LIQUIDATION,
  SOURCES.ADL,
  SOURCES.BLP_ASSIGNMENT,
]);

function charge(
  state: State,
  market: Market,
  slot: OrderSlot,
  isTaker: boolean,
  lots: Lots,
  value: bigint,
): Fee {
  const { orders } = state;
  if (FREE_SOURCES.has(sourceOf(orders, slot))) {
    return { asset: state.native, amount: amount(0n) };
  }
  const isBuyer = sideOf(orders, slot) === BUY;
  const fee = takeFee(state, {
    market,
    account: accountOf(orders, slot),
    family: familyOf(orders, slot),
    isTaker,
    value,
    receivedAsset: isBuyer ? market.baseAsset : market.settleAsset,
    receivedParts: isBuyer ? lotsInParts(market.perLot, lots) : value,
  });
  if (fee.asset === state.native) {
    setFeeNativeParts(orders, slot, feeNativePartsOf(orders, slot) + fee.amount);
  } else if (fee.asset === state.usdt) {
    setFeeUsdtParts(orders, slot, feeUsdtPartsOf(orders, slot) + fee.amount);
  } else {
    setFeeOtherParts(orders, slot, feeOtherPartsOf(orders, slot) + fee.amount);
    setFeeOtherAsset(orders, slot, fee.asset);
  }
  return fee;
}

/** Matches inside a family do not count towards its volume. Spot value counts as dollars x 100. */
function countFamilies(
  state: State,
  market: Market,
  taker: OrderSlot,
  maker: OrderSlot,
  value: bigint,
): void {
  const { orders, families } = state;
  const one = families[familyOf(orders, taker)];
  const other = families[familyOf(orders, maker)];
  assert(one !== undefined && other !== undefined, 'an order is of a family');
  if (one === other) return;
  const units = volumeOf(state, market, value);
  countVolume(state, one, units);
  countVolume(state, other, units);
}

/** In whole units of native. */
function volumeOf(state: State, market: Market, value: bigint): bigint {
  const settle = state.assets[market.settleAsset];
  assert(settle !== undefined, 'an asset index names an asset');
  const { scale } = settle.spec;
  if (market.spec.type === 'FUTURE') return floorDiv(value, powerOfTen(scale));
  return floorDiv(value * settle.indexPrice * NATIVE_PER_USD, powerOfTen(scale + USD_SCALE));
}

const shareOf = (openLots: number, fee: Fee, realised: bigint): MatchShare => ({
  openLots,
  feeAsset: fee.asset,
  fee: fee.amount,
  realised,
});
