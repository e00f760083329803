import type { AssetIndex } from '../../domain/units.ts';
import type { Market, State } from '../state.ts';

/** A market whose prices are older than this takes only cancels. */
export const FRESH_MS = 30_000;

/** Whether the market may be traded now: open, with fresh prices. */
export function isTradable(state: State, market: Market): boolean {
  return market.state === 'OPEN' && isFresh(state, market);
}

/** A stale native index makes every market stale: nothing could be valued. */
export function isFresh(state: State, market: Market): boolean {
  return (
    isFreshAsset(state, state.native) &&
    isFreshAsset(state, market.baseAsset) &&
    isFreshAsset(state, market.settleAsset)
  );
}

function isFreshAsset({ assets, timeMs }: State, index: AssetIndex): boolean {
  const asset = assets[index];
  return asset !== undefined && timeMs - asset.indexAtMs <= FRESH_MS;
}
