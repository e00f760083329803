import type { ByteWriter } from '../../bytes/pack.ts';
import { assert } from '../../domain/assert.ts';
import type { SetIndexPrices } from '../../domain/commands.ts';
import { encodeEvent } from '../../domain/event-codec.ts';
import { faultOfIndexPrice } from '../../domain/index-price.ts';
import { type Refusal, refuse } from '../../domain/rejections.ts';
import { type AssetIndex, type MarketIndex, type UsdPrice, usdPrice } from '../../domain/units.ts';
import { sweepStops } from '../memory/pending.ts';
import { isFresh } from '../risk/liquidation-plan.ts';
import { noteMove, updatePrice } from '../risk/marks.ts';
import { type Asset, assetIndexOf, type State } from '../state.ts';
import { prepareNativeFee } from '../trading/fees.ts';

/**
 * One round of index prices. Assets that nobody knows, or that are named twice, are a mistake of the
 * caller: none of the round counts. A price out of range is a mistake of its source: that one is not
 * taken, and the others are.
 */
export function setIndexPrices(
  state: State,
  command: SetIndexPrices,
  out: ByteWriter,
): Refusal | undefined {
  return takeRound(state, command, out, true);
}

/** The prices of genesis are the program's own: the first from outside may be any factor away. */
export function startPrices(
  state: State,
  command: SetIndexPrices,
  out: ByteWriter,
): Refusal | undefined {
  return takeRound(state, command, out, false);
}

type Heard = { readonly asset: AssetIndex; readonly price: UsdPrice };

function takeRound(
  state: State,
  command: SetIndexPrices,
  out: ByteWriter,
  isQuoted: boolean,
): Refusal | undefined {
  const fault = faultOfRound(state, command);
  if (fault !== undefined) return fault;
  const wasFresh = state.markets.map((market) => isFresh(state, market));
  const prices: Heard[] = [];
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
  state.priceRound++;
  state.markets.forEach((market, index) => {
    prepareNativeFee(state, market);
    updatePrice(state, index as MarketIndex);
  });
  // Stops whose price came while the market was closed have waited for this, moved or not.
  state.markets.forEach((market, index) => {
    if (!wasFresh[index] && isFresh(state, market)) sweepStops(state.pending, index as MarketIndex);
  });
  encodeEvent(out, { kind: 'index-prices-set', prices });
  return undefined;
}

/** The watch counts on it that no price moves twice in a command. */
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

/** A jump by more than a tenth waits for the next round to say the same, within a tenth. */
function isUnconfirmedJump(asset: Asset, price: UsdPrice): boolean {
  if (asset.indexPrice === 0n || !isFar(asset.indexPrice, price)) return false;
  return asset.jumpPrice === 0n || isFar(asset.jumpPrice, price);
}

function isFar(from: bigint, to: bigint): boolean {
  const difference = to > from ? to - from : from - to;
  return difference * 10n > from;
}
