import { expect, test } from 'vitest';
import type { NetworkSpec } from '../../domain/market.ts';
import { amount, type KeyIndex, usdPrice } from '../../domain/units.ts';
import { HOT } from '../chains/chain.ts';
import { simulatedChain } from '../chains/simulated-chain.ts';
import { networkTerms, numberOf } from './network-terms.ts';
import { NetworkWorker, type ServedChain } from './network-worker.ts';
import { engineOver, walletVenue } from './wallets.fixture.ts';

const terms = (asset: string) => ({
  ...{ asset, tokenId: undefined, transactionPrecision: 8 },
  ...{ minDeposit: 1_000n, minWithdrawal: 1n },
});
const SPEC: NetworkSpec = {
  ...{ name: 'Ethereum', chain: 'simulated', confirmations: 2, needsMemo: false },
  ...{ addressFormat: 'evm', coin: 'ETH', assets: [terms('ETH'), terms('USDT')] },
};

type Given = {
  readonly costs?: string;
  readonly endowed?: bigint;
  readonly prices?: NonNullable<Parameters<typeof simulatedChain>[0]['prices']>;
};
const CHEAP = { coinUnits: 210n, tokenUnits: 500n, basePrice: 2n, tip: 1n };

/** A chain that produces its own blocks, as an external node does, and a venue with two families. */
function outside(served: Partial<ServedChain> = {}, given: Given = {}) {
  const { costs = '1', endowed = 100_000_000n, ...prices } = given;
  const { core, network } = walletVenue(SPEC, ['a', 'b'], costs);
  const chain = simulatedChain({
    ...{ network: SPEC.name, confirmations: 2, coinDecimals: 8 },
    tokens: [{ tokenId: 'USDT', decimals: 8 }],
    ...prices,
  });
  if (endowed > 0n) chain.payFromOutside({ to: chain.addressOf(HOT), amount: endowed });
  chain.mine(3);
  const said: string[] = [];
  const engine = engineOver(core, { isDead: false, dies: () => false });
  const start = (): NetworkWorker =>
    new NetworkWorker({
      engine,
      served: {
        ...{ chain, kind: 'evm', startHeight: undefined, reportEveryBlocks: 20 },
        ...{ bumpAfterMs: 5_000, pollMs: 0 },
        terms: networkTerms(engine.directory, network, chain),
        ...served,
      },
      nowMs: () => core.nowMs,
      onTrouble: (words) => said.push(words),
    });
  const worker = start();
  const number = (family: string): number => numberOf(core.account(family, 'main'));
  return { core, network, chain, worker, start, number, said };
}

test('a new network has addresses once its node was reached: what was paid before would not be seen', async () => {
  const { chain, worker, number } = outside();
  chain.setTrouble({ fault: 'down' });
  expect(await worker.round()).toBe(false);
  expect(worker.depositAddress(number('a'))).toBeUndefined();
  chain.setTrouble({});
  expect(await worker.round()).toBe(true);
  expect(worker.depositAddress(number('a'))).toEqual(chain.depositAddress(number('a')));
  // Known from then on, whatever happens to the node, and after a restart as well.
  chain.setTrouble({ fault: 'down' });
  await worker.round();
  expect(worker.depositAddress(number('a'))).toBeDefined();
  expect(outside({ wasRead: true }).worker.depositAddress(number('a'))).toBeDefined();
});

test("a fee that an operator has fixed does not follow the chain's estimate until it is released", async () => {
  const { core, network, chain, worker } = outside();
  core.apply({
    kind: 'set-index-prices',
    prices: ['ETH', 'USDT'].map((asset) => ({ asset, price: usdPrice(100_000_000n) })),
  });
  const asset = core.asset('USDT');
  const fee = () =>
    core.state.wallet.networks[network]?.ways.find((one) => one.asset === asset)?.fee;
  await worker.round();
  const estimated = fee();
  expect(estimated).toBeGreaterThan(0n);
  core.nowMs += 120_000;
  const own = amount(77n);
  core.apply({ kind: 'set-withdrawal-fee', actor: 'ann', network, asset, fee: own });
  for (const price of [50n, 70n]) {
    chain.setBaseFee(price);
    core.nowMs += 120_000;
    await worker.round();
    expect(fee()).toBe(own);
  }
  core.apply({ kind: 'release-withdrawal-fee', actor: 'ann', network, asset });
  core.nowMs += 120_000;
  await worker.round();
  expect(fee()).toBeGreaterThan(own);
});

