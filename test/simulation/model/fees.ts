import { line } from './event-lines.ts';
import { availableOf, payVenue, totalOf } from './money.ts';
import {
  assetAt,
  assetOf,
  familyAt,
  isPerpetual,
  type Model,
  type ModelMarket,
  type ModelOrder,
  nativeOf,
  usdtOf,
} from './state.ts';
import { bigMin, divideUp, partsOfLots } from './values.ts';

/** Trading fees. Rates are parts of 10^-5. */
const TIERS = [
  { maker: 20n, taker: 70n, volume: 0n, holdingUsd: 0n },
  { maker: 10n, taker: 50n, volume: 2_500_000n, holdingUsd: 1_000n },
  { maker: 0n, taker: 40n, volume: 25_000_000n, holdingUsd: 100_000n },
];
const RATE_ONE = 100_000n;
const PARTS = 100_000_000n;
const DAY_MS = 86_400_000;
const DAYS = 30;
/** Volumes saturate. */
const VOLUME_MAX = 2n ** 63n - 1n;
/** Liquidation, ADL and backstop fills have no trading fee. */
const FREE_SOURCES: readonly number[] = [103, 108, 150];

export type Fee = { readonly asset: number; readonly parts: bigint };

/**
 * The fee of one side of one match, after the match's own movements: native if the available balance covers
 * it, else USDT, else the received asset (spot) or native on credit (perpetual).
 */
export function chargeFee(
  model: Model,
  market: ModelMarket,
  order: ModelOrder,
  match: { readonly isTaker: boolean; readonly lots: number; readonly value: bigint },
): Fee {
  if (FREE_SOURCES.includes(order.source)) return { asset: nativeOf(model), parts: 0n };
  const tier = TIERS[familyAt(model, order.family).feeTier - 1];
  const rate = (match.isTaker ? tier?.taker : tier?.maker) ?? 0n;
  const fee = feeOf(model, market, order, match, rate);
  payVenue(model, order.account, 'fees', fee.asset, fee.parts);
  order.paidFees.set(fee.asset, (order.paidFees.get(fee.asset) ?? 0n) + fee.parts);
  return fee;
}

function feeOf(
  model: Model,
  market: ModelMarket,
  order: ModelOrder,
  { lots, value }: { readonly lots: number; readonly value: bigint },
  rate: bigint,
): Fee {
  const native = nativeOf(model);
  const usdt = usdtOf(model);
  if (rate === 0n) return { asset: native, parts: 0n };
  const inNative = isPerpetual(market)
    ? divideUp(value * rate, RATE_ONE)
    : spotFeeIn(model, market, value * rate, native);
  if (availableOf(model, order.account, native) >= inNative) {
    return { asset: native, parts: inNative };
  }
  const inUsdt = isPerpetual(market)
    ? divideUp(value * rate, RATE_ONE * 100n)
    : spotFeeIn(model, market, value * rate, usdt);
  if (availableOf(model, order.account, usdt) >= inUsdt) return { asset: usdt, parts: inUsdt };
  if (isPerpetual(market)) return { asset: native, parts: inNative };
  return order.side === 'BUY'
    ? {
        asset: assetOf(model, market.spec.base),
        parts: divideUp(partsOfLots(market, lots) * rate, RATE_ONE),
      }
    : { asset: assetOf(model, market.spec.counter), parts: divideUp(value * rate, RATE_ONE) };
}

/** value x rate x index(quote) / index(asset), rounded up. */
function spotFeeIn(
  model: Model,
  market: ModelMarket,
  valueTimesRate: bigint,
  asset: number,
): bigint {
  const quote = assetAt(model, assetOf(model, market.spec.counter)).index;
  return divideUp(valueTimesRate * quote, RATE_ONE * assetAt(model, asset).index);
}

/** Matches within a family do not count. Spot counts at its value in dollars, 100 native each. */
export function countVolume(
  model: Model,
  market: ModelMarket,
  families: readonly [number, number],
  value: bigint,
): void {
  if (families[0] === families[1]) return;
  const quote = assetAt(model, assetOf(model, isPerpetual(market) ? 'OX' : market.spec.counter));
  // Whole units of native only.
  const volume = (isPerpetual(market) ? value : (value * quote.index * 100n) / PARTS) / PARTS;
  const today = Math.floor(model.timeMs / DAY_MS);
  for (const index of families) {
    const { volumeByDay } = familyAt(model, index);
    volumeByDay.set(today, bigMin(VOLUME_MAX, (volumeByDay.get(today) ?? 0n) + volume));
  }
}

/** At 00:00 UTC: by the volume of the past 30 days, or by native holding at index. */
export function setFeeTiers(model: Model): void {
  const today = Math.floor(model.timeMs / DAY_MS);
  if (today === model.feeDay) return;
  const isFirst = model.feeDay === 0;
  model.feeDay = today;
  if (isFirst) return;
  model.families.forEach((family, index) => {
    let volume = 0n;
    for (let day = today - DAYS; day < today; day++) volume += family.volumeByDay.get(day) ?? 0n;
    const native = nativeOf(model);
    const held = family.accounts.reduce(
      (sum, accountIndex) => sum + totalOf(model, accountIndex, native),
      0n,
    );
    const heldUsd = (held * assetAt(model, native).index) / (PARTS * PARTS);
    const feeTier =
      1 + TIERS.findLastIndex((tier) => volume >= tier.volume || heldUsd >= tier.holdingUsd);
    if (feeTier === family.feeTier) return;
    family.feeTier = feeTier;
    model.emitted.push(line('fee-tier-set', { family: index, feeTier }));
  });
}
