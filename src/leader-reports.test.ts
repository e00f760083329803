import { expect, test } from 'vitest';
import { hearWallets, type Outside, receiveReports, sendReports } from './leader-reports.ts';

type OnText = (text: string) => void;

/** Two nodes on one line; `isCut` loses what is sent. */
function line(): { on: (node: string) => Parameters<typeof receiveReports>[0]; cut: () => void } {
  const subscribers = new Map<string, OnText[]>();
  let isCut = false;
  const signals = {
    send: (topic: string, text: string) => {
      if (!isCut) for (const onText of subscribers.get(topic) ?? []) onText(text);
    },
    subscribe: (topic: string, onText: OnText) => {
      subscribers.set(topic, [...(subscribers.get(topic) ?? []), onText]);
    },
  };
  return {
    on: (node) => ({ node, signals }),
    cut: () => {
      isCut = true;
    },
  };
}

function timers() {
  let nowMs = 0;
  const due: { atMs: number; call: () => void }[] = [];
  const after = (delayMs: number, call: () => void) => {
    const one = { atMs: nowMs + delayMs, call };
    due.push(one);
    return () => void due.splice(due.indexOf(one), 1);
  };
  const pass = (ms: number): void => {
    nowMs += ms;
    for (const one of due.filter(({ atMs }) => atMs <= nowMs)) one.call();
  };
  return { nowMs: () => nowMs, after, pass };
}

const CHAIN = {
  network: 'Ethereum',
  height: 12,
  isRescanning: false,
  unaskedAddresses: 0,
  hotWallet: '0xhot',
  holdings: [{ asset: 'USDT', amount: 10n ** 30n, unswept: 5n }],
};
const PRICES = { source: 'file', atMs: 7, counts: true, prices: new Map([['BTC', '60000.5']]) };

function leaderOutside(rescans: string[]): Outside {
  return {
    chainStatus: () => [CHAIN],
    sourcePrices: () => [PRICES],
    depositAddress: (network, account) =>
      network === 'Ethereum' ? { address: `0x${account}` } : undefined,
    rescan: (network, fromHeight) => void rescans.push(`${network} ${fromHeight}`),
  };
}

test('gateways know what the leader does of chains and prices, and ask it for addresses', async () => {
  const { on } = line();
  const clocks = timers();
  const rescans: string[] = [];
  let beat = (): void => undefined;
  const [one, other] = [receiveReports(on('one'), clocks), receiveReports(on('other'), clocks)];
  expect([one.chainStatus?.(), one.sourcePrices?.()]).toEqual([[], []]);
  sendReports(on('engine'), leaderOutside(rescans), (_, run) => {
    beat = run;
    return () => undefined;
  });
  beat();
  for (const gateway of [one, other]) {
    expect(gateway.chainStatus?.()).toEqual([CHAIN]);
    expect(gateway.sourcePrices?.()).toEqual([PRICES]);
  }
  // Both count their questions from one.
  const requests = [one.depositAddress?.('Ethereum', 1), other.depositAddress?.('Ethereum', 2)];
  expect(await Promise.all(requests)).toEqual([{ address: '0x1' }, { address: '0x2' }]);
  expect(await one.depositAddress?.('Nowhere', 1)).toBeUndefined();
  one.rescan?.('Ethereum', 3);
  expect(rescans).toEqual(['Ethereum 3']);
});

test('without a leader a question ends, an old report says that it is old, and few questions wait', async () => {
  const { on, cut } = line();
  const clocks = timers();
  const gateway = receiveReports(on('one'), clocks);
  sendReports(on('engine'), leaderOutside([]), () => () => undefined);
  cut();
  const request = gateway.depositAddress?.('Ethereum', 1);
  clocks.pass(2_000);
  expect(await request).toBeUndefined();
  expect(gateway.chainStatus?.()).toEqual([CHAIN]);
  clocks.pass(3_000);
  expect(gateway.chainStatus?.()).toEqual([
    { ...CHAIN, trouble: 'the engine that leads has said nothing for 5 s' },
  ]);
  const many = Array.from({ length: 1_001 }, () => gateway.depositAddress?.('Ethereum', 1));
  expect(many.at(-1)).toBeUndefined();
  expect(many.at(-2)).toBeInstanceOf(Promise);
  clocks.pass(2_000);
  expect(await Promise.all(many)).toEqual(many.map(() => undefined));
});

test('what is no message changes nothing', () => {
  const { on } = line();
  const gateway = receiveReports(on('one'), timers());
  sendReports(on('engine'), leaderOutside([]), () => () => undefined);
  for (const topic of ['leader-report', 'leader-question', 'leader-answer']) {
    for (const text of ['', 'null', '[', '7', '"x"']) on('x').signals.send(topic, text);
  }
  expect(gateway.chainStatus?.()).toEqual([CHAIN]);
});

test('reports and questions that no node would send change nothing, and end nobody', async () => {
  const { on } = line();
  const gateway = receiveReports(on('one'), timers());
  const heard: string[] = [];
  hearWallets(on('standby').signals, (network) => void heard.push(network));
  const rescans: string[] = [];
  const outside = leaderOutside(rescans);
  const addressed = new Set<number>();
  sendReports(
    on('engine'),
    {
      ...outside,
      // A chain refuses the number of an account that cannot be.
      depositAddress: (network, account) => {
        addressed.add(account);
        if (account < 0) throw new Error('an account number has 31 bits');
        return outside.depositAddress?.(network, account);
      },
    },
    () => () => undefined,
  );
  const reports = [{}, { chains: 7 }, { chains: [null], said: [] }, { chains: [{}], said: [] }];
  for (const report of [...reports, { chains: [{ ...CHAIN, holdings: [{ amount: 'x' }] }] }]) {
    on('x').signals.send('leader-report', JSON.stringify(report));
  }
  const questions = [{}, { network: 'Ethereum' }, { fromHeight: -1 }, { fromHeight: 'x' }];
  for (const question of questions) {
    on('x').signals.send('leader-question', JSON.stringify(question));
  }
  expect(await gateway.depositAddress?.('Ethereum', 1)).toEqual({ address: '0x1' });
  expect(gateway.chainStatus?.()).toEqual([CHAIN]);
  expect([...addressed]).toEqual([-1, 1]);
  expect(rescans).toEqual([]);
  expect(heard).toEqual(['Ethereum', 'Ethereum']);
});