test('blocks are read again when an operator says so, and a deposit that was missed is found', async () => {
  const { core, network, chain, worker, number } = outside({ startHeight: 1 });
  await worker.round();
  core.apply({ kind: 'reach-height', network, height: chain.height });
  expect(worker.status().isRescanning).toBe(false);
  worker.rescanFrom(1);
  expect(worker.status().isRescanning).toBe(true);
  chain.payFromOutside({ to: chain.depositAddress(number('a')).address, amount: 5_000_000n });
  chain.mine(3);
  await worker.round();
  expect(worker.status().isRescanning).toBe(false);
  expect([...core.state.wallet.deposits.values()]).toMatchObject([{ status: 'COMPLETED' }]);
});

test('holdings on an external node show the hot wallet and what was not swept from deposit addresses', async () => {
  const { core, chain, worker, number } = outside({ startHeight: 1 });
  const held = (code: string) => worker.holdings().find(({ asset }) => asset === code);
  await worker.round();
  expect(worker.status().unaskedAddresses).toBe(0);
  expect(held('ETH')).toEqual({ asset: 'ETH', amount: 100_000_000n, unswept: 0n });
  const to = chain.depositAddress(number('a')).address;
  chain.payFromOutside({ to, amount: 5_000_000n });
  chain.payFromOutside({ to, tokenId: 'USDT', amount: 7_000_000n });
  chain.mine(3);
  await worker.round();
  expect(held('ETH')).toEqual({ asset: 'ETH', amount: 105_000_000n, unswept: 5_000_000n });
  expect(held('USDT')).toEqual({ asset: 'USDT', amount: 7_000_000n, unswept: 7_000_000n });
  // Nothing happens to the addresses: none is requested again.
  const queried: string[] = [];
  const balanceOf = chain.balanceOf.bind(chain);
  chain.balanceOf = (wallet, tokenId) => {
    queried.push(wallet.kind);
    return balanceOf(wallet, tokenId);
  };
  core.nowMs += 60_000;
  chain.mine(3);
  await worker.round();
  expect(queried).toEqual(['hot', 'hot']);
  const crossed = core.state.assets[core.asset('USDT')]?.crossed.deposits;
  expect(held('USDT')?.amount).toBe(crossed);
});

const PAYEE = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

test('a venue that was given nothing says what its withdrawals wait for, and pays once it was paid in', async () => {
  const { core, network, chain, worker, number, said } = outside(
    { startHeight: 1 },
    { costs: '0', endowed: 0n, prices: CHEAP },
  );
  await worker.round();
  chain.payFromOutside({ to: chain.depositAddress(number('a')).address, amount: 50_000_000n });
  chain.mine(3);
  await worker.round();
  const asset = core.asset('ETH');
  core.apply({
    ...{ kind: 'request-withdrawal', by: { key: 0 as KeyIndex }, asset, network, address: PAYEE },
    ...{ quantity: amount(10_000_000n), externalFee: true },
  });
  const status = () => [...core.state.wallet.withdrawals.values()].map((one) => one.status);
  const advance = async (): Promise<void> => {
    core.nowMs += 1_000;
    chain.mine(3);
    await worker.round();
  };
  for (let round = 0; round < 5; round++) await advance();
  expect(status()).toEqual(['IN SWEEPING']);
  expect(said).toEqual([
    expect.stringMatching(
      /^Ethereum: withdrawals wait: network-costs has 0 ETH left and the next payment may cost [0-9.]+ ETH: fill it/,
    ),
  ]);
  expect(worker.status().shortage).toContain('network-costs has 0 ETH left');
  core.apply({
    ...{ kind: 'move-funds', actor: 'ann', from: { family: 'a', name: 'main' } },
    ...{ to: 'network-costs', asset: 'ETH', amount: amount(20_000_000n), reason: 'gas' },
  });
  for (let round = 0; round < 8; round++) await advance();
  expect(status()).toEqual([]);
  expect(core.state.assets[asset]?.crossed.withdrawals).toBe(10_000_000n);
  expect(worker.status().shortage).toBeUndefined();
});

test('a hot wallet that no deposit address can fill says what it lacks, once a minute', async () => {
  const { core, network, chain, worker, said } = outside(
    { startHeight: 1 },
    { endowed: 0n, prices: CHEAP },
  );
  await worker.round();
  core.state.ledger.available[
    core.account('a', 'main') * core.state.ledger.stride + core.asset('ETH')
  ] = 50_000_000n;
  core.apply({
    ...{ kind: 'request-withdrawal', by: { key: 0 as KeyIndex }, network, address: PAYEE },
    ...{ asset: core.asset('ETH'), quantity: amount(10_000_000n), externalFee: true },
  });
  for (let round = 0; round < 5; round++) await worker.round();
  const words = expect.stringMatching(
    new RegExp(
      `^Ethereum: withdrawals wait: the hot wallet ${chain.addressOf(HOT)} lacks 0.1[0-9]+ ETH, and no deposit`,
    ),
  );
  expect(said).toEqual([words]);
  core.nowMs += 60_000;
  for (let round = 0; round < 5; round++) await worker.round();
  expect(said).toEqual([words, words]);
});

