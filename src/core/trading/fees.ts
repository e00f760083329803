import type { ByteWriter } from '../../bytes/pack.ts';
import { assert } from '../../domain/assert.ts';
import {
  ceilDiv,
  powerOfTen,
  putTimesRatioDown,
  putTimesRatioUp,
  ratioOf,
  timesRatioDown,
} from '../../domain/decimal.ts';
import { encodeEvent } from '../../domain/event-codec.ts';
import { FEE_SCALE, FEE_TIERS } from '../../domain/fee-tiers.ts';
import { lotsInParts } from '../../domain/market.ts';
import { setMatchFee } from '../../domain/order-codec.ts';
import { BUY } from '../../domain/order-codes.ts';
import {
  type AccountIndex,
  type AssetIndex,
  amount,
  type FamilyIndex,
  NATIVE_PER_USD,
  USD_SCALE,
} from '../../domain/units.ts';
import type { Match } from '../book/match.ts';
import { partsAt } from '../memory/columns.ts';
import { feeTierOf, VOLUME_DAYS, volumesOf } from '../memory/family-columns.ts';
import { availableIn, move, purseOf, reservedIn } from '../memory/ledger.ts';
import {
  accountOf,
  familyOf,
  feeNativePartsOf,
  feeOtherPartsOf,
  feeUsdtPartsOf,
  type OrderSlot,
  setFeeNativeParts,
  setFeeOtherAsset,
  setFeeOtherParts,
  setFeeUsdtParts,
  sideOf,
} from '../memory/order-rows.ts';
import { FEE, VALUE, VOLUME } from '../risk/match-amounts.ts';
import { type Family, holderIndex, type Market, type State } from '../state.ts';

const FEE_ONE = powerOfTen(FEE_SCALE);
const FEES_ROW = holderIndex('fees');
export const DAY_MS = 86_400_000;

/**
 * Takes the fee of one side of one match, whole, in one asset: native if what is available now (after the
 * match's own movements) covers it, else USDT, else what was received (spot) or native on credit (perpetual).
 * Rounded up, in the venue's favour. Recorded in the order and in the match's event, whose side begins at
 * `sideAt`; returns the asset.
 */
export function takeFee(
  state: State,
  market: Market,
  slot: OrderSlot,
  match: Match,
  out: ByteWriter,
  sideAt: number,
): AssetIndex {
  const { orders, native } = state;
  const tier = FEE_TIERS[feeTierOf(state.familyColumns, familyOf(orders, slot)) - 1];
  assert(tier !== undefined, 'a family has a fee tier of the table');
  const rate = slot === match.maker ? tier.maker : tier.taker;
  if (rate === 0n) {
    setMatchFee(out, sideAt, native, 0n);
    return native;
  }
  const accountIndex = accountOf(orders, slot);
  if (putNativeFee(state, market, rate, match.amounts)) {
    const fee = partsAt(match.amounts, FEE);
    if (covers(state, accountIndex, native, fee)) {
      setFeeNativeParts(orders, slot, BigInt.asIntN(64, feeNativePartsOf(orders, slot) + fee));
      return pay(state, accountIndex, native, fee, out, sideAt);
    }
  }
  return takeAnyFee(state, market, slot, { rate, match }, out, sideAt);
}

/** The usual fee in native, in 64 bits; false if it does not fit or prices have no factor for it. */
function putNativeFee(state: State, market: Market, rate: bigint, amounts: BigInt64Array): boolean {
  const value = partsAt(amounts, VALUE);
  if (value >= VALUE_SMALL) return false;
  const valueTimesRate = BigInt.asIntN(64, value * BigInt.asIntN(64, rate));
  if (market.spec.type === 'FUTURE')
    return putTimesRatioUp(amounts, FEE, valueTimesRate, PERPETUAL_FEE);
  if (!isPrepared(state, market)) return false;
  return putTimesRatioUp(amounts, FEE, valueTimesRate, market.feeTerms.inNative);
}
const PERPETUAL_FEE = ratioOf(1n, FEE_ONE);

/** The fee in the first of the assets that can pay it, in numbers of any size. */
function takeAnyFee(
  state: State,
  market: Market,
  slot: OrderSlot,
  { rate, match }: { readonly rate: bigint; readonly match: Match },
  out: ByteWriter,
  sideAt: number,
): AssetIndex {
  const { orders, native, usdt } = state;
  const value = partsAt(match.amounts, VALUE);
  const accountIndex = accountOf(orders, slot);
  const isPerpetual = market.spec.type === 'FUTURE';
  const valueTimesRate = value * rate;
  const nativeFee = isPerpetual
    ? ceilDiv(valueTimesRate, FEE_ONE)
    : spotFeeIn(state, market, valueTimesRate, native);
  if (covers(state, accountIndex, native, nativeFee)) {
    noteFee(state, slot, native, nativeFee);
    return pay(state, accountIndex, native, nativeFee, out, sideAt);
  }
  if (usdt >= 0) {
    const usdtFee = isPerpetual
      ? perpetualFeeInUsdt(state, valueTimesRate, native, usdt)
      : spotFeeIn(state, market, valueTimesRate, usdt);
    if (covers(state, accountIndex, usdt, usdtFee)) {
      noteFee(state, slot, usdt, usdtFee);
      return pay(state, accountIndex, usdt, usdtFee, out, sideAt);
    }
  }
  const isBuyer = sideOf(orders, slot) === BUY;
  const received = isBuyer ? lotsInParts(market.perLot, match.lots) : value;
  const asset = isPerpetual ? native : isBuyer ? market.baseAsset : market.settleAsset;
  const fee = isPerpetual ? nativeFee : ceilDiv(received * rate, FEE_ONE);
  noteFee(state, slot, asset, fee);
  return pay(state, accountIndex, asset, fee, out, sideAt);
}

