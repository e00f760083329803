import type { ByteWriter } from '../../bytes/pack.ts';
import { assert } from '../../domain/assert.ts';
import type { IndexPrice, SetIndexPrices, SetPrice } from '../../domain/commands.ts';
import { encodeEvent } from '../../domain/event-codec.ts';
import type { IndexPricesSet } from '../../domain/events.ts';
import { faultOfIndexPrice, isJump } from '../../domain/index-price.ts';
import { type Refusal, refuse } from '../../domain/rejections.ts';
import { type AssetIndex, type MarketIndex, type UsdPrice, usdPrice } from '../../domain/units.ts';
import { sweepStops } from '../memory/pending.ts';
import { prepareCollateral } from '../risk/collateral.ts';
import { isFresh } from '../risk/freshness.ts';
import { noteMove, updatePrice } from '../risk/marks.ts';
import { type Asset, assetIndexOf, type State } from '../state.ts';
import { prepareFees } from '../trading/fees.ts';

/**
 * One round of index prices. An unknown asset, or one named twice, is the caller's mistake: the whole round
 * is refused. A price out of range is its source's mistake: that price is refused, the others are taken.
 */
export function setIndexPrices(
  state: State,
  command: SetIndexPrices,
  out: ByteWriter,
): Refusal | undefined {
  return takeRound(state, command, out, true);
}

/** Genesis prices come from the program, so the first price from outside may differ by any factor. */
export function startPrices(
  state: State,
  command: SetIndexPrices,
  out: ByteWriter,
): Refusal | undefined {
  return takeRound(state, command, out, false);
}

/** A price set by a person needs no second round to confirm it. */
export function setPrice(state: State, command: SetPrice, out: ByteWriter): Refusal | undefined {
  const { asset: code, price } = command;
  const index = assetIndexOf(state, code);
  if (index === undefined) return refuse('ASSET_UNKNOWN', code);
  const fault = faultOfIndexPrice(price, 0n);
  if (fault !== undefined) return refuse('PARAMETER_INVALID', fault);
  const asset = state.assets[index];
  assert(asset !== undefined, 'an asset index names an asset');
  // The value that the jump check compares with: the price confirms itself.
  asset.jumpPrice = price;
  const prices: IndexPrice[] = [{ asset: code, price, byOperator: true }];
  return takeRound(state, { kind: 'set-index-prices', prices }, out, true);
}

type TakenPrice = { readonly asset: AssetIndex; readonly price: UsdPrice };

function takeRound(
  state: State,
  command: SetIndexPrices,
  out: ByteWriter,
  isQuoted: boolean,
): Refusal | undefined {
  const fault = faultOfRound(state, command);
  if (fault !== undefined) return fault;
  const wasFresh = state.markets.map((market) => isFresh(state, market));
  const prices: TakenPrice[] = [];
  for (const { asset: code, price, byOperator } of command.prices) {
    const index = assetIndexOf(state, code) as AssetIndex;
    const asset = state.assets[index];
    assert(asset !== undefined, 'an asset index names an asset');
    const last = asset.isQuoted && byOperator !== true ? asset.indexPrice : 0n;
    const message = faultOfIndexPrice(price, last);
    if (message !== undefined) {
      encodeEvent(out, { kind: 'index-price-refused', asset: index, price, message });
      continue;
    }
    prices.push({ asset: index, price });
    takePrice(state, asset, price, isQuoted);
  }
  prepareCollateral(state);
  state.markets.forEach((market, index) => {
    prepareFees(state, market);
    updatePrice(state, index as MarketIndex);
  });
  // Stops that triggered while the market was stale are executed now, whether or not the price moved.
  state.markets.forEach((market, index) => {
    if (!wasFresh[index] && isFresh(state, market)) sweepStops(state.pending, index as MarketIndex);
  });
  encodeEvent(out, { kind: 'index-prices-set', prices, ...marksOfMinute(state) });
  return undefined;
}

/** Every mark, unless this minute has published them. */
function marksOfMinute(state: State): Pick<IndexPricesSet, 'marks'> {
  const minute = Math.floor(state.timeMs / MINUTE_MS);
  if (minute === state.markedMinute) return {};
  const marks = state.markets.flatMap(({ price }, index) =>
    price.mark === 0n ? [] : { market: index as MarketIndex, mark: usdPrice(price.mark) },
  );
  if (marks.length === 0) return {};
  state.markedMinute = minute;
  return { marks };
}

const MINUTE_MS = 60_000;

/** No price may move twice in one command: memory/watch.ts relies on it. */
function faultOfRound(state: State, { prices }: SetIndexPrices): Refusal | undefined {
  const named = new Set<string>();
  for (const { asset } of prices) {
    if (assetIndexOf(state, asset) === undefined) return refuse('ASSET_UNKNOWN', asset);
    if (named.has(asset)) return refuse('PARAMETER_INVALID', `${asset} has two index prices`);
    named.add(asset);
  }
  return undefined;
}

function takePrice(state: State, asset: Asset, price: UsdPrice, isQuoted: boolean): void {
  if (isUnconfirmedJump(asset, price)) {
    asset.jumpPrice = price;
    return;
  }
  noteMove(state, asset.indexPrice, price);
  asset.jumpPrice = usdPrice(0n);
  asset.indexPrice = price;
  asset.indexAtMs = state.timeMs;
  asset.isQuoted = isQuoted;
}

/** A jump of more than 10 % waits until the next round confirms it, within 10 %. */
function isUnconfirmedJump(asset: Asset, price: UsdPrice): boolean {
  if (asset.indexPrice === 0n || !isJump(asset.indexPrice, price)) return false;
  return asset.jumpPrice === 0n || isJump(asset.jumpPrice, price);
}
