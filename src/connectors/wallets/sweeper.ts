import type { NetworkWork, SweepWork } from '../../domain/chain-work.ts';
import type { AssetIndex } from '../../domain/units.ts';
import type { Engine } from '../../engine/engine.ts';
import {
  type Chain,
  type Fee,
  HOT,
  type PaymentDraft,
  type SignedTransaction,
  type TokenId,
  type Wallet,
} from '../chains/chain.ts';
import { chainAmountOf } from '../chains/chain-amounts.ts';
import { costMax } from '../chains/fees.ts';
import { nextSweepStep } from '../chains/sweep.ts';
import { submit } from './engine-calls.ts';
import type { FinishedPayments } from './finished-payments.ts';
import type { HotWallet } from './hot-wallet.ts';
import { accountOf, type ChainAsset, type NetworkTerms, numberOf } from './network-terms.ts';
import type { Outgoing, Payments } from './payments.ts';
import { gasOf } from './withdrawal-sender.ts';

/**
 * Moves funds from deposit addresses into the hot wallet, but only when withdrawals wait for them: every
 * sweep costs gas. Balances of addresses are requested one after another, some in each round.
 */
export type SweeperOptions = {
  readonly engine: Engine;
  readonly chain: Chain;
  readonly terms: NetworkTerms;
  readonly payments: Payments;
  readonly finished: FinishedPayments;
  /** A sweep at the address of this account has ended. */
  readonly onEnd: (accountNumber: number) => void;
};

const ACCOUNTS_PER_STEP = 20;
/** At the same time, on one network. */
const SWEEPS_MAX = 5;

export class Sweeper {
  readonly #options: SweeperOptions;
  /** Where the search continues. */
  #next = 0;
  /** Addresses that were tried since the last sweep began. */
  #triedInVain = 0;
  /** Sweeps under way whose funds are gone, so that no block will include them. */
  refusedCount = 0;

  constructor(options: SweeperOptions) {
    this.#options = options;
  }

  /** Continues the sweeps under way. */
  async pursue({ sweeps }: NetworkWork, hot: HotWallet, headHeight: number): Promise<void> {
    const { engine, terms, payments, finished } = this.#options;
    const { network } = terms;
    const place = { isNext: true, headHeight };
    this.refusedCount = 0;
    for (const sweep of sweeps) {
      const draft = this.#draftOf(sweep);
      const { account, step } = sweep;
      const outgoing = this.#outgoing(sweep, draft);
      const pursued = await payments.pursue(outgoing, place);
      if (pursued.kind === 'ended') {
        const { txId, how } = pursued;
        // The nonces of the hot wallet have no gaps: later payments would wait for a top-up that is lost.
        if (step === 'top-up' && how === 'confirmed') finished.remember(outgoing, pursued);
        const gas = gasOf(terms, hot, pursued.cost);
        await submit(engine, { kind: 'end-sweep', network, account, step, txId, ...gas });
        this.#options.onEnd(numberOf(account));
        continue;
      }
      if (pursued.kind === 'waiting' && pursued.isRefused === true) this.refusedCount++;
      hot.reserveGas(pursued.costMax);
      if (pursued.kind === 'waiting' && sweep.step === 'top-up') {
        hot.promise(draft.tokenId, draft.amount, pursued.costMax);
      }
    }
  }

