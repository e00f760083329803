/** The chain suite on a real node, and what only an EVM chain has. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Anvil, anvilProgram, BadNode, CHAIN_ID, TOKEN_ID } from './anvil.fixture.ts';
import { type Chain, HOT, type Payment } from './chain.ts';
import { describeChain } from './chain-contract.ts';
import { type ChainStage, expectFault } from './chain-stage.fixture.ts';
import { type EvmSettings, evmChain } from './evm-chain.ts';
import { cursorFrom, type ScanStep, scan } from './scan.ts';
import { type Signer, seedSigner, xpubOf } from './signer.ts';

const SEED = new Uint8Array(32).fill(7);
const ALICE = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const BOB = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
const program = anvilProgram();

test('the development node is there, as CI demands', ({ skip }) => {
  if (program === undefined && process.env['CI'] !== 'true') {
    skip('there is no development node for this platform: set RIALTO_ANVIL');
  }
  expect(program).toBeDefined();
});

test('the test token is compiled from the source beside it', () => {
  const at = (name: string): string => readFileSync(`test/chains/${name}`, 'utf8');
  const { sourceSha256 } = JSON.parse(at('test-token.json'));
  const found = createHash('sha256').update(at('test-token.sol')).digest('hex');
  expect(found, 'run node test/chains/build-test-token.mjs').toBe(sourceSha256);
});

describe.skipIf(program === undefined)('an EVM chain', () => {
  let anvil: Anvil;
  let node: BadNode;
  let url: string;
  beforeAll(async () => {
    anvil = await Anvil.start(program as string);
    node = new BadNode(anvil);
    url = await node.start();
  });
  afterAll(() => {
    node?.stop();
    anvil?.stop();
  });

  const chainWith = (changes: Partial<EvmSettings> = {}): Chain =>
    evmChain({
      network: 'Ethereum',
      chainId: CHAIN_ID,
      node: { url, deadline: node.deadline },
      xpub: xpubOf(SEED),
      signer: seedSigner(SEED),
      confirmations: 3,
      tokens: [{ tokenId: TOKEN_ID, decimals: 6 }],
      blocksPerCall: 5,
      nowMs: () => 0,
      ...changes,
    });
  const clear = async (): Promise<void> => {
    node.setTrouble('none');
    await anvil.reset();
  };

  describeChain('the suite of all chains', async (): Promise<ChainStage> => {
    await clear();
    return {
      chain: chainWith(),
      tokenId: TOKEN_ID,
      restarted: () => chainWith(),
      outsideAddress: (name) => (name === 'alice' ? ALICE : BOB),
      spoiled: (address) =>
        address.replace(/[a-f](?=[^a-f]*$)/i, (character) =>
          character === character.toLowerCase() ? character.toUpperCase() : character.toLowerCase(),
        ),
      mine: anvil.mine,
      pay: anvil.pay,
      reorganise: anvil.reorganise,
      sendAgain: anvil.sendAgain,
      forgetWaiting: anvil.forgetWaiting,
      setTrouble: node.setTrouble,
      setBaseFee: async (price) => {
        await anvil.ask('anvil_setNextBlockBaseFeePerGas', [`0x${price.toString(16)}`]);
      },
      setTokenFrozen: async (isFrozen) => {
        await anvil.ask('anvil_setStorageAt', [
          TOKEN_ID,
          '0x0',
          `0x${(isFrozen ? '1' : '0').padStart(64, '0')}`,
        ]);
      },
    };
  });

  describe('what only an EVM chain has', () => {
    let chain: Chain;
    beforeEach(async () => {
      await clear();
      chain = chainWith();
      await chain.observe([1, 2]);
      await anvil.pay({ to: chain.addressOf(HOT), amount: 10n ** 18n });
      await anvil.pay({ to: chain.addressOf(HOT), tokenId: TOKEN_ID, amount: 1_000_000n });
      await anvil.mine();
    });
    const addressOf = (accountNumber: number): string =>
      chain.depositAddress(accountNumber).address;
    const tokenPayment = async (): Promise<Payment> => {
      const draft = { from: HOT, to: ALICE, tokenId: TOKEN_ID, amount: 10n };
      const { fee } = await chain.estimateFee(draft);
      return { ...draft, fee, nonce: await chain.nextNonce(HOT) };
    };
    const coinPayment = async (): Promise<Payment> => ({
      ...(await tokenPayment()),
      tokenId: undefined,
    });

    test('two transfers in one transaction are two outputs, the same ones in another block', async () => {
      const { height } = await chain.head();
      const outputs = (step: unknown) =>
        (step as ScanStep).found.map(({ output, accountNumber }) => [output, accountNumber]);
      await anvil.pay({ to: addressOf(1), tokenId: TOKEN_ID, amount: 1n });
      const txId = await anvil.call('pay2(address,address,uint256)', [
        addressOf(2),
        addressOf(1),
        5n,
      ]);
      await anvil.mine();
      const seen = (await scan(chain, await cursorFrom(chain, height + 1))) as ScanStep;
      expect(outputs(seen)).toEqual([
        [1, 1],
        [1, 2],
        [2, 1],
      ]);
      // Now it is alone in its block: positions within the block would differ.
      await anvil.reorganise(1);
      const [first] = seen.found;
      await anvil.sendAgain(first?.txId as string);
      await anvil.mine();
      await anvil.sendAgain(txId);
      await anvil.mine();
      const after = (await scan(chain, seen.cursor)) as ScanStep;
      expect(outputs(after)).toEqual(outputs(seen));
      expect(after.vanished).toEqual([]);
    });

    test('zero transfers and failed ones are ignored', async () => {
      const { height } = await chain.head();
      await anvil.pay({ to: addressOf(1), tokenId: TOKEN_ID, amount: 0n });
      await anvil.pay({ to: addressOf(1), amount: 0n });
      await anvil.call('setMode(uint8)', [1n]);
      await anvil.pay({ to: addressOf(1), tokenId: TOKEN_ID, amount: 5n });
      await anvil.mine();
      expect(await scan(chain, await cursorFrom(chain, height + 1))).toMatchObject({ found: [] });
    });

    test('with very many addresses the node is asked for all transfers of the tokens', async () => {
      const { height } = await chain.head();
      const crowded = chainWith({ topicsMax: 1 });
      await crowded.observe([1, 2]);
      await anvil.pay({ to: addressOf(2), tokenId: TOKEN_ID, amount: 5n });
      await anvil.pay({ to: ALICE, tokenId: TOKEN_ID, amount: 5n });
      await anvil.mine();
      const topics: unknown[] = [];
      node.answerWith(({ method, params }) => {
        if (method === 'eth_getLogs')
          topics.push((params[0] as { topics: unknown[] }).topics.length);
        return undefined;
      });
      for (const each of [chain, crowded]) {
        expect(await scan(each, await cursorFrom(each, height + 1))).toMatchObject({
          found: [{ accountNumber: 2, amount: 5n }],
        });
      }
      expect(topics).toEqual([3, 1]);
    });

    test('a token that answers "false" has moved nothing, whatever the receipt says', async () => {
      const payment = await tokenPayment();
      const { txId, rawBytes } = await chain.sign(payment);
      const { height } = await chain.head();
      await chain.broadcast(rawBytes);
      await anvil.call('setMode(uint8)', [2n]);
      // The call of setMode is mined first: it pays more than the payment does.
      await anvil.mine();
      const sent = { draft: payment, nonce: payment.nonce, txIds: [txId], sinceHeight: height };
      expect(await anvil.ask('eth_getTransactionReceipt', [txId])).toMatchObject({ status: '0x1' });
      expect(await chain.statusOf(sent)).toMatchObject({ kind: 'reverted' });
      expect(await chain.balanceOf(HOT, TOKEN_ID)).toBe(1_000_000n);
    });

    test('a nonce that is used by something the node cannot show ends no payment', async () => {
      const payment = await coinPayment();
      const ours = await chain.sign(payment);
      const foreign = await chain.sign({ ...payment, to: BOB });
      const { height } = await chain.head();
      await chain.broadcast(foreign.rawBytes);
      await anvil.mine(5);
      const sent = { draft: payment, nonce: payment.nonce, txIds: [ours.txId] };
      node.answerWith(({ id, method, params }) => {
        const isOld = method === 'eth_getTransactionCount' && Number(params[1]) <= height + 2;
        return isOld ? { id, error: { code: -32000, message: 'missing trie node' } } : undefined;
      });
      const status = await chain.statusOf({ ...sent, sinceHeight: height - 3 });
      expect(status).toMatchObject({ kind: 'nonce-used' });
      node.setTrouble('none');
      // Found wherever it is; a start that is too late finds nothing, rather than something wrong.
      for (const sinceHeight of [0, height, height + 1]) {
        expect(await chain.statusOf({ ...sent, sinceHeight })).toMatchObject({
          kind: 'foreign',
          txId: foreign.txId,
          isFinal: true,
        });
      }
      expect(await chain.statusOf({ ...sent, sinceHeight: height + 3 })).toMatchObject({
        kind: 'nonce-used',
      });
    });

    test('a payment whose receipt a node has lost is not taken for a foreign one', async () => {
      const payment = await coinPayment();
      const { txId, rawBytes } = await chain.sign(payment);
      const { height: sinceHeight } = await chain.head();
      await chain.broadcast(rawBytes);
      await anvil.mine(4);
      let isFirst = true;
      node.answerWith(({ id, method }) => {
        const isLost = method === 'eth_getTransactionReceipt' && isFirst;
        if (isLost) isFirst = false;
        return isLost ? { id, result: null } : undefined;
      });
      const sent = { draft: payment, nonce: payment.nonce, txIds: [txId], sinceHeight };
      expect(await chain.statusOf(sent)).toMatchObject({ kind: 'confirmed', txId, isFinal: true });
    });

    test('a receipt from a block that is not in the chain is not believed', async () => {
      const payment = await coinPayment();
      const { txId, rawBytes } = await chain.sign(payment);
      const { height: sinceHeight } = await chain.head();
      await chain.broadcast(rawBytes);
      await anvil.pay({ to: addressOf(1), amount: 5n });
      await anvil.mine();
      node.alter('eth_getTransactionReceipt', (receipt) => ({
        ...receipt,
        blockHash: `0x${'12'.repeat(32)}`,
      }));
      const sent = { draft: payment, nonce: payment.nonce, txIds: [txId], sinceHeight };
      await expectFault(chain.statusOf(sent), 'changed');
      await expectFault(chain.blocks(sinceHeight, sinceHeight + 1), 'changed');
    });

    test('a node that reports neither its sync state nor a tip can still be used', async () => {
      node.answerWith(({ id, method }) =>
        ['eth_syncing', 'eth_maxPriorityFeePerGas'].includes(method)
          ? { id, error: { code: -32601, message: 'the method does not exist' } }
          : undefined,
      );
      expect(await chain.health()).toMatchObject({ isReachable: true, behindBlocks: 0 });
      expect((await coinPayment()).fee.tipPerUnit).toBe(10n ** 9n);
      node.answerWith(({ id, method }) =>
        method === 'eth_syncing'
          ? { id, result: { currentBlock: '0x5', highestBlock: '0x9' } }
          : undefined,
      );
      expect(await chain.health()).toMatchObject({ isReachable: true, behindBlocks: 4 });
    });

    test('a block of another height than asked for is refused', async () => {
      node.alter('eth_getBlockByNumber', (block) => ({ ...block, number: '0x2' }));
      await expectFault(chain.blocks(1, 1), 'malformed');
    });

    test('the layer 1 fee of a layer 2 chain is part of the cost', async () => {
      const payment = await coinPayment();
      const { txId, rawBytes } = await chain.sign(payment);
      const { height: sinceHeight } = await chain.head();
      await chain.broadcast(rawBytes);
      await anvil.mine();
      const sent = { draft: payment, nonce: payment.nonce, txIds: [txId], sinceHeight };
      const plain = (await chain.statusOf(sent)) as { readonly cost: bigint };
      node.alter('eth_getTransactionReceipt', (receipt) => ({ ...receipt, l1Fee: '0x64' }));
      expect(await chain.statusOf(sent)).toMatchObject({ cost: plain.cost + 100n });
    });

    test('after a failure the chain is asked for its id again, before anything else', async () => {
      await chain.head();
      node.setTrouble('down');
      await expectFault(chain.balanceOf(HOT, undefined), 'down');
      node.setTrouble('wrong-chain');
      await expectFault(chain.balanceOf(HOT, undefined), 'wrong-chain');
    });

    test('answers that make no sense are refused, each in its way', async () => {
      const block = await anvil.forward({
        id: 0,
        method: 'eth_getBlockByNumber',
        params: ['latest', false],
      });
      const head = block['result'] as Readonly<Record<string, unknown>>;
      const rows: readonly [unknown, string][] = [
        ['no JSON', 'malformed'],
        [{ id: -1, result: head }, 'malformed'],
        [[], 'malformed'],
        [{ result: null }, 'malformed'],
        [{ result: { ...head, number: '0x-1' } }, 'malformed'],
        [{ result: { ...head, number: `0x${'f'.repeat(60)}` } }, 'malformed'],
        [{ result: { ...head, hash: '0x12' } }, 'malformed'],
        [{ error: 'rate limit' }, 'refused'],
        [{ error: 7 }, 'malformed'],
        [{ error: { code: -32005, message: 'too many requests' } }, 'refused'],
        [`"${'x'.repeat(40_000)}"`, 'too-large'],
      ];
      const small = chainWith({ node: { url, responseBytesMax: 30_000 } });
      for (const [answer, fault] of rows) {
        node.answerWith(({ id, method }) => {
          if (method !== 'eth_getBlockByNumber') return undefined;
          if (typeof answer === 'string' || Array.isArray(answer)) return answer as string;
          return { id, ...(answer as object) };
        });
        await expectFault(small.head(), fault as 'malformed');
      }
    });

    test('a node that changes its chain is noticed at the next head', async () => {
      await chain.head();
      node.setTrouble('wrong-chain');
      await expectFault(chain.head(), 'wrong-chain');
      await expectFault(chain.balanceOf(HOT, undefined), 'wrong-chain');
    });

    test('reasons name no address of a node: it may carry a key', async () => {
      const secret = chainWith({ node: { url: `${url}/v3/secret-key`, deadline: node.deadline } });
      node.setTrouble('down');
      const health = await secret.health();
      expect(health).toMatchObject({ isReachable: false, fault: 'down' });
      expect(JSON.stringify(health)).not.toContain('secret-key');
    });

    test('the age of the head is reported', async () => {
      const { timestamp } = (await anvil.ask('eth_getBlockByNumber', ['latest', false])) as {
        readonly timestamp: string;
      };
      const old = chainWith({ nowMs: () => Number(timestamp) * 1_000 + 90_000 });
      expect(await old.health()).toMatchObject({ isReachable: true, headAgeMs: 90_000 });
    });

    test('a token with other decimals than configured is refused', async () => {
      const wrong = chainWith({ tokens: [{ tokenId: TOKEN_ID, decimals: 18 }] });
      await expectFault(wrong.blocks(1, 2), 'malformed');
      await expectFault(wrong.balanceOf(HOT, TOKEN_ID), 'malformed');
      const lower = TOKEN_ID.toLowerCase();
      expect(() => chainWith({ tokens: [{ tokenId: lower, decimals: 6 }] })).toThrow('checksum');
    });

    test('addresses without checksum pass; those that lose the money do not', () => {
      expect(chain.checkAddress(ALICE.toLowerCase())).toBeUndefined();
      expect(chain.checkAddress(`0x${ALICE.slice(2).toUpperCase()}`)).toBeUndefined();
      for (const lost of [`0x${'0'.repeat(40)}`, TOKEN_ID, TOKEN_ID.toLowerCase()]) {
        expect(chain.checkAddress(lost)).toBe('ADDRESS_LOSES_FUNDS');
      }
    });

    test('a signature by another key is not used', async () => {
      const other = chainWith({ signer: seedSigner(new Uint8Array(32).fill(8)) });
      await expectFault(other.sign(await coinPayment()), 'signer');
    });

    test('a signature with the larger s is normalised, so that the node accepts it', async () => {
      const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
      const high: Signer = {
        sign: async (request) => {
          const { r, s, yParity } = await seedSigner(SEED).sign(request);
          return { r, s: order - s, yParity: yParity === 0 ? 1 : 0 };
        },
      };
      const payment = await coinPayment();
      const signed = await chainWith({ signer: high }).sign(payment);
      expect(signed).toEqual(await chain.sign(payment));
      expect(await chain.broadcast(signed.rawBytes)).toEqual({ kind: 'accepted' });
    });

    test('a fee above the limit is not signed', async () => {
      const payment = await coinPayment();
      const fee = { ...payment.fee, pricePerUnit: 10n ** 12n };
      await expectFault(chain.sign({ ...payment, fee }), 'fee-too-high');
    });
  });
});