test('a withdrawal whose tokens are on their way to the hot wallet waits for nobody', async () => {
  const { core, network, chain, worker, number, said } = outside(
    { startHeight: 1 },
    { prices: CHEAP },
  );
  await worker.round();
  const to = chain.depositAddress(number('a')).address;
  chain.payFromOutside({ to, tokenId: 'USDT', amount: 3_000_000_000n });
  chain.mine(3);
  await worker.round();
  core.apply({
    ...{ kind: 'request-withdrawal', by: { key: 0 as KeyIndex }, network, address: PAYEE },
    ...{ asset: core.asset('USDT'), quantity: amount(1_000_000_000n), externalFee: true },
  });
  const steps = new Set<string>();
  for (let round = 0; round < 16; round++) {
    core.nowMs += 1_000;
    await worker.round();
    for (const { step } of core.state.wallet.sweeps.values()) steps.add(step);
    chain.mine(1);
  }
  expect([...steps]).toEqual(['top-up', 'sweep']);
  expect(core.state.assets[core.asset('USDT')]?.crossed.withdrawals).toBe(1_000_000_000n);
  expect(said).toEqual([]);
});

test('what a sweep has moved to the hot wallet is on the chain at every moment', async () => {
  const { core, network, chain, worker, number } = outside({ startHeight: 1 }, { prices: CHEAP });
  const eth = () => worker.holdings().find(({ asset }) => asset === 'ETH');
  await worker.round();
  chain.payFromOutside({ to: chain.depositAddress(number('a')).address, amount: 300_000_000n });
  chain.mine(3);
  await worker.round();
  core.apply({
    ...{ kind: 'request-withdrawal', by: { key: 0 as KeyIndex }, network, address: PAYEE },
    ...{ asset: core.asset('ETH'), quantity: amount(200_000_000n), externalFee: true },
  });
  let wasSwept = false;
  for (let round = 0; round < 8; round++) {
    core.nowMs += 1_000;
    await worker.round();
    // All that the venue ever had is 4, and the payment takes 2 of it; the rest is gas.
    expect(eth()?.amount).toBeGreaterThan(199_000_000n);
    wasSwept ||= (eth()?.unswept ?? 0n) < 1_000_000n;
    chain.mine(1);
  }
  expect(wasSwept).toBe(true);
});

test('a withdrawal that cannot be paid is named as its owner knows it', async () => {
  const { core, network, chain, worker, said } = outside({ startHeight: 1 }, { prices: CHEAP });
  await worker.round();
  core.state.ledger.available[
    core.account('a', 'main') * core.state.ledger.stride + core.asset('ETH')
  ] = 50_000_000n;
  core.apply({
    ...{ kind: 'request-withdrawal', by: { key: 0 as KeyIndex }, network },
    ...{ address: chain.addressOf(HOT), asset: core.asset('ETH') },
    ...{ quantity: amount(10_000_000n), externalFee: true },
  });
  await worker.round();
  expect(said).toEqual([
    `Ethereum: withdrawal 980000000000000001 is held for review: its address ${chain.addressOf(HOT)} ` +
      'cannot be paid: it is of nobody, a token contract or the hot wallet, and what is sent there is lost',
  ]);
});

test('a payment behind one that has vanished while the venue was stopped says which nonce it waits for', async () => {
  const { core, network, chain, worker, start, number, said } = outside(
    { startHeight: 1 },
    { prices: CHEAP },
  );
  await worker.round();
  chain.payFromOutside({ to: chain.depositAddress(number('a')).address, amount: 90_000_000n });
  chain.mine(3);
  await worker.round();
  const request = () =>
    core.apply({
      ...{ kind: 'request-withdrawal', by: { key: 0 as KeyIndex }, network, address: PAYEE },
      ...{ asset: core.asset('ETH'), quantity: amount(10_000_000n), externalFee: true },
    });
  const advance = async (): Promise<void> => {
    core.nowMs += 3_000;
    chain.mine(1);
    await running.round();
  };
  let running = worker;
  request();
  for (let round = 0; round < 4; round++) await advance();
  expect(core.state.wallet.withdrawals.size).toBe(0);
  // Deeper than its confirmations, and the node has forgotten it.
  chain.reorganise(4);
  chain.forgetWaiting();
  running = start();
  request();
  for (let round = 0; round < 8; round++) await advance();
  expect(new Set(said)).toEqual(
    new Set([
      `Ethereum: withdrawal 980000000000000002: it waits for nonce 0 of ${chain.addressOf(HOT)}, and the payment with ` +
        'that nonce is in no block, or not any more: if it does not come back, send its transaction to the node again',
    ]),
  );
  expect([...core.state.wallet.withdrawals.values()]).toMatchObject([{ versions: { length: 1 } }]);
});
