/** Payments that a deep reorganisation undoes after the venue has concluded them, on both kinds of chains. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { NetworkSpec } from '../../domain/market.ts';
import { amount, type KeyIndex } from '../../domain/units.ts';
import type { WithdrawalRecord } from '../../domain/wallet.ts';
import { Anvil, anvilProgram, BadNode, CHAIN_ID, TOKEN_ID } from '../chains/anvil.fixture.ts';
import { type Chain, ChainUnavailable, HOT, type PaymentDraft } from '../chains/chain.ts';
import { evmChain } from '../chains/evm-chain.ts';
import { seedSigner, xpubOf } from '../chains/signer.ts';
import { simulatedChain } from '../chains/simulated-chain.ts';
import { networkTerms, numberOf } from './network-terms.ts';
import { NetworkWorker } from './network-worker.ts';
import { engineOver, walletVenue } from './wallets.fixture.ts';

const CONFIRMATIONS = 3;
const PAYEE = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const OTHER = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
const SEED = new Uint8Array(32).fill(7);
const OWED = 10_000_000n;

/** A chain, and what its outside can do to it. */
type Ground = {
  readonly chain: Chain;
  readonly tokenId: string;
  readonly decimals: number;
  pay(payment: { to: string; tokenId?: string; amount: bigint }): Promise<unknown>;
  mine(count: number): Promise<void>;
  /** The node forgets what was in the removed blocks. */
  reorganise(depth: number): Promise<void>;
};

async function venueOn(ground: Ground) {
  const { chain, decimals } = ground;
  const way = (asset: string, tokenId: string | undefined) => ({
    ...{ asset, tokenId, minDeposit: 1_000n, minWithdrawal: 1n },
    transactionPrecision: chain.decimalsOf(tokenId) ?? 0,
  });
  const spec: NetworkSpec = {
    ...{ name: 'Ethereum', chain: 'evm', confirmations: CONFIRMATIONS, needsMemo: false },
    ...{ addressFormat: 'evm', coin: 'ETH' },
    assets: [way('ETH', undefined), way('USDT', ground.tokenId)],
  };
  const { core, network } = walletVenue(spec, ['a'], '1');
  const unit = 10n ** BigInt(decimals - 8);
  await ground.pay({ to: chain.addressOf(HOT), amount: 100_000_000n * unit });
  await ground.mine(CONFIRMATIONS);
  const said: string[] = [];
  const engine = engineOver(core, { isDead: false, dies: () => false });
  const start = (): NetworkWorker =>
    new NetworkWorker({
      engine,
      served: {
        ...{ chain, kind: 'evm', startHeight: 1, reportEveryBlocks: 20, bumpAfterMs: 5_000 },
        ...{ pollMs: 0, terms: networkTerms(engine.directory, network, chain) },
      },
      nowMs: () => core.nowMs,
      onTrouble: (words) => said.push(words),
    });
  const worker = start();
  await worker.round();
  const account = core.account('a', 'main');
  await ground.pay({
    to: chain.depositAddress(numberOf(account)).address,
    amount: 50_000_000n * unit,
  });
  const advance = async (rounds: number, by = worker): Promise<void> => {
    for (let left = rounds; left > 0; left--) {
      await ground.mine(1);
      core.nowMs += 3_000;
      await by.round();
    }
  };
  await advance(4);
  const ended: WithdrawalRecord[] = [];
  const apply = core.apply.bind(core);
  core.apply = (command) => {
    const events = apply(command);
    for (const event of events) {
      if (event.kind === 'withdrawal-changed') ended.push(event.withdrawal);
    }
    return events;
  };
  const request = (): void => {
    core.apply({
      ...{ kind: 'request-withdrawal', by: { key: 0 as KeyIndex }, network, address: PAYEE },
      ...{ asset: core.asset('ETH'), quantity: amount(OWED), externalFee: true },
    });
  };
  /** Requested and carried through; four blocks are upon its own. */
  const withdraw = async (): Promise<WithdrawalRecord> => {
    request();
    await advance(CONFIRMATIONS + 1);
    expect(ended.at(-1)).toMatchObject({ status: 'COMPLETED' });
    return ended.at(-1) as WithdrawalRecord;
  };
  const available = (): bigint =>
    core.state.ledger.available[account * core.state.ledger.stride + core.asset('ETH')] ?? 0n;
  const hotHas = () => chain.balanceOf(HOT, undefined);
  return {
    core,
    chain,
    worker,
    start,
    said,
    ended,
    unit,
    advance,
    request,
    withdraw,
    available,
    hotHas,
  };
}

