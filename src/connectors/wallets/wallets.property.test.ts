import { expect, test } from 'vitest';
import { Random } from '../../../test/simulation/random.ts';
import { parts } from '../../../test/support/core-venue.ts';
import { audit } from '../../core/audit/audit.ts';
import type { NetworkSpec } from '../../domain/market.ts';
import type { KeyIndex } from '../../domain/units.ts';
import { amount } from '../../domain/units.ts';
import { HOT } from '../chains/chain.ts';
import { type SimulatedChain, simulatedChain } from '../chains/simulated-chain.ts';
import { networkTerms, numberOf } from './network-terms.ts';
import { NetworkWorker } from './network-worker.ts';
import {
  crossedOf,
  engineOver,
  type Fate,
  Killed,
  mortal,
  walletVenue,
} from './wallets.fixture.ts';

const CONFIRMATIONS = 4;
const terms = (asset: string) => ({
  ...{ asset, tokenId: undefined, transactionPrecision: 8 },
  ...{ minDeposit: 1_000n, minWithdrawal: 1n },
});
const SPEC: NetworkSpec = {
  ...{ name: 'Ethereum', chain: 'simulated', confirmations: CONFIRMATIONS, needsMemo: false },
  ...{ addressFormat: 'evm', coin: 'ETH', assets: [terms('ETH'), terms('USDT')] },
};
const FAMILIES = ['a', 'b', 'c', 'd'];
const ENDOWED = parts('1');

/** A venue and its chain, and between them a program that can be killed and restarted. */
class World {
  readonly random: Random;
  readonly venue = walletVenue(SPEC, FAMILIES, '1');
  /** What a restart finds on disk. */
  #saved: string | undefined;
  #savedAt = -1;
  #fate: Fate = { isDead: false, dies: () => false };
  chain: SimulatedChain;
  worker: NetworkWorker;
  deaths = 0;
  troubles: string[] = [];

  constructor(seed: number) {
    this.random = new Random(seed);
    this.chain = this.#openChain();
    this.worker = this.#start();
  }

  #openChain(): SimulatedChain {
    const chain: SimulatedChain = simulatedChain(
      {
        ...{ network: SPEC.name, confirmations: CONFIRMATIONS, coinDecimals: 8 },
        tokens: [{ tokenId: 'USDT', decimals: 8 }],
        prices: { coinUnits: 210n, tokenUnits: 500n, basePrice: 2n, tip: 1n },
        beforeAnswer: async () => {
          if (this.#savedAt === chain.changes) return;
          this.#saved = chain.save();
          this.#savedAt = chain.changes;
        },
      },
      this.#saved,
    );
    if (this.#saved === undefined) {
      chain.payFromOutside({ to: chain.addressOf(HOT), amount: ENDOWED });
      chain.mine(CONFIRMATIONS);
    } else this.#savedAt = chain.changes;
    return chain;
  }

