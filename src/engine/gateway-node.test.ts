import { expect, test } from 'vitest';
import { GatewayNode, type GatewayParts } from './gateway-node.ts';

/** A gateway whose log answers at once, and whose leader answers when the test says so. */
function gateway() {
  const runs: (() => void)[] = [];
  const venue = { isIdle: false };
  const asked: { resolve: () => void; reject: (reason: Error) => void }[] = [];
  const node = new GatewayNode({
    ...{ node: 'gateway-1', url: '', listeners: () => 0 },
    every: (_periodMs: number, run: () => void) => {
      runs.push(run);
      return () => undefined;
    },
    log: {
      end: async () => ({ firstPlace: 1, lastPlace: 9, timeMs: 1_000, tookMs: 0 }),
      send: () => undefined,
    },
    clocks: { wallMs: () => 1_000, monotonicMs: () => 0 },
    follower: {
      ...{ place: 9, term: 1, follow: () => new Promise(() => undefined), end: () => undefined },
      stored: async () => undefined,
    },
    engine: {
      copySequence: 9,
      isIdle: () => venue.isIdle,
      unanswered: 0,
      refreshed: () =>
        new Promise<void>((resolve, reject) => {
          asked.push({ resolve, reject });
        }),
    },
    ...{ onGate: () => undefined, onFailure: () => undefined, onTrouble: () => undefined },
  } as unknown as GatewayParts);
  const check = async (): Promise<void> => {
    for (const run of runs) run();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { node, venue, asked, check };
}

test('a gateway whose log answers and whose leader does not is not ready until the leader answers again', async () => {
  const { node, asked, check } = gateway();
  await check();
  // While the question waits, requests wait, too: a takeover is no reason.
  await check();
  expect([asked.length, node.troubles]).toEqual([1, []]);
  asked[0]?.reject(new Error('no engine has answered in 12 s'));
  await check();
  const words = 'no leading engine answers this gateway: no engine has answered in 12 s';
  expect(node.troubles).toEqual([words]);
  await check();
  expect([asked.length, node.troubles]).toEqual([2, [words]]);
  asked[1]?.resolve();
  await check();
  expect(node.troubles).toEqual([]);
});

test('a gateway does not wake an idle venue to see whether it is ready', async () => {
  const { venue, asked, check } = gateway();
  venue.isIdle = true;
  await check();
  expect(asked).toHaveLength(0);
});