  /** Starts sweeps for what the hot wallet lacks. Resolves to whether no address has it and none is on its way. */
  async search(
    { sweeps, ways }: NetworkWork,
    lacking: ReadonlyMap<TokenId, bigint>,
    hot: HotWallet,
  ): Promise<boolean> {
    const { engine, chain, terms } = this.#options;
    if (lacking.size === 0) return false;
    if (chain.addressOf(HOT) === chain.depositAddress(0).address) return true;
    const accounts = engine.directory.accountsFrom(0);
    const busy = new Set<number>(sweeps.map(({ account }) => account));
    const wanted = new Map(lacking);
    for (const { asset, chainAmount } of sweeps) {
      const known = this.#assetOf(asset);
      if (known !== undefined) lower(wanted, known.tokenId, chainAmount);
    }
    if (busy.size > 0) this.#triedInVain = 0;
    for (let tried = 0; tried < Math.min(ACCOUNTS_PER_STEP, accounts.length); tried++) {
      if (wanted.size === 0 || busy.size >= SWEEPS_MAX) return false;
      this.#triedInVain++;
      this.#next = (this.#next + 1) % accounts.length;
      const account = accounts[this.#next];
      if (account === undefined || busy.has(account)) continue;
      for (const [tokenId] of [...wanted]) {
        const known = terms.assets.find((one) => one.tokenId === tokenId) ?? terms.coin;
        if (known === undefined || known.tokenId !== tokenId) continue;
        const fee = ways.find(({ asset }) => asset === known.asset)?.fee ?? 0n;
        const minimum = chainAmountOf(fee, known.scale, known.decimals) ?? 0n;
        const swept = await this.#begin(numberOf(account), known, minimum, hot);
        if (swept === undefined) continue;
        busy.add(account);
        this.#triedInVain = 0;
        lower(wanted, tokenId, swept);
        break;
      }
    }
    return busy.size === 0 && this.#triedInVain >= accounts.length;
  }

  /** One step at one address; returns what it brings, undefined if there was nothing to start. */
  async #begin(
    accountNumber: number,
    { tokenId }: ChainAsset,
    minimum: bigint,
    hot: HotWallet,
  ): Promise<bigint | undefined> {
    const { chain } = this.#options;
    const found = await nextSweepStep(chain, { accountNumber, tokenId, minimum });
    if (found.kind === 'nothing') return undefined;
    const { kind, draft, fee } = found;
    const isTopUp = kind === 'top-up';
    if (!hot.canPayGas(costMax(fee))) return undefined;
    if (isTopUp) {
      const missing = await hot.missingFor(undefined, draft.amount, costMax(fee));
      if (missing.size > 0) return undefined;
    }
    const nonce = isTopUp ? await hot.nextNonce() : await chain.nextNonce(draft.from);
    const signed = await chain.sign({ ...draft, nonce, fee });
    const asset = this.#options.terms.assets.find((one) => one.tokenId === draft.tokenId);
    const moved = asset ?? this.#options.terms.coin;
    if (moved === undefined) return undefined;
    const place = { accountNumber, asset: moved.asset, step: kind, amount: draft.amount, nonce };
    if (!(await this.#record(place, signed))) return undefined;
    hot.reserveGas(costMax(fee));
    if (isTopUp) {
      hot.useNonce(nonce);
      hot.promise(undefined, draft.amount, costMax(fee));
    }
    await chain.broadcast(signed.rawBytes);
    return draft.amount;
  }

  async #record(place: RecordedPlace, { txId, rawBytes }: SignedTransaction): Promise<boolean> {
    const { engine, terms } = this.#options;
    const { accountNumber, asset, step, amount: chainAmount, nonce } = place;
    const refused = await submit(engine, {
      kind: 'record-sweep',
      network: terms.network,
      account: accountOf(accountNumber),
      ...{ asset, step, chainAmount, nonce, txId, rawBytes },
    });
    return refused === undefined;
  }

  #outgoing(sweep: SweepWork, draft: PaymentDraft): Outgoing {
    const { account, asset, step, nonce, sinceHeight, versions } = sweep;
    const accountNumber = numberOf(account);
    return {
      name: `${step} of account ${accountNumber}`,
      draft,
      nonce,
      sinceHeight,
      versions,
      rebid: (fee) => this.#rebid(draft, fee),
      record: (signed, { amount }) =>
        this.#record({ accountNumber, asset, step, amount, nonce }, signed),
    };
  }

  /** The coin pays for itself, so a higher fee leaves less of it; a token needs coin in addition. */
  async #rebid(draft: PaymentDraft, fee: Fee): Promise<PaymentDraft | undefined> {
    const coin = await this.#options.chain.balanceOf(draft.from, undefined);
    const left = coin - costMax(fee);
    if (draft.tokenId !== undefined) return left >= 0n ? draft : undefined;
    if (draft.isTopUp === true) return left >= draft.amount ? draft : undefined;
    return left > 0n ? { ...draft, amount: left } : undefined;
  }

  #draftOf({ account, asset, step, chainAmount }: SweepWork): PaymentDraft {
    const { chain } = this.#options;
    const own: Wallet = { kind: 'deposit', accountNumber: numberOf(account) };
    const paid = { tokenId: this.#assetOf(asset)?.tokenId, amount: chainAmount };
    return step === 'sweep'
      ? { from: own, to: chain.addressOf(HOT), ...paid }
      : { from: HOT, to: chain.addressOf(own), ...paid, isTopUp: true };
  }

  #assetOf(asset: AssetIndex): ChainAsset | undefined {
    const { assets, coin } = this.#options.terms;
    return assets.find((one) => one.asset === asset) ?? coin;
  }
}

type RecordedPlace = {
  readonly accountNumber: number;
  readonly asset: AssetIndex;
  readonly step: 'top-up' | 'sweep';
  readonly amount: bigint;
  readonly nonce: number;
};

function lower(wanted: Map<TokenId, bigint>, tokenId: TokenId, by: bigint): void {
  const left = (wanted.get(tokenId) ?? 0n) - by;
  if (left > 0n) wanted.set(tokenId, left);
  else wanted.delete(tokenId);
}
