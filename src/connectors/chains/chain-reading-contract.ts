/** What can be read from every chain: addresses, deposits, reorganisations, and a node in trouble. */
import { beforeEach, describe, expect, test } from 'vitest';
import { type Chain, HOT, type Transfer, transferId } from './chain.ts';
import { creditOf } from './chain-amounts.ts';
import {
  type ChainStage,
  COIN,
  expectFault,
  type Scene,
  scanned,
  sorted,
} from './chain-stage.fixture.ts';
import { cursorFrom, cursorFromText, cursorToText, type ScanCursor, scan } from './scan.ts';

export function describeReading(scene: Scene): void {
  let stage: ChainStage;
  let chain: Chain;
  let tokenId: string;
  beforeEach(() => {
    ({ stage, chain, tokenId } = scene.now());
  });
  const { addressOf, start, fundHot, draftOf, prepared, sentOf, send } = scene;

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
      // The same block from the same cursor, as after a crash, returns the same transfers again.
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

  describe('the node', () => {
    test('a healthy node reports its head', async () => {
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
        // No request yet: earlier checks no longer count.
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
        // Neither an address nor a signature needs the node.
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
}
