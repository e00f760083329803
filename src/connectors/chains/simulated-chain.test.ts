import { expect, test } from 'vitest';
import { HOT } from './chain.ts';
import { describeChain } from './chain-contract.ts';
import { type ChainStage, expectFault } from './chain-stage.fixture.ts';
import { cursorFrom, scan } from './scan.ts';
import { type SimulatedChain, simulatedChain } from './simulated-chain.ts';
import { KEPT_BLOCKS } from './simulated-node.ts';
import type { SimulatedSettings } from './simulated-settings.ts';
import { nextSweepStep } from './sweep.ts';

const SETTINGS: SimulatedSettings = {
  network: 'Ethereum',
  confirmations: 3,
  tokens: [{ tokenId: 'token', decimals: 6 }],
  blocksPerCall: 5,
};

describeChain('the simulated chain', async (): Promise<ChainStage> => {
  const chain = simulatedChain(SETTINGS);
  let trouble: Parameters<SimulatedChain['setTrouble']>[0] = {};
  return {
    chain,
    tokenId: 'token',
    restarted: () => {
      const again = simulatedChain(SETTINGS, chain.save());
      again.setTrouble(trouble);
      return again;
    },
    outsideAddress: chain.outsideAddress,
    spoiled: (address) => `${address.slice(0, -1)}${address.endsWith('0') ? '1' : '0'}`,
    mine: async (count) => chain.mine(count),
    pay: async (payment) => chain.payFromOutside(payment),
    reorganise: async (depth) => {
      chain.reorganise(depth);
    },
    sendAgain: async (txId) => chain.sendAgain(txId),
    setTrouble: (next) => {
      if (typeof next === 'object') trouble = next;
      else trouble = next === 'none' ? {} : { fault: next };
      chain.setTrouble(trouble);
    },
    setBaseFee: async (pricePerUnit) => chain.setBaseFee(pricePerUnit),
    setTokenFrozen: async (isFrozen) => chain.setTokenFrozen('token', isFrozen),
    forgetWaiting: async () => chain.forgetWaiting(),
  };
});

test('on a network with memos everyone has one address and a memo of their own', async () => {
  const chain = simulatedChain({
    network: 'XRPL',
    confirmations: 1,
    needsMemo: true,
    addressFormat: 'xrpl',
  });
  await chain.observe([7, 8]);
  const { address, memo } = chain.depositAddress(7);
  expect({ address, memo }).toEqual({ address: chain.depositAddress(8).address, memo: '7' });
  const rows = [
    [undefined, 'MEMO_MISSING'],
    ['', 'MEMO_MALFORMED'],
    ['seven', 'MEMO_MALFORMED'],
    ['07', 'MEMO_MALFORMED'],
    ['7', undefined],
  ] as const;
  for (const [text, fault] of rows) expect(chain.checkAddress(address, text)).toBe(fault);

  const cursor = await cursorFrom(chain, 1);
  for (const paid of ['7', '8', '9', 'seven', undefined]) {
    chain.payFromOutside({
      to: address,
      ...(paid === undefined ? {} : { memo: paid }),
      amount: 5n,
    });
  }
  chain.mine();
  expect(await scan(chain, cursor)).toMatchObject({
    found: [
      { accountNumber: 7, memo: '7' },
      { accountNumber: 8, memo: '8' },
    ],
  });
  const sweep = { accountNumber: 7, tokenId: undefined, minimum: 1n };
  expect(await nextSweepStep(chain, sweep)).toEqual({ kind: 'nothing', reason: 'ALREADY_THERE' });
});

test('a saved chain goes on where it stood, with what was waiting', async () => {
  const chain = simulatedChain(SETTINGS);
  await chain.observe([1]);
  chain.payFromOutside({ to: chain.addressOf(HOT), amount: 10n ** 18n });
  chain.mine(2);
  chain.reorganise(1);
  const txId = chain.payFromOutside({ to: chain.depositAddress(1).address, amount: 5n });
  const saved = chain.save();
  const again = simulatedChain(SETTINGS, saved);
  expect(again.save()).toBe(saved);
  for (const each of [chain, again]) each.mine();
  expect(await again.head()).toEqual(await chain.head());
  expect(again.save()).toBe(chain.save());
  await again.observe([1]);
  expect(await scan(again, await cursorFrom(again, 3))).toMatchObject({ found: [{ txId }] });
  expect(again.payFromOutside({ to: again.addressOf(HOT), amount: 1n })).toBe(
    chain.payFromOutside({ to: chain.addressOf(HOT), amount: 1n }),
  );
});