/** An order's fees are kept by asset: native, USDT, and one other. */
function noteFee({ orders, native, usdt }: State, slot: OrderSlot, asset: AssetIndex, fee: bigint) {
  if (asset === native) {
    setFeeNativeParts(orders, slot, feeNativePartsOf(orders, slot) + fee);
  } else if (asset === usdt) {
    setFeeUsdtParts(orders, slot, feeUsdtPartsOf(orders, slot) + fee);
  } else {
    setFeeOtherParts(orders, slot, feeOtherPartsOf(orders, slot) + fee);
    setFeeOtherAsset(orders, slot, asset);
  }
}

/** Times a rate, which is below 2^7, it fits 64 bits. */
const VALUE_SMALL = 1n << 55n;

function covers(state: State, account: AccountIndex, asset: AssetIndex, fee: bigint): boolean {
  return availableIn(state.ledger, purseOf(state.ledger, account, asset)) >= fee;
}

function pay(
  state: State,
  account: AccountIndex,
  asset: AssetIndex,
  parts: bigint,
  out: ByteWriter,
  sideAt: number,
): AssetIndex {
  const { ledger } = state;
  const to = purseOf(ledger, FEES_ROW, asset);
  move(ledger, purseOf(ledger, account, asset), to, amount(parts), state.timeMs);
  setMatchFee(out, sideAt, asset, parts);
  return asset;
}

/** A market's `feeTerms` before there are prices. */
export const newFeeTerms = (): Market['feeTerms'] => ({
  counterPrice: 0n,
  nativePrice: 0n,
  inNative: ratioOf(0n, 1n),
  inUsd: ratioOf(0n, 1n),
  volumeUnit: ratioOf(0n, 1n),
});

/**
 * The factors that turn a counter amount x rate into a fee in native, and a value into volume, so that the
 * usual match is computed in 64 bits. Precomputed with every round of prices and never while a fee is taken:
 * computing a hypothetical fee changes nothing.
 */
export function prepareFees(state: State, market: Market): void {
  const counter = state.assets[market.settleAsset];
  const native = state.assets[state.native];
  assert(counter !== undefined && native !== undefined, 'an asset index names an asset');
  const { feeTerms } = market;
  const { scale } = counter.spec;
  // Most rounds move neither price, because both are of stable coins.
  const isPrepared =
    feeTerms.counterPrice !== 0n &&
    feeTerms.counterPrice === counter.indexPrice &&
    feeTerms.nativePrice === native.indexPrice;
  if (isPrepared) return;
  const top = counter.indexPrice * 10n ** BigInt(native.spec.scale);
  const bottom = FEE_ONE * native.indexPrice * 10n ** BigInt(scale);
  feeTerms.counterPrice = counter.indexPrice;
  feeTerms.nativePrice = native.indexPrice;
  feeTerms.inNative = bottom === 0n ? ratioOf(0n, 1n) : ratioOf(top, bottom);
  if (market.spec.type === 'FUTURE') {
    feeTerms.inUsd = ratioOf(1n, 1n);
    feeTerms.volumeUnit = ratioOf(1n, powerOfTen(scale));
    return;
  }
  // Both steps round down, which equals a single division as long as the second only divides.
  const hundredfold = powerOfTen(Math.max(0, NATIVE_DIGITS_PER_USD - scale));
  feeTerms.inUsd = ratioOf(counter.indexPrice * hundredfold, powerOfTen(USD_SCALE));
  feeTerms.volumeUnit = ratioOf(1n, powerOfTen(Math.max(0, scale - NATIVE_DIGITS_PER_USD)));
}
/** NATIVE_PER_USD is this power of ten. */
const NATIVE_DIGITS_PER_USD = 2;

/** Whether the factors were computed for the prices of now. */
function isPrepared({ assets, native }: State, { settleAsset, feeTerms }: Market): boolean {
  const { counterPrice, nativePrice, inNative } = feeTerms;
  return (
    settleAsset !== native &&
    inNative.numerator > 0n &&
    assets[settleAsset]?.indexPrice === counterPrice &&
    assets[native]?.indexPrice === nativePrice
  );
}

