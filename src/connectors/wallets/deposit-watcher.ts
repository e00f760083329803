import type { DepositWork, NetworkWork } from '../../domain/chain-work.ts';
import { depositKey } from '../../domain/wallet.ts';
import type { Engine } from '../../engine/engine.ts';
import { type Chain, confirmationsAt, type Transfer } from '../chains/chain.ts';
import {
  cursorFrom,
  REMEMBERED_BLOCKS,
  type ScanCursor,
  type ScanStep,
  scan,
} from '../chains/scan.ts';
import { submit, workOf } from './engine-calls.ts';
import { accountOf, type NetworkTerms, numberOf } from './network-terms.ts';

/**
 * Reads a network's blocks and reports payments to the venue: seen, credited at full confirmations, lost to a
 * reorganisation. It stores nothing: where it continues after a start, and which transfers must be found
 * again, is in the venue's state. Reading a block twice changes nothing there.
 */
export type WatcherOptions = {
  readonly engine: Engine;
  readonly chain: Chain;
  readonly terms: NetworkTerms;
  /** Where reading begins on a network that was never read; after the head by default. */
  readonly startHeight: number | undefined;
  /** In an earlier run. */
  readonly wasRead: boolean;
  /** After how many blocks the height is reported if there is nothing else to report. */
  readonly reportEveryBlocks: number;
  readonly onTrouble: (words: string) => void;
  /** A transfer to the deposit address of an account was found, or vanished. */
  readonly onTransfer: (accountNumber: number) => void;
  /** Blocks above this height were replaced. */
  readonly onFork: (height: number) => void;
};

/** So that a long catch-up leaves time for payments in between. */
const CALLS_PER_STEP = 20;

export class DepositWatcher {
  readonly #options: WatcherOptions;
  #cursor: ScanCursor | undefined;
  /** Where the next reading begins, if an operator has set it. */
  #fromHeight: number | undefined;
  /** Deposits that the venue knows and this reading has not found yet. */
  #missing = new Map<string, DepositWork>();
  /** Accounts from here on are not observed yet. */
  #nextAccount = 0;
  #headHeight = 0;
  #hasBegun: boolean;
  #isRescanning = false;
  /** A reorganisation deeper than the remembered blocks: an operator decides where to read from. */
  lostBelow: number | undefined;

  constructor(options: WatcherOptions) {
    this.#options = options;
    this.#hasBegun = options.startHeight !== undefined || options.wasRead;
  }

  /** It is known from which block deposits are read: payments from now on will be seen. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  get readHeight(): number | undefined {
    return this.#cursor?.blocks.at(-1)?.height;
  }

  get headHeight(): number {
    return this.#headHeight;
  }

  /** From the next step on, blocks are read again from this height. */
  rescanFrom(height: number): void {
    this.#fromHeight = height;
    this.#cursor = undefined;
    this.lostBelow = undefined;
    this.#isRescanning = true;
  }

  /** Until the head is reached again. */
  get isRescanning(): boolean {
    return this.#isRescanning;
  }

  /** Continues reading towards the head. Returns whether it was reached. */
  async step(): Promise<boolean> {
    const { engine, terms } = this.#options;
    await this.#observe();
    this.#cursor ??= await this.#begin();
    this.#hasBegun = true;
    if (this.lostBelow !== undefined) return false;
    let isNews = false;
    for (let calls = 0; calls < CALLS_PER_STEP; calls++) {
      const found = await scan(this.#options.chain, this.#cursor);
      if ('isLost' in found) {
        this.#isRescanning = false;
        this.lostBelow = found.oldestHeight;
        this.#options.onFork(0);
        this.#options.onTrouble(
          `${terms.name} was reorganised below block ${found.oldestHeight}: deposits wait until an ` +
            'operator says from which block to read again',
        );
        return false;
      }
      await this.#report(found);
      // Only now: the report is on disk.
      this.#cursor = found.cursor;
      this.#headHeight = found.headHeight;
      if (found.forkHeight !== undefined) this.#options.onFork(found.forkHeight);
      isNews ||= found.found.length > 0;
      if (!found.isAtHead) continue;
      this.#isRescanning = false;
      await this.#loseUnmet();
      const isCredited = await this.#credit(await workOf(engine, terms.network));
      await this.#reach(isNews || isCredited);
      return true;
    }
    await this.#reach(isNews);
    return false;
  }

