import { halfEven } from '../../domain/decimal.ts';
import { BUY, SELL } from '../../domain/order-codes.ts';
import { partsAt } from '../memory/columns.ts';
import { type Premium, SAMPLES } from '../memory/premium-samples.ts';
import type { Market } from '../state.ts';
import { impactPrice } from './impact-price.ts';

/** (mark - index) / index is kept in these parts. */
const PREMIUM_SCALE = 12;
const PREMIUM_ONE = 10n ** BigInt(PREMIUM_SCALE);

/**
 * Takes one sample of the book against the index, after samples of 0 for the seconds in which the book was
 * empty and not sampled.
 */
export function sampleBook(market: Market, emptySeconds: number): void {
  const { premium, price } = market;
  for (let left = Math.min(emptySeconds, SAMPLES); left > 0; left--) addSample(premium, 0n);
  const mid = midOf(market);
  addSample(premium, mid === undefined ? 0n : mid - price.index);
}

function addSample(premium: Premium, sample: bigint): void {
  premium.sum += sample - partsAt(premium.samples, premium.next);
  premium.samples[premium.next] = sample;
  premium.next = (premium.next + 1) % SAMPLES;
  if (premium.count < SAMPLES) premium.count++;
}

/** The mean of the samples, half to even. */
export const meanPremium = ({ sum, count }: Premium): bigint =>
  count === 0 ? 0n : halfEven(sum, BigInt(count));

/** One second of the hour: mark against index, toward zero. */
export function sampleHour(market: Market): void {
  const { premium, price } = market;
  premium.hourSum += ((price.mark - price.index) * PREMIUM_ONE) / price.index;
  premium.hourSeconds++;
}

/** An hour with less than this of fresh prices pays nothing. */
const SECONDS_MIN = 1_800;
/** In parts of 10^-12: 0.0001, 0.0005 and 0.03. */
const INTEREST = PREMIUM_ONE / 10_000n;
const CLAMP = (PREMIUM_ONE * 5n) / 10_000n;
const RATE_MAX = (PREMIUM_ONE * 3n) / 100n;
export const FUNDING_SCALE = 9;

/**
 * (premium + clamp(0.0001 - premium, -0.0005, 0.0005)) / 24, at most 0.03 / 24 either way, in 10^-9,
 * toward zero.
 */
export function fundingRate({ hourSum, hourSeconds }: Premium, secondsMin = SECONDS_MIN): bigint {
  if (hourSeconds < secondsMin || hourSeconds === 0) return 0n;
  const premium = hourSum / BigInt(hourSeconds);
  const daily = premium + clamp(INTEREST - premium, CLAMP);
  return clamp(daily, RATE_MAX) / 24n / 10n ** BigInt(PREMIUM_SCALE - FUNDING_SCALE);
}

const clamp = (value: bigint, limit: bigint): bigint =>
  value > limit ? limit : value < -limit ? -limit : value;

/** The midpoint of the impact prices, in 10^-8; undefined if a side does not hold the notional. */
function midOf(market: Market): bigint | undefined {
  const bid = impactPrice(market, BUY);
  if (bid === undefined) return undefined;
  const ask = impactPrice(market, SELL);
  return ask === undefined ? undefined : halfEven(bid + ask, 2n);
}
