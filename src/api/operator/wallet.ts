import type { MoveFunds } from '../../domain/commands.ts';
import { decimalFromText, partsFromDecimal } from '../../domain/decimal.ts';
import type { Outcome } from '../../domain/events.ts';
import {
  depositCounterFromText,
  depositIdText,
  withdrawalCounterFromText,
  withdrawalIdText,
} from '../../domain/ids.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/rejections.ts';
import { MAIN_ACCOUNT_NAME } from '../../domain/terms.ts';
import { AMOUNT_LIMIT, type Amount, amount } from '../../domain/units.ts';
import type { OperateDeposit, OperateWithdrawal } from '../../domain/wallet-commands.ts';
import type { Engine } from '../../engine/engine.ts';
import type { ReplyOf, RequestOf } from '../../wire/endpoint.ts';
import { LIST_LIMITS } from '../../wire/operator-names.ts';
import {
  cancelWithdrawalOf,
  completeDeposit,
  holdWithdrawal,
  listDeposits,
  listFunds,
  listNetworks,
  listWithdrawals,
  moveFunds,
  payIn,
  payOut,
  releaseFee,
  releaseWithdrawal,
  rescanNetwork,
  reverseDeposit,
  setFee,
  setNetwork,
  setWithdrawalLimits,
} from '../../wire/operator-wallet.ts';
import { isTrue, limitOf } from '../../wire/scalars.ts';
import { nativeScale, nativeText } from '../figures.ts';
import { isAdmin, type OperatorCaller } from '../http/authenticate-operator.ts';
import { type HandlerResult, type Route, route } from '../http/mount.ts';
import { namedNetwork, readAssetNetwork } from '../request/asset-network.ts';
import { quantityParts } from '../request/quantity.ts';
import { recordCounter } from '../request/record-page.ts';
import { byOperator, eventOf } from './acting.ts';
import type { ReportParts } from './reports.ts';
import { fundsShape, openDepositShape, openWithdrawalShape, wayShape } from './wallet-shapes.ts';

/** Status and control of the chains, where some are served. */
type ChainParts = Pick<ReportParts, 'chainStatus' | 'rescan'>;

export const walletRoutes = (engine: Engine, chains: ChainParts): Route[] => [
  ...withdrawalRoutes(engine),
  ...depositRoutes(engine),
  ...networkRoutes(engine, chains),
  ...fundRoutes(engine),
];

const withdrawalRoutes = (engine: Engine): Route[] => [
  route(listWithdrawals, async ({ request }) => {
    const { directory } = engine;
    if (request.id !== undefined) {
      const id = recordCounter(request.id, withdrawalCounterFromText);
      const found = id === undefined ? undefined : await engine.view('openWithdrawal', { id });
      return { data: found === undefined ? [] : [openWithdrawalShape(directory, found)] };
    }
    const page = pageOf(request, withdrawalCounterFromText);
    if (isRefusal(page)) return page;
    const found = await engine.view('openWithdrawals', { ...page, isHeld: isTrue(request.held) });
    return { data: found.map((one) => openWithdrawalShape(directory, one)) };
  }),
  route(holdWithdrawal, ({ request, caller }) => actOnWithdrawal(engine, 'hold', request, caller)),
  route(releaseWithdrawal, ({ request, caller }) =>
    actOnWithdrawal(engine, 'release', request, caller),
  ),
  route(cancelWithdrawalOf, ({ request, caller }) =>
    actOnWithdrawal(engine, 'cancel', request, caller),
  ),
];

async function actOnWithdrawal(
  engine: Engine,
  act: OperateWithdrawal['act'],
  { id: sent, reason }: RequestOf<typeof holdWithdrawal>,
  caller: OperatorCaller,
): Promise<HandlerResult<ReplyOf<typeof holdWithdrawal>>> {
  const id = recordCounter(sent, withdrawalCounterFromText);
  if (id === undefined) return refuse('RESULT_NOT_FOUND', `there is no withdrawal ${sent}`);
  const { outcome, isRepeat } = await engine.submit({
    kind: 'operate-withdrawal',
    ...byOperator(caller),
    ...{ id, act, reason },
  });
  const changed = eventOf(outcome, 'withdrawal-changed');
  if (isRefusal(changed)) return { ...changed, isRepeat };
  const { status, holds } = changed.withdrawal;
  // Above the limit, the first operator's release changes nothing yet.
  const done = act !== 'release' || !holds.includes('above-limit');
  return { data: { id: withdrawalIdText(id), status, holds: [...holds], done }, isRepeat };
}

const depositRoutes = (engine: Engine): Route[] => [
  route(listDeposits, async ({ request }) => {
    const page = pageOf(request, depositCounterFromText);
    if (isRefusal(page)) return page;
    const isWaiting = isTrue(request.waiting);
    const found = await engine.view('openDeposits', { ...page, isWaiting });
    return { data: found.map((one) => openDepositShape(engine.directory, one)) };
  }),
  route(completeDeposit, ({ request, caller }) =>
    actOnDeposit(engine, 'complete', request, caller),
  ),
  route(reverseDeposit, ({ request, caller }) => actOnDeposit(engine, 'reverse', request, caller)),
];

