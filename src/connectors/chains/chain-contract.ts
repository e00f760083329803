/** One suite for every chain: what `chain.ts` promises, and what `scan.ts` and `sweep.ts` make of it. */
import { beforeEach, describe, expect, test } from 'vitest';
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
  type Transfer,
  transferId,
  type Wallet,
} from './chain.ts';
import { creditOf } from './chain-amounts.ts';
import { costMax } from './fees.ts';
import {
  cursorFrom,
  cursorFromText,
  cursorToText,
  type ScanCursor,
  type ScanStep,
  scan,
} from './scan.ts';
import { nextSweepStep } from './sweep.ts';

/** A chain with one token (of 6 decimals), and the world around it. Three confirmations are final. */
export type ChainStage = {
  readonly chain: Chain;
  readonly tokenId: string;
  /** A second program over the same chain, as after a restart. */
  restarted(): Chain;
  outsideAddress(name: string): string;
  /** The same address with one character wrong. */
  spoiled(address: string): string;
  mine(count?: number): Promise<void>;
  /** Somebody outside pays; mined with the next block. */
  pay(payment: OutsidePay): Promise<string>;
  /** Replaces the newest blocks by as many empty ones; what was in them is gone. */
  reorganise(depth: number): Promise<void>;
  /** Sends what was paid from outside once more. */
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

const COIN = 10n ** 18n;
const GWEI = 10n ** 9n;

export function describeChain(name: string, prepare: () => Promise<ChainStage>): void {
  describe(name, () => {
    let stage: ChainStage;
    let chain: Chain;
    let tokenId: string;
    beforeEach(async () => {
      stage = await prepare();
      ({ chain, tokenId } = stage);
      await chain.observe([1, 2, 3]);
    });

    const addressOf = (accountNumber: number): string =>
      chain.depositAddress(accountNumber).address;
    const start = async (): Promise<ScanCursor> =>
      cursorFrom(chain, (await chain.head()).height + 1);
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
    /** Signs and broadcasts; returns what a sender would have recorded. */
    const send = async (payment: Payment): Promise<SentPayment> => {
      const signed = await chain.sign(payment);
      const sent = await sentOf(payment, [signed]);
      expect(await chain.broadcast(signed.rawBytes)).toEqual({ kind: 'accepted' });
      return sent;
    };

    describe('addresses', () => {
      test('an account has one address, the same after a restart, that nobody else has', () => {
        const addresses = [0, 1, 2, 2 ** 31 - 1].map(addressOf);
        expect(new Set([...addresses, chain.addressOf(HOT)]).size).toBe(5);
        expect(addressOf(2)).toBe(addresses[2]);
        expect(stage.restarted().depositAddress(1)).toEqual(chain.depositAddress(1));
        expect(chain.addressOf({ kind: 'deposit', accountNumber: 1 })).toBe(addressOf(1));
        for (const address of addresses) expect(chain.checkAddress(address)).toBeUndefined();
      });

      test('an address that is malformed or misspelt is refused, and so is a memo nobody reads', () => {
        const address = stage.outsideAddress('alice');
        expect(chain.checkAddress(address)).toBeUndefined();
        expect(chain.checkAddress(address, '7')).toBe('MEMO_NOT_USED');
        expect(chain.checkAddress(chain.addressOf(HOT))).toBe('ADDRESS_LOSES_FUNDS');
        expect(chain.checkAddress(stage.spoiled(address))).toBe('ADDRESS_CHECKSUM_WRONG');
        for (const text of ['', '0x', address.slice(1), `${address}0`, ` ${address}`]) {
          expect(chain.checkAddress(text)).toBe('ADDRESS_MALFORMED');
        }
      });

      test('decimals are known for the coin and the token, and for nothing else', () => {
        expect(chain.decimalsOf(undefined)).toBe(18);
        expect(chain.decimalsOf(tokenId)).toBe(6);
        expect(chain.decimalsOf('USDT')).toBeUndefined();
      });
    });

    describe('deposits', () => {
      test('coin and token are found once, in the block that holds them', async () => {
        const cursor = await start();
        const coin = await stage.pay({ to: addressOf(1), amount: 3n * COIN + 1n });
        const token = await stage.pay({ to: addressOf(2), tokenId, amount: 2_500_000n });
        await stage.pay({ to: addressOf(9), amount: COIN });
        await stage.pay({ to: stage.outsideAddress('alice'), tokenId, amount: 1n });
        await stage.mine(2);
        const step = await scanned(chain, cursor);
        const { height } = await chain.head();
        expect(step).toMatchObject({ headHeight: height, isAtHead: true, vanished: [] });
        const place = { height: height - 1, blockHash: await chain.hashAt(height - 1) };
        const paid = (of: Transfer) => ({ ...of, output: 0 });
        expect(sorted(step.found).map(paid)).toEqual(
          sorted([
            { ...expectedCoin(coin), ...place },
            { ...expectedToken(token), ...place },
          ]),
        );
        expect(new Set(step.found.map((found) => transferId(chain.network, found))).size).toBe(2);
        expect(await scanned(chain, step.cursor)).toMatchObject({ found: [], vanished: [] });
        // The same block from the same cursor, as after a crash: the same transfers again.
        expect((await scanned(chain, cursor)).found).toEqual(step.found);
      });
      const expectedCoin = (txId: string) => ({
        txId,
        output: 0,
        accountNumber: 1,
        address: addressOf(1),
        tokenId: undefined,
        amount: 3n * COIN + 1n,
      });
      const expectedToken = (txId: string) => ({
        ...expectedCoin(txId),
        accountNumber: 2,
        address: addressOf(2),
        tokenId,
        amount: 2_500_000n,
      });

      test('the smallest part of a coin is found; what the ledger cannot hold of it is dust', async () => {
        const cursor = await start();
        await stage.pay({ to: addressOf(1), amount: 1n });
        await stage.mine();
        const { found } = await scanned(chain, cursor);
        expect(found.map(({ amount }) => creditOf(amount, 18, 8))).toEqual([
          { credited: 0n, dust: 1n },
        ]);
      });

      test('an account observed later is found by a rescan from a height', async () => {
        const cursor = await start();
        await stage.pay({ to: addressOf(7), amount: COIN });
        await stage.mine();
        const { height } = await chain.head();
        expect((await scanned(chain, cursor)).found).toEqual([]);
        await chain.observe([7]);
        const again = await cursorFrom(chain, height);
        expect((await scanned(chain, again)).found).toMatchObject([{ accountNumber: 7, height }]);
      });

      test('many blocks take many steps, each of a bounded number, and nothing is missed', async () => {
        let cursor = await start();
        for (let count = 0; count < 3; count++) {
          await stage.pay({ to: addressOf(3), amount: BigInt(count + 1) });
          await stage.mine(chain.blocksPerCall - 1);
        }
        const found: bigint[] = [];
        let steps = 0;
        for (let isAtHead = false; !isAtHead; steps++) {
          const step = await scanned(chain, cursor);
          expect(step.cursor.blocks.length).toBeLessThanOrEqual(
            (steps + 1) * chain.blocksPerCall + 1,
          );
          found.push(...step.found.map(({ amount }) => amount));
          ({ cursor, isAtHead } = step);
        }
        expect({ steps, found }).toEqual({ steps: 3, found: [1n, 2n, 3n] });
      });

      test('a cursor survives as text, and what is no cursor is refused', async () => {
        const cursor = await start();
        await stage.pay({ to: addressOf(1), amount: 5n });
        await stage.pay({ to: addressOf(1), tokenId, amount: 6n });
        await stage.mine();
        const step = await scanned(chain, cursor);
        const text = cursorToText(step.cursor);
        expect(cursorFromText(text)).toEqual(step.cursor);
        for (const wrong of ['', '{}', 'null', text.replace('"5"', '"x"'), text.slice(1)]) {
          expect(cursorFromText(wrong)).toBeUndefined();
        }
      });
    });

    describe('reorganisations', () => {
      test('a deposit vanishes with its block and comes back in another, under the same id', async () => {
        const cursor = await start();
        const txId = await stage.pay({ to: addressOf(1), amount: COIN });
        await stage.mine(3);
        const seen = await scanned(chain, cursor);
        await stage.reorganise(3);
        const after = await scanned(chain, cursorFromText(cursorToText(seen.cursor)) as ScanCursor);
        expect(after.found).toEqual([]);
        expect(after.vanished).toEqual(seen.found);
        expect(after.forkHeight).toBe((await chain.head()).height - 3);
        await stage.sendAgain(txId);
        await stage.mine();
        const back = await scanned(chain, after.cursor);
        expect(back.vanished).toEqual([]);
        const { height, hash } = await chain.head();
        expect(back.found).toEqual([{ ...seen.found[0], height, blockHash: hash }]);
      });

      test('a token deposit that the new branch holds again has moved, not vanished', async () => {
        const cursor = await start();
        const txId = await stage.pay({ to: addressOf(1), tokenId, amount: 9n });
        await stage.mine();
        const seen = await scanned(chain, cursor);
        await stage.reorganise(1);
        await stage.sendAgain(txId);
        await stage.mine();
        const after = await scanned(chain, seen.cursor);
        expect(after.vanished).toEqual([]);
        expect(after.found.map((found) => transferId(chain.network, found))).toEqual(
          seen.found.map((found) => transferId(chain.network, found)),
        );
        expect(after.found[0]?.height).toBe((seen.found[0]?.height as number) + 1);
      });

      test('one that goes below what is remembered is reported, and a rescan finds all again', async () => {
        const { height: before } = await chain.head();
        const txId = await stage.pay({ to: addressOf(1), amount: COIN });
        await stage.mine(3);
        const cursor = await cursorFrom(chain, before + 3);
        await stage.reorganise(3);
        expect(await scan(chain, cursor)).toEqual({ isLost: true, oldestHeight: before + 2 });
        await stage.sendAgain(txId);
        await stage.mine();
        const again = await scanned(chain, await cursorFrom(chain, before + 1));
        expect(again.found).toMatchObject([{ txId, height: before + 4 }]);
      });

      test('a payment that loses its block is sent again with the same bytes', async () => {
        await fundHot();
        const payment = await prepared(draftOf());
        const { rawBytes } = await chain.sign(payment);
        const sent = await send(payment);
        await stage.mine(2);
        expect(await chain.statusOf(sent)).toMatchObject({ kind: 'confirmed', confirmations: 2 });
        await stage.reorganise(2);
        expect((await chain.statusOf(sent)).kind).toMatch(/^(unknown|pending)$/);
        await chain.broadcast(rawBytes);
        await stage.mine();
        expect(await chain.statusOf(sent)).toMatchObject({ kind: 'confirmed', confirmations: 1 });
      });
    });

    describe('payments', () => {
      test('the same payment is signed to the same bytes, also after a restart', async () => {
        await fundHot();
        for (const draft of [draftOf(), draftOf({ tokenId, amount: 7n })]) {
          const payment = await prepared(draft);
          const first = await chain.sign(payment);
          expect(await chain.sign(payment)).toEqual(first);
          expect(await stage.restarted().sign(payment)).toEqual(first);
          const bumped = { ...payment.fee, tipPerUnit: payment.fee.tipPerUnit + 1n };
          const others = [
            { ...payment, nonce: payment.nonce + 1 },
            { ...payment, fee: bumped },
            { ...payment, amount: payment.amount + 1n },
            { ...payment, to: stage.outsideAddress('bob') },
          ];
          const ids = await Promise.all(
            others.map(async (other) => (await chain.sign(other)).txId),
          );
          expect(new Set([first.txId, ...ids]).size).toBe(5);
        }
      });

      test.each(['coin', 'token'])('a payment of %s confirms, and becomes final', async (asset) => {
        await fundHot();
        const isToken = asset === 'token';
        const draft = draftOf(isToken ? { tokenId, amount: 4_000_000n } : {});
        const coinBefore = await chain.balanceOf(HOT, undefined);
        const payment = await prepared(draft);
        const signed = await chain.sign(payment);
        const sent = await sentOf(payment, [signed]);
        expect(await chain.statusOf(sent)).toEqual({ kind: 'unknown' });
        expect(await chain.broadcast(signed.rawBytes)).toEqual({ kind: 'accepted' });
        expect(await chain.statusOf(sent)).toEqual({ kind: 'pending' });
        expect(await chain.broadcast(signed.rawBytes)).toEqual({ kind: 'known' });
        await stage.mine();
        const head = await chain.head();
        const included = { kind: 'confirmed', txId: signed.txId, ...head };
        const first = await chain.statusOf(sent);
        expect(first).toMatchObject({ ...included, confirmations: 1, isFinal: false });
        const { cost } = first as { readonly cost: bigint };
        expect(cost > 0n && cost <= costMax(payment.fee)).toBe(true);
        expect(await chain.balanceOf(HOT, undefined)).toBe(
          coinBefore - cost - (isToken ? 0n : COIN),
        );
        expect(await chain.balanceOf(HOT, tokenId)).toBe(isToken ? 1_000_000n : 5_000_000n);
        await stage.mine(2);
        expect(await chain.broadcast(signed.rawBytes)).toEqual({ kind: 'known' });
        expect(await chain.statusOf(sent)).toEqual({ ...first, confirmations: 3, isFinal: true });
        expect(await chain.nextNonce(HOT)).toBe(payment.nonce + 1);
      });

      test('a payment whose predecessor is missing waits for it', async () => {
        await fundHot();
        const nonce = await chain.nextNonce(HOT);
        const second = await send(await prepared(draftOf(), nonce + 1));
        await stage.mine();
        expect(await chain.statusOf(second)).toEqual({ kind: 'pending' });
        const first = await send(await prepared(draftOf(), nonce));
        await stage.mine();
        for (const sent of [first, second]) {
          expect(await chain.statusOf(sent)).toMatchObject({ kind: 'confirmed' });
        }
      });

      test('a payment that is stuck when fees rise is replaced by a better paid version', async () => {
        await fundHot();
        const payment = await prepared(draftOf());
        const sent = await send(payment);
        const lower = { ...payment.fee, pricePerUnit: payment.fee.pricePerUnit - 1n };
        const tooLow = await chain.sign({ ...payment, fee: lower });
        expect((await chain.broadcast(tooLow.rawBytes)).kind).toBe('refused');
        await stage.setBaseFee(payment.fee.pricePerUnit + GWEI);
        await stage.mine();
        // Some nodes keep what is paid too little, others forget it.
        expect((await chain.statusOf(sent)).kind).toMatch(/^(pending|unknown)$/);

        const fee = await chain.bumpFee(payment.fee);
        if (fee === undefined) throw new Error('the limit is far away');
        const bumped = await chain.sign({ ...payment, fee });
        const both = { ...sent, txIds: [...sent.txIds, bumped.txId] };
        expect(await chain.broadcast(bumped.rawBytes)).toEqual({ kind: 'accepted' });
        await stage.mine(3);
        const status = await chain.statusOf(both);
        expect(status).toMatchObject({ kind: 'confirmed', txId: bumped.txId, isFinal: true });
        expect(await chain.nextNonce(HOT)).toBe(payment.nonce + 1);
      });

      test('a foreign transaction with the nonce is named, and ends the payment once it is final', async () => {
        await fundHot();
        const payment = await prepared(draftOf());
        const ours = await chain.sign(payment);
        const sent = await sentOf(payment, [ours]);
        await stage.mine(2);
        const foreign = await send({ ...payment, to: stage.outsideAddress('bob') });
        await stage.mine();
        const [txId] = foreign.txIds;
        const first = await chain.statusOf(sent);
        expect(first).toMatchObject({ kind: 'foreign', txId, confirmations: 1, isFinal: false });
        expect((first as { readonly cost: bigint }).cost > 0n).toBe(true);
        expect((await chain.broadcast(ours.rawBytes)).kind).toBe('refused');
        await stage.mine(2);
        expect(await chain.statusOf(sent)).toEqual({ ...first, confirmations: 3, isFinal: true });
        expect(await chain.statusOf(foreign)).toMatchObject({ kind: 'confirmed', isFinal: true });
      });

      test('a payment that the token refuses is reverted: it costs its fee and moves nothing', async () => {
        await fundHot();
        const payment = await prepared(draftOf({ tokenId, amount: 1_000n }));
        const sent = await send(payment);
        const coin = await chain.balanceOf(HOT, undefined);
        await stage.setTokenFrozen(true);
        await stage.mine(3);
        const status = await chain.statusOf(sent);
        expect(status).toMatchObject({ kind: 'reverted', isFinal: true, txId: sent.txIds[0] });
        const { cost } = status as { readonly cost: bigint };
        expect(cost > 0n).toBe(true);
        expect(await chain.balanceOf(HOT, undefined)).toBe(coin - cost);
        expect(await chain.balanceOf(HOT, tokenId)).toBe(5_000_000n);
        expect((await chain.estimateFee(payment)).isLikelyToFail).toBe(true);
      });

      test('a payment that the node forgets is sent again', async () => {
        await fundHot();
        const payment = await prepared(draftOf());
        const { rawBytes } = await chain.sign(payment);
        const sent = await send(payment);
        await stage.forgetWaiting();
        expect(await chain.statusOf(sent)).toEqual({ kind: 'unknown' });
        expect(await chain.broadcast(rawBytes)).toEqual({ kind: 'accepted' });
        await stage.mine();
        expect(await chain.statusOf(sent)).toMatchObject({ kind: 'confirmed' });
      });

      test('a payment beyond the balance is refused by the node, and nothing is final', async () => {
        await fundHot();
        const draft = draftOf({ amount: 100n * COIN });
        const { fee, isLikelyToFail } = await chain.estimateFee(draft);
        expect(isLikelyToFail).toBe(true);
        const payment = { ...draft, fee, nonce: await chain.nextNonce(HOT) };
        const signed = await chain.sign(payment);
        expect((await chain.broadcast(signed.rawBytes)).kind).toBe('refused');
        expect(await chain.statusOf(await sentOf(payment, [signed]))).toEqual({ kind: 'unknown' });
      });

      test('a chain that asks more than the limit is not paid', async () => {
        await fundHot();
        const { fee } = await chain.estimateFee(draftOf());
        await stage.setBaseFee(10n ** 15n);
        await stage.mine();
        await expectFault(chain.estimateFee(draftOf()), 'fee-too-high');
        expect(await chain.bumpFee(fee)).toBeUndefined();
      });
    });

    describe('sweeping', () => {
      const from: Wallet = { kind: 'deposit', accountNumber: 2 };
      /** Plays the sender: carries out steps until nothing is left. Returns them and what they cost. */
      const sweep = async (of: TokenId, minimum: bigint) => {
        const kinds: string[] = [];
        let cost = 0n;
        for (;;) {
          const step = await nextSweepStep(chain, { accountNumber: 2, tokenId: of, minimum });
          if (step.kind === 'nothing') return { kinds, cost, reason: step.reason };
          kinds.push(step.kind);
          const nonce = await chain.nextNonce(step.draft.from);
          const sent = await send({ ...step.draft, fee: step.fee, nonce });
          await stage.mine(chain.confirmations);
          const status = await chain.statusOf(sent);
          expect(status).toMatchObject({ kind: 'confirmed', isFinal: true });
          cost += (status as { readonly cost: bigint }).cost;
        }
      };

      test('coin goes to the hot wallet and pays for its way', async () => {
        await fundHot();
        const before = await chain.balanceOf(HOT, undefined);
        await stage.pay({ to: addressOf(2), amount: 2n * COIN });
        await stage.mine();
        const { kinds, cost } = await sweep(undefined, COIN / 10n);
        expect(kinds).toEqual(['sweep']);
        const rest = await chain.balanceOf(from, undefined);
        expect((await chain.balanceOf(HOT, undefined)) + rest + cost).toBe(before + 2n * COIN);
        expect(rest < COIN / 100n).toBe(true);
      });

      test('a token is swept after a top-up, which nobody is credited for', async () => {
        await fundHot();
        const before = await chain.balanceOf(HOT, undefined);
        const cursor = await start();
        await stage.pay({ to: addressOf(2), tokenId, amount: 3_000_000n });
        await stage.mine();
        const { kinds, cost, reason } = await sweep(tokenId, 1_000_000n);
        expect({ kinds, reason }).toEqual({ kinds: ['top-up', 'sweep'], reason: 'BELOW_MINIMUM' });
        expect(await chain.balanceOf(HOT, tokenId)).toBe(8_000_000n);
        const rest = await chain.balanceOf(from, undefined);
        expect((await chain.balanceOf(HOT, undefined)) + rest + cost).toBe(before);
        const found: Transfer[] = [];
        for (
          let at: ScanStep = await scanned(chain, cursor);
          ;
          at = await scanned(chain, at.cursor)
        ) {
          found.push(...at.found);
          if (at.isAtHead) break;
        }
        expect(found.map(({ amount }) => amount)).toEqual([3_000_000n]);
      });

      test('coin that the venue itself pays to a deposit address is a deposit', async () => {
        await fundHot();
        const cursor = await start();
        await send(await prepared(draftOf({ to: addressOf(2), amount: 77n })));
        await stage.mine();
        expect((await scanned(chain, cursor)).found).toMatchObject([{ amount: 77n }]);
      });

      test('what costs more than it brings, or is below the minimum, stays where it is', async () => {
        await stage.pay({ to: addressOf(2), amount: 21_000n });
        await stage.mine();
        const asked = { accountNumber: 2, tokenId: undefined };
        expect(await nextSweepStep(chain, { ...asked, minimum: 1n })).toEqual({
          kind: 'nothing',
          reason: 'COSTS_MORE_THAN_IT_BRINGS',
        });
        expect(await nextSweepStep(chain, { ...asked, minimum: COIN })).toEqual({
          kind: 'nothing',
          reason: 'BELOW_MINIMUM',
        });
      });
    });

    describe('the node', () => {
      test('in health it names its head', async () => {
        await stage.mine();
        expect(await chain.health()).toMatchObject({
          isReachable: true,
          head: await chain.head(),
          behindBlocks: 0,
        });
      });

      test.each(['down', 'slow', 'wrong-chain'] as const)(
        'one that is %s is of no use for anything, and of use again later',
        async (trouble) => {
          await fundHot();
          const cursor = await start();
          const payment = await prepared(draftOf());
          const signed = await chain.sign(payment);
          const sent = await sentOf(payment, [signed]);
          stage.setTrouble(trouble);
          // Not asked yet: what was checked before counts for nothing now.
          const fresh = stage.restarted();
          const questions: readonly (() => Promise<unknown>)[] = [
            () => fresh.head(),
            () => fresh.hashAt(1),
            () => fresh.blocks(1, 2),
            () => fresh.balanceOf(HOT, undefined),
            () => fresh.balanceOf(HOT, tokenId),
            () => fresh.estimateFee(draftOf()),
            () => fresh.bumpFee(payment.fee),
            () => fresh.nextNonce(HOT),
            () => fresh.broadcast(signed.rawBytes),
            () => fresh.statusOf(sent),
            () => scan(chain, cursor),
          ];
          for (const ask of questions) await expectFault(ask(), trouble);
          expect(await chain.health()).toMatchObject({ isReachable: false, fault: trouble });
          // Neither an address nor a signature needs it.
          expect(fresh.depositAddress(1)).toEqual(chain.depositAddress(1));
          expect(await fresh.sign(payment)).toEqual(signed);
          stage.setTrouble('none');
          expect(await chain.statusOf(sent)).toEqual({ kind: 'unknown' });
          expect(await chain.broadcast(signed.rawBytes)).toEqual({ kind: 'accepted' });
        },
      );

      test('one that is behind makes nothing vanish and ends no payment', async () => {
        await fundHot();
        const cursor = await start();
        await stage.pay({ to: addressOf(1), amount: COIN });
        const sent = await send(await prepared(draftOf()));
        await stage.mine(3);
        const seen = await scanned(chain, cursor);
        expect(seen.found).toHaveLength(1);
        stage.setTrouble({ behindBlocks: 3 });
        expect(await chain.health()).toMatchObject({ isReachable: true, behindBlocks: 3 });
        const after = await scanned(chain, seen.cursor);
        expect(after).toMatchObject({ found: [], vanished: [], isNodeBehind: true });
        expect(after.cursor).toEqual(seen.cursor);
        expect((await chain.statusOf(sent)).kind).toMatch(/^(unknown|pending)$/);
        stage.setTrouble('none');
        expect(await chain.statusOf(sent)).toMatchObject({ kind: 'confirmed', isFinal: true });
      });
    });
  });
}

/** A step that is not lost. */
async function scanned(chain: Chain, cursor: ScanCursor): Promise<ScanStep> {
  const step = await scan(chain, cursor);
  if ('isLost' in step) throw new Error(`the scan is lost below ${step.oldestHeight}`);
  return step;
}

export async function expectFault(asked: Promise<unknown>, fault: ChainFault): Promise<void> {
  const failure = await asked.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(ChainUnavailable);
  expect((failure as ChainUnavailable).fault).toBe(fault);
}

const sorted = <Of extends { readonly amount: bigint }>(list: readonly Of[]): Of[] =>
  [...list].sort((a, b) => (a.amount < b.amount ? -1 : 1));
