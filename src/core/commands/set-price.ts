import { assert } from '../../domain/assert.ts';
import type { SetIndexPrices } from '../../domain/commands.ts';
import { encodeEvent } from '../../domain/event-codec.ts';
import type { ByteWriter } from '../../domain/pack.ts';
import { type Refusal, refuse } from '../../domain/rejections.ts';
import { type AssetIndex, type MarketIndex, type UsdPrice, usdPrice } from '../../domain/units.ts';
import { prepareNativeFee } from '../ledger/fees.ts';
import { isFresh } from '../risk/liquidation-plan.ts';
import { disturb, noteMove, updatePrice } from '../risk/marks.ts';
import { type Asset, assetIndexOf, type State } from '../state.ts';

/** One round of index prices. All assets of a round are known, or none of it counts. */
export function setIndexPrices(
  state: State,
  command: SetIndexPrices,
  out: ByteWriter,
): Refusal | undefined {
  const prices: { asset: AssetIndex; price: UsdPrice }[] = [];
  for (const { asset: code, price } of command.prices) {
    const asset = assetIndexOf(state, code);
    if (asset === undefined) return refuse('ASSET_UNKNOWN', code);
    if (price <= 0n) return refuse('PARAMETER_INVALID', `the index price of ${code} is above zero`);
    prices.push({ asset, price });
  }
  const wasFresh = state.markets.map((market) => isFresh(state, market));
  for (const { asset: index, price } of prices) {
    const asset = state.assets[index];
    assert(asset !== undefined, 'an asset index names an asset');
    if (isUnconfirmedJump(asset, price)) {
      asset.jumpPrice = price;
      continue;
    }
    noteMove(state, asset.indexPrice, price);
    asset.jumpPrice = usdPrice(0n);
    asset.indexPrice = price;
    asset.indexAtMs = state.timeMs;
  }
  state.priceRound++;
  state.markets.forEach((market, index) => {
    prepareNativeFee(state, market);
    updatePrice(state, index as MarketIndex);
  });
  // Stops whose price came while the market was closed have waited for this, moved or not.
  state.markets.forEach((market, index) => {
    if (!wasFresh[index] && isFresh(state, market)) disturb(state, index as MarketIndex);
  });
  encodeEvent(out, { kind: 'index-prices-set', prices });
  return undefined;
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
