import type { ByteWriter } from '../../bytes/pack.ts';
import { assert } from '../../domain/assert.ts';
import { ceilDiv, greatestCommonDivisor, mulDivUp } from '../../domain/decimal.ts';
import { encodeEvent } from '../../domain/event-codec.ts';
import {
  type AccountIndex,
  type Amount,
  type AssetIndex,
  amount,
  type FamilyIndex,
  NATIVE_PER_USD,
} from '../../domain/units.ts';
import { availableIn, move, purseOf, reservedIn } from '../memory/ledger.ts';
import { type Family, holderRow, type Market, type State } from '../state.ts';

/** Rates in parts of 10^-5, by tier, and what a family needs for the tier. */
type FeeTier = {
  readonly maker: bigint;
  readonly taker: bigint;
  /** 30-day volume in native units, or the holding of native in USD. */
  readonly volume: bigint;
  readonly holdingUsd: bigint;
};
const FEE_TIERS: readonly FeeTier[] = [
  { maker: 20n, taker: 70n, volume: 0n, holdingUsd: 0n },
  { maker: 10n, taker: 50n, volume: 2_500_000n, holdingUsd: 1_000n },
  { maker: 0n, taker: 40n, volume: 25_000_000n, holdingUsd: 100_000n },
];
const FEE_ONE = 100_000n;
const FEES_ROW = holderRow('fees');
export const VOLUME_DAYS = 30;
export const DAY_MS = 86_400_000;

export type Fee = { readonly asset: AssetIndex; readonly amount: Amount };

/** What one side of a match is about to pay for. */
export type FeeCase = {
  readonly market: Market;
  readonly account: AccountIndex;
  readonly family: FamilyIndex;
  readonly isTaker: boolean;
  /** Price x quantity, in parts of the market's settling asset. */
  readonly value: bigint;
  /** Spot: what this side receives, the last resort to take the fee from. */
  readonly receivedAsset: AssetIndex;
  readonly receivedParts: bigint;
};

/**
 * Takes the fee of one side of one match, whole, in one asset: native if what is available now (after
 * the match's own movements) covers it, else USDT, else what was received (spot) or native on credit
 * (perpetual). Rounded up, to the venue.
 */
export function takeFee(state: State, feeCase: FeeCase): Fee {
  const { market, account } = feeCase;
  const tier = FEE_TIERS[(state.families[feeCase.family]?.feeTier ?? 1) - 1];
  assert(tier !== undefined, 'a family has a fee tier of the table');
  const rate = feeCase.isTaker ? tier.taker : tier.maker;
  const { native, usdt } = state;
  if (rate === 0n) return { asset: native, amount: amount(0n) };
  const isPerpetual = market.spec.type === 'FUTURE';
  const valueTimesRate = timesRate(feeCase.value, rate);
  const nativeFee = isPerpetual
    ? ceilDiv(valueTimesRate, FEE_ONE)
    : spotFeeInNative(state, market, valueTimesRate);
  if (covers(state, account, native, nativeFee)) return pay(state, account, native, nativeFee);
  if (usdt >= 0) {
    const usdtFee = isPerpetual
      ? perpetualFeeInUsdt(state, valueTimesRate, native, usdt)
      : spotFeeIn(state, market, valueTimesRate, usdt);
    if (covers(state, account, usdt, usdtFee)) return pay(state, account, usdt, usdtFee);
  }
  if (isPerpetual) return pay(state, account, native, nativeFee);
  const { receivedAsset, receivedParts } = feeCase;
  return pay(state, account, receivedAsset, ceilDiv(receivedParts * rate, FEE_ONE));
}

/** In 64 bits where it surely fits: rates are below 2^7. */
const timesRate = (value: bigint, rate: bigint): bigint =>
  value < VALUE_SMALL ? BigInt.asIntN(64, BigInt.asIntN(64, value) * rate) : value * rate;
const VALUE_SMALL = 1n << 55n;

function covers(state: State, account: AccountIndex, asset: AssetIndex, fee: bigint): boolean {
  return availableIn(state.ledger, purseOf(state.ledger, account, asset)) >= fee;
}

function pay(state: State, account: AccountIndex, asset: AssetIndex, parts: bigint): Fee {
  const { ledger } = state;
  const paid = amount(parts);
  const to = purseOf(ledger, FEES_ROW, asset);
  move(ledger, purseOf(ledger, account, asset), to, paid, state.timeMs);
  return { asset, amount: paid };
}

