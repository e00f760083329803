import { textFromParts } from '../../domain/decimal.ts';
import { quantityText } from '../../domain/market.ts';
import type { SolvencyView } from '../../domain/operator-views.ts';
import { refuse } from '../../domain/rejections.ts';
import { NATIVE_ASSET } from '../../domain/terms.ts';
import type { Directory } from '../../domain/views.ts';
import type { Engine, EngineStatus } from '../../engine/engine.ts';
import type { History } from '../../history/history.ts';
import type { ReplyOf } from '../../wire/endpoint.ts';
import {
  backUp,
  getOverview,
  getRisk,
  getSolvency,
  listActs,
} from '../../wire/operator-reports.ts';
import { limitOf } from '../../wire/scalars.ts';
import { amountText, nativeText } from '../figures.ts';
import { type Route, route } from '../http/mount.ts';
import { awaitHistory } from '../request/await-history.ts';
import { printedMarginRatio, RATIO_SCALE } from '../request/ratios.ts';
import { byOperator } from './acting.ts';
import { type AdlQueue, RATIO_BOUNDS, RiskBoard } from './risk-board.ts';
import { searchRoute } from './search.ts';
import { holderShape } from './wallet-shapes.ts';

/** The current state of a chain; requested from the component that runs the connectors. */
export type ChainStatus = {
  readonly network: string;
  readonly height: number;
  /** The address that pays withdrawals. */
  readonly hotWallet: string;
  /** Why it cannot be reached at present, or why withdrawals wait for an operator. */
  readonly trouble?: string;
  /** Blocks are being read again at an operator's request. */
  readonly isRescanning: boolean;
  /** The venue's holdings there, in parts of the asset. */
  readonly holdings: readonly ChainHolding[];
  /** Deposit addresses that have not been queried yet since the start: their balances are missing. */
  readonly unaskedAddresses: number;
};

export type ChainHolding = {
  readonly asset: string;
  readonly amount: bigint;
  /** The part of it on deposit addresses, if the chain distinguishes them. */
  readonly unswept?: bigint;
};

/** Copies the venue into a folder; rejects with a message for people. */
export type BackUp = (folder: string) => Promise<BackedUp>;
export type BackedUp = {
  readonly sequence: number;
  readonly digest: string;
  readonly files: number;
  readonly bytes: number;
};

/** Reads the blocks of a network again from a height. */
export type Rescan = (network: string, fromHeight: number) => void;

export type ReportParts = {
  readonly engine: Engine;
  readonly history: History;
  /** If absent, nothing is known about chains. */
  readonly chainStatus?: () => readonly ChainStatus[];
  readonly rescan?: Rescan;
  readonly backUp?: BackUp;
};

export function reportRoutes(parts: ReportParts): Route[] {
  const { engine, history, chainStatus = () => [] } = parts;
  const { directory } = engine;
  const board = new RiskBoard(engine);
  const pace = new Pace(engine);
  return [
    route(listActs, async ({ request }) => {
      const behind = await awaitHistory(engine, history);
      if (behind !== undefined) return behind;
      const { actor, startTime, endTime, beforeSequence, limit } = request;
      const acts = await history.acts({
        fromMs: startTime === undefined ? 0 : Number(startTime),
        toMs: endTime === undefined ? engine.nowMs() : Number(endTime),
        beforeSequence: beforeSequence === undefined ? undefined : Number(beforeSequence),
        actor,
        limit: limitOf(limit, ACT_PAGES),
      });
      return {
        data: acts.map(({ sequence, timeMs, isRefused, ...act }) => ({
          sequence: String(sequence),
          time: String(timeMs),
          ...act,
          refused: isRefused,
        })),
      };
    }),

    route(getSolvency, async () => {
      const chains = chainStatus();
      const views = await engine.view('solvency', {});
      return { data: views.map((one) => solvencyShape(directory, one, chains)) };
    }),

    route(getRisk, async ({ request }) => {
      const { atMs, counts, top, adl } = await board.now();
      const limit = limitOf(request.limit, RISK_PAGES);
      const native = (figure: bigint): string => nativeText(directory, figure);
      return {
        data: {
          time: String(atMs),
          histogram: RATIO_BOUNDS.map((from, at) => ({
            from: String(from),
            accounts: String(counts[at] ?? 0),
          })),
          top: top.slice(0, limit).map((one) => ({
            ...holderShape(directory, one.account),
            marginRatio: textFromParts(printedMarginRatio(one), RATIO_SCALE),
            collateral: native(one.collateral),
            maintenanceMargin: native(one.maintenanceMargin),
            notional: native(one.notional),
            liquidating: one.liquidating,
          })),
          adl: adl.map((queue) => adlShape(directory, queue)),
        },
      };
    }),

    route(getOverview, async () => ({
      data: await overview(parts, board, pace),
    })),

    searchRoute(parts),

    route(backUp, async ({ request, caller }) => {
      if (parts.backUp === undefined) return refuse('UNAVAILABLE', 'nothing to copy here');
      try {
        const { sequence, digest, files, bytes } = await parts.backUp(request.to);
        const note = { kind: 'note-backup', ...byOperator(caller), folder: request.to } as const;
        await engine.submit(note);
        return {
          data: {
            folder: request.to,
            sequence: String(sequence),
            digest,
            files: String(files),
            bytes: String(bytes),
          },
        };
      } catch (cause) {
        return refuse('PARAMETER_INVALID', (cause as Error).message);
      }
    }),
  ];
}

const ACT_PAGES = { default: 100, max: 1_000 };
const RISK_PAGES = { default: 20, max: 200 };

