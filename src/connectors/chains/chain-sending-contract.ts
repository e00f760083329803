/** What can be sent on every chain: payments with their nonces and fees, and sweeps. */
import { beforeEach, describe, expect, test } from 'vitest';
import { type Chain, HOT, type TokenId, type Transfer, type Wallet } from './chain.ts';
import {
  type ChainStage,
  COIN,
  expectFault,
  GWEI,
  type Scene,
  scanned,
} from './chain-stage.fixture.ts';
import { costMax } from './fees.ts';
import type { ScanStep } from './scan.ts';
import { nextSweepStep } from './sweep.ts';

export function describeSending(scene: Scene): void {
  let stage: ChainStage;
  let chain: Chain;
  let tokenId: string;
  beforeEach(() => {
    ({ stage, chain, tokenId } = scene.now());
  });
  const { addressOf, start, fundHot, draftOf, prepared, sentOf, send } = scene;

  describe('payments', () => {
    test('the same payment is signed to the same bytes, also after a restart', async () => {
      await fundHot();
      for (const draft of [draftOf(), draftOf({ tokenId, amount: 7n })]) {
        const payment = await prepared(draft);
        const first = await chain.sign(payment);
        expect(chain.feeOf(first.rawBytes)).toEqual(payment.fee);
        expect(await chain.sign(payment)).toEqual(first);
        expect(await stage.restarted().sign(payment)).toEqual(first);
        const bumped = { ...payment.fee, tipPerUnit: payment.fee.tipPerUnit + 1n };
        const others = [
          { ...payment, nonce: payment.nonce + 1 },
          { ...payment, fee: bumped },
          { ...payment, amount: payment.amount + 1n },
          { ...payment, to: stage.outsideAddress('bob') },
        ];
        const ids = await Promise.all(others.map(async (other) => (await chain.sign(other)).txId));
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
      expect(await chain.balanceOf(HOT, undefined)).toBe(coinBefore - cost - (isToken ? 0n : COIN));
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
      // Some nodes keep underpriced transactions, others drop them.
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
    /** Acts as the sender: executes steps until none is left. Returns them and their cost. */
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

    test('coin is swept to the hot wallet and pays its own fee', async () => {
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
      const sweep = { accountNumber: 2, tokenId: undefined };
      expect(await nextSweepStep(chain, { ...sweep, minimum: 1n })).toEqual({
        kind: 'nothing',
        reason: 'COSTS_MORE_THAN_IT_BRINGS',
      });
      expect(await nextSweepStep(chain, { ...sweep, minimum: COIN })).toEqual({
        kind: 'nothing',
        reason: 'BELOW_MINIMUM',
      });
    });
  });
}
