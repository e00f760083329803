import type { Logger } from 'pino';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { ChainStatus, SandboxChains } from './api/server.ts';
import type { VenueConfig } from './config.ts';
import { troubleOf } from './connectors/wallets/network-trouble.ts';
import { type DemoPayment, openChains } from './connectors/wallets/open-chains.ts';
import { startWallets, type Wallets } from './connectors/wallets/wallets.ts';
import type { AccountIndex, NetworkIndex } from './domain/units.ts';
import type { Every } from './engine/ticker.ts';
import type { Rooms } from './rooms.ts';
import { DEMO_DEPOSIT, DEMO_FAMILIES } from './sandbox/demo.ts';
import { sandboxChains } from './sandbox-chains.ts';

/** Deposits and withdrawals of a running venue. */
export type Money = {
  readonly wallets: Wallets;
  readonly sandboxChains: SandboxChains;
  /** For operators. */
  chainStatus(): readonly ChainStatus[];
  depositAddress(
    network: string,
    account: number,
  ): { readonly address: string; readonly memo?: string } | undefined;
};

export type MoneyOptions = {
  readonly rooms: Rooms;
  readonly config: VenueConfig;
  readonly log: Logger;
  readonly metrics: Registry;
  readonly every: Every;
  /** A `dev` venue. */
  readonly isDemo: boolean;
};

/** Resolves when the simulated chains were read; external nodes are not waited for. */
export async function openMoney({
  rooms,
  config,
  log,
  metrics,
  every,
  isDemo,
}: MoneyOptions): Promise<Money> {
  const { engine, identity, seal } = rooms;
  const { served, simulated } = await openChains({
    engine,
    data: config.data,
    venueId: identity.venueId,
    configured: config.chains,
    seal,
    nowMs: () => engine.nowMs(),
    demoPayments: isDemo ? demoPaymentsOf(rooms) : [],
    onTrouble: (words) => log.warn(words),
  });
  const wallets = startWallets({
    engine,
    chains: served,
    every,
    nowMs: () => engine.nowMs(),
    onTrouble: (words) => log.warn(words),
  });
  await wallets.settleSimulated();
  for (const { network, chain, hotWallet } of wallets.status()) {
    if (chain === 'evm') log.info({ network, hotWallet }, 'withdrawals are paid from this wallet');
  }
  observeChains(metrics, wallets);
  void recallPaid(rooms, wallets, log);
  return {
    wallets,
    sandboxChains: sandboxChains(engine.directory, simulated),
    chainStatus: () => {
      const holdings = wallets.holdings();
      return wallets.status().map((status, at) => {
        const { network, readHeight, isRescanning, unaskedAddresses, hotWallet } = status;
        const trouble = troubleOf(status);
        const held = holdings[at] ?? [];
        return {
          ...{ network, height: readHeight, isRescanning, unaskedAddresses, holdings: held },
          hotWallet,
          ...(trouble === undefined ? {} : { trouble }),
        };
      });
    },
    depositAddress: (network, account) => {
      const index = engine.directory.networks().findIndex(({ name }) => name === network);
      return wallets.depositAddress(index as NetworkIndex, account as AccountIndex);
    },
  };
}

/** Not awaited: a history that is behind, or whose database is away, delays no start. */
async function recallPaid({ engine, history }: Rooms, wallets: Wallets, log: Logger) {
  if (wallets.status().every(({ chain }) => chain !== 'evm')) return;
  try {
    if (!(await history.reached(engine.releasedSequence, RECALL_WAIT_MS))) {
      throw new Error(history.trouble ?? 'history is behind');
    }
    wallets.recall(await history.newestWithdrawals(RECALLED_MAX));
  } catch (cause) {
    log.warn({ err: cause }, 'whether chains still have the last withdrawals is not checked');
  }
}
const RECALL_WAIT_MS = 60_000;
const RECALLED_MAX = 1_000;

/** Each demo family has a deposit in its history from the start. */
function demoPaymentsOf({ engine }: Rooms): DemoPayment[] {
  return engine.directory
    .families()
    .filter(({ name }) => (DEMO_FAMILIES as readonly string[]).includes(name))
    .map(({ accounts: [main] }) => ({ ...DEMO_DEPOSIT, account: main as AccountIndex }));
}

function observeChains(metrics: Registry, wallets: Wallets): void {
  const gauge = (
    name: string,
    help: string,
    of: (status: ReturnType<Wallets['status']>[number]) => number,
  ): void => {
    new Gauge({
      name,
      help,
      labelNames: ['network'],
      registers: [metrics],
      collect() {
        for (const status of wallets.status()) {
          this.set({ network: status.network }, of(status));
        }
      },
    });
  };
  gauge('rialto_chain_reachable', '1 while the node of the network can be asked', (status) =>
    status.isReachable ? 1 : 0,
  );
  gauge('rialto_chain_head_height', 'Newest block of the network', (status) => status.headHeight);
  gauge('rialto_chain_read_height', 'Newest block that was read', (status) => status.readHeight);
  gauge('rialto_chain_lost', '1 while an operator must say where to read from', (status) =>
    status.lostBelow === undefined ? 0 : 1,
  );
  gauge(
    'rialto_chain_contradictions',
    'Finished payments that the chain shows otherwise after a reorganisation',
    (status) => status.contradictions.length,
  );
  new Gauge({
    name: 'rialto_chain_waiting',
    help: 'What is unfinished on the network',
    labelNames: ['network', 'what'],
    registers: [metrics],
    collect() {
      for (const { network, waiting } of wallets.status()) {
        for (const [what, count] of Object.entries(waiting)) this.set({ network, what }, count);
      }
    },
  });
  new Counter({
    name: 'rialto_chain_failures_total',
    help: 'Rounds in which the node of the network could not be asked',
    labelNames: ['network'],
    registers: [metrics],
    collect() {
      this.reset();
      for (const { network, failures } of wallets.status()) this.inc({ network }, failures);
    },
  });
}
