import type { ByteWriter } from '../../bytes/pack.ts';
import type { MarketIndex } from '../../domain/units.ts';
import { markDueSteps } from '../liquidation/liquidate.ts';
import { isFresh } from '../risk/liquidation-plan.ts';
import { refreshMark } from '../risk/marks.ts';
import { sampleBook, sampleHour } from '../risk/premium.ts';
import type { State } from '../state.ts';
import { payDueFunding } from './pay-funding.ts';

/**
 * Brings time into the core, at least once a second: samples the books once a second, pays funding on the
 * hour and queues liquidation steps that are due.
 */
export function tick(state: State, out: ByteWriter): undefined {
  payDueFunding(state, out);
  const second = Math.floor(state.timeMs / 1_000);
  state.markets.forEach((market, index) => {
    if (market.spec.type !== 'FUTURE' || market.price.index === 0n) return;
    if (market.premium.second === second) return;
    market.premium.second = second;
    if (!isFresh(state, market)) return;
    sampleBook(market);
    refreshMark(state, index as MarketIndex);
    sampleHour(market);
  });
  markDueSteps(state);
  return undefined;
}

/** After a restart or a step of the clock every price is stale: markets wait for the next round. */
export function restart(state: State): undefined {
  for (const asset of state.assets) asset.indexAtMs = 0;
  return undefined;
}
