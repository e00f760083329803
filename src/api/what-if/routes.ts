import { isRefusal } from '../../domain/rejections.ts';
import type { Engine } from '../../engine/engine.ts';
import { MEMBERS } from '../../wire/orders.ts';
import { estimateMargin, previewOrder } from '../../wire/what-if.ts';
import { accountShape } from '../account/shapes.ts';
import { type Route, route } from '../http/mount.ts';
import { ignoreUnknown, type MemberCheck } from '../request/strict-members.ts';
import { readPreviewed, readSupposed } from './intake.ts';
import { previewShape } from './shapes.ts';

/** Looks at what would be. No command is made of it, whatever is asked. */
export const whatIfRoutes = (
  engine: Engine,
  checkMembers: MemberCheck = ignoreUnknown,
): Route[] => [
  route(estimateMargin, async ({ request, caller }) => {
    const { directory } = engine;
    const supposed = readSupposed(directory, request);
    if (isRefusal(supposed)) return supposed;
    const view = await engine.view('estimate', { account: caller.account, ...supposed });
    return { data: accountShape(directory, view) };
  }),

  route(previewOrder, async ({ request, caller }) => {
    const { directory } = engine;
    const order = checkMembers(request, MEMBERS.order) ?? readPreviewed(directory, request);
    if (isRefusal(order)) return order;
    const view = await engine.view('preview', { account: caller.account, order });
    return { data: previewShape(directory, order, view) };
  }),
];
