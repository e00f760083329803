import type { Engine } from '../../engine/engine.ts';
import { getTime } from '../../wire/system.ts';
import { timestampText } from '../../wire/timestamp.ts';
import { type Route, route } from '../http/mount.ts';

export const systemRoutes = (engine: Engine): Route[] => [
  route(getTime, () => {
    const nowMs = engine.nowMs();
    return { data: { timestamp: String(nowMs), iso: timestampText(nowMs) } };
  }),
];
