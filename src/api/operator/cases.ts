import {
  accountIndexFromText,
  entryCounterFromText,
  withdrawalCounterFromText,
  withdrawalIdText,
} from '../../domain/ids.ts';
import { type Refusal, refuse } from '../../domain/rejections.ts';
import type { AccountIndex, AssetIndex } from '../../domain/units.ts';
import type { Directory } from '../../domain/views.ts';
import type { WithdrawalRecord } from '../../domain/wallet.ts';
import type { Engine } from '../../engine/engine.ts';
import type { History, LiquidationQuery } from '../../history/history.ts';
import type { ReplyOf, RequestOf } from '../../wire/endpoint.ts';
import { getLiquidationsOf, getWithdrawalCase } from '../../wire/operator-cases.ts';
import { limitOf } from '../../wire/scalars.ts';
import { amountText, placeShape } from '../figures.ts';
import { type Route, route } from '../http/mount.ts';
import { liquidationShape } from '../liquidations/shapes.ts';
import { awaitHistory } from '../request/await-history.ts';
import { recordCounter } from '../request/record-page.ts';
import type { ReportParts } from './reports.ts';
import { holderShape } from './wallet-shapes.ts';

export function caseRoutes(parts: ReportParts): Route[] {
  const { engine, history } = parts;
  const { directory } = engine;
  return [
    route(getWithdrawalCase, async ({ request: { id, accountId } }) => {
      const behind = await awaitHistory(engine, history);
      if (behind !== undefined) return behind;
      const found = await findWithdrawal(engine, history, id, accountId);
      if ('rejected' in found) return found;
      return { data: await caseShape(parts, found) };
    }),

    route(getLiquidationsOf, async ({ request }) => {
      const query = liquidationQuery(engine, request);
      if ('rejected' in query) return query;
      const behind = await awaitHistory(engine, history);
      if (behind !== undefined) return behind;
      const rows = await history.liquidations(query);
      return {
        data: rows.map((row) => ({
          ...holderShape(directory, row.event.account),
          ...liquidationShape(directory, row),
        })),
      };
    }),
  ];
}

/**
 * A page found by its end costs its rows, however long ago the window begins: operators may look through all
 * of it.
 */
function liquidationQuery(
  engine: Engine,
  { accountId, startTime, endTime, beforeId, limit }: RequestOf<typeof getLiquidationsOf>,
): LiquidationQuery | Refusal {
  const account = accountId === undefined ? undefined : accountIndexFromText(accountId);
  const isKnown =
    account !== undefined && engine.directory.account(account as AccountIndex) !== undefined;
  if (accountId !== undefined && !isKnown) {
    return refuse('RESULT_NOT_FOUND', `there is no account ${accountId}`);
  }
  const before = beforeId === undefined ? undefined : entryCounterFromText(beforeId);
  if (beforeId !== undefined && before === undefined) {
    return refuse('PARAMETER_INVALID', `beforeId ${beforeId} is no id of this venue`);
  }
  return {
    account: account as AccountIndex | undefined,
    fromMs: startTime === undefined ? 0 : Number(startTime),
    toMs: endTime === undefined ? engine.nowMs() : Number(endTime),
    ...(before === undefined ? {} : { beforeId: before }),
    limit: limitOf(limit, STEP_PAGES),
  };
}

const STEP_PAGES = { default: 200, max: 500 };
const FLOW_MS = 30 * 24 * 3_600_000;
/** Records of each kind that one case adds up, over all accounts: a few milliseconds of the venue's time. */
const FLOW_RECORDS_MAX = 500;
/** Acts that one case searches for its own. */
const ACTS_MAX = 1_000;

async function findWithdrawal(
  engine: Engine,
  history: History,
  id: string,
  accountId: string | undefined,
): Promise<WithdrawalRecord | Refusal> {
  const counter = recordCounter(id, withdrawalCounterFromText);
  const none = refuse('RESULT_NOT_FOUND', `there is no withdrawal ${id}`);
  if (counter === undefined) return none;
  const open = await engine.view('openWithdrawal', { id: counter });
  if (open !== undefined) return open.withdrawal;
  const account = accountId === undefined ? undefined : accountIndexFromText(accountId);
  const named = { name: '', number: counter, limit: 1 };
  const [ended] = await history.withdrawalsNamed(named);
  if (ended === undefined) return none;
  if (accountId === undefined || ended.account === account) return ended;
  return refuse('RESULT_NOT_FOUND', `account ${accountId} has no withdrawal ${id}`);
}

