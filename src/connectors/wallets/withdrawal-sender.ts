import type { NetworkWork, WithdrawalWork } from '../../domain/chain-work.ts';
import { withdrawalIdText } from '../../domain/ids.ts';
import { amount } from '../../domain/units.ts';
import type { GasSpent } from '../../domain/wallet-commands.ts';
import type { Engine } from '../../engine/engine.ts';
import {
  type AddressFault,
  type Chain,
  HOT,
  type PaymentDraft,
  type TokenId,
} from '../chains/chain.ts';
import { chainAmountOf } from '../chains/chain-amounts.ts';
import { costMax } from '../chains/fees.ts';
import { submit } from './engine-calls.ts';
import type { FinishedPayments } from './finished-payments.ts';
import type { HotWallet } from './hot-wallet.ts';
import { assetOf, type NetworkTerms } from './network-terms.ts';
import type { Outgoing, Payments, Pursued } from './payments.ts';

/**
 * Sends waiting withdrawals in the order of their requests. It keeps no state: assigned nonces and signed
 * versions are in the venue's state, and whatever is found there is continued.
 */
export type SenderOptions = {
  readonly engine: Engine;
  readonly chain: Chain;
  readonly terms: NetworkTerms;
  readonly payments: Payments;
  readonly finished: FinishedPayments;
  readonly onTrouble: (words: string) => void;
};

/** Each one needs several requests to the node: the others follow in the next round. */
const TAKEN_PER_STEP = 20;

export class WithdrawalSender {
  readonly #options: SenderOptions;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  /** Continues what was already taken. */
  async pursue({ withdrawals }: NetworkWork, hot: HotWallet, headHeight: number): Promise<void> {
    const taken = withdrawals
      .filter(({ status }) => status === 'PROCESSING')
      .sort((a, b) => a.nonce - b.nonce);
    let isNext = true;
    for (const withdrawal of taken) {
      const draft = this.#draftOf(withdrawal);
      if (typeof draft === 'string') continue;
      const outgoing = this.#outgoing(withdrawal, draft);
      const pursued = await this.#options.payments.pursue(outgoing, { isNext, headHeight });
      if (pursued.kind === 'ended') {
        await this.#end(withdrawal, pursued, hot);
        this.#options.finished.remember(outgoing, pursued);
      } else this.#count(draft, pursued, hot);
      if (pursued.kind === 'waiting') isNext = false;
    }
  }

  /** Takes what can be paid. Returns what the hot wallet lacks for the rest. */
  async take({ withdrawals }: NetworkWork, hot: HotWallet): Promise<Map<TokenId, bigint>> {
    const lacking = new Map<TokenId, bigint>();
    const open = withdrawals.filter(({ status }) => status !== 'PROCESSING');
    for (const withdrawal of open.slice(0, TAKEN_PER_STEP)) {
      const draft = this.#draftOf(withdrawal);
      if (typeof draft === 'string') {
        await this.#hold(withdrawal, draft);
        continue;
      }
      for (const [tokenId, missing] of await this.#tryToTake(withdrawal, draft, hot)) {
        lacking.set(tokenId, (lacking.get(tokenId) ?? 0n) + missing);
      }
    }
    return lacking;
  }