async function actOnDeposit(
  engine: Engine,
  act: OperateDeposit['act'],
  { id: sent, reason }: RequestOf<typeof completeDeposit>,
  caller: OperatorCaller,
): Promise<HandlerResult<ReplyOf<typeof completeDeposit>>> {
  const id = recordCounter(sent, depositCounterFromText);
  if (id === undefined) return refuse('RESULT_NOT_FOUND', `there is no deposit ${sent}`);
  const { outcome, isRepeat } = await engine.submit({
    kind: 'operate-deposit',
    ...byOperator(caller),
    ...{ id, act, reason },
  });
  const changed = eventOf(outcome, 'deposit-changed');
  if (isRefusal(changed)) return { ...changed, isRepeat };
  const { status } = changed.deposit;
  const done = status === (act === 'complete' ? 'COMPLETED' : 'FAILED');
  return { data: { id: depositIdText(id), status, done }, isRepeat };
}

const networkRoutes = (engine: Engine, chains: ChainParts): Route[] => [
  route(listNetworks, async () => {
    const ways = await engine.view('ways', {});
    return { data: ways.map((way) => wayShape(engine.directory, way)) };
  }),

  route(setNetwork, async ({ request, caller }) => {
    const { network, asset } = request;
    const { outcome, isRepeat } = await engine.submit({
      kind: 'set-network-state',
      ...byOperator(caller),
      ...{ network, asset },
      canDeposit: isTrue(request.deposits),
      canWithdraw: isTrue(request.withdrawals),
    });
    return wayNow(engine, request, { outcome, isRepeat });
  }),

  route(rescanNetwork, ({ request, caller }) => rescan(engine, chains, request, caller)),

  route(setFee, async ({ request, caller }) => {
    const way = readAssetNetwork(engine.directory, request);
    if (isRefusal(way)) return way;
    const fee = quantityParts(engine.directory, way.asset, request.fee);
    if (typeof fee === 'object') return fee;
    const { outcome, isRepeat } = await engine.submit({
      kind: 'set-withdrawal-fee',
      ...byOperator(caller),
      ...way,
      fee,
    });
    return wayNow(engine, request, { outcome, isRepeat });
  }),

  route(releaseFee, async ({ request, caller }) => {
    const way = readAssetNetwork(engine.directory, request);
    if (isRefusal(way)) return way;
    const released = { kind: 'release-withdrawal-fee', ...byOperator(caller), ...way } as const;
    return wayNow(engine, request, await engine.submit(released));
  }),
];

/** Recorded first: after a crash, nobody starts the rescan by itself. */
async function rescan(
  engine: Engine,
  { chainStatus, rescan: begin }: ChainParts,
  { network, height: sent, reason }: RequestOf<typeof rescanNetwork>,
  caller: OperatorCaller,
): Promise<HandlerResult<ReplyOf<typeof rescanNetwork>>> {
  const named = namedNetwork(engine.directory, network);
  if (typeof named === 'object') return named;
  const status = () => chainStatus?.().find((one) => one.network === network);
  const before = status();
  if (before === undefined || begin === undefined) {
    return refuse(
      'RESULT_NOT_FOUND',
      `no chain serves ${network} here at present: the venue must be running`,
    );
  }
  if (before.isRescanning) {
    return refuse('TOO_RAPID', `${network} is being read again, at ${before.height}`);
  }
  const height = Number(sent);
  const { outcome, isRepeat } = await engine.submit({
    kind: 'note-rescan',
    ...byOperator(caller),
    ...{ network, height, reason },
  });
  const acted = eventOf(outcome, 'operator-acted');
  if (isRefusal(acted)) return { ...acted, isRepeat };
  if (!isRepeat) begin(network, height);
  return { data: { network, height: sent, readHeight: String(status()?.height ?? 0) }, isRepeat };
}

/** An asset on a network after an act. */
async function wayNow(
  engine: Engine,
  sent: { readonly asset: string; readonly network: string },
  { outcome, isRepeat }: { readonly outcome: Outcome; readonly isRepeat: boolean },
): Promise<HandlerResult<ReplyOf<typeof setNetwork>>> {
  const acted = eventOf(outcome, 'operator-acted');
  if (isRefusal(acted)) return { ...acted, isRepeat };
  const { directory } = engine;
  const all = (await engine.view('ways', {})).map((way) => wayShape(directory, way));
  const found = all.find(({ asset, network }) => asset === sent.asset && network === sent.network);
  if (found === undefined) return refuse('ASSET_UNKNOWN', sent.asset);
  return { data: found, isRepeat };
}