/**
 * What turns a counter amount x rate into a fee in native, in lowest terms, so that the usual fee is
 * counted in 64 bits. Prepared with every round of prices and never while a fee is taken: a look at
 * what a fee would be leaves no trace.
 */
export function prepareNativeFee(state: State, market: Market): void {
  const counter = state.assets[market.settleAsset];
  const native = state.assets[state.native];
  assert(counter !== undefined && native !== undefined, 'an asset index names an asset');
  const top = counter.indexPrice * 10n ** BigInt(native.spec.scale);
  const bottom = FEE_ONE * native.indexPrice * 10n ** BigInt(counter.spec.scale);
  const common = greatestCommonDivisor(top, bottom);
  const { nativeFee } = market;
  nativeFee.counterPrice = counter.indexPrice;
  nativeFee.nativePrice = native.indexPrice;
  nativeFee.numerator = common === 0n ? 0n : top / common;
  nativeFee.denominator = common === 0n ? 0n : bottom / common;
}

/** By what was prepared, where it was prepared for these very prices. */
function spotFeeInNative(state: State, market: Market, valueTimesRate: bigint): bigint {
  const { counterPrice, nativePrice, numerator, denominator } = market.nativeFee;
  const isPrepared =
    state.assets[market.settleAsset]?.indexPrice === counterPrice &&
    state.assets[state.native]?.indexPrice === nativePrice &&
    denominator > 0n &&
    market.settleAsset !== state.native;
  return isPrepared
    ? mulDivUp(valueTimesRate, numerator, denominator)
    : spotFeeIn(state, market, valueTimesRate, state.native);
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

/** Without a price there is no amount: nobody has this much. */
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
 * Adds a match to what the family has traded today, in whole units of native: what is less than one is
 * not counted, and at the end of 64 bits no more is. The caller leaves out matches inside a family.
 */
export function countVolume(state: State, family: Family, units: bigint): void {
  const today = Math.floor(state.timeMs / DAY_MS) % VOLUME_DAYS;
  const { volumeByDay } = family;
  const volume = volumeByDay[today] as bigint;
  volumeByDay[today] = units < VOLUME_MAX - volume ? volume + units : VOLUME_MAX;
}
const VOLUME_MAX = 2n ** 63n - 1n;

/**
 * At the first command of a new UTC day every family's tier is set anew and the oldest day's volume
 * makes room. Costs a look at every account, once a day.
 */
export function setFeeTiers(state: State, out: ByteWriter): void {
  const day = Math.floor(state.timeMs / DAY_MS);
  if (day === state.feeDay) return;
  const passed = day - state.feeDay;
  const isFirst = state.feeDay === 0;
  state.feeDay = day;
  if (isFirst) return;
  state.families.forEach((family, index) => {
    // Days without a command; the oldest of the thirty that have ended stands where today will.
    for (let back = 1; back < Math.min(passed, VOLUME_DAYS); back++) {
      family.volumeByDay[(day - back) % VOLUME_DAYS] = 0n;
    }
    if (passed > VOLUME_DAYS) family.volumeByDay[day % VOLUME_DAYS] = 0n;
    const feeTier = tierOf(state, family);
    family.volumeByDay[day % VOLUME_DAYS] = 0n;
    if (feeTier === family.feeTier) return;
    family.feeTier = feeTier;
    encodeEvent(out, { kind: 'fee-tier-set', family: index as FamilyIndex, feeTier });
  });
}

function tierOf(state: State, family: Family): number {
  const { native } = state;
  const asset = state.assets[native];
  if (asset === undefined) return 1;
  const one = 10n ** BigInt(asset.spec.scale);
  let volume = 0n;
  for (const units of family.volumeByDay) volume += units;
  let held = 0n;
  for (const account of family.accounts) {
    const purse = purseOf(state.ledger, account, native);
    held += availableIn(state.ledger, purse) + reservedIn(state.ledger, purse);
  }
  const heldUsd = (held * asset.indexPrice) / (one * 100_000_000n);
  let tier = 1;
  FEE_TIERS.forEach((row, at) => {
    if (volume >= row.volume || heldUsd >= row.holdingUsd) tier = at + 1;
  });
  return tier;
}
