import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { xpubOf } from './connectors/chains/signer.ts';
import { withEvmNetworks } from './connectors/wallets/evm-catalogue.ts';
import type { EvmNetwork } from './connectors/wallets/open-chains.ts';
import { defaultCatalogue } from './defaults/catalogue.ts';
import { type Outside, sendReports } from './leader-reports.ts';
import { sealWith } from './seal.ts';
import { agreeWithLeader, OtherWallets, ownWallets } from './standby-wallets.ts';

const SEAL = sealWith(new Uint8Array(32).fill(1));
const chainsOf = (seed: number): Record<string, EvmNetwork> => ({
  Ethereum: {
    chain: 'evm',
    ...{ url: 'http://127.0.0.1:1', chainId: 1 },
    ...{ keys: { command: 'sign', args: [], timeoutMs: 1_000 } },
    xpub: xpubOf(new Uint8Array(32).fill(seed)),
  },
});

const NETWORKS = withEvmNetworks(defaultCatalogue('init'), chainsOf(7)).flatMap((step) =>
  step.kind === 'define-network' ? [step.network] : [],
);

/** A leader on one line with a standby. */
function lineWith(hotWallet: string) {
  const subscribers: ((text: string) => void)[] = [];
  const signals = {
    send: (topic: string, text: string) => {
      if (topic === 'leader-report') for (const onText of subscribers) onText(text);
    },
    subscribe: (topic: string, onText: (text: string) => void) => {
      if (topic === 'leader-report') subscribers.push(onText);
    },
  };
  const status = { height: 1, isRescanning: false, unaskedAddresses: 0, holdings: [], hotWallet };
  const outside: Outside = {
    chainStatus: () => ['Ethereum', 'Solana'].map((network) => ({ network, ...status })),
  };
  let report = (): void => undefined;
  sendReports({ node: 'engine-1', signals } as never, outside, (_periodMs, run) => {
    report = run;
    return () => undefined;
  });
  return { signals: signals as never, report: () => report() };
}

test('a standby whose keys are not those of the leading engine is refused, with both wallets', async () => {
  const data = mkdtempSync(join(tmpdir(), 'rialto-wallets-'));
  const [own, others] = [
    await ownWallets(NETWORKS, { data, chains: chainsOf(7) }, SEAL),
    await ownWallets(NETWORKS, { data, chains: chainsOf(8) }, SEAL),
  ];
  const [mine, leaders] = [own.get('Ethereum'), others.get('Ethereum') as string];
  expect(mine).toMatch(/^0x[0-9a-fA-F]{40}$/);
  const { signals, report } = lineWith(leaders);
  const agreement = agreeWithLeader({ data, node: 'engine-2' }, own, signals);
  report();
  await expect(agreement).rejects.toThrow(
    `chains.Ethereum.keys of engine-2 are not those of the leading engine: the hot wallet would be ${mine} ` +
      `instead of ${leaders}`,
  );
});

test('a standby that agrees with its leader keeps the wallet, and then refuses other keys while nobody leads', async () => {
  const data = mkdtempSync(join(tmpdir(), 'rialto-wallets-'));
  const own = await ownWallets(NETWORKS, { data, chains: chainsOf(7) }, SEAL);
  const wallet = own.get('Ethereum') as string;
  const { signals, report } = lineWith(wallet);
  let refusal: unknown;
  agreeWithLeader({ data, node: 'engine-2' }, own, signals).catch((cause) => {
    refusal = cause;
  });
  const file = join(data, 'chains', 'Ethereum.wallet');
  report();
  await vi.waitFor(() => expect(hasText(file)).toBe(true), { timeout: 20_000 });
  report();
  expect([readFileSync(file, 'utf8').trim(), refusal]).toEqual([wallet, undefined]);
  await expect(ownWallets(NETWORKS, { data, chains: chainsOf(8) }, SEAL)).rejects.toThrow(
    'chains.Ethereum.keys are not those that this venue had',
  );
  writeFileSync(file, 'another\n');
  await expect(ownWallets(NETWORKS, { data, chains: chainsOf(7) }, SEAL)).rejects.toThrow(
    'instead of another',
  );
});

test('a standby that cannot keep the wallet ends like one that has another', async () => {
  const data = mkdtempSync(join(tmpdir(), 'rialto-wallets-'));
  const own = await ownWallets(NETWORKS, { data, chains: chainsOf(7) }, SEAL);
  writeFileSync(join(data, 'chains'), 'a file where the folder should be');
  const { signals, report } = lineWith(own.get('Ethereum') as string);
  const agreement = agreeWithLeader({ data, node: 'engine-2' }, own, signals);
  report();
  await expect(agreement).rejects.toThrow(OtherWallets);
});

function hasText(file: string): boolean {
  try {
    return readFileSync(file, 'utf8').length > 0;
  } catch {
    return false;
  }
}
