import type { SignedBytes } from '../../domain/chain-work.ts';
import type {
  Chain,
  Fee,
  Inclusion,
  PaymentDraft,
  SignedTransaction,
  TransactionStatus,
} from '../chains/chain.ts';
import { costMax } from '../chains/fees.ts';

/** A payment from one of the venue's wallets: a withdrawal, a sweep, coin for a sweep. */
export type Outgoing = {
  /** Unique and readable: `withdrawal 7`. */
  readonly name: string;
  readonly draft: PaymentDraft;
  readonly nonce: number;
  readonly sinceHeight: number;
  /** The signed versions that the venue has on disk. */
  readonly versions: readonly SignedBytes[];
  /** What to sign with a higher fee, if that changes the payment; undefined if it cannot be paid. */
  rebid?(fee: Fee): Promise<PaymentDraft | undefined>;
  /** Resolves once it is on disk; false if the venue refuses it, and then it is not broadcast. */
  record(signed: SignedTransaction, draft: PaymentDraft): Promise<boolean>;
};

/** In no block; in a block; final, either way. */
export type Pursued =
  | { readonly kind: 'waiting'; readonly costMax: bigint; readonly isRefused?: boolean }
  | { readonly kind: 'included'; readonly costMax: bigint }
  | ({ readonly kind: 'ended'; readonly how: 'confirmed' | 'reverted' | 'foreign' } & Inclusion);

/** Its position among the payments of its wallet. */
export type Place = {
  /** Its nonce is the next one: a later payment waits for its predecessors, and a higher fee would not help. */
  readonly isNext: boolean;
  readonly headHeight: number;
};

type Wait = { readonly txId: string; readonly sinceMs: number; readonly sinceHeight: number };
const BUMP_BLOCKS = 2;
const WAITS_MAX = 10_000;

export type PaymentsOptions = {
  readonly chain: Chain;
  readonly nowMs: () => number;
  /** How long a payment may wait for a block before its fee is raised. */
  readonly bumpAfterMs: number;
  readonly onTrouble: (words: string) => void;
};

/**
 * Carries payments through: sign, record, broadcast, repeatedly, until the chain is final about them. Every
 * version is on disk before it is broadcast, and all versions of a payment share its nonce, so that at most
 * one of them is ever paid, whenever this program is killed. The only state in memory is how long each has
 * waited.
 */
export class Payments {
  readonly #options: PaymentsOptions;
  readonly #waiting = new Map<string, Wait>();

  constructor(options: PaymentsOptions) {
    this.#options = options;
  }

  /** Advances it by one step; sends it again if the node does not know it. */
  async pursue(payment: Outgoing, place: Place): Promise<Pursued> {
    const { chain } = this.#options;
    const newest = payment.versions.at(-1);
    if (newest === undefined) return this.#sendFirst(payment);
    const { draft, nonce, sinceHeight, versions } = payment;
    const txIds = versions.map(({ txId }) => txId);
    const status = await chain.statusOf({ draft, nonce, txIds, sinceHeight });
    const most = costMax(chain.feeOf(newest.rawBytes));
    switch (status.kind) {
      case 'confirmed':
      case 'reverted':
      case 'foreign':
        return this.#included(payment, status, most);
      case 'nonce-used':
        this.#report(
          payment,
          `its nonce is used, and the node does not say by what: ${status.reason}`,
        );
        return { kind: 'included', costMax: most };
      case 'unknown':
      case 'pending':
        break;
    }
    const isTaken = status.kind === 'pending' || (await this.#broadcast(payment, newest.rawBytes));
    if (place.isNext && this.#hasWaited(payment.name, newest.txId, place.headHeight)) {
      const next = await chain.nextNonce(draft.from);
      if (next < nonce) {
        this.#report(
          payment,
          `it waits for nonce ${next} of ${chain.addressOf(draft.from)}, and the payment with that nonce is in no ` +
            'block, or not any more: if it does not come back, send its transaction to the node again',
        );
        return { kind: 'waiting', costMax: most, isRefused: !isTaken };
      }
      return this.#bump(payment, chain.feeOf(newest.rawBytes));
    }
    return { kind: 'waiting', costMax: most, isRefused: !isTaken };
  }

  #included(
    { name }: Outgoing,
    status: Extract<TransactionStatus, Inclusion>,
    most: bigint,
  ): Pursued {
    this.#waiting.delete(name);
    if (!status.isFinal) return { kind: 'included', costMax: most };
    const { kind: how, ...inclusion } = status;
    return { kind: 'ended', how, ...inclusion };
  }

  async #sendFirst(payment: Outgoing): Promise<Pursued> {
    const { fee } = await this.#options.chain.estimateFee(payment.draft);
    const isTaken = await this.#send(payment, payment.draft, fee);
    return { kind: 'waiting', costMax: costMax(fee), isRefused: !isTaken };
  }

  async #bump(payment: Outgoing, previous: Fee): Promise<Pursued> {
    const fee = await this.#options.chain.bumpFee(previous);
    if (fee === undefined) {
      this.#report(payment, 'no block takes it, and a better offer would be above the fee limit');
      return { kind: 'waiting', costMax: costMax(previous) };
    }
    const draft = payment.rebid === undefined ? payment.draft : await payment.rebid(fee);
    if (draft === undefined) {
      return { kind: 'waiting', costMax: costMax(previous), isRefused: true };
    }
    const isTaken = await this.#send(payment, draft, fee);
    return { kind: 'waiting', costMax: costMax(fee), isRefused: !isTaken };
  }

  async #send(payment: Outgoing, draft: PaymentDraft, fee: Fee): Promise<boolean> {
    const signed = await this.#options.chain.sign({ ...draft, nonce: payment.nonce, fee });
    if (!(await payment.record(signed, draft))) {
      this.#report(payment, 'the venue does not take another version of it');
      return false;
    }
    return this.#broadcast(payment, signed.rawBytes);
  }

  /** Whether the node accepted it. A refusal is never final: the same bytes are sent again. */
  async #broadcast(payment: Outgoing, rawBytes: Uint8Array): Promise<boolean> {
    const outcome = await this.#options.chain.broadcast(rawBytes);
    if (outcome.kind !== 'refused') return true;
    this.#report(payment, `the node refuses it: ${outcome.reason}`);
    return false;
  }

  /**
   * It has waited long enough, and blocks have come without it: if the chain stands still, a higher fee does
   * not help.
   */
  #hasWaited(name: string, txId: string, headHeight: number): boolean {
    const { nowMs, bumpAfterMs } = this.#options;
    const known = this.#waiting.get(name);
    if (known?.txId === txId) {
      const blocks = headHeight - known.sinceHeight;
      return nowMs() - known.sinceMs >= bumpAfterMs && blocks >= BUMP_BLOCKS;
    }
    if (this.#waiting.size >= WAITS_MAX) this.#waiting.clear();
    this.#waiting.set(name, { txId, sinceMs: nowMs(), sinceHeight: headHeight });
    return false;
  }

  #report({ name }: Outgoing, words: string): void {
    this.#options.onTrouble(`${this.#options.chain.network}: ${name}: ${words}`);
  }
}