  async #tryToTake(
    withdrawal: WithdrawalWork,
    draft: PaymentDraft,
    hot: HotWallet,
  ): Promise<ReadonlyMap<TokenId, bigint>> {
    const { engine, chain, payments, onTrouble } = this.#options;
    const { id, status } = withdrawal;
    const { fee, isLikelyToFail } = await chain.estimateFee(draft);
    const missing = await hot.missingFor(draft.tokenId, draft.amount, costMax(fee));
    if (!hot.canPayGas(costMax(fee)) || missing.size > 0) {
      if (status === 'PENDING') await submit(engine, { kind: 'take-withdrawal', id });
      return missing;
    }
    if (isLikelyToFail) {
      onTrouble(`${chain.network}: ${nameOf(id)} waits: the node expects it to fail`);
      return missing;
    }
    const nonce = await hot.nextNonce();
    const refused = await submit(engine, { kind: 'take-withdrawal', id, nonce });
    // It was canceled or held since the work was read.
    if (refused !== undefined) return missing;
    hot.useNonce(nonce);
    const place = { isNext: false, headHeight: 0 };
    const pursued = await payments.pursue(this.#outgoing({ ...withdrawal, nonce }, draft), place);
    if (pursued.kind !== 'ended') this.#count(draft, pursued, hot);
    return missing;
  }

  #count(draft: PaymentDraft, pursued: Exclude<Pursued, { kind: 'ended' }>, hot: HotWallet): void {
    hot.reserveGas(pursued.costMax);
    if (pursued.kind === 'waiting') hot.promise(draft.tokenId, draft.amount, pursued.costMax);
  }

  /** A string says why it cannot be paid. */
  #draftOf({ asset, address, memo, leaving }: WithdrawalWork): PaymentDraft | string {
    const { chain, terms } = this.#options;
    const fault = chain.checkAddress(address, memo);
    if (fault !== undefined) return `its address ${address} cannot be paid: ${FAULTS[fault]}`;
    const known = assetOf(terms, asset);
    if (known === undefined) return 'the chain does not carry the asset';
    const parts = chainAmountOf(leaving, known.scale, known.decimals);
    if (parts === undefined) return `the chain has only ${known.decimals} decimals`;
    const to = { to: address, ...(memo === undefined ? {} : { memo }) };
    return { from: HOT, ...to, tokenId: known.tokenId, amount: parts };
  }

  /** An operator must review it. */
  async #hold({ id }: WithdrawalWork, reason: string): Promise<void> {
    const { engine, chain, onTrouble } = this.#options;
    onTrouble(`${chain.network}: ${nameOf(id)} is held for review: ${reason}`);
    await submit(engine, { kind: 'operate-withdrawal', actor: 'sender', id, act: 'hold', reason });
  }

  #outgoing({ id, nonce, sinceHeight, versions }: WithdrawalWork, draft: PaymentDraft): Outgoing {
    const { engine } = this.#options;
    return {
      name: nameOf(id),
      draft,
      nonce,
      sinceHeight,
      versions,
      record: async ({ txId, rawBytes }) => {
        const recorded = { kind: 'record-transaction', id, txId, nonce, rawBytes } as const;
        return (await submit(engine, recorded)) === undefined;
      },
    };
  }

  async #end(
    { id }: WithdrawalWork,
    { how, txId, cost }: Extract<Pursued, { kind: 'ended' }>,
    hot: HotWallet,
  ): Promise<void> {
    const { engine, chain, terms, onTrouble } = this.#options;
    const gas = gasOf(terms, hot, cost);
    const refused =
      how === 'confirmed'
        ? await submit(engine, { kind: 'confirm-withdrawal', id, txId, ...gas })
        : await submit(engine, { kind: 'fail-withdrawal', id, cause: causeOf(how, txId), ...gas });
    if (refused !== undefined) onTrouble(`${chain.network}: ${nameOf(id)}: ${refused.message}`);
  }
}

/** As users and operators see it. */
const nameOf = (id: number): string => `withdrawal ${withdrawalIdText(id)}`;

const FAULTS: Readonly<Record<AddressFault, string>> = {
  ADDRESS_MALFORMED: 'it is none of this network',
  ADDRESS_CHECKSUM_WRONG: 'its checksum is wrong',
  ADDRESS_LOSES_FUNDS:
    'it is of nobody, a token contract or the hot wallet, and what is sent there is lost',
  MEMO_NOT_USED: 'the network has no memos',
  MEMO_MISSING: 'it needs a memo',
  MEMO_MALFORMED: 'its memo is malformed',
};

const causeOf = (how: 'reverted' | 'foreign', txId: string): string =>
  how === 'reverted'
    ? `transaction ${txId} was reverted`
    : `its nonce was used by another transaction, ${txId}`;

export const gasOf = (
  { coin }: NetworkTerms,
  hot: HotWallet,
  cost: bigint,
): { readonly gas?: GasSpent } =>
  coin === undefined ? {} : { gas: { asset: coin.asset, amount: amount(hot.gasParts(cost)) } };
