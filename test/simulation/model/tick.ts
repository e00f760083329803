import type { Side } from '../../../src/domain/terms.ts';
import { bookSide } from './book.ts';
import { fireSwitches } from './cancel.ts';
import { line } from './event-lines.ts';
import { marginOf } from './margin.ts';
import { availableOf, payVenue } from './money.ts';
import { indexOf, isFresh, setMark } from './prices.ts';
import {
  accountAt,
  isPerpetual,
  type Model,
  type ModelMarket,
  marketAt,
  must,
  nativeOf,
} from './state.ts';
import {
  averagePrice,
  bigMax,
  bigMin,
  divideDown,
  divideHalfEven,
  markValueDown,
  markValueUp,
  valueAt,
} from './values.ts';
import { endWaits } from './wallet.ts';

/** What happens because time passes. */

const HOUR_MS = 3_600_000;
/** The distance between points of a liquidation's grid. */
export const STEP_MS = 500;
const SAMPLES_MAX = 120;
/** Premiums are in parts of 10^-12, rates in 10^-9. */
const PREMIUM_ONE = 1_000_000_000_000n;
const RATE_ONE = 1_000_000_000n;
const SECONDS_MIN = 1_800;

export function tick(model: Model): void {
  model.markets.forEach((market, index) => {
    if (isPerpetual(market)) payFunding(model, market, index);
  });
  const second = Math.floor(model.timeMs / 1_000);
  const isPause = nothingAtStake(model);
  model.markets.forEach((market, index) => {
    if (!isPerpetual(market) || indexOf(model, market) === 0n) return;
    if (market.sampledSecond === second) return;
    // The seconds since it was listed, or last sampled, excluding both ends.
    const unsampled = Math.max(0, second - (market.sampledSecond || market.listedSecond) - 1);
    market.sampledSecond = second;
    if (isFresh(model, market)) sample(model, market, index, isPause ? unsampled : 0);
  });
  fireSwitches(model);
  for (const accountIndex of model.liquidating) {
    const liquidation = must(accountAt(model, accountIndex).liquidation);
    if (liquidation.stepAtMs > model.timeMs) continue;
    // Missed points of the grid are skipped.
    while (liquidation.stepAtMs <= model.timeMs) liquidation.stepAtMs += STEP_MS;
    if (!model.liquidationSteps.includes(accountIndex)) model.liquidationSteps.push(accountIndex);
  }
  endWaits(model);
}

const ENDED = ['COMPLETED', 'CANCELED', 'FAILED'];

/**
 * A venue in which no account has an order, a position, a debt or a withdrawal that waits for time writes no
 * ticks: its books are empty.
 */
export const nothingAtStake = (model: Model): boolean =>
  model.wallet.withdrawals.every(
    ({ status, holds }) => ENDED.includes(status) || !holds.has('new-address'),
  ) &&
  model.orders.length === 0 &&
  model.switches.length === 0 &&
  [...model.accounts.values()].every(
    ({ accountIndex, positions, liquidation }) =>
      liquidation === undefined &&
      [...positions.values()].every(({ lots }) => lots === 0) &&
      availableOf(model, accountIndex, nativeOf(model)) >= 0n,
  );

/** Seconds of a pause count as samples of 0. */
function sample(model: Model, market: ModelMarket, index: number, paused: number): void {
  const price = indexOf(model, market);
  const mid = midOf(model, index);
  const zeros = new Array<bigint>(Math.min(paused, SAMPLES_MAX)).fill(0n);
  const last = mid === undefined ? 0n : mid - price;
  market.samples = [...market.samples, ...zeros, last].slice(-SAMPLES_MAX);
  setMark(model, index);
  market.hourPremiums.push(((market.mark - price) * PREMIUM_ONE) / price);
}

/** The middle of the impact prices; none if a side does not have the impact notional. */
function midOf(model: Model, index: number): bigint | undefined {
  const bid = impactPrice(model, index, 'BUY');
  const ask = impactPrice(model, index, 'SELL');
  return bid === undefined || ask === undefined ? undefined : divideHalfEven(bid + ask, 2n);
}

/**
 * The average price of this notional, over the visible part of orders that are not reduce-only, best price
 * first; of the last order only the part that is needed. Average = notional / quantity.
 */
function impactPrice(model: Model, index: number, side: Side): bigint | undefined {
  const market = marketAt(model, index);
  const notional = market.spec.impactNotional;
  // The quantity is a fraction of lots: with the value of a lot at the last price as denominator it is an
  // integer.
  let lots = 0n;
  let value = 0n;
  for (const order of bookSide(model, index, side)) {
    if (order.reduceOnly) continue;
    const perLot = valueAt(market, order.priceTicks, 1);
    const missing = notional - value;
    if (perLot * BigInt(order.sliceLots) >= missing) {
      const quantity = { above: lots * perLot + missing, below: perLot };
      return averagePrice(market, notional, quantity);
    }
    lots += BigInt(order.sliceLots);
    value += perLot * BigInt(order.sliceLots);
  }
  return undefined;
}

/** For every hour that has ended since the last tick; hours that were not measured have rate 0. */
function payFunding(model: Model, market: ModelMarket, index: number): void {
  const now = Math.floor(model.timeMs / HOUR_MS);
  if (market.hour === 0) market.hour = Math.floor((market.listedSecond * 1_000) / HOUR_MS);
  while (market.hour < now) {
    market.hour++;
    payHour(model, market, index);
    market.hourPremiums = [];
  }
}

function payHour(model: Model, market: ModelMarket, index: number): void {
  const rate = rateOf(market.hourPremiums);
  const price = indexOf(model, market);
  const seconds = market.hourPremiums.length;
  const atMs = market.hour * HOUR_MS;
  model.emitted.push(line('funding-set', { market: index, rate, index: price, atMs, seconds }));
  if (rate === 0n) return;
  for (const { accountIndex, positions } of model.accounts.values()) {
    const lots = positions.get(index)?.lots ?? 0;
    if (lots === 0) continue;
    const isPaying = lots > 0 === rate > 0n;
    // Index x rate as one price with nine more digits: rounded once, against the account.
    const scaled = price * (rate < 0n ? -rate : rate);
    const value = isPaying ? markValueUp : markValueDown;
    const size = value(market, Math.abs(lots), scaled);
    const parts = isPaying ? -divideDown(-size, RATE_ONE) : divideDown(size, RATE_ONE);
    const payment = isPaying ? -parts : parts;
    payVenue(model, accountIndex, 'rounding', nativeOf(model), -payment);
    const { collateral, unrealised } = marginOf(model, accountIndex);
    const after = { collateral, unrealised };
    const facts = { account: accountIndex, market: index, payment, rate, lots, index: price };
    model.emitted.push(line('funding-paid', { ...facts, ...after }));
  }
}

/** (premium + clamp(0.0001 - premium, +-0.0005)) / 24, at most 0.03 / 24, toward zero. */
export function rateOf(premiums: readonly bigint[]): bigint {
  if (premiums.length < SECONDS_MIN) return 0n;
  const sum = premiums.reduce((all, one) => all + one, 0n);
  const premium = sum / BigInt(premiums.length);
  const part = (thousandths: bigint, of: bigint): bigint => (PREMIUM_ONE * thousandths) / of;
  const clamp = (value: bigint, limit: bigint): bigint => bigMin(limit, bigMax(-limit, value));
  const daily = premium + clamp(part(1n, 10_000n) - premium, part(5n, 10_000n));
  return clamp(daily, part(3n, 100n)) / (24n * 1_000n);
}
