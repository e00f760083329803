import type { SetIndexPrices } from '../../../src/domain/commands.ts';
import { line } from './event-lines.ts';
import {
  assetAt,
  assetOf,
  isPerpetual,
  type Model,
  type ModelAsset,
  type ModelMarket,
  must,
  nativeOf,
  type Refusal,
  sweepStops,
} from './state.ts';
import { bigMax, bigMin, divideHalfEven } from './values.ts';

/** Index prices, how old they may be, and the marks that follow from them. */

const FRESH_MS = 30_000;
const RATE_ONE = 1_000_000_000n;
const PRICE_ONE = 100_000_000n;

/** Base and counter must have a current price, and so must native, or nothing could be valued. */
export function isFresh(model: Model, market: ModelMarket): boolean {
  const assets = [nativeOf(model), assetOf(model, market.spec.base)];
  if (!isPerpetual(market)) assets.push(assetOf(model, market.spec.counter));
  return assets.every((asset) => model.timeMs - assetAt(model, asset).indexAtMs <= FRESH_MS);
}

export const isTradable = (model: Model, market: ModelMarket): boolean =>
  market.state === 'OPEN' && isFresh(model, market);

/** The prices of genesis are exempt from the factor test, and so is the first after them. */
export function setIndexPrices(model: Model, command: SetIndexPrices, isGenesis = false): Refusal {
  const codes = command.prices.map(({ asset }) => asset);
  if (codes.some((code) => !model.assets.some(({ spec }) => spec.code === code))) {
    return 'ASSET_UNKNOWN';
  }
  if (new Set(codes).size < codes.length) return 'PARAMETER_INVALID';
  for (const { asset: code, price, byOperator } of command.prices) {
    const index = assetOf(model, code);
    const asset = must(model.assets[index]);
    if (isOutOfRange(price) || (byOperator !== true && isFarOff(asset, price))) {
      model.emitted.push(line('index-price-refused', { asset: index, price }));
    } else if (mustWait(asset, price)) asset.jump = price;
    else {
      const isQuoted = !isGenesis;
      Object.assign(asset, { index: price, indexAtMs: model.timeMs, jump: 0n, isQuoted });
    }
  }
  model.markets.forEach((_, index) => {
    setMark(model, index);
  });
  model.emitted.push(line('index-prices-set', { marks: marksOfMinute(model) }));
  return undefined;
}

/** The first round of a minute publishes all current marks. */
function marksOfMinute(model: Model): string | undefined {
  const minute = Math.floor(model.timeMs / 60_000);
  const marks = model.markets.flatMap(({ mark }, index) => (mark === 0n ? [] : `${index}:${mark}`));
  if (minute === model.markedMinute || marks.length === 0) return undefined;
  model.markedMinute = minute;
  return marks.join(',');
}

/** Above 0, and at most 10^9 dollars. */
const isOutOfRange = (price: bigint): boolean => price <= 0n || price > 1_000_000_000n * PRICE_ONE;

/** Within 1/20 to 20 times the last accepted one. */
const isFarOff = ({ index, isQuoted }: ModelAsset, price: bigint): boolean =>
  isQuoted && (price > 20n * index || 20n * price < index);

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
  if (base === 0n || counter === 0n) return 0n;
  return bigMax(1n, divideHalfEven(base * PRICE_ONE, counter));
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
  sweepStops(model, index);
}
