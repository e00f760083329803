import type { NetworkWork } from '../../domain/chain-work.ts';
import type { AccountIndex, NetworkIndex } from '../../domain/units.ts';
import type { WithdrawalRecord } from '../../domain/wallet.ts';
import { type Engine, EngineStopped } from '../../engine/engine.ts';
import type { Every } from '../../engine/ticker.ts';
import type { DepositAddress } from '../chains/chain.ts';
import type { Holding } from './balances.ts';
import { numberOf } from './network-terms.ts';
import { type NetworkStatus, NetworkWorker, type ServedChain } from './network-worker.ts';

/**
 * Deposits and withdrawals on all networks: each network has its own rounds, so that a slow node delays
 * nobody else. A simulated chain is polled only while something waits for it or has happened to it; a chain
 * that produces its own blocks as often as configured.
 */
export type WalletsOptions = {
  readonly engine: Engine;
  readonly chains: readonly ServedChain[];
  readonly every: Every;
  readonly nowMs: () => number;
  readonly onTrouble: (words: string) => void;
};

export type Wallets = {
  /**
   * Derived from the account's number: nothing is stored, no node is needed. Undefined for a network that is
   * not served, and until the node of a new one was reached for the first time.
   */
  depositAddress(network: NetworkIndex, account: AccountIndex): DepositAddress | undefined;
  status(): readonly NetworkStatus[];
  /** In the order of `status`. */
  holdings(): readonly (readonly Holding[])[];
  /** Reads the blocks of a network again. False for a network that is not served. */
  rescan(network: string, fromHeight: number): boolean;
  /** The newest withdrawals of earlier runs: whether their chains still have what was paid. */
  recall(records: readonly WithdrawalRecord[]): void;
  /** A round of every simulated chain, one after another: none of them takes long. */
  settleSimulated(): Promise<void>;
  /** Resolves when no round is running any more. */
  stop(): Promise<void>;
};

const CHECK_MS = 100;
/** Work that waits for funds, not for blocks, is checked again after this. */
const SHORT_MS = 1_000;
const FAILED_FIRST_MS = 1_000;
const FAILED_MOST_MS = 30_000;

type Served = {
  readonly worker: NetworkWorker;
  running: Promise<void> | undefined;
  dueAtMs: number;
  failedMs: number;
  changesSeen: number;
};

export function startWallets({ engine, chains, every, nowMs, onTrouble }: WalletsOptions): Wallets {
  const served: Served[] = chains.map((chain) => ({
    worker: new NetworkWorker({ engine, served: chain, nowMs, onTrouble: oncePerMinute }),
    running: undefined,
    dueAtMs: 0,
    failedMs: 0,
    changesSeen: -1,
  }));
  const loggedAtMs = new Map<string, number>();
  function oncePerMinute(words: string): void {
    const now = nowMs();
    const last = loggedAtMs.get(words);
    if (last !== undefined && now - last < 60_000) return;
    if (loggedAtMs.size >= 1_000) loggedAtMs.clear();
    loggedAtMs.set(words, now);
    onTrouble(words);
  }

  let isStopped = false;
  let sequenceSeen = -1;
  let isChecking = false;

  const run = async (one: Served): Promise<void> => {
    const { worker } = one;
    const { changes, mine, pollMs } = worker.served;
    one.changesSeen = changes?.() ?? 0;
    const isServed = await worker.round();
    const now = nowMs();
    if (!isServed) {
      one.failedMs = Math.min(FAILED_MOST_MS, Math.max(FAILED_FIRST_MS, one.failedMs * 2));
      one.dueAtMs = now + one.failedMs;
      return;
    }
    one.failedMs = 0;
    if (mine === undefined) one.dueAtMs = now + pollMs;
    else if (worker.isWaitingForBlocks) one.dueAtMs = now;
    else one.dueAtMs = isAnythingLeft(worker.status()) ? now + SHORT_MS : Number.MAX_SAFE_INTEGER;
  };

  const start = (one: Served): void => {
    one.running = run(one).then(
      () => {
        one.running = undefined;
      },
      (error: unknown) => {
        one.running = undefined;
        stopChecking();
        if (!(error instanceof EngineStopped)) {
          onTrouble(`money in and out has stopped: ${(error as Error).stack}`);
        }
      },
    );
  };

  /** Checks for new work since the last time: a new withdrawal wakes its network immediately. */
  const checkVenue = async (): Promise<void> => {
    const sequence = engine.releasedSequence;
    if (sequence === sequenceSeen || isChecking) return;
    isChecking = true;
    try {
      const works = await engine.view('chainWork', { deposits: 'none' });
      for (const one of served) {
        const work = works[one.worker.served.terms.network];
        if (work === undefined || !isToTake(work, one.worker.status())) continue;
        one.dueAtMs = Math.min(one.dueAtMs, nowMs());
      }
      sequenceSeen = sequence;
    } catch (error) {
      if (!(error instanceof EngineStopped)) throw error;
      stopChecking();
    } finally {
      isChecking = false;
    }
  };

  const check = (): void => {
    if (isStopped) return;
    void checkVenue();
    const now = nowMs();
    for (const one of served) {
      const { changes } = one.worker.served;
      const isChanged = changes !== undefined && changes() !== one.changesSeen;
      if (one.running === undefined && (isChanged || now >= one.dueAtMs)) start(one);
    }
  };
  const stopTimer = every(CHECK_MS, check);
  const stopChecking = (): void => {
    isStopped = true;
    stopTimer();
  };

  return {
    depositAddress: (network, account) =>
      served
        .find(({ worker }) => worker.served.terms.network === network)
        ?.worker.depositAddress(numberOf(account)),
    status: () => served.map(({ worker }) => worker.status()),
    holdings: () => served.map(({ worker }) => worker.holdings()),
    rescan: (network, fromHeight) => {
      const one = served.find(({ worker }) => worker.served.terms.name === network);
      one?.worker.rescanFrom(fromHeight);
      if (one !== undefined) one.dueAtMs = 0;
      return one !== undefined;
    },
    recall: (records) => {
      // A simulated chain begins again without its past when its file is lost.
      for (const { worker } of served) if (worker.served.kind === 'evm') worker.recall(records);
    },
    settleSimulated: async () => {
      for (const one of served) {
        if (one.worker.served.mine !== undefined && one.running === undefined) start(one);
        if (one.worker.served.mine !== undefined) await one.running;
      }
    },
    stop: async () => {
      stopChecking();
      await Promise.all(served.map(({ running }) => running));
    },
  };
}

const isAnythingLeft = ({ waiting }: NetworkStatus): boolean =>
  Object.values(waiting).some((count) => count > 0);

/** There is waiting work that the last round did not see. */
function isToTake({ withdrawals }: NetworkWork, { waiting }: NetworkStatus): boolean {
  return withdrawals.length > waiting.withdrawals + waiting.inSweeping + waiting.processing;
}
