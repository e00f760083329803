import { isRefusal } from '../../domain/rejections.ts';
import type { Engine } from '../../engine/engine.ts';
import type { History } from '../../history/history.ts';
import { getFunding, getFundingEstimates, getFundingRates } from '../../wire/funding.ts';
import { pageOf } from '../../wire/scalars.ts';
import { type Route, route } from '../http/mount.ts';
import { awaitHistory } from '../request/await-history.ts';
import { marketFilter } from '../request/names.ts';
import { fundingEstimateShape, fundingRateShape, fundingShape } from './shapes.ts';

export const fundingRoutes = (engine: Engine, history: History): Route[] => [
  route(getFunding, async ({ request, caller }) => {
    const { directory } = engine;
    const market = marketFilter(directory, request.marketCode);
    if (typeof market === 'object') return market;
    const page = pageOf(request, getFunding.limits, engine.nowMs());
    if (isRefusal(page)) return page;
    const unavailable = await awaitHistory(engine, history);
    if (unavailable !== undefined) return unavailable;
    const rows = await history.fundingPayments({
      account: caller.account,
      ...(market === undefined ? {} : { market }),
      ...page,
      // The one list of the interface whose endTime is exclusive; times are whole milliseconds.
      toMs: page.toMs - 1,
    });
    return { data: rows.map((row) => fundingShape(directory, row)) };
  }),

  route(getFundingRates, async ({ request }) => {
    const { directory } = engine;
    const market = marketFilter(directory, request.marketCode);
    if (typeof market === 'object') return market;
    const page = pageOf(request, getFundingRates.limits, engine.nowMs());
    if (isRefusal(page)) return page;
    const unavailable = await awaitHistory(engine, history);
    if (unavailable !== undefined) return unavailable;
    const { fromMs, toMs, limit } = page;
    const rows = await history.fundingRates({
      ...(market === undefined ? {} : { market }),
      fromMs,
      toMs,
      limit,
    });
    return { data: rows.map((row) => fundingRateShape(directory, row)) };
  }),

  route(getFundingEstimates, async ({ request }) => {
    const { directory } = engine;
    const market = marketFilter(directory, request.marketCode);
    if (typeof market === 'object') return market;
    const views = await engine.view('markets', market === undefined ? {} : { market });
    const perpetuals = views.filter((view) => directory.market(view.market).type === 'FUTURE');
    const nowMs = engine.nowMs();
    return { data: perpetuals.map((view) => fundingEstimateShape(directory, view, nowMs)) };
  }),
];
