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
  /** For people, and one for each payment: `withdrawal 7`. */
  readonly name: string;
  readonly draft: PaymentDraft;
  readonly nonce: number;
  readonly sinceHeight: number;
  /** What the venue has on disk. */
  readonly versions: readonly SignedBytes[];
  /** Resolves once it is on disk; false when the venue refuses it, and then it is not broadcast. */
  record(signed: SignedTransaction): Promise<boolean>;
};

/** No block has it; a block has it; it is final, one way or the other. */
export type Pursued =
  | { readonly kind: 'waiting'; readonly costMax: bigint }
  | { readonly kind: 'included'; readonly costMax: bigint }
  | ({ readonly kind: 'ended'; readonly how: 'confirmed' | 'reverted' | 'foreign' } & Inclusion);

export type PaymentsOptions = {
  readonly chain: Chain;
  readonly nowMs: () => number;
  /** How long a payment may wait for a block before more is offered for it. */
  readonly bumpAfterMs: number;
  readonly onTrouble: (words: string) => void;
};

/**
 * Carries payments through: sign, record, broadcast, again and again, until the chain is final about them.
 * Every version is on disk before it is broadcast, and all versions of a payment share its nonce, so
 * that one of them at most is ever paid, whenever this program is killed. All it keeps in memory is since
 * when it waits.
 */
export class Payments {
  readonly #options: PaymentsOptions;
  readonly #waiting = new Map<string, { readonly txId: string; readonly sinceMs: number }>();

  constructor(options: PaymentsOptions) {
    this.#options = options;
  }

  /** `isNext`: its nonce is the wallet's next. A later one waits for its predecessors, not for a better fee. */
  async pursue(payment: Outgoing, isNext: boolean): Promise<Pursued> {
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
        this.#tell(
          payment,
          `its nonce is used, and the node does not say by what: ${status.reason}`,
        );
        return { kind: 'included', costMax: most };
      case 'unknown':
        await this.#broadcast(payment, newest.rawBytes);
        break;
      case 'pending':
        break;
    }
    if (isNext && this.#hasWaited(payment.name, newest.txId)) {
      return this.#bump(payment, chain.feeOf(newest.rawBytes));
    }
    return { kind: 'waiting', costMax: most };
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
    await this.#send(payment, fee);
    return { kind: 'waiting', costMax: costMax(fee) };
  }

  async #bump(payment: Outgoing, previous: Fee): Promise<Pursued> {
    const fee = await this.#options.chain.bumpFee(previous);
    if (fee === undefined) {
      this.#tell(payment, 'no block takes it, and a better offer would be above the fee limit');
      return { kind: 'waiting', costMax: costMax(previous) };
    }
    await this.#send(payment, fee);
    return { kind: 'waiting', costMax: costMax(fee) };
  }

  async #send(payment: Outgoing, fee: Fee): Promise<void> {
    const { draft, nonce } = payment;
    const signed = await this.#options.chain.sign({ ...draft, nonce, fee });
    if (!(await payment.record(signed))) {
      this.#tell(payment, 'the venue does not take another version of it');
      return;
    }
    await this.#broadcast(payment, signed.rawBytes);
  }

  async #broadcast(payment: Outgoing, rawBytes: Uint8Array): Promise<void> {
    const outcome = await this.#options.chain.broadcast(rawBytes);
    // Never final: the same bytes are sent again.
    if (outcome.kind === 'refused') this.#tell(payment, `the node refuses it: ${outcome.reason}`);
  }

  #hasWaited(name: string, txId: string): boolean {
    const { nowMs, bumpAfterMs } = this.#options;
    const known = this.#waiting.get(name);
    if (known?.txId === txId) return nowMs() - known.sinceMs >= bumpAfterMs;
    this.#waiting.set(name, { txId, sinceMs: nowMs() });
    return false;
  }

  #tell({ name }: Outgoing, words: string): void {
    this.#options.onTrouble(`${this.#options.chain.network}: ${name}: ${words}`);
  }
}