function describeFinished(name: string, ground: () => Promise<Ground>): void {
  describe(name, () => {
    test('a completed withdrawal that a reorganisation removes is sent again with the same bytes, and said until a block has it', async () => {
      const here = await ground();
      const { worker, said, ended, unit, advance, withdraw, available, hotHas } =
        await venueOn(here);
      const before = await hotHas();
      const { txId } = await withdraw();
      const paid = before - (await hotHas());
      const left = available();
      await here.reorganise(CONFIRMATIONS + 2);
      expect(await hotHas()).toBe(before);
      await worker.round();
      const words =
        `withdrawal 980000000000000001: it was paid, but a reorganisation has removed transaction ${txId}: ` +
        'it is sent again until a block has it';
      expect(worker.status().contradictions).toEqual([words]);
      expect(said).toEqual([`Ethereum: ${words}`]);
      expect(worker.isWaitingForBlocks).toBe(true);
      await advance(CONFIRMATIONS + 1);
      expect(worker.status().contradictions).toEqual([]);
      expect(worker.isWaitingForBlocks).toBe(false);
      // Paid once, by the transaction that its owner was shown; nothing was booked again.
      const spent = before - (await hotHas());
      expect(spent).toBeGreaterThan(OWED * unit);
      expect(spent).toBeLessThan(2n * OWED * unit);
      expect([paid > OWED * unit, available()]).toEqual([true, left]);
      const completed = ended.filter(({ status }) => status === 'COMPLETED');
      expect(completed.map((one) => one.txId)).toEqual([txId]);
    });

    test('a withdrawal behind one that was removed is paid after it', async () => {
      const here = await ground();
      const { ended, unit, advance, request, withdraw, hotHas } = await venueOn(here);
      const before = await hotHas();
      await withdraw();
      await here.reorganise(CONFIRMATIONS + 2);
      request();
      await advance(2 * CONFIRMATIONS + 2);
      expect(ended.filter(({ status }) => status === 'COMPLETED')).toHaveLength(2);
      const spent = before - (await hotHas());
      expect(spent).toBeGreaterThan(2n * OWED * unit);
      expect(spent).toBeLessThan(3n * OWED * unit);
    });

    test('a nonce that another transaction has taken meanwhile is said for good: nobody was paid', async () => {
      const here = await ground();
      const { chain, worker, advance, withdraw } = await venueOn(here);
      await withdraw();
      await here.reorganise(CONFIRMATIONS + 2);
      const draft: PaymentDraft = { from: HOT, to: OTHER, tokenId: undefined, amount: 1n };
      const { fee } = await chain.estimateFee(draft);
      const foreign = await chain.sign({ ...draft, fee, nonce: await chain.nextNonce(HOT) });
      await chain.broadcast(foreign.rawBytes);
      await advance(CONFIRMATIONS + 2);
      const words =
        'withdrawal 980000000000000001: it was paid, but after a reorganisation its nonce was used by ' +
        `transaction ${foreign.txId}: nobody was paid`;
      expect(worker.status().contradictions).toEqual([words]);
      // No block will change it.
      expect(worker.isWaitingForBlocks).toBe(false);
    });
  });
}

