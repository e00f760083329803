import type { NetworkWork } from '../../domain/chain-work.ts';
import { textFromParts } from '../../domain/decimal.ts';
import type { WithdrawalRecord } from '../../domain/wallet.ts';
import type { Engine } from '../../engine/engine.ts';
import {
  type Chain,
  type ChainFault,
  ChainUnavailable,
  type DepositAddress,
  HOT,
  type TokenId,
} from '../chains/chain.ts';
import { Balances, carriedBy, type Holding, holdingOf } from './balances.ts';
import { DepositWatcher } from './deposit-watcher.ts';
import { workOf } from './engine-calls.ts';
import { FeeFollower } from './fee-follower.ts';
import { FinishedPayments } from './finished-payments.ts';
import { HotWallet } from './hot-wallet.ts';
import { type NetworkTerms, numberOf } from './network-terms.ts';
import { Payments } from './payments.ts';
import { Sweeper } from './sweeper.ts';
import { WithdrawalSender } from './withdrawal-sender.ts';

/** A chain that serves a network of the catalogue, and how it is served. */
export type ServedChain = {
  readonly chain: Chain;
  readonly kind: 'simulated' | 'evm';
  readonly terms: NetworkTerms;
  readonly startHeight: number | undefined;
  /** Its start height is in the venue's state: an earlier run has read it. */
  readonly wasRead?: boolean;
  readonly reportEveryBlocks: number;
  readonly bumpAfterMs: number;
  /** How often a chain that produces its own blocks is polled. */
  readonly pollMs: number;
  /** For a chain that produces blocks only on request. */
  readonly mine?: () => void;
  /** For a simulated chain: counts its changes, including those that the venue did not cause. */
  readonly changes?: () => number;
  readonly waitingCount?: () => number;
  /** For a simulated chain: what all wallets of the venue hold. */
  readonly holdings?: (tokenId: TokenId) => bigint;
};

/** The state of a network, for operators. */
export type NetworkStatus = {
  readonly network: string;
  readonly chain: 'simulated' | 'evm';
  readonly isReachable: boolean;
  /** Why not; undefined if it is. */
  readonly fault: ChainFault | undefined;
  readonly reason: string | undefined;
  /** Why withdrawals wait although it is reachable. */
  readonly shortage: string | undefined;
  readonly headHeight: number;
  readonly readHeight: number;
  /** Deposits wait below this block until an operator decides where to read from. */
  readonly lostBelow: number | undefined;
  readonly isRescanning: boolean;
  /** Payments that the venue has concluded and the chain shows otherwise, each as a text. */
  readonly contradictions: readonly string[];
  /** Deposit addresses whose balances are not known yet. */
  readonly unaskedAddresses: number;
  readonly hotWallet: string;
  readonly waiting: {
    readonly withdrawals: number;
    readonly inSweeping: number;
    readonly processing: number;
    readonly sweeps: number;
    readonly deposits: number;
  };
  readonly rounds: number;
  readonly failures: number;
  readonly lastRoundAtMs: number;
};

export type WorkerOptions = {
  readonly engine: Engine;
  readonly served: ServedChain;
  readonly nowMs: () => number;
  readonly onTrouble: (words: string) => void;
};

/** Runs rounds for one network: deposits, payments, fees. */
export class NetworkWorker {
  readonly served: ServedChain;
  readonly #engine: Engine;
  readonly #nowMs: () => number;
  readonly #onTrouble: (words: string) => void;
  readonly #watcher: DepositWatcher;
  readonly #sender: WithdrawalSender;
  readonly #sweeper: Sweeper;
  readonly #follower: FeeFollower;
  readonly #finished: FinishedPayments;
  #work: NetworkWork | undefined;
  #fault: { readonly fault: ChainFault; readonly reason: string } | undefined;
  readonly #balances: Balances;
  #shortage: string | undefined;
  #sayAgainAtMs = 0;
  #rounds = 0;
  #failures = 0;
  #lastRoundAtMs = 0;