  /** Observes accounts that were created meanwhile, before any block is read that may pay them. */
  async #observe(): Promise<void> {
    const { engine, chain } = this.#options;
    const added = engine.directory.accountsFrom(this.#nextAccount);
    const last = added.at(-1);
    if (last === undefined) return;
    await chain.observe(added.map(numberOf));
    this.#nextAccount = last + 1;
  }

  async #begin(): Promise<ScanCursor> {
    const { engine, chain, terms, startHeight } = this.#options;
    const { height, deposits } = await workOf(engine, terms.network, 'all');
    if (height === 0 && deposits.length === 0 && this.#fromHeight === undefined) {
      const start = startHeight ?? (await chain.head()).height + 1;
      const { network } = terms;
      // Recorded immediately: a crash must not move the beginning.
      if (start > 1) await submit(engine, { kind: 'reach-height', network, height: start - 1 });
      return cursorFrom(chain, start);
    }
    const waiting = deposits.filter(({ status }) => status === 'PENDING');
    const remembered = Math.max(1, height - REMEMBERED_BLOCKS + 1);
    const from =
      this.#fromHeight ?? Math.min(remembered, ...waiting.map((deposit) => deposit.height));
    this.#fromHeight = undefined;
    const expected = deposits.filter(
      (deposit) => deposit.height >= from && deposit.status !== 'FAILED' && !deposit.isVanished,
    );
    this.#missing = new Map(expected.map((deposit) => [keyOf(deposit), deposit]));
    return cursorFrom(chain, from);
  }

  async #report({ found, vanished }: ScanStep): Promise<void> {
    const { engine, terms, onTransfer } = this.#options;
    const { network } = terms;
    // In this order, and in one group on disk.
    await Promise.all([
      ...vanished.map(({ txId, output }) =>
        submit(engine, { kind: 'lose-deposit', network, txId, output }),
      ),
      ...found.map((transfer) => this.#see(transfer)),
    ]);
    for (const transfer of found) this.#missing.delete(keyOf({ network, ...transfer }));
    for (const { accountNumber } of [...found, ...vanished]) onTransfer(accountNumber);
  }

  async #see(transfer: Transfer): Promise<void> {
    const { engine, terms, onTrouble } = this.#options;
    const { txId, output, address, memo, height, amount, tokenId } = transfer;
    const asset = terms.assets.find((one) => one.tokenId === tokenId)?.asset;
    // The coin of a network that is configured only for tokens: it is not a deposit.
    if (asset === undefined) return;
    const refused = await submit(engine, {
      kind: 'see-deposit',
      network: terms.network,
      account: accountOf(transfer.accountNumber),
      asset,
      txId,
      output,
      address,
      ...(memo === undefined ? {} : { memo }),
      height,
      chainAmount: amount,
    });
    if (refused === undefined) return;
    onTrouble(`${terms.name}: ${txId} output ${output} was not taken: ${refused.message}`);
  }

  /** Everything up to the head was read again, and these were not found. */
  async #loseUnmet(): Promise<void> {
    const { engine, terms } = this.#options;
    for (const [key, { txId, output, height }] of this.#missing) {
      if (height > this.#headHeight) continue;
      this.#missing.delete(key);
      await submit(engine, { kind: 'lose-deposit', network: terms.network, txId, output });
    }
  }

  async #credit({ network, deposits }: NetworkWork): Promise<boolean> {
    const { engine, chain } = this.#options;
    const due = deposits.filter(
      (deposit) =>
        !this.#missing.has(keyOf(deposit)) &&
        confirmationsAt(deposit.height, this.#headHeight) >= chain.confirmations,
    );
    await Promise.all(
      due.map(({ txId, output }) =>
        submit(engine, { kind: 'credit-deposit', network, txId, output }),
      ),
    );
    return due.length > 0;
  }

  /** Reported with other news, or when it is far behind, so that not every block wakes an idle venue. */
  async #reach(isNews: boolean): Promise<void> {
    const { engine, terms, reportEveryBlocks } = this.#options;
    // Only once all are found again: a start from here would not look for those further below.
    if (this.#missing.size > 0) return;
    const height = this.readHeight ?? 0;
    const { network } = terms;
    const { height: reported } = await workOf(engine, network, 'none');
    if (height <= reported || (!isNews && height - reported < reportEveryBlocks)) return;
    await submit(engine, { kind: 'reach-height', network, height });
  }
}

const keyOf = ({
  network,
  txId,
  output,
}: {
  readonly network: number;
  readonly txId: string;
  readonly output: number;
}): string => depositKey(network, txId, output);
