import { withdrawalIdText } from '../../domain/ids.ts';
import type { WithdrawalRecord } from '../../domain/wallet.ts';
import { type Chain, HOT, type PaymentDraft, type TransactionStatus } from '../chains/chain.ts';
import { chainAmountOf } from '../chains/chain-amounts.ts';
import { costMax } from '../chains/fees.ts';
import { REMEMBERED_BLOCKS } from '../chains/scan.ts';
import type { HotWallet } from './hot-wallet.ts';
import { assetOf, type NetworkTerms } from './network-terms.ts';
import type { Outgoing, Pursued } from './payments.ts';

type How = Extract<Pursued, { kind: 'ended' }>['how'];
type Finished = {
  readonly payment: Pick<Outgoing, 'name' | 'draft' | 'nonce' | 'sinceHeight' | 'versions'>;
  readonly txIds: readonly string[];
  /** What the venue has concluded. */
  readonly how: How;
  /** The block that it was concluded from; undefined after a restart. */
  height: number | undefined;
  /** Whether its block may have been replaced. */
  isDoubtful: boolean;
  /** What the chain shows instead, for operators. */
  contradiction: string | undefined;
  /** The chain has not reached its final answer about it. */
  isOpen: boolean;
};

/** The oldest are dropped. */
const FINISHED_MAX = 1_000;
const CHECKS_PER_STEP = 100;
const DAY_MS = 86_400_000;
/** After a restart only the transactions are known: no nonce is above this one. */
const NONCE_UNKNOWN = Number.MAX_SAFE_INTEGER;

/**
 * Payments of the hot wallet that the venue has concluded, while a deep reorganisation may still undo them.
 * Nothing is booked here: COMPLETED and FAILED stay. A payment that vanished is broadcast again with the same
 * bytes, which share its nonce, so that it is never paid twice; operators are told what the chain shows
 * instead until it agrees again.
 */
export class FinishedPayments {
  readonly #chain: Chain;
  readonly #terms: NetworkTerms;
  readonly #onTrouble: (words: string) => void;
  readonly #finished = new Map<string, Finished>();

  constructor(options: {
    readonly chain: Chain;
    readonly terms: NetworkTerms;
    readonly onTrouble: (words: string) => void;
  }) {
    this.#chain = options.chain;
    this.#terms = options.terms;
    this.#onTrouble = options.onTrouble;
  }

