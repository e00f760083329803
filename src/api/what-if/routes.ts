import { isRefusal, type Refusal, refuse, shortened } from '../../domain/rejections.ts';
import type { AccountIndex } from '../../domain/units.ts';
import type { Directory } from '../../domain/views.ts';
import type { Engine } from '../../engine/engine.ts';
import { MEMBERS } from '../../wire/orders.ts';
import { estimateMargin, previewOrder } from '../../wire/what-if.ts';
import { accountShape } from '../account/shapes.ts';
import type { Caller } from '../http/authenticate.ts';
import { type Route, route } from '../http/mount.ts';
import type { OrderRouteParts } from '../orders/routes.ts';
import { accountByIdOrName } from '../request/accounts.ts';
import { namedAccount } from '../request/names.ts';
import { beyondHolding, readPreviewed, readSupposed } from './intake.ts';
import { previewShape } from './shapes.ts';

/** Shows hypothetical outcomes. It never submits a command. */
export const whatIfRoutes = (
  engine: Engine,
  { checkMembers, longRead }: Pick<OrderRouteParts, 'checkMembers' | 'longRead'>,
): Route[] => [
  route(estimateMargin, async ({ request, caller }) => {
    const { directory } = engine;
    const supposed = readSupposed(directory, request);
    if (isRefusal(supposed)) return supposed;
    const account = accountSupposed(directory, caller, request.account);
    if (typeof account === 'object') return account;
    const query = { account, ...supposed };
    const view = await longRead(caller.family, directory.openOrders(account), () =>
      engine.view('estimate', query),
    );
    return view === undefined ? beyondHolding() : { data: accountShape(directory, view) };
  }),

  route(previewOrder, async ({ request, caller }) => {
    const { directory } = engine;
    const order = checkMembers(request, MEMBERS.order) ?? readPreviewed(directory, request);
    if (isRefusal(order)) return order;
    const query = { account: caller.account, order };
    const view = await longRead(caller.family, directory.openOrders(caller.account), () =>
      engine.view('preview', query),
    );
    return { data: previewShape(directory, order, view) };
  }),
];

/** Another account of the family by id or name, for a key of the main account. */
function accountSupposed(
  directory: Directory,
  caller: Caller,
  sent: string | undefined,
): AccountIndex | Refusal {
  if (sent === undefined) return caller.account;
  const found = accountByIdOrName(directory, caller.family, sent);
  if (found !== undefined && (caller.isMain || found === caller.account)) return found;
  return caller.isMain
    ? namedAccount(directory, caller.family, sent)
    : refuse('SUB_ACCOUNT_INVALID', `account ${shortened(sent)}`);
}