async function simulatedGround(): Promise<Ground> {
  const chain = simulatedChain({
    ...{ network: 'Ethereum', confirmations: CONFIRMATIONS, coinDecimals: 8 },
    tokens: [{ tokenId: 'USDT', decimals: 8 }],
    prices: { coinUnits: 210n, tokenUnits: 500n, basePrice: 2n, tip: 1n },
  });
  return {
    ...{ chain, tokenId: 'USDT', decimals: 8 },
    pay: async (payment) => chain.payFromOutside(payment),
    mine: async (count) => chain.mine(count),
    reorganise: async (depth) => {
      chain.reorganise(depth);
      chain.forgetWaiting();
      chain.mine(depth);
    },
  };
}
describeFinished('the simulated chain', simulatedGround);

test('a payment that the node does not take again is said all the same', async () => {
  const here = await simulatedGround();
  const { chain, worker, advance, withdraw } = await venueOn(here);
  await withdraw();
  await here.reorganise(CONFIRMATIONS + 2);
  const broadcast = chain.broadcast.bind(chain);
  chain.broadcast = async () => {
    throw new ChainUnavailable('Ethereum', 'refused', 'too many requests');
  };
  expect(await worker.round()).toBe(false);
  expect(worker.status().contradictions).toHaveLength(1);
  chain.broadcast = broadcast;
  await advance(CONFIRMATIONS + 1);
  expect(worker.status().contradictions).toEqual([]);
});

test('what an earlier run has paid displaces nothing that this one has, and can send again', async () => {
  const here = await simulatedGround();
  const { worker, advance, withdraw } = await venueOn(here);
  const paid = await withdraw();
  const earlier = Array.from({ length: 1_000 }, (_, at) => ({ ...paid, txId: `0x${at}` }));
  worker.recall(earlier);
  await here.reorganise(CONFIRMATIONS + 2);
  await worker.round();
  const isSentAgain = (words: string): boolean => words.includes('it is sent again');
  expect(worker.status().contradictions.filter(isSentAgain)).toHaveLength(1);
  // A hundred are asked about in a round.
  await advance(CONFIRMATIONS + 10);
  expect(worker.status().contradictions.filter(isSentAgain)).toEqual([]);
});

const program = anvilProgram();
describe.skipIf(program === undefined)('a real node', () => {
  let anvil: Anvil;
  let node: BadNode;
  let url: string;
  beforeAll(async () => {
    anvil = await Anvil.start(program as string);
    node = new BadNode(anvil);
    url = await node.start();
  });
  beforeEach(() => anvil.reset());
  afterAll(() => {
    node?.stop();
    anvil?.stop();
  });
  const ground = async (): Promise<Ground> => ({
    chain: evmChain({
      ...{ network: 'Ethereum', chainId: CHAIN_ID, confirmations: CONFIRMATIONS },
      node: { url, deadline: node.deadline },
      ...{ xpub: xpubOf(SEED), signer: seedSigner(SEED), nowMs: () => 0 },
      tokens: [{ tokenId: TOKEN_ID, decimals: 6 }],
    }),
    ...{ tokenId: TOKEN_ID, decimals: 18 },
    pay: (payment) => anvil.pay(payment),
    mine: (count) => anvil.mine(count),
    reorganise: (depth) => anvil.reorganise(depth),
  });
  describeFinished('anvil', ground);

  test('after a restart the chain is asked about the withdrawals of the last day', async () => {
    const here = await ground();
    const { core, start, said, advance, withdraw } = await venueOn(here);
    const paid = await withdraw();
    const agreeing = start();
    agreeing.recall([paid]);
    await agreeing.round();
    expect(agreeing.status().contradictions).toEqual([]);
    await here.reorganise(CONFIRMATIONS + 2);
    const next = start();
    next.recall([paid]);
    await advance(1, next);
    const words =
      `withdrawal 980000000000000001: it was paid, but the chain does not have transaction ${paid.txId}: ` +
      'send it to the node again';
    expect(next.status().contradictions).toEqual([words]);
    expect(said).toEqual([`Ethereum: ${words}`]);
    core.nowMs += 86_400_000;
    const later = start();
    later.recall([paid]);
    await advance(1, later);
    expect(later.status().contradictions).toEqual([]);
  });
});