/** A spot fee in another asset than the counter: by their index prices and scales, rounded up. */
function spotFeeIn(
  state: State,
  market: Market,
  valueTimesRate: bigint,
  target: AssetIndex,
): bigint {
  if (target === market.settleAsset) return ceilDiv(valueTimesRate, FEE_ONE);
  const counter = state.assets[market.settleAsset];
  const asset = state.assets[target];
  assert(counter !== undefined && asset !== undefined, 'an asset index names an asset');
  if (asset.indexPrice === 0n) return AMOUNT_UNPAYABLE;
  return ceilDiv(
    valueTimesRate * counter.indexPrice * 10n ** BigInt(asset.spec.scale),
    FEE_ONE * asset.indexPrice * 10n ** BigInt(counter.spec.scale),
  );
}

/** Without a price there is no amount: nobody can pay this much. */
const AMOUNT_UNPAYABLE = 2n ** 63n;

/** 100 native are a dollar of a perpetual's value, and a dollar is a USDT. */
function perpetualFeeInUsdt(
  state: State,
  valueTimesRate: bigint,
  native: AssetIndex,
  usdt: AssetIndex,
): bigint {
  const from = state.assets[native]?.spec.scale ?? 0;
  const to = state.assets[usdt]?.spec.scale ?? 0;
  return ceilDiv(
    valueTimesRate * 10n ** BigInt(to),
    FEE_ONE * NATIVE_PER_USD * 10n ** BigInt(from),
  );
}

/**
 * The volume of a match in whole units of native, at the precomputed prices; spot value counts as dollars x
 * 100. Fractions are dropped.
 */
export function putVolume({ feeTerms }: Market, amounts: BigInt64Array): void {
  const { inUsd, volumeUnit } = feeTerms;
  const isPut =
    putTimesRatioDown(amounts, VOLUME, partsAt(amounts, VALUE), inUsd) &&
    putTimesRatioDown(amounts, VOLUME, partsAt(amounts, VOLUME), volumeUnit);
  if (isPut) return;
  const units = timesRatioDown(timesRatioDown(partsAt(amounts, VALUE), inUsd), volumeUnit);
  amounts[VOLUME] = units < VOLUME_MAX ? units : VOLUME_MAX;
}

/**
 * Adds a match to what the family has traded today; saturates at 64 bits. The caller leaves out matches
 * inside a family.
 */
export function countVolume(state: State, family: FamilyIndex, units: bigint): void {
  const volumes = state.familyColumns.volumeByDay[state.feeDay % VOLUME_DAYS] as BigInt64Array;
  const volume = volumes[family] as bigint;
  const room = BigInt.asIntN(64, VOLUME_MAX - volume);
  if (units < room) volumes[family] = BigInt.asIntN(64, volume + units);
  else volumes[family] = VOLUME_MAX;
}
const VOLUME_MAX = 2n ** 63n - 1n;

/**
 * At the first command of a new UTC day every family's tier is set again and the oldest day's volume is
 * dropped. Costs a step for every account, once a day.
 */
export function setFeeTiers(state: State, out: ByteWriter): void {
  if (state.timeMs - state.feeDay * DAY_MS < DAY_MS) return;
  const day = Math.floor(state.timeMs / DAY_MS);
  const passed = day - state.feeDay;
  const isFirst = state.feeDay === 0;
  state.feeDay = day;
  if (isFirst) return;
  const { volumeByDay, feeTier: tiers } = state.familyColumns;
  // Days without a command; the oldest of the thirty is in the place of today.
  for (let back = 1; back < Math.min(passed, VOLUME_DAYS); back++) {
    volumeByDay[(day - back) % VOLUME_DAYS]?.fill(0n);
  }
  if (passed > VOLUME_DAYS) volumeByDay[day % VOLUME_DAYS]?.fill(0n);
  state.families.forEach((family, index) => {
    const feeTier = tierOf(state, family, index);
    if (feeTier === tiers[index]) return;
    tiers[index] = feeTier;
    encodeEvent(out, { kind: 'fee-tier-set', family: index as FamilyIndex, feeTier });
  });
  volumeByDay[day % VOLUME_DAYS]?.fill(0n);
}

function tierOf(state: State, family: Family, index: number): number {
  const { native } = state;
  const asset = state.assets[native];
  if (asset === undefined) return 1;
  const one = 10n ** BigInt(asset.spec.scale);
  let volume = 0n;
  for (const units of volumesOf(state.familyColumns, index)) volume += units;
  let held = 0n;
  for (const account of family.accounts) {
    const purse = purseOf(state.ledger, account, native);
    held += availableIn(state.ledger, purse) + reservedIn(state.ledger, purse);
  }
  const heldUsd = (held * asset.indexPrice) / (one * 100_000_000n);
  let tier = 1;
  FEE_TIERS.forEach((terms, index) => {
    if (volume >= terms.volume || heldUsd >= terms.holdingUsd) tier = index + 1;
  });
  return tier;
}
