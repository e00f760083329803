import { assert } from '../../domain/assert.ts';
import type { Outcome } from '../../domain/events.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/rejections.ts';
import type { Directory } from '../../domain/views.ts';
import type { Engine } from '../../engine/engine.ts';
import type { History } from '../../history/history.ts';
import type { ReplyOf } from '../../wire/endpoint.ts';
import { pageOf } from '../../wire/scalars.ts';
import { getTransfers, requestTransfer } from '../../wire/transfers.ts';
import { type Route, route } from '../http/mount.ts';
import { accountByIdOrName } from '../request/accounts.ts';
import { awaitHistory } from '../request/await-history.ts';
import { namedAsset } from '../request/names.ts';
import { quantityParts } from '../request/quantity.ts';
import { signedOnce } from '../request/submit-elements.ts';
import { movedShape, transferShape } from './shapes.ts';

export const transferRoutes = (engine: Engine, history: History): Route[] => [
  route(requestTransfer, async ({ request, caller }) => {
    const { directory } = engine;
    const asset = namedAsset(directory, request.asset);
    if (typeof asset === 'object') return asset;
    const from = accountByIdOrName(directory, caller.family, request.fromAccount);
    const to = accountByIdOrName(directory, caller.family, request.toAccount);
    if (from === undefined || to === undefined) return NOT_OF_FAMILY;
    const parts = quantityParts(directory, asset, request.quantity);
    if (typeof parts === 'object') return parts;
    const { outcome, isRepeat } = await engine.submit({
      kind: 'transfer',
      by: signedOnce(caller),
      asset,
      amount: parts,
      from,
      to,
    });
    return { ...transferResult(directory, outcome), isRepeat };
  }),

  route(getTransfers, async ({ request, caller }) => {
    const { directory } = engine;
    const page = pageOf(request, getTransfers.limits, engine.nowMs());
    if (isRefusal(page)) return page;
    const asset = request.asset === undefined ? undefined : directory.assetByCode(request.asset);
    if (request.asset !== undefined && asset === undefined) return { data: [] };
    const unavailable = await awaitHistory(engine, history);
    if (unavailable !== undefined) return unavailable;
    const rows = await history.transfers({
      family: caller.family,
      ...(caller.isMain ? {} : { account: caller.account }),
      ...(asset === undefined ? {} : { asset }),
      ...page,
    });
    return { data: rows.map((row) => transferShape(directory, row)) };
  }),
];

/** The core's own message: a foreign account and one that does not exist must be answered alike. */
const NOT_OF_FAMILY = refuse(
  'SUB_ACCOUNT_INVALID',
  'fromAccount and toAccount must be of your family',
);

type Transferred = { readonly data: ReplyOf<typeof requestTransfer> };

/** Built from the outcome alone, so that a repeat gets the same, after a crash too. */
function transferResult(directory: Directory, { events, timeMs }: Outcome): Transferred | Refusal {
  for (const event of events) {
    if (event.kind === 'refused') return { rejected: event.reason, message: event.message };
    if (event.kind === 'transferred') {
      return { data: { ...movedShape(directory, event), transferredAt: String(timeMs) } };
    }
  }
  assert(false, 'a transfer is refused or done');
}