  #start(): NetworkWorker {
    const { core, network } = this.venue;
    const fate = this.#fate;
    const engine = engineOver(core, fate);
    return new NetworkWorker({
      engine,
      served: {
        ...{ chain: mortal(this.chain, fate), kind: 'simulated', startHeight: 1 },
        ...{ reportEveryBlocks: 20, bumpAfterMs: 5_000, pollMs: 0 },
        terms: networkTerms(engine.directory, network, this.chain),
        waitingCount: () => this.chain.waitingCount,
      },
      nowMs: () => core.nowMs,
      onTrouble: (words) => this.troubles.push(words),
    });
  }

  /** A round that may be killed anywhere; then what was not saved is gone. */
  async round(deathRate: number): Promise<void> {
    const { random } = this;
    let left = random.chance(deathRate) ? random.below(60) : Number.MAX_SAFE_INTEGER;
    this.#fate.dies = () => left-- <= 0;
    try {
      await this.worker.round();
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
      this.deaths++;
      this.#fate = { isDead: false, dies: () => false };
      this.chain = this.#openChain();
      this.worker = this.#start();
    }
    this.#fate.dies = () => false;
  }

  request(): void {
    const { core, network } = this.venue;
    const at = this.random.below(FAMILIES.length);
    const asset = core.asset(this.random.pick(['ETH', 'USDT']));
    const account = core.account(FAMILIES[at] as string, 'main');
    const has = core.state.ledger.available[account * core.state.ledger.stride + asset] ?? 0n;
    const share = BigInt(this.random.pick([1, 3, 9, 10]));
    core.apply({
      ...{ kind: 'request-withdrawal', by: { key: at as KeyIndex }, asset, network },
      address: this.random.chance(0.1)
        ? this.chain.depositAddress(this.#number(0)).address
        : this.chain.outsideAddress(`friend ${this.random.below(3)}`),
      ...{ quantity: amount((has * share) / 10n), externalFee: false },
    });
  }

  #number(at: number): number {
    return numberOf(this.venue.core.account(FAMILIES[at] as string, 'main'));
  }

  pay(): void {
    const { random } = this;
    const tokenId = random.pick([undefined, 'USDT']);
    const value = BigInt(random.pick([500, 10_000_000, 900_000_000, 20_000_000_000]));
    const { address } = this.chain.depositAddress(this.#number(random.below(FAMILIES.length)));
    this.chain.payFromOutside({ to: address, tokenId, amount: value + BigInt(random.below(99)) });
  }

  disrupt(): void {
    const { random, chain } = this;
    switch (random.weighted({ reorganise: 4, node: 3, price: 1, forget: 1, freeze: 1, well: 3 })) {
      case 'reorganise': {
        const gone = chain.reorganise(1 + random.below(CONFIRMATIONS - 1));
        for (const txId of gone) if (random.chance(0.5)) chain.sendAgain(txId);
        return;
      }
      case 'node':
        chain.setTrouble(
          random.pick([{ fault: 'down' }, { fault: 'wrong-chain' }, { behindBlocks: 2 }]),
        );
        return;
      case 'price':
        chain.setBaseFee(BigInt(random.pick([1, 2, 20])));
        return;
      case 'forget':
        chain.forgetWaiting();
        return;
      case 'freeze':
        chain.setTokenFrozen('USDT', random.chance(0.5));
        return;
      case 'well':
        this.heal();
    }
  }

  heal(): void {
    this.chain.setTrouble({});
    this.chain.setTokenFrozen('USDT', false);
    this.chain.setBaseFee(2n);
  }

  step(): Promise<void> {
    const { random } = this;
    this.venue.core.nowMs += random.pick([100, 1_000, 10_000]);
    for (const action of ['pay', 'request', 'mine', 'disrupt'] as const) {
      if (!random.chance(0.3)) continue;
      if (action === 'mine') this.chain.mine(1 + random.below(3));
      else this[action]();
    }
    return this.round(0.15);
  }

  async finish(): Promise<void> {
    this.heal();
    for (let rounds = 0; rounds < 400; rounds++) {
      this.venue.core.nowMs += 10_000;
      this.chain.mine();
      await this.round(0);
      this.heal();
      const { withdrawals, sweeps, deposits } = this.left();
      if (withdrawals + sweeps + deposits === 0) break;
    }
  }

  left() {
    const { wallet } = this.venue.core.state;
    return {
      withdrawals: wallet.withdrawals.size,
      sweeps: wallet.sweeps.size,
      deposits: [...wallet.deposits.values()].filter(({ status }) => status === 'PENDING').length,
    };
  }

  async holdings(tokenId: string | undefined): Promise<bigint> {
    let sum = await this.chain.balanceOf(HOT, tokenId);
    for (const at of FAMILIES.keys()) {
      sum += await this.chain.balanceOf(
        { kind: 'deposit', accountNumber: this.#number(at) },
        tokenId,
      );
    }
    return sum;
  }
}

test.each([1, 2, 3, 4, 5, 145])(
  'seed %i: whatever fails and whenever the program is killed, chain and ledger agree to the last part',
  async (seed) => {
    const world = new World(seed);
    for (let steps = 0; steps < 150; steps++) await world.step();
    await world.finish();
    expect([world.left(), world.troubles.slice(-3)]).toEqual([
      { withdrawals: 0, sweeps: 0, deposits: 0 },
      expect.anything(),
    ]);
    expect({
      ETH: await world.holdings(undefined),
      USDT: await world.holdings('USDT'),
    }).toEqual({
      ETH: ENDOWED + crossedOf(world.venue, 'ETH'),
      USDT: crossedOf(world.venue, 'USDT'),
    });
    expect(audit(world.venue.core.state).faults).toEqual([]);
    expect(world.deaths).toBeGreaterThan(3);
    const { wallet } = world.venue.core.state;
    expect(wallet.nextWithdrawal).toBeGreaterThan(10);
    expect(wallet.networks[world.venue.network]?.nextNonce).toBeGreaterThan(10);
  },
);