  constructor({ engine, served, nowMs, onTrouble }: WorkerOptions) {
    const { chain, terms, startHeight, wasRead = false, reportEveryBlocks, bumpAfterMs } = served;
    this.served = served;
    this.#engine = engine;
    this.#nowMs = nowMs;
    this.#onTrouble = onTrouble;
    const finished = new FinishedPayments({ chain, terms, onTrouble });
    this.#finished = finished;
    const shared = { engine, chain, terms, onTrouble };
    const payments = new Payments({ chain, nowMs, bumpAfterMs, onTrouble });
    const accountNumbers = () => engine.directory.accountsFrom(0).map(numberOf);
    this.#balances = new Balances({ chain, terms, nowMs, accountNumbers });
    const onTransfer = (accountNumber: number): void => this.#balances.touch(accountNumber);
    this.#watcher = new DepositWatcher({
      ...shared,
      onTransfer,
      onFork: (height) => finished.doubtAbove(height),
      startHeight,
      wasRead,
      reportEveryBlocks,
    });
    this.#sender = new WithdrawalSender({ ...shared, payments, finished });
    this.#sweeper = new Sweeper({ engine, chain, terms, payments, finished, onEnd: onTransfer });
    this.#follower = new FeeFollower({ engine, chain, terms, nowMs });
  }

  /** Resolves to whether the chain could be reached. Rejects only when the engine has stopped. */
  async round(): Promise<boolean> {
    this.#rounds++;
    this.#lastRoundAtMs = this.#nowMs();
    try {
      await this.#serve();
      if (this.#fault !== undefined) this.#onTrouble(`${this.served.terms.name} is back`);
      this.#fault = undefined;
      return true;
    } catch (error) {
      if (!(error instanceof ChainUnavailable)) throw error;
      this.#failures++;
      this.#fault = { fault: error.fault, reason: error.message };
      this.#onTrouble(error.message);
      return false;
    }
  }

  async #serve(): Promise<void> {
    const { chain, terms } = this.served;
    const isAtHead = await this.#watcher.step();
    const work = await workOf(this.#engine, terms.network);
    this.#work = work;
    const hot = new HotWallet(chain, terms.coin, work);
    const { headHeight } = this.#watcher;
    await this.#sender.pursue(work, hot, headHeight);
    await this.#sweeper.pursue(work, hot, headHeight);
    await this.#finished.step(hot, headHeight);
    const lacking: ReadonlyMap<TokenId, bigint> = await this.#sender.take(work, hot);
    const isInVain = await this.#sweeper.search(work, lacking, hot);
    this.#sayShortage(this.#shortageOf(hot, isInVain ? lacking : new Map()));
    await this.#follower.step(work);
    if (this.served.holdings === undefined) await this.#balances.step(work.sweeps);
    this.#work = await workOf(this.#engine, terms.network);
    if (isAtHead && this.isWaitingForBlocks) this.served.mine?.();
  }

  /** Why withdrawals wait although the chain can be reached; only an operator can end this. */
  #shortageOf(hot: HotWallet, lacking: ReadonlyMap<TokenId, bigint>): string | undefined {
    const { chain, terms } = this.served;
    const { coin } = terms;
    if (hot.shortCosts !== undefined && coin !== undefined) {
      const [needed, left] = [hot.shortCosts.needed, hot.shortCosts.left].map(
        (parts) => `${textFromParts(parts, coin.scale)} ${coin.code}`,
      );
      return `network-costs has ${left} left and the next payment may cost ${needed}: fill it (rialto funds pay-in)`;
    }
    if (lacking.size === 0) return undefined;
    const texts = carriedBy(terms)
      .filter(({ tokenId }) => lacking.has(tokenId))
      .map((one) => `${textFromParts(lacking.get(one.tokenId) ?? 0n, one.decimals)} ${one.code}`);
    return `the hot wallet ${chain.addressOf(HOT)} lacks ${texts.join(' and ')}, and no deposit address has it`;
  }

  /** The amounts change with every block: said when it begins and once a minute. */
  #sayShortage(shortage: string | undefined): void {
    const now = this.#nowMs();
    if (shortage !== undefined && (this.#shortage === undefined || now >= this.#sayAgainAtMs)) {
      this.#onTrouble(`${this.served.terms.name}: withdrawals wait: ${shortage}`);
      this.#sayAgainAtMs = now + 60_000;
    }
    this.#shortage = shortage;
  }

  /** An external node is not queried each time somebody looks. */
  holdings(): Holding[] {
    const { terms, holdings } = this.served;
    if (holdings === undefined) return this.#balances.holdings();
    return carriedBy(terms).map((asset) => holdingOf(asset, holdings(asset.tokenId)));
  }

  /** A payment or a deposit has too few confirmations. */
  get isWaitingForBlocks(): boolean {
    const { deposits, sweeps, withdrawals } = this.#work ?? NOTHING;
    return (
      deposits.length > 0 ||
      sweeps.length > this.#sweeper.refusedCount ||
      withdrawals.some(({ status }) => status === 'PROCESSING') ||
      this.#finished.isWaiting ||
      (this.served.waitingCount?.() ?? 0) > 0
    );
  }

  /**
   * A network that was never read has no deposit addresses: a payment before its start height would not be
   * seen.
   */
  depositAddress(accountNumber: number): DepositAddress | undefined {
    return this.#watcher.hasBegun ? this.served.chain.depositAddress(accountNumber) : undefined;
  }

  /** Reads blocks again from a height; what is already known does not change. */
  rescanFrom(height: number): void {
    this.#watcher.rescanFrom(height);
  }

  /** Withdrawals that an earlier run has completed: whether the chain still has them. */
  recall(records: readonly WithdrawalRecord[]): void {
    this.#finished.recall(records, this.#nowMs());
  }

  status(): NetworkStatus {
    const { chain, kind, terms } = this.served;
    const { deposits, sweeps, withdrawals } = this.#work ?? NOTHING;
    const countOf = (status: string): number =>
      withdrawals.filter((withdrawal) => withdrawal.status === status).length;
    return {
      network: terms.name,
      chain: kind,
      isReachable: this.#fault === undefined,
      fault: this.#fault?.fault,
      reason: this.#fault?.reason,
      shortage: this.#shortage,
      headHeight: this.#watcher.headHeight,
      readHeight: this.#watcher.readHeight ?? 0,
      lostBelow: this.#watcher.lostBelow,
      isRescanning: this.#watcher.isRescanning,
      contradictions: this.#finished.contradictions,
      unaskedAddresses: this.served.holdings === undefined ? this.#balances.unqueriedCount : 0,
      hotWallet: chain.addressOf(HOT),
      waiting: {
        withdrawals: countOf('PENDING'),
        inSweeping: countOf('IN SWEEPING'),
        processing: countOf('PROCESSING'),
        sweeps: sweeps.length,
        deposits: deposits.length,
      },
      rounds: this.#rounds,
      failures: this.#failures,
      lastRoundAtMs: this.#lastRoundAtMs,
    };
  }
}

const NOTHING = { deposits: [], sweeps: [], withdrawals: [] } as const;
