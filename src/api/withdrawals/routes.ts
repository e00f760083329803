import { assert } from '../../domain/assert.ts';
import { withdrawalCounterFromText } from '../../domain/ids.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/rejections.ts';
import type { AccountIndex, AssetIndex } from '../../domain/units.ts';
import type { WithdrawalRecord } from '../../domain/wallet.ts';
import type { Engine, Submitted } from '../../engine/engine.ts';
import type { History } from '../../history/history.ts';
import type { RequestOf } from '../../wire/endpoint.ts';
import { isTrue } from '../../wire/scalars.ts';
import {
  cancelWithdrawal,
  getWithdrawalAddresses,
  getWithdrawalFee,
  getWithdrawals,
  requestWithdrawal,
} from '../../wire/withdrawals.ts';
import { amountText } from '../figures.ts';
import { type Route, route } from '../http/mount.ts';
import { readAssetNetwork, registeredNetwork } from '../request/asset-network.ts';
import { awaitHistory } from '../request/await-history.ts';
import { refusalOf } from '../request/outcome.ts';
import { quantityParts } from '../request/quantity.ts';
import { recordCounter, recordPage } from '../request/record-page.ts';
import type { SecondFactors } from '../request/second-factors.ts';
import { signedOnce } from '../request/submit-elements.ts';
import { burnFeeShape, requestedShape, savedAddressShape, withdrawalShape } from './shapes.ts';

export const withdrawalRoutes = (
  engine: Engine,
  history: History,
  factors: SecondFactors,
): Route[] => [
  ...readRoutes(engine, history),

  route(requestWithdrawal, async ({ request, caller }) => {
    const sending = readSending(engine, request);
    if (isRefusal(sending)) return sending;
    const { tfaType, code } = request;
    const sent = {
      ...(tfaType === undefined ? {} : { tfaType }),
      ...(code === undefined ? {} : { code }),
    };
    const submitted = await factors.submit(caller, sent, (used) => ({
      kind: 'request-withdrawal',
      by: signedOnce(caller),
      ...sending,
      ...(used === undefined ? {} : { used }),
    }));
    if (isRefusal(submitted)) return submitted;
    const found = changedBy(submitted);
    const { isRepeat } = submitted;
    if (isRefusal(found)) return { ...found, isRepeat };
    return { data: requestedShape(engine.directory, found), isRepeat };
  }),

  route(cancelWithdrawal, async ({ request, caller }) => {
    const id = recordCounter(request.id, withdrawalCounterFromText);
    if (id === undefined) return refuse('RESULT_NOT_FOUND', `id ${request.id}`);
    // A DELETE may be repeated: the second finds nothing to cancel.
    const by = { key: caller.key };
    const found = changedBy(await engine.submit({ kind: 'cancel-withdrawal', by, id }));
    return isRefusal(found) ? found : { data: withdrawalShape(engine.directory, found) };
  }),
];

const readRoutes = (engine: Engine, history: History): Route[] => [
  route(getWithdrawals, async ({ request, caller }) => {
    const { directory } = engine;
    const page = recordPage(engine, request, getWithdrawals.limits, withdrawalCounterFromText);
    if (isRefusal(page)) return page;
    const asset = request.asset === undefined ? undefined : directory.assetByCode(request.asset);
    if (request.asset !== undefined && asset === undefined) return { data: [] };
    const unavailable = await awaitHistory(engine, history);
    if (unavailable !== undefined) return unavailable;
    const rows =
      request.id === undefined
        ? await history.withdrawals({ account: caller.account, asset, ...page })
        : (await oneOf(history, caller.account, request.id)).filter(
            isSelected(request, asset, page),
          );
    return { data: rows.map((row) => withdrawalShape(directory, row)) };
  }),

  route(getWithdrawalAddresses, async ({ request, caller }) => {
    const { directory } = engine;
    const { addresses } = await engine.view('familyWallet', { family: caller.family });
    const wanted = request.network && registeredNetwork(directory, request.network);
    const data = addresses
      .map((saved) => savedAddressShape(directory, saved))
      .filter(({ asset }) => asset === (request.asset ?? asset))
      .filter(({ network }) => network === (wanted ?? network));
    return { data };
  }),

  route(getWithdrawalFee, async ({ request }) => {
    const { directory } = engine;
    const sending = readSending(engine, request);
    if (isRefusal(sending)) return sending;
    const costs = await engine.view('withdrawalCosts', sending);
    if (isRefusal(costs)) return costs;
    const { asset, address } = request;
    const network = registeredNetwork(directory, request.network);
    const { memo, externalFee } = sending;
    return {
      data: {
        ...{ asset, network, address },
        ...(memo === undefined ? {} : { memo }),
        quantity: amountText(directory, sending.asset, sending.quantity),
        externalFee,
        estimatedFee: amountText(directory, sending.asset, costs.fee),
        ...burnFeeShape(directory, sending.asset, costs.burnFee),
      },
    };
  }),
];

/** An empty memo counts as absent. */
function readSending(
  engine: Engine,
  request: RequestOf<typeof requestWithdrawal> | RequestOf<typeof getWithdrawalFee>,
) {
  const { directory } = engine;
  const { asset } = request;
  const way = readAssetNetwork(directory, {
    asset,
    network: registeredNetwork(directory, request.network),
  });
  if (isRefusal(way)) return way;
  const quantity = quantityParts(directory, way.asset, request.quantity);
  if (typeof quantity === 'object') return quantity;
  const { address, memo, externalFee } = request;
  return {
    ...way,
    address,
    ...(memo === undefined || memo === '' ? {} : { memo }),
    quantity,
    externalFee: isTrue(externalFee),
  };
}

/** Built from the outcome alone, so that a repeat gets the same, after a crash too. */
function changedBy({ outcome }: Submitted): WithdrawalRecord | Refusal {
  const refusal = refusalOf(outcome);
  if (refusal !== undefined) return refusal;
  for (const event of outcome.events) {
    if (event.kind === 'withdrawal-changed') return event.withdrawal;
  }
  assert(false, 'a withdrawal is refused or changed');
}

async function oneOf(
  history: History,
  account: AccountIndex,
  id: string,
): Promise<readonly WithdrawalRecord[]> {
  const counter = recordCounter(id, withdrawalCounterFromText);
  const found = counter === undefined ? undefined : await history.withdrawal(account, counter);
  return found === undefined ? [] : [found];
}

/** A withdrawal requested by its id is found whatever its age, unless a window is given, too. */
const isSelected =
  (
    { startTime, endTime }: RequestOf<typeof getWithdrawals>,
    asset: AssetIndex | undefined,
    { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
  ) =>
  (found: WithdrawalRecord): boolean => {
    if (found.asset !== (asset ?? found.asset)) return false;
    if (startTime === undefined && endTime === undefined) return true;
    return found.requestedAtMs >= fromMs && found.requestedAtMs <= toMs;
  };
