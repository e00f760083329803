import { Anvil, BadNode, CHAIN_ID, TOKEN_ID } from '../../src/connectors/chains/anvil.fixture.ts';
import { type Chain, HOT, type TokenId } from '../../src/connectors/chains/chain.ts';
import { evmChain } from '../../src/connectors/chains/evm-chain.ts';
import { seedSigner, xpubOf } from '../../src/connectors/chains/signer.ts';
import { networkTerms, numberOf } from '../../src/connectors/wallets/network-terms.ts';
import { NetworkWorker } from '../../src/connectors/wallets/network-worker.ts';
import {
  engineOver,
  type Fate,
  Killed,
  mortal,
  walletVenue,
} from '../../src/connectors/wallets/wallets.fixture.ts';
import { audit } from '../../src/core/audit/audit.ts';
import type { NetworkSpec } from '../../src/domain/market.ts';
import { amount, type KeyIndex } from '../../src/domain/units.ts';
import { Random } from '../simulation/random.ts';

/**
 * Deposits and withdrawals of real coins and tokens on a development node, while the program is killed
 * between any two steps, and the node is down, lies, drops pending transactions, is killed and restarted, and
 * replaces its blocks. At the end the node's balances are compared with the ledger, to the last part: chain =
 * ledger + dust.
 */
export type EvmRun = {
  readonly program: string;
  /** Each, in the coin and in the token. */
  readonly deposits: number;
  readonly withdrawals: number;
  readonly seed: number;
};

export type EvmReport = {
  readonly faults: readonly string[];
  readonly kills: number;
  readonly reorganisations: number;
  /** Restarts of the node's process. */
  readonly nodeRestarts: number;
  readonly rounds: number;
  /** Withdrawals that are completed or failed. */
  readonly ended: number;
  readonly credited: number;
  readonly lost: number;
  readonly onHold: number;
  /** On the chain beyond the ledger, in its smallest parts: from deposits and from gas. */
  readonly depositDust: bigint;
  readonly gasDust: bigint;
};

const SEED = new Uint8Array(32).fill(9);
const CONFIRMATIONS = 4;
const FRIENDS = [
  '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
];
const FAMILIES = ['a', 'b', 'c', 'd'];
const COIN = 10n ** 18n;
/** Wei in a part of the ledger. */
const UNIT = 10n ** 10n;
/** Parts of the ledger in a part of the token. */
const TOKEN_PARTS = 100n;
const ENDOWED = COIN;

const SPEC: NetworkSpec = {
  ...{ name: 'Ethereum', chain: 'evm', confirmations: CONFIRMATIONS, needsMemo: false },
  ...{ addressFormat: 'evm', coin: 'ETH' },
  assets: [
    {
      ...{ asset: 'ETH', tokenId: undefined, transactionPrecision: 18 },
      ...{ minDeposit: 1_000_000n, minWithdrawal: 1_000n },
    },
    {
      ...{ asset: 'USDT', tokenId: TOKEN_ID, transactionPrecision: 6 },
      ...{ minDeposit: 100_000_000n, minWithdrawal: 100n },
    },
  ],
};

export async function runEvm(run: EvmRun): Promise<EvmReport> {
  const anvil = await Anvil.start(run.program);
  const node = new BadNode(anvil);
  try {
    return await new Scene(run, anvil, node, await node.start()).play();
  } finally {
    node.stop();
    anvil.stop();
  }
}

class Scene {
  readonly #run: EvmRun;
  readonly #anvil: Anvil;
  readonly #node: BadNode;
  readonly #url: string;
  readonly #random: Random;
  readonly #venue = walletVenue(SPEC, FAMILIES, '1');
  readonly #chain: Chain;
  readonly #sent = new Set<string>();
  readonly #counts = { kills: 0, reorganisations: 0, nodeRestarts: 0, rounds: 0 };
  #fate: Fate = { isDead: false, dies: () => false };
  #worker: NetworkWorker;
  #paid: string[] = [];

  constructor(run: EvmRun, anvil: Anvil, node: BadNode, url: string) {
    this.#run = run;
    this.#anvil = anvil;
    this.#node = node;
    this.#url = url;
    this.#random = new Random(run.seed);
    this.#chain = this.#openChain();
    this.#worker = this.#start();
  }

  #openChain(): Chain {
    return evmChain({
      ...{ network: SPEC.name, chainId: CHAIN_ID, confirmations: CONFIRMATIONS, blocksPerCall: 10 },
      node: { url: this.#url, deadline: this.#node.deadline },
      ...{ xpub: xpubOf(SEED), signer: seedSigner(SEED), nowMs: () => 0 },
      tokens: [{ tokenId: TOKEN_ID, decimals: 6 }],
    });
  }

