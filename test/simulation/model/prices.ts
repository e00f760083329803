import type { SetIndexPrices } from '../../../src/domain/commands.ts';

import {
  assetAt,
  assetOf,
  disturb,
  isPerpetual,
  type Model,
  type ModelAsset,
  type ModelMarket,
  must,
  nativeOf,
  type Refusal,
} from './state.ts';
import { line } from './told.ts';
import { bigMax, bigMin, divideHalfEven } from './values.ts';

/** Rules 5: index prices, how old they may be, and the marks that follow from them. */

const FRESH_MS = 30_000;
const RATE_ONE = 1_000_000_000n;
const PRICE_ONE = 100_000_000n;

/** Base and counter must have a price of now, and so must native, or nothing could be valued. */
export function isFresh(model: Model, market: ModelMarket): boolean {
  const assets = [nativeOf(model), assetOf(model, market.spec.base)];
  if (!isPerpetual(market)) assets.push(assetOf(model, market.spec.counter));
  return assets.every((asset) => model.timeMs - assetAt(model, asset).indexAtMs <= FRESH_MS);
}

export const isTradable = (model: Model, market: ModelMarket): boolean =>
  market.state === 'OPEN' && isFresh(model, market);

export function setIndexPrices(model: Model, command: SetIndexPrices): Refusal {
  if (command.prices.some(({ price }) => price <= 0n)) return 'PARAMETER_INVALID';
  for (const { asset: code, price } of command.prices) {
    const asset = must(model.assets[assetOf(model, code)]);
    if (mustWait(asset, price)) asset.jump = price;
    else Object.assign(asset, { index: price, indexAtMs: model.timeMs, jump: 0n });
  }
  model.markets.forEach((_, index) => {
    setMark(model, index);
  });
  model.told.push(line('index-prices-set'));
  return undefined;
}

/** A jump over 10 % waits until a round confirms it: until one is within 10 % of the jump. */
function mustWait({ index, jump }: ModelAsset, price: bigint): boolean {
  if (index === 0n || !isJump(index, price)) return false;
  return jump === 0n || isJump(jump, price);
}

const isJump = (from: bigint, to: bigint): boolean =>
  10n * (to > from ? to - from : from - to) > from;

/** After a restart every market waits for the first index. */
export function restart(model: Model): void {
  for (const asset of model.assets) asset.indexAtMs = 0;
}

/** A perpetual's index is its base's, a spot market's base / counter. */
export function indexOf(model: Model, market: ModelMarket): bigint {
  const base = assetAt(model, assetOf(model, market.spec.base)).index;
  if (isPerpetual(market)) return base;
  const counter = assetAt(model, assetOf(model, market.spec.counter)).index;
  return counter === 0n ? 0n : divideHalfEven(base * PRICE_ONE, counter);
}

/** index + mean of the samples, clamped to index x (1 +- band / 2); on spot the index. */
export function setMark(model: Model, index: number): void {
  const market = must(model.markets[index]);
  const price = indexOf(model, market);
  if (price === 0n) return;
  const { samples, spec } = market;
  const sum = samples.reduce((all, sample) => all + sample, 0n);
  const mean = samples.length === 0 ? 0n : divideHalfEven(sum, BigInt(samples.length));
  const room = divideHalfEven(price * spec.band, 2n * RATE_ONE);
  const mark = isPerpetual(market) ? price + bigMin(room, bigMax(-room, mean)) : price;
  if (mark === market.mark) return;
  market.mark = mark;
  disturb(model, index);
}