function solvencyShape(
  directory: Directory,
  view: SolvencyView,
  chains: readonly ChainStatus[],
): ReplyOf<typeof getSolvency>[number] {
  const { code } = directory.asset(view.asset);
  const text = (parts: bigint): string => amountText(directory, view.asset, parts);
  const held = chains.flatMap(({ holdings }) => holdings.filter(({ asset }) => asset === code));
  const onChain = held.reduce((sum, one) => sum + one.amount, 0n);
  const unswept = held.flatMap((one) => (one.unswept === undefined ? [] : [one.unswept]));
  const isPartial = chains.some(
    ({ unaskedAddresses, holdings }) =>
      unaskedAddresses > 0 && holdings.some(({ asset }) => asset === code),
  );
  return {
    asset: code,
    liabilities: text(view.liabilities),
    wallets: text(view.wallets),
    nativeDebt: text(view.debt),
    clearing: text(view.clearing),
    deficit: text(view.deficit),
    fees: text(view.fees),
    insurance: text(view.insurance),
    rounding: text(view.rounding),
    networkCosts: text(view.networkCosts),
    suspense: text(view.suspense),
    ...(held.length === 0 ? {} : { onChain: text(onChain), onChainPartial: isPartial }),
    ...(unswept.length === 0 ? {} : { unswept: text(unswept.reduce((sum, one) => sum + one, 0n)) }),
    surplus: text(view.wallets - view.liabilities - view.suspense),
  };
}

/** Commands a second, between the last two requests that are at least a second apart. */
class Pace {
  readonly #engine: Engine;
  #last: { readonly atMs: number; readonly sequence: number } | undefined;
  #perSecond = 0;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  now(): string {
    const here = { atMs: this.#engine.nowMs(), sequence: this.#engine.status().sequence };
    this.#last ??= here;
    const passedMs = here.atMs - this.#last.atMs;
    if (passedMs >= 1_000) {
      this.#perSecond = ((here.sequence - this.#last.sequence) * 1_000) / passedMs;
      this.#last = here;
    }
    return this.#perSecond.toFixed(1);
  }
}

/** The most records that the overview counts. */
const COUNTED_MAX = 1_000;

async function overview(
  { engine, history, chainStatus = () => [] }: ReportParts,
  board: RiskBoard,
  pace: Pace,
): Promise<ReplyOf<typeof getOverview>> {
  const { directory } = engine;
  const status = engine.status();
  const { sequence, releasedSequence, digest, waiting, disk } = status;
  const page = { after: -1, limit: COUNTED_MAX };
  const [held, deposits, funds, markets, { atRisk, liquidating }] = await Promise.all([
    engine.view('openWithdrawals', { ...page, isHeld: true }),
    engine.view('openDeposits', { ...page, isWaiting: true }),
    engine.view('solvency', {}),
    engine.view('markets', {}),
    board.now(),
  ]);
  const native = directory.assetByCode(NATIVE_ASSET);
  const fund = native === undefined ? undefined : funds[native];
  const counted = (count: number): string => (count < COUNTED_MAX ? String(count) : `${count}+`);
  return {
    time: String(engine.nowMs()),
    sequence: String(sequence),
    digest,
    commandsPerSecond: pace.now(),
    waiting: String(waiting),
    historyLag: String(Math.max(0, releasedSequence - history.sequence)),
    ...checkedShape(status),
    ...(history.trouble === undefined ? {} : { historyTrouble: history.trouble }),
    ...(disk.refusing === undefined ? {} : { ordersRefused: disk.refusing }),
    ...(disk.freeBytes === undefined ? {} : { diskFreeBytes: String(disk.freeBytes) }),
    heldWithdrawals: counted(held.length),
    waitingDeposits: counted(deposits.length),
    accountsAtRisk: String(atRisk),
    liquidating: String(liquidating),
    insurance: nativeText(directory, fund?.insurance ?? 0n),
    deficit: nativeText(directory, fund?.deficit ?? 0n),
    markets: markets.map(({ market, state, stateReason, isOperational }) => ({
      marketCode: directory.market(market).code,
      state,
      reason: stateReason,
      operational: isOperational,
    })),
    chains: chainStatus().map(({ network, height, hotWallet, trouble }) => ({
      network,
      height: String(height),
      hotWallet,
      ...(trouble === undefined ? {} : { trouble }),
    })),
  };
}

/** How the writer's disk performs, and what the second copy has checked. */
function checkedShape({
  releasedSequence,
  sync,
  follower,
}: EngineStatus): Partial<ReplyOf<typeof getOverview>> {
  const audit = follower?.audit;
  return {
    ...(sync === undefined
      ? {}
      : { syncMedianMs: sync.medianMs.toFixed(3), syncP99Ms: sync.p99Ms.toFixed(3) }),
    ...(follower === undefined
      ? {}
      : { followerLag: String(Math.max(0, releasedSequence - follower.sequence)) }),
    ...(audit === undefined
      ? {}
      : { auditedSequence: String(audit.sequence), auditedAt: String(Math.floor(audit.atMs)) }),
  };
}

const RANK_SCALE = 4;

function adlShape(
  directory: Directory,
  { market, isLong, positions }: AdlQueue,
): ReplyOf<typeof getRisk>['adl'][number] {
  const spec = directory.market(market);
  return {
    marketCode: spec.code,
    side: isLong ? 'LONG' : 'SHORT',
    positions: positions.map(({ account, lots, top, bottom }) => ({
      ...holderShape(directory, account),
      position: quantityText(spec, lots, spec.quantityScale),
      rank: textFromParts((top * 10n ** BigInt(RANK_SCALE)) / bottom, RANK_SCALE),
    })),
  };
}
