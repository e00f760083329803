import { isRefusal } from '../../domain/rejections.ts';
import type { Engine } from '../../engine/engine.ts';
import type { History } from '../../history/history.ts';
import {
  DEPTH_LEVELS,
  getAssets,
  getCandles,
  getDepth,
  getExchangeTrades,
  getLeverageTiers,
  getMarkets,
  getOperational,
  getTickers,
} from '../../wire/market-data.ts';
import { DAY_MS, isTrue, limitOf, pageOf } from '../../wire/scalars.ts';
import { type Route, route } from '../http/mount.ts';
import { awaitHistory } from '../request/await-history.ts';
import { marketFilter, marketToRead } from '../request/names.ts';
import {
  assetShape,
  candleShape,
  depthShape,
  exchangeTradeShape,
  leverageShape,
  marketShape,
  tickerShape,
} from './shapes.ts';

export const marketDataRoutes = (engine: Engine, history: History): Route[] => [
  route(getMarkets, async ({ request }) => {
    const { directory } = engine;
    const market = marketFilter(directory, request.marketCode);
    if (typeof market === 'object') return market;
    const views = await engine.view('markets', market === undefined ? {} : { market });
    const nowMs = engine.nowMs();
    return { data: views.map((view) => marketShape(directory.market(view.market), view, nowMs)) };
  }),

  route(getAssets, ({ request }) => {
    const { directory } = engine;
    const codes = directory.assets().map(({ code }) => code);
    const selected = codes.filter((code) => request.asset === undefined || code === request.asset);
    return { data: selected.map((code) => assetShape(directory, code)) };
  }),

  route(getTickers, async ({ request }) => {
    const { directory } = engine;
    const market = marketFilter(directory, request.marketCode);
    if (typeof market === 'object') return market;
    const views = await engine.view('markets', market === undefined ? {} : { market });
    const unavailable = await awaitHistory(engine, history);
    if (unavailable !== undefined) return unavailable;
    const nowMs = engine.nowMs();
    const data: ReturnType<typeof tickerShape>[] = [];
    for (const view of views) {
      const ask = { market: view.market, fromMs: nowMs - DAY_MS };
      const day = (await history.dayStats(ask)) ?? (await history.dayMarks(ask));
      data.push(tickerShape(directory, view, { day, nowMs }));
    }
    return { data };
  }),

  route(getCandles, async ({ request }) => {
    const { directory } = engine;
    const market = marketToRead(directory, request.marketCode);
    if (typeof market === 'object') return market;
    const page = pageOf(request, getCandles.limits, engine.nowMs());
    if (isRefusal(page)) return page;
    const unavailable = await awaitHistory(engine, history);
    if (unavailable !== undefined) return unavailable;
    const { timeframe = '3600s' } = request;
    const { fromMs, limit } = page;
    const rows = await history.candles({
      ...{ market, fromMs, limit },
      lengthMs: Number.parseInt(timeframe, 10) * 1_000,
      // The current one is the last: there are none in the future.
      toMs: Math.min(page.toMs, engine.nowMs()),
    });
    return { data: rows.map((row) => candleShape(directory, market, row)), extra: { timeframe } };
  }),

  route(getDepth, async ({ request }) => {
    const { directory } = engine;
    const market = marketToRead(directory, request.marketCode);
    if (typeof market === 'object') return market;
    const levels = limitOf(request.level, DEPTH_LEVELS);
    const view = await engine.view('depth', { market, levels });
    return {
      data: depthShape(directory.market(market), view),
      extra: { level: String(levels) },
    };
  }),

  route(getOperational, async ({ request }) => {
    const { directory } = engine;
    const market = marketToRead(directory, request.marketCode);
    if (typeof market === 'object') return market;
    const [view] = await engine.view('markets', { market });
    return { data: { marketCode: request.marketCode, operational: view?.isOperational === true } };
  }),

  route(getLeverageTiers, ({ request }) => {
    const { directory } = engine;
    const market = marketFilter(directory, request.marketCode);
    if (typeof market === 'object') return market;
    const selected = market === undefined ? directory.markets() : [directory.market(market)];
    const perpetuals = selected.filter(({ type }) => type === 'FUTURE');
    return { data: perpetuals.map((spec) => leverageShape(directory, spec)) };
  }),

  route(getExchangeTrades, async ({ request }) => {
    const { directory } = engine;
    const market = marketFilter(directory, request.marketCode);
    if (typeof market === 'object') return market;
    const page = pageOf(request, getExchangeTrades.limits, engine.nowMs());
    if (isRefusal(page)) return page;
    const unavailable = await awaitHistory(engine, history);
    if (unavailable !== undefined) return unavailable;
    const rows = await history.exchangeTrades({
      ...(market === undefined ? {} : { market }),
      ...page,
    });
    const hasIds = isTrue(request.ids) || request.beforeId !== undefined;
    return { data: rows.map((row) => exchangeTradeShape(directory, row, hasIds)) };
  }),
];
