import type { ByteWriter } from '../../bytes/pack.ts';
import type { MarketIndex } from '../../domain/units.ts';
import { markDueSteps } from '../liquidation/liquidate.ts';
import { takePassed } from '../memory/deadlines.ts';
import { isNothingAtStake } from '../risk/at-stake.ts';
import { isFresh } from '../risk/freshness.ts';
import { refreshMark } from '../risk/marks.ts';
import { sampleBook, sampleHour } from '../risk/premium.ts';
import type { Market, State } from '../state.ts';
import { endHoldsOfTime } from '../wallet/withdrawals.ts';
import { payDueFunding } from './pay-funding.ts';

/**
 * Brings time into the core, at least once a second: samples the books once a second, pays funding on the
 * hour and queues liquidation steps that are due.
 */
export function tick(state: State, out: ByteWriter): undefined {
  payDueFunding(state, out);
  const second = Math.floor(state.timeMs / 1_000);
  const isPause = isNothingAtStake(state);
  state.markets.forEach((market, index) => {
    if (market.spec.type !== 'FUTURE' || market.price.index === 0n) return;
    if (market.premium.second === second) return;
    const emptySeconds = isPause ? unsampledSeconds(market, second) : 0;
    market.premium.second = second;
    if (!isFresh(state, market)) return;
    sampleBook(market, emptySeconds);
    refreshMark(state, index as MarketIndex);
    sampleHour(market);
  });
  takePassed(state.deadlines, state.timeMs, state.pending.deadlines);
  markDueSteps(state);
  endHoldsOfTime(state, out);
  return undefined;
}

/**
 * An idle venue writes no ticks: its books were empty in every second between this tick and the last one, or
 * the listing of the market.
 */
function unsampledSeconds({ premium, listedAtMs }: Market, second: number): number {
  const before = premium.second === 0 ? Math.floor(listedAtMs / 1_000) : premium.second;
  return Math.max(0, second - before - 1);
}

/** After a restart or a step of the clock every price is stale: markets wait for the next round. */
export function restart(state: State): undefined {
  for (const asset of state.assets) asset.indexAtMs = 0;
  return undefined;
}
