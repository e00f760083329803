/** A chain and its environment, for the suites over all chains. */
import { beforeEach, expect } from 'vitest';
import {
  type Chain,
  type ChainFault,
  ChainUnavailable,
  HOT,
  type Payment,
  type PaymentDraft,
  type SentPayment,
  type SignedTransaction,
  type TokenId,
} from './chain.ts';
import { cursorFrom, type ScanCursor, type ScanStep, scan } from './scan.ts';

/** A chain with one token (of 6 decimals), and its environment. Three confirmations are final. */
export type ChainStage = {
  readonly chain: Chain;
  readonly tokenId: string;
  /** A second program on the same chain, as after a restart. */
  restarted(): Chain;
  outsideAddress(name: string): string;
  /** The same address with one character wrong. */
  spoiled(address: string): string;
  mine(count?: number): Promise<void>;
  /** An outside payment; mined with the next block. */
  pay(payment: OutsidePay): Promise<string>;
  /** Replaces the newest blocks by as many empty ones; their transactions are gone. */
  reorganise(depth: number): Promise<void>;
  /** Sends an outside payment once more. */
  sendAgain(txId: string): Promise<void>;
  setTrouble(trouble: Trouble): void;
  setBaseFee(pricePerUnit: bigint): Promise<void>;
  setTokenFrozen(isFrozen: boolean): Promise<void>;
  forgetWaiting(): Promise<void>;
};
export type Trouble = 'none' | 'down' | 'slow' | 'wrong-chain' | { readonly behindBlocks: number };
export type OutsidePay = {
  readonly to: string;
  readonly tokenId?: TokenId;
  readonly amount: bigint;
};

export const COIN = 10n ** 18n;
export const GWEI = 10n ** 9n;

/** What the tests of a chain share, on a stage that is new for every test. */
export type Scene = ReturnType<typeof onStage>;

export function onStage(prepare: () => Promise<ChainStage>) {
  let stage: ChainStage;
  let chain: Chain;
  let tokenId: string;
  beforeEach(async () => {
    stage = await prepare();
    ({ chain, tokenId } = stage);
    await chain.observe([1, 2, 3]);
  });

  const addressOf = (accountNumber: number): string => chain.depositAddress(accountNumber).address;
  const start = async (): Promise<ScanCursor> => cursorFrom(chain, (await chain.head()).height + 1);
  const fundHot = async (): Promise<void> => {
    await stage.pay({ to: chain.addressOf(HOT), amount: 10n * COIN });
    await stage.pay({ to: chain.addressOf(HOT), tokenId, amount: 5_000_000n });
    await stage.mine();
  };
  const draftOf = (changes: Partial<PaymentDraft> = {}): PaymentDraft => ({
    from: HOT,
    to: stage.outsideAddress('alice'),
    tokenId: undefined,
    amount: COIN,
    ...changes,
  });
  const prepared = async (draft: PaymentDraft, nonce?: number): Promise<Payment> => ({
    ...draft,
    nonce: nonce ?? (await chain.nextNonce(draft.from)),
    fee: (await chain.estimateFee(draft)).fee,
  });
  const sentOf = async (
    { nonce, fee: _, ...draft }: Payment,
    signed: readonly SignedTransaction[],
  ): Promise<SentPayment> => {
    const { height } = await chain.head();
    return { draft, nonce, txIds: signed.map(({ txId }) => txId), sinceHeight: height };
  };
  /** Signs and broadcasts; returns what a sender would record. */
  const send = async (payment: Payment): Promise<SentPayment> => {
    const signed = await chain.sign(payment);
    const sent = await sentOf(payment, [signed]);
    expect(await chain.broadcast(signed.rawBytes)).toEqual({ kind: 'accepted' });
    return sent;
  };
  return {
    now: () => ({ stage, chain, tokenId }),
    addressOf,
    start,
    fundHot,
    draftOf,
    prepared,
    sentOf,
    send,
  };
}

/** A scan step that must not be `lost`. */
export async function scanned(chain: Chain, cursor: ScanCursor): Promise<ScanStep> {
  const step = await scan(chain, cursor);
  if ('isLost' in step) throw new Error(`the scan is lost below ${step.oldestHeight}`);
  return step;
}

export async function expectFault(call: Promise<unknown>, fault: ChainFault): Promise<void> {
  const failure = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(ChainUnavailable);
  expect((failure as ChainUnavailable).fault).toBe(fault);
}

export const sorted = <Of extends { readonly amount: bigint }>(list: readonly Of[]): Of[] =>
  [...list].sort((a, b) => (a.amount < b.amount ? -1 : 1));
