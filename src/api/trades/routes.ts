import { isRefusal, refuse } from '../../domain/rejections.ts';
import type { Engine } from '../../engine/engine.ts';
import type { History } from '../../history/history.ts';
import { pageOf } from '../../wire/scalars.ts';
import { getTrades } from '../../wire/trades.ts';
import { type Route, route } from '../http/mount.ts';
import { tradeShape } from '../market-data/shapes.ts';
import { awaitHistory } from '../request/await-history.ts';
import { marketFilter } from '../request/names.ts';
import { tradesBefore } from './pages.ts';

export const tradeRoutes = (engine: Engine, history: History): Route[] => [
  route(getTrades, async ({ request, caller }) => {
    const { directory } = engine;
    const market = marketFilter(directory, request.marketCode);
    if (typeof market === 'object') return market;
    const { beforeId, ...window } = request;
    const page = pageOf(window, getTrades.limits, engine.nowMs());
    if (isRefusal(page)) return page;
    const unavailable = await awaitHistory(engine, history);
    if (unavailable !== undefined) return unavailable;
    const ask = { account: caller.account, ...(market === undefined ? {} : { market }), ...page };
    const rows = await tradesBefore(history, ask, beforeId);
    if (rows === undefined) {
      return refuse(
        'PARAMETER_INVALID',
        `beforeId ${beforeId} is neither the id nor the matchId of a trade`,
      );
    }
    return { data: rows.map((row) => tradeShape(directory, row)) };
  }),
];