async function caseShape(
  { engine, history, chainStatus = () => [] }: ReportParts,
  withdrawal: WithdrawalRecord,
): Promise<ReplyOf<typeof getWithdrawalCase>> {
  const { directory } = engine;
  const { id, account, asset, completedAtMs, txId, cause } = withdrawal;
  const place = placeShape(directory, withdrawal);
  const held = chainStatus()
    .find(({ network }) => network === place.network)
    ?.holdings.find((one) => one.asset === place.asset);
  const flows = await familyFlows(engine, history, account);
  return {
    id: withdrawalIdText(id),
    ...holderShape(directory, account),
    ...place,
    quantity: amountText(directory, asset, withdrawal.quantity),
    fee: amountText(directory, asset, withdrawal.fee),
    status: withdrawal.status,
    requestedAt: String(withdrawal.requestedAtMs),
    ...(completedAtMs === undefined ? {} : { completedAt: String(completedAtMs) }),
    ...(txId === undefined ? {} : { txId }),
    ...(cause === undefined ? {} : { cause }),
    acts: await actsOf(history, withdrawal, engine.nowMs()),
    flows: flows.rows,
    flowsCut: flows.isCut,
    ...(held === undefined ? {} : { onChain: amountText(directory, asset, held.amount) }),
  };
}

async function actsOf(
  history: History,
  { id, requestedAtMs }: WithdrawalRecord,
  nowMs: number,
): Promise<ReplyOf<typeof getWithdrawalCase>['acts']> {
  const acts = await history.acts({ fromMs: requestedAtMs, toMs: nowMs, limit: ACTS_MAX });
  return acts
    .filter(({ subject }) => subject === `withdrawal ${id}`)
    .map(({ timeMs, actor, act, before, after, reason }) => ({
      ...{ time: String(timeMs), actor, act, before, after, reason },
    }))
    .reverse();
}

type Flow = { in: bigint; out: bigint };
type FamilyFlows = {
  readonly rows: ReplyOf<typeof getWithdrawalCase>['flows'];
  readonly isCut: boolean;
};

/** A family may have many accounts: their movements are added up to a bound, and then the answer says so. */
async function familyFlows(
  engine: Engine,
  history: History,
  of: AccountIndex,
): Promise<FamilyFlows> {
  const { directory } = engine;
  const toMs = engine.nowMs();
  const flows = new Map<AssetIndex, Flow>();
  const flowOf = (asset: AssetIndex): Flow => {
    const flow = flows.get(asset) ?? { in: 0n, out: 0n };
    flows.set(asset, flow);
    return flow;
  };
  let [leftIn, leftOut] = [FLOW_RECORDS_MAX, FLOW_RECORDS_MAX];
  for (const account of accountsBeside(directory, of)) {
    const window = { account, fromMs: toMs - FLOW_MS, toMs };
    const deposits = await history.deposits({ ...window, limit: leftIn });
    const withdrawals = await history.withdrawals({ ...window, limit: leftOut });
    leftIn -= deposits.length;
    leftOut -= withdrawals.length;
    for (const { asset, quantity, status } of deposits) {
      if (status === 'COMPLETED') flowOf(asset).in += quantity;
    }
    for (const { asset, debited, status } of withdrawals) {
      if (status !== 'CANCELED' && status !== 'FAILED') flowOf(asset).out += debited;
    }
    if (leftIn === 0 || leftOut === 0) break;
  }
  const rows = [...flows].map(([asset, flow]) => ({
    asset: directory.asset(asset).code,
    in: amountText(directory, asset, flow.in),
    out: amountText(directory, asset, flow.out),
  }));
  return { rows, isCut: leftIn === 0 || leftOut === 0 };
}

function accountsBeside(directory: Directory, of: AccountIndex): readonly AccountIndex[] {
  const family = directory.account(of)?.family;
  return family === undefined ? [of] : directory.family(family).accounts;
}