  remember(payment: Outgoing, { how, height }: { readonly how: How; readonly height: number }) {
    const { name, draft, nonce, sinceHeight, versions } = payment;
    this.#add({
      payment: { name, draft, nonce, sinceHeight, versions },
      txIds: versions.map(({ txId }) => txId),
      how,
      ...{ height, isDoubtful: false, contradiction: undefined, isOpen: false },
    });
  }

  /**
   * What an earlier run has completed in the last day, the newest first: the chain is asked once about each.
   * Their bytes are no longer known here, so they displace none of this run.
   */
  recall(records: readonly WithdrawalRecord[], nowMs: number): void {
    for (const { id, network, asset, address, memo, debited, fee, ...record } of records) {
      if (this.#finished.size >= FINISHED_MAX) return;
      const { status, completedAtMs = 0, txId } = record;
      if (network !== this.#terms.network || status !== 'COMPLETED' || txId === undefined) continue;
      if (completedAtMs < nowMs - DAY_MS) continue;
      const known = assetOf(this.#terms, asset);
      const amount = known && chainAmountOf(debited - fee, known.scale, known.decimals);
      if (known === undefined || amount === undefined) continue;
      const name = `withdrawal ${withdrawalIdText(id)}`;
      if (this.#finished.has(keyOf(name, txId))) continue;
      const to = { to: address, ...(memo === undefined ? {} : { memo }) };
      const draft: PaymentDraft = { from: HOT, ...to, tokenId: known.tokenId, amount };
      this.#add({
        payment: { name, draft, nonce: NONCE_UNKNOWN, sinceHeight: 0, versions: [] },
        ...{ txIds: [txId], how: 'confirmed', height: undefined },
        ...{ isDoubtful: true, contradiction: undefined, isOpen: true },
      });
    }
  }

  /** Blocks above this height were replaced. */
  doubtAbove(forkHeight: number): void {
    for (const one of this.#finished.values()) {
      if (one.height === undefined || one.height > forkHeight) one.isDoubtful = true;
    }
  }

  /** Asks the chain about those in doubt. What was lost is sent again, and not spent by later payments. */
  async step(hot: HotWallet, headHeight: number): Promise<void> {
    let checks = 0;
    for (const [key, one] of [...this.#finished]) {
      if (!one.isDoubtful) {
        if ((one.height ?? 0) <= headHeight - REMEMBERED_BLOCKS) this.#finished.delete(key);
        continue;
      }
      if (checks++ >= CHECKS_PER_STEP) break;
      await this.#check(one, hot);
      // Those that stay in doubt come last, so that the others are checked, too.
      this.#finished.delete(key);
      this.#finished.set(key, one);
    }
  }

  /** What operators must know, as texts; empty while the chain agrees with the venue. */
  get contradictions(): readonly string[] {
    return [...this.#finished.values()].flatMap(({ contradiction }) => contradiction ?? []);
  }

  /** Whether blocks may still change it. */
  get isWaiting(): boolean {
    return [...this.#finished.values()].some(({ isDoubtful, isOpen }) => isDoubtful && isOpen);
  }

  async #check(one: Finished, hot: HotWallet): Promise<void> {
    const { payment, txIds, how } = one;
    const { draft, nonce, sinceHeight, versions, name } = payment;
    const status = await this.#chain.statusOf({ draft, nonce, txIds, sinceHeight });
    const isFinal = 'isFinal' in status && status.isFinal;
    one.isOpen = !isFinal;
    if (status.kind === how) {
      one.contradiction = undefined;
      if (isFinal) {
        one.isDoubtful = false;
        one.height = status.height;
      }
      return;
    }
    // Before it is sent: operators are told also if the node does not take it.
    const words = `${name}: ${wordsOf(one, status)}`;
    one.contradiction = words;
    this.#onTrouble(`${this.#chain.network}: ${words}`);
    const newest = versions.at(-1);
    if (how !== 'confirmed' || newest === undefined) return;
    if (status.kind !== 'unknown' && status.kind !== 'pending') return;
    hot.promise(draft.tokenId, draft.amount, costMax(this.#chain.feeOf(newest.rawBytes)));
    if (status.kind === 'unknown') await this.#chain.broadcast(newest.rawBytes);
  }

  #add(one: Finished): void {
    this.#finished.set(keyOf(one.payment.name, one.txIds.at(-1) ?? ''), one);
    if (this.#finished.size <= FINISHED_MAX) return;
    const [oldest] = this.#finished.keys();
    if (oldest !== undefined) this.#finished.delete(oldest);
  }
}

/** A top-up of the same account may come again. */
const keyOf = (name: string, txId: string): string => `${name}/${txId}`;

function wordsOf({ payment, txIds, how }: Finished, status: TransactionStatus): string {
  const transaction = `transaction ${txIds.at(-1)}`;
  if (how !== 'confirmed') {
    return status.kind === 'confirmed'
      ? `it failed and was returned, but ${transactionOf(status)} has paid it after a reorganisation`
      : 'it failed and was returned; a reorganisation has removed the reason, and it may still be paid';
  }
  switch (status.kind) {
    case 'reverted':
      return `it was paid, but after a reorganisation ${transactionOf(status)} has failed: nobody was paid`;
    case 'foreign':
      return `it was paid, but after a reorganisation its nonce was used by ${transactionOf(status)}: nobody was paid`;
    case 'nonce-used':
      return `it was paid, but a reorganisation has removed ${transaction}, and its nonce is used: ${status.reason}`;
    case 'unknown':
    case 'pending':
    case 'confirmed':
      return payment.versions.length > 0
        ? `it was paid, but a reorganisation has removed ${transaction}: it is sent again until a block has it`
        : `it was paid, but the chain does not have ${transaction}: send it to the node again`;
  }
}

const transactionOf = ({ txId }: { readonly txId: string }): string => `transaction ${txId}`;
