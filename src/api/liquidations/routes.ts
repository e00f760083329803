import { isRefusal } from '../../domain/rejections.ts';
import type { Engine } from '../../engine/engine.ts';
import type { History } from '../../history/history.ts';
import { getLiquidations } from '../../wire/liquidations.ts';
import { pageOf } from '../../wire/scalars.ts';
import { type Route, route } from '../http/mount.ts';
import { awaitHistory } from '../request/await-history.ts';
import { liquidationShape } from './shapes.ts';

export const liquidationRoutes = (engine: Engine, history: History): Route[] => [
  route(getLiquidations, async ({ request, caller }) => {
    const { directory } = engine;
    const page = pageOf(request, getLiquidations.limits, engine.nowMs());
    if (isRefusal(page)) return page;
    const unavailable = await awaitHistory(engine, history);
    if (unavailable !== undefined) return unavailable;
    const rows = await history.liquidations({ account: caller.account, ...page });
    return { data: rows.map((row) => liquidationShape(directory, row)) };
  }),
];
