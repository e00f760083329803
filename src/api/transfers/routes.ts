import { assert } from '../../domain/assert.ts';
import {
  type Decimal,
  decimalFromText,
  partsFromDecimal,
  textFromParts,
} from '../../domain/decimal.ts';
import type { Outcome } from '../../domain/events.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/rejections.ts';
import { AMOUNT_LIMIT, type Amount, type AssetIndex, amount } from '../../domain/units.ts';
import type { Directory } from '../../domain/views.ts';
import type { Engine } from '../../engine/engine.ts';
import type { History } from '../../history/history.ts';
import type { ReplyOf } from '../../wire/endpoint.ts';
import { pageOf } from '../../wire/scalars.ts';
import { getTransfers, requestTransfer } from '../../wire/transfers.ts';
import { type Route, route } from '../http/mount.ts';
import { accountByIdOrName } from '../request/asked-accounts.ts';
import { awaitHistory } from '../request/await-history.ts';
import { signedOnce } from '../request/submit-elements.ts';
import { movedShape, transferShape } from './shapes.ts';

export const transferRoutes = (engine: Engine, history: History): Route[] => [
  route(requestTransfer, async ({ request, caller }) => {
    const { directory } = engine;
    const asset = directory.assetByCode(request.asset);
    if (asset === undefined) return refuse('ASSET_UNKNOWN', request.asset);
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
    const rows = history.transfers({
      family: caller.family,
      ...(caller.isMain ? {} : { account: caller.account }),
      ...(asset === undefined ? {} : { asset }),
      ...page,
    });
    return { data: rows.map((row) => transferShape(directory, row)) };
  }),
];

/** In the words of the core: a foreign account and one that does not exist must answer alike. */
const NOT_OF_FAMILY = refuse(
  'SUB_ACCOUNT_INVALID',
  'fromAccount and toAccount must be of your family',
);

/** Exact at the asset's scale, or refused with the nearest that would be. */
function quantityParts(directory: Directory, asset: AssetIndex, text: string): Amount | Refusal {
  const { code, scale } = directory.asset(asset);
  const read = decimalFromText(text);
  if (read === undefined) return refuse('PARAMETER_INVALID', `quantity ${text} is no number`);
  const parts = partsFromDecimal(read, scale);
  if (parts === undefined) return tooManyDecimals(read, code, scale, text);
  if (parts >= AMOUNT_LIMIT || parts <= -AMOUNT_LIMIT) {
    const most = textFromParts(AMOUNT_LIMIT - 1n, scale);
    return refuse('PARAMETER_INVALID', `quantity ${text} is beyond what can be held, ${most}`);
  }
  return amount(parts);
}

function tooManyDecimals(read: Decimal, code: string, scale: number, text: string): Refusal {
  const nearest = textFromParts(read.digits / 10n ** BigInt(read.scale - scale), scale);
  return refuse(
    'TOO_MANY_DECIMALS',
    `quantity ${text} has ${read.scale} decimals, ${code} has ${scale}; nearest ${nearest}`,
  );
}

type Transferred = { readonly data: ReplyOf<typeof requestTransfer> };

/** Made from the outcome alone, so that a repeat says the same, after a crash too. */
function transferResult(directory: Directory, { events, timeMs }: Outcome): Transferred | Refusal {
  for (const event of events) {
    if (event.kind === 'refused') return { rejected: event.reason, message: event.message };
    if (event.kind === 'transferred') {
      return { data: { ...movedShape(directory, event), transferredAt: String(timeMs) } };
    }
  }
  assert(false, 'a transfer is refused or done');
}