  #start(): NetworkWorker {
    const { core, network } = this.#venue;
    const fate = this.#fate;
    const chain = mortal(this.#noting(this.#openChain()), fate);
    const engine = engineOver(core, fate);
    return new NetworkWorker({
      engine,
      served: {
        ...{ chain, kind: 'evm', startHeight: 1, reportEveryBlocks: 30 },
        ...{ bumpAfterMs: 5_000, pollMs: 0 },
        terms: networkTerms(engine.directory, network, chain),
      },
      nowMs: () => core.nowMs,
      onTrouble: () => undefined,
    });
  }

  /** Records what was signed, so that its cost can be read from the node at the end. */
  #noting(chain: Chain): Chain {
    return new Proxy(chain, {
      get: (target, name) => {
        const member = Reflect.get(target, name, target) as unknown;
        if (typeof member !== 'function') return member;
        if (name !== 'sign') return (member as (...of: unknown[]) => unknown).bind(target);
        return async (payment: Parameters<Chain['sign']>[0]) => {
          const signed = await target.sign(payment);
          this.#sent.add(signed.txId);
          return signed;
        };
      },
    });
  }

  async play(): Promise<EvmReport> {
    const { deposits, withdrawals } = this.#run;
    await this.#anvil.pay({ to: this.#chain.addressOf(HOT), amount: ENDOWED });
    await this.#anvil.mine(CONFIRMATIONS);
    const left = { coin: deposits, token: deposits, out: 2 * withdrawals };
    // The accounts may not have enough left for the last ones.
    const stepsMax = 20 * (deposits + withdrawals);
    for (let steps = 0; left.coin + left.token + left.out > 0 && steps < stepsMax; steps++) {
      this.#venue.core.nowMs += 2_000;
      if (left.coin > 0 && this.#random.chance(0.4)) await this.#pay(undefined, left.coin--);
      if (left.token > 0 && this.#random.chance(0.4)) await this.#pay(TOKEN_ID, left.token--);
      if (left.out > 0 && steps > 8 && this.#request(left.out)) left.out--;
      await this.#anvil.mine();
      if (steps > 4 && this.#random.chance(0.2)) await this.#injectFault();
      await this.#round(0.3);
    }
    await this.#finish();
    return this.#report();
  }

  async #pay(tokenId: TokenId, left: number): Promise<void> {
    const account = this.#number(this.#random.below(FAMILIES.length));
    const to = this.#chain.depositAddress(account).address;
    // Every fourth is below the minimum; the coin has more digits than the ledger.
    const isSmall = left % 4 === 1;
    const whole = tokenId === undefined ? COIN / 2n : 50_000_000n;
    const value = (isSmall ? whole / 1_000n : whole * BigInt(1 + this.#random.below(4))) + 7n;
    this.#paid.push(await this.#anvil.pay({ to, tokenId, amount: value }));
  }

  #request(left: number): boolean {
    const { core, network } = this.#venue;
    const at = this.#random.below(FAMILIES.length);
    const isCoin = left % 2 === 0;
    const asset = core.asset(isCoin ? 'ETH' : 'USDT');
    const account = core.account(FAMILIES[at] as string, 'main');
    const has = core.state.ledger.available[account * core.state.ledger.stride + asset] ?? 0n;
    const share = BigInt(this.#random.pick([2, 3, 7]));
    const wanted = has / share;
    const events = core.apply({
      ...{ kind: 'request-withdrawal', by: { key: at as KeyIndex }, asset, network },
      address: this.#random.pick(FRIENDS),
      quantity: amount(isCoin ? wanted : wanted - (wanted % TOKEN_PARTS)),
      externalFee: false,
    });
    return events.some(({ kind }) => kind === 'withdrawal-changed');
  }

  async #injectFault(): Promise<void> {
    const random = this.#random;
    switch (random.weighted({ reorganise: 4, node: 3, forget: 1, restart: 3, again: 2 })) {
      case 'reorganise':
        this.#counts.reorganisations++;
        await this.#anvil.reorganise(1 + random.below(CONFIRMATIONS - 1));
        return this.#sendMissingAgain();
      case 'node':
        this.#node.setTrouble(random.pick(['down', 'slow', 'wrong-chain', { behindBlocks: 2 }]));
        await this.#round(0);
        this.#node.setTrouble('none');
        return;
      case 'forget':
        await this.#anvil.forgetWaiting();
        return;
      case 'restart':
        this.#counts.nodeRestarts++;
        await this.#anvil.restart(random.below(CONFIRMATIONS - 1), () => this.#round(0.3));
        return this.#sendMissingAgain();
      case 'again': {
        // Reads the same blocks once more.
        const { height } = await this.#chain.head();
        this.#worker.rescanFrom(Math.max(1, height - 10));
      }
    }
  }

  /** Outside payers whose payment is no longer on the chain may pay again. */
  async #sendMissingAgain(): Promise<void> {
    for (const txId of this.#paid.slice(-3)) {
      const isThere = (await this.#anvil.ask('eth_getTransactionReceipt', [txId])) !== null;
      if (!isThere && this.#random.chance(0.5)) await this.#anvil.sendAgain(txId);
    }
  }

  async #round(killRate: number): Promise<void> {
    this.#counts.rounds++;
    let left = this.#random.chance(killRate) ? this.#random.below(50) : Number.MAX_SAFE_INTEGER;
    this.#fate.dies = () => left-- <= 0;
    try {
      await this.#worker.round();
      this.#fate.dies = () => false;
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
      this.#counts.kills++;
      this.#fate = { isDead: false, dies: () => false };
      this.#worker = this.#start();
    }
  }

  async #finish(): Promise<void> {
    this.#node.setTrouble('none');
    const { wallet } = this.#venue.core.state;
    for (let rounds = 0; rounds < 20 * (CONFIRMATIONS + this.#run.withdrawals); rounds++) {
      this.#venue.core.nowMs += 10_000;
      await this.#anvil.mine();
      await this.#round(0);
      const waiting = [...wallet.deposits.values()].filter(({ status }) => status === 'PENDING');
      if (wallet.withdrawals.size + wallet.sweeps.size + waiting.length === 0) return;
    }
  }

  async #report(): Promise<EvmReport> {
    const { core } = this.#venue;
    const { wallet } = core.state;
    const deposits = [...wallet.deposits.values()];
    const faults = [...audit(core.state).faults];
    if (wallet.withdrawals.size > 0) faults.push(`${wallet.withdrawals.size} withdrawals are left`);
    const [coin, token] = [this.#crossed('ETH'), this.#crossed('USDT')];
    const { cost, count } = await this.#costs();
    const dust = deposits
      .filter(({ asset, status }) => asset === core.asset('ETH') && status !== 'FAILED')
      .reduce((sum, one) => sum + one.dust, 0n);
    const held = await this.#holdings(undefined);
    const expected = ENDOWED + (coin.deposits - coin.withdrawals) * UNIT + dust - cost;
    if (held !== expected) faults.push(`the chain has ${held} wei, the ledger ${expected}`);
    const gasDust = coin.gas * UNIT - cost;
    if (gasDust < 0n || gasDust >= BigInt(count + 1) * UNIT) {
      faults.push(`gas of ${coin.gas} parts was charged for ${cost} wei`);
    }
    const tokens = (await this.#holdings(TOKEN_ID)) * TOKEN_PARTS;
    if (tokens !== token.deposits - token.withdrawals) {
      faults.push(
        `the chain has ${tokens} of the token, the ledger ${token.deposits - token.withdrawals}`,
      );
    }
    const out = (await this.#received(TOKEN_ID)) * TOKEN_PARTS;
    if (out !== token.withdrawals) faults.push(`${out} arrived of ${token.withdrawals} sent`);
    const coinOut = await this.#received(undefined);
    if (coinOut !== coin.withdrawals * UNIT) {
      faults.push(`${coinOut} wei arrived of ${coin.withdrawals} parts sent`);
    }
    const countOf = (status: string) => deposits.filter((one) => one.status === status).length;
    return {
      faults,
      ...this.#counts,
      ended: wallet.nextWithdrawal - 1 - wallet.withdrawals.size,
      ...{ credited: countOf('COMPLETED'), lost: countOf('FAILED'), onHold: countOf('ON HOLD') },
      ...{ depositDust: dust, gasDust },
    };
  }

  #crossed(code: string) {
    const { core } = this.#venue;
    const found = core.state.assets[core.asset(code)]?.crossed;
    if (found === undefined) throw new Error(`no asset ${code}`);
    return found;
  }

  async #holdings(tokenId: TokenId): Promise<bigint> {
    let sum = await this.#chain.balanceOf(HOT, tokenId);
    for (const at of FAMILIES.keys()) {
      sum += await this.#chain.balanceOf(
        { kind: 'deposit', accountNumber: this.#number(at) },
        tokenId,
      );
    }
    return sum;
  }

  /** What our transactions have cost, according to the node. */
  async #costs(): Promise<{ readonly cost: bigint; readonly count: number }> {
    let cost = 0n;
    let count = 0;
    for (const txId of this.#sent) {
      const receipt = (await this.#anvil.ask('eth_getTransactionReceipt', [txId])) as {
        readonly gasUsed: string;
        readonly effectiveGasPrice: string;
      } | null;
      if (receipt === null) continue;
      cost += BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice);
      count++;
    }
    return { cost, count };
  }

  async #received(tokenId: TokenId): Promise<bigint> {
    let sum = 0n;
    for (const friend of FRIENDS) {
      const balance =
        tokenId === undefined
          ? this.#anvil.ask('eth_getBalance', [friend, 'latest'])
          : this.#anvil.ask('eth_call', [
              { to: tokenId, data: `0x70a08231${friend.slice(2).toLowerCase().padStart(64, '0')}` },
              'latest',
            ]);
      sum += BigInt((await balance) as string);
    }
    return sum;
  }

  #number(at: number): number {
    return numberOf(this.#venue.core.account(FAMILIES[at] as string, 'main'));
  }
}