const fundRoutes = (engine: Engine): Route[] => [
  route(setWithdrawalLimits, async ({ request, caller }) => {
    const daily = nativeParts(engine, 'daily', request.daily);
    const automatic = nativeParts(engine, 'automatic', request.automatic);
    if (typeof daily === 'object') return daily;
    if (typeof automatic === 'object') return automatic;
    const denied = await raiseRefusal(engine, caller, { daily, automatic });
    if (denied !== undefined) return denied;
    const { outcome, isRepeat } = await engine.submit({
      kind: 'set-withdrawal-limits',
      ...byOperator(caller),
      ...{ daily, automatic },
    });
    const set = eventOf(outcome, 'withdrawal-limits-set');
    if (isRefusal(set)) return { ...set, isRepeat };
    const text = (parts: Amount): string => nativeText(engine.directory, parts);
    return { data: { daily: text(set.daily), automatic: text(set.automatic) }, isRepeat };
  }),

  route(listFunds, async () => {
    const funds = await engine.view('solvency', {});
    return { data: funds.map((one) => fundsShape(engine.directory, one)) };
  }),

  route(moveFunds, ({ request, caller }) => fund(engine, request, caller)),

  route(payIn, ({ request, caller }) => {
    const { family, name = MAIN_ACCOUNT_NAME, ...rest } = request;
    return fund(engine, { ...rest, from: { family, name } }, caller);
  }),

  route(payOut, async ({ request, caller }) => {
    const { family, name = MAIN_ACCOUNT_NAME, ...rest } = request;
    const moved = await move(engine, { ...rest, to: { family, name } }, caller);
    if (isRefusal(moved)) return moved;
    const { funds, isPaid, isRepeat } = moved;
    const state: ReplyOf<typeof payOut>['state'] = isPaid ? 'PAID' : 'ASKED';
    return { data: { ...funds, state }, isRepeat };
  }),
];

/** Above these limits two operators decide: one of them alone must not move the limits out of the way. */
async function raiseRefusal(
  engine: Engine,
  { actor, roles }: OperatorCaller,
  { daily, automatic }: { readonly daily: Amount; readonly automatic: Amount },
): Promise<Refusal | undefined> {
  if (isAdmin(roles)) return undefined;
  const now = await engine.view('venueLimits', {});
  if (daily <= now.daily && automatic <= now.automatic) return undefined;
  return refuse('PERMISSION_MISSING', `${actor} may lower them; to raise one takes the role admin`);
}

type FundSent = Omit<RequestOf<typeof moveFunds>, 'from' | 'to'> & Pick<MoveFunds, 'from' | 'to'>;

async function fund(
  engine: Engine,
  sent: FundSent,
  caller: OperatorCaller,
): Promise<HandlerResult<ReplyOf<typeof moveFunds>>> {
  const moved = await move(engine, sent, caller);
  return isRefusal(moved) ? moved : { data: moved.funds, isRepeat: moved.isRepeat };
}

type Moved = {
  readonly funds: ReplyOf<typeof moveFunds>;
  /** Nothing has moved if a second operator must ask for it. */
  readonly isPaid: boolean;
  readonly isRepeat: boolean;
};

async function move(
  engine: Engine,
  { from, to, asset: code, quantity, reason }: FundSent,
  caller: OperatorCaller,
): Promise<Moved | (Refusal & { readonly isRepeat?: boolean })> {
  const { directory } = engine;
  const asset = directory.assetByCode(code);
  if (asset === undefined) return refuse('ASSET_UNKNOWN', code);
  const parts = quantityParts(directory, asset, quantity);
  if (typeof parts === 'object') return parts;
  const { outcome, isRepeat } = await engine.submit({
    kind: 'move-funds',
    ...byOperator(caller),
    ...{ from, to, reason, asset: code, amount: parts },
  });
  const acted = eventOf(outcome, 'operator-acted');
  if (isRefusal(acted)) return { ...acted, isRepeat };
  const now = (await engine.view('solvency', {}))[asset];
  if (now === undefined) return refuse('ASSET_UNKNOWN', code);
  const isPaid = outcome.events.some(({ kind }) => kind === 'funds-moved');
  return { funds: fundsShape(directory, now), isPaid, isRepeat };
}

type PageSent = { readonly limit?: string; readonly afterId?: string };

function pageOf(
  { limit, afterId }: PageSent,
  counter: (text: string) => bigint | undefined,
): { readonly after: number; readonly limit: number } | Refusal {
  const after = afterId === undefined ? -1 : recordCounter(afterId, counter);
  if (after === undefined) return refuse('PARAMETER_INVALID', `afterId ${afterId} is no id`);
  return { after, limit: limitOf(limit, LIST_LIMITS.page) };
}

function nativeParts({ directory }: Engine, name: string, text: string): Amount | Refusal {
  const read = decimalFromText(text);
  const parts = read === undefined ? undefined : partsFromDecimal(read, nativeScale(directory));
  if (parts !== undefined && parts >= 0n && parts < AMOUNT_LIMIT) return amount(parts);
  return refuse('PARAMETER_INVALID', `${name} ${text} is no amount of native`);
}