test('a saved chain that is damaged, or another network’s, is refused', () => {
  const saved = simulatedChain(SETTINGS).save();
  const damaged = saved.replace('branch\\":0', 'branch\\":1');
  expect(damaged).not.toBe(saved);
  expect(() => simulatedChain(SETTINGS, damaged)).toThrow('damaged');
  expect(() => simulatedChain({ ...SETTINGS, network: 'Base' }, saved)).toThrow(
    'not "Base rialto"',
  );
  expect(() => simulatedChain(SETTINGS, '{')).toThrow('damaged');
});

test('bytes that are no transaction are refused', async () => {
  const outcome = await simulatedChain(SETTINGS).broadcast(Uint8Array.of(1, 2, 3));
  expect(outcome.kind).toBe('refused');
});

test('old blocks are dropped, balances and receipts stay', async () => {
  const chain = simulatedChain(SETTINGS);
  chain.payFromOutside({ to: chain.addressOf(HOT), amount: 10n ** 18n });
  chain.mine();
  const draft = { from: HOT, to: chain.outsideAddress('a'), tokenId: undefined, amount: 9n };
  const payment = { ...draft, nonce: 0, fee: (await chain.estimateFee(draft)).fee };
  const { txId, rawBytes } = await chain.sign(payment);
  await chain.broadcast(rawBytes);
  chain.mine(KEPT_BLOCKS + 10);
  const sent = { draft, nonce: 0, txIds: [txId], sinceHeight: 0 };
  const again = simulatedChain(SETTINGS, chain.save());
  expect(await again.statusOf(sent)).toMatchObject({ kind: 'confirmed', height: 2, isFinal: true });
  expect(await again.nextNonce(HOT)).toBe(1);
  await expectFault(again.blocks(1, 2), 'refused');
});

test('a waiting payment is replaced only by one that offers a tenth more', async () => {
  const chain = simulatedChain(SETTINGS);
  chain.payFromOutside({ to: chain.addressOf(HOT), amount: 10n ** 18n });
  chain.mine();
  const draft = { from: HOT, to: chain.outsideAddress('a'), tokenId: undefined, amount: 9n };
  const fee = { unitsMax: 21_000n, pricePerUnit: 2n * 10n ** 9n, tipPerUnit: 100n };
  const offer = async (tenths: bigint): Promise<string> => {
    const { pricePerUnit, tipPerUnit } = fee;
    const better = {
      pricePerUnit: (pricePerUnit * tenths) / 10n,
      tipPerUnit: (tipPerUnit * tenths) / 10n,
    };
    const { rawBytes } = await chain.sign({ ...draft, nonce: 0, fee: { ...fee, ...better } });
    return (await chain.broadcast(rawBytes)).kind;
  };
  const outcomes = [];
  for (const tenths of [10n, 10n, 9n, 11n, 12n, 13n]) outcomes.push(await offer(tenths));
  expect(outcomes).toEqual(['accepted', 'known', 'refused', 'accepted', 'refused', 'accepted']);
});

test('blocks that replace others have other hashes, even when both are empty', async () => {
  const chain = simulatedChain(SETTINGS);
  chain.mine(4);
  const before = await chain.blocks(2, 4);
  chain.reorganise(2);
  const after = await chain.blocks(2, 4);
  const same = after.map(({ hash }, index) => hash === before[index]?.hash);
  expect(same).toEqual([true, false, false]);
});

test.each([
  ['evm', /^0x[0-9a-fA-F]{40}$/, '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045'],
  ['bitcoin', /^bc1q[a-z0-9]{38}$/, 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'],
  ['solana', /^[1-9A-HJ-NP-Za-km-z]{32,44}$/, '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU'],
  ['xrpl', /^r[1-9A-HJ-NP-Za-km-z]{24,34}$/, 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh'],
] as const)(
  'addresses of %s are written as there, and any valid one may be paid to',
  async (format, shape, foreign) => {
    const chain = simulatedChain({ ...SETTINGS, addressFormat: format });
    const addresses = [1, 2, 3].map((number) => chain.depositAddress(number).address);
    expect(new Set(addresses).size).toBe(3);
    for (const address of [...addresses, chain.outsideAddress('a'), foreign]) {
      expect(address).toMatch(shape);
      expect(chain.checkAddress(address)).toBeUndefined();
      expect(chain.checkAddress(address.slice(0, 20))).toBeDefined();
    }
    expect(chain.checkAddress(chain.addressOf(HOT))).toBe('ADDRESS_LOSES_FUNDS');
    // An address without its checksum, if the format allows it, is the same address.
    await chain.observe([1]);
    const [address = ''] = addresses;
    const plain = format === 'evm' ? address.toLowerCase() : address;
    const cursor = await cursorFrom(chain, 1);
    chain.payFromOutside({ to: plain, amount: 5n });
    chain.mine();
    expect(await scan(chain, cursor)).toMatchObject({ found: [{ accountNumber: 1, address }] });
  },
);
