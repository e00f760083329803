import { expect, test } from 'vitest';
import type { Command } from '../domain/commands.ts';
import type { KeyIndex, MarketIndex } from '../domain/units.ts';
import { sequence, timeMs } from '../domain/units.ts';
import { type Engine, EngineStopped, type Submitted } from './engine.ts';
import { Released } from './released.ts';
import { ThreadIntake } from './thread-intake.ts';
import { CALLS_MAX, ThreadLink } from './thread-link.ts';

type Asked = {
  readonly command: Command | 'clock';
  readonly resolve: (submitted: Submitted) => void;
  readonly reject: (reason: Error) => void;
};

/** Both sides in one thread: turns and messages run when the test says so. */
function linked() {
  const turns: (() => void)[] = [];
  const checks: (() => void)[] = [];
  const asked: Asked[] = [];
  const messages = { calls: 0, answers: 0 };
  const clock = { nowMs: 0 };
  const ask = (command: Command | 'clock') =>
    new Promise<Submitted>((resolve, reject) => {
      asked.push({ command, resolve, reject });
    });
  const engine = {
    submit: ask,
    view: () => ask('clock'),
    nowMs: () => 7,
    releasedSequence: 3,
  } as unknown as Engine;
  const soon = (run: () => void) => turns.push(run);
  const intake = new ThreadIntake({
    ...{ engine, soon },
    post: (bytes) => {
      messages.answers++;
      link.receive(bytes);
    },
  });
  const link: ThreadLink = new ThreadLink({
    post: (bytes) => {
      messages.calls++;
      intake.receive(bytes);
    },
    soon,
    nowMs: () => clock.nowMs,
    every: (_ms, check) => {
      checks.push(check);
      return () => undefined;
    },
  });
  /** Runs what is due, until nothing is. */
  const run = async (): Promise<void> => {
    do {
      for (const turn of turns.splice(0)) turn();
      await new Promise((resolve) => setImmediate(resolve));
    } while (turns.length > 0);
  };
  return { link, intake, asked, messages, clock, run, check: () => checks[0]?.() };
}

const placing = (clientOrderId: bigint): Command => ({
  kind: 'place-orders',
  source: 0,
  by: { key: 4 as KeyIndex, fingerprint: 'ab'.repeat(32), signedAtMs: 1, expiresAtMs: 2 },
  orders: [
    {
      ...{ market: 1 as MarketIndex, version: 1, side: 'BUY', orderType: 'LIMIT' },
      ...{ timeInForce: 'GTC', stpMode: 'NONE', triggerType: 'LAST_PRICE', reduceOnly: false },
      ...{ clientOrderId, priceTicks: 10, stopTicks: 0, sizeLots: 5, displayLots: 0 },
      amountParts: 0n,
    },
  ],
});

/** Any bytes: the link does not look into them. */
const released = (at: number, isRepeat = false): Submitted =>
  new Released(at, new Uint8Array(at).fill(at), isRepeat);

test('the calls of a turn go in one message, and each caller gets its own answer, in any order', async () => {
  const { link, asked, messages, run } = linked();
  const commands = [1n, 2n, 3n].map(placing);
  const answers = commands.map((command) => link.submit(command));
  const refreshed = link.refresh();
  expect(link.waiting).toBe(4);
  await run();
  expect(messages).toEqual({ calls: 1, answers: 0 });
  expect(asked.map(({ command }) => command)).toEqual([...commands, 'clock']);
  asked[3]?.resolve(released(1));
  asked[2]?.resolve(released(30, true));
  asked[0]?.resolve(released(10));
  asked[1]?.resolve(released(200));
  await run();
  await refreshed;
  expect(messages).toEqual({ calls: 1, answers: 1 });
  const found = await Promise.all(answers);
  expect(found.map(({ encoded }) => encoded)).toEqual(
    [10, 200, 30].map((at) => released(at).encoded),
  );
  expect(found.map(({ isRepeat }) => isRepeat)).toEqual([false, false, true]);
  expect(link.waiting).toBe(0);
});

test('many calls of a turn go in several messages, the first while the rest is being made', async () => {
  const { link, asked, messages, run } = linked();
  const answers = Array.from({ length: 2 * CALLS_MAX + 1 }, (_, at) => {
    const answer = link.submit(placing(BigInt(at + 1)));
    expect(messages.calls).toBe(Math.floor((at + 1) / CALLS_MAX));
    return answer;
  });
  await run();
  expect(messages.calls).toBe(3);
  for (const [at, { resolve }] of asked.entries()) resolve(released(at + 1));
  await run();
  const found = await Promise.all(answers);
  expect(found.map(({ encoded }) => encoded?.sequence)).toEqual(found.map((_, at) => at + 1));
});

test('a turn whose calls have all been posted posts nothing', async () => {
  const { link, messages, run } = linked();
  for (let at = 1; at <= CALLS_MAX; at++) void link.submit(placing(BigInt(at)));
  await run();
  expect(messages.calls).toBe(1);
});

test('what the engine itself refuses arrives as it is', async () => {
  const { link, asked, run } = linked();
  const refused: Submitted = {
    outcome: {
      ...{ sequence: sequence(9), timeMs: timeMs(1_700_000_000_000) },
      events: [{ kind: 'refused', reason: 'BUSY', message: 'in a moment, please' }],
    },
    ...{ isRepeat: false, isUnrecorded: true },
  };
  const answer = link.submit(placing(1n));
  await run();
  asked[0]?.resolve(refused);
  await run();
  expect(await answer).toEqual(refused);
});

test('a command that cannot be written fails alone', async () => {
  const { link, asked, run } = linked();
  const first = link.submit(placing(1n));
  const broken = { kind: 'transfer', amount: 0.5 } as unknown as Command;
  await expect(link.submit(broken)).rejects.toThrow();
  const last = link.submit(placing(3n));
  await run();
  expect(asked.map(({ command }) => command)).toEqual([placing(1n), placing(3n)]);
  for (const [at, { resolve }] of asked.entries()) resolve(released(at + 1));
  await run();
  expect((await first).encoded?.sequence).toBe(1);
  expect((await last).encoded?.sequence).toBe(2);
  expect(link.waiting).toBe(0);
});

test('the outcome is unknown if the engine ends, does not answer for a minute, or the gateway closes', async () => {
  const { link, asked, clock, run, check } = linked();
  const ended = link.submit(placing(1n)).catch((reason: unknown) => reason);
  await run();
  asked[0]?.reject(new Error('closing'));
  await run();
  expect(await ended).toBeInstanceOf(EngineStopped);

  const silent = link.submit(placing(2n));
  const questioned = link.refresh();
  await run();
  clock.nowMs = 59_999;
  check();
  expect(link.waiting).toBe(2);
  clock.nowMs = 60_000;
  check();
  await expect(silent).rejects.toThrow('no engine has answered for 60 s');
  await expect(questioned).rejects.toThrow(EngineStopped);
  // An answer that comes after all is for nobody.
  asked[1]?.resolve(released(1));
  await run();

  const late = link.submit(placing(3n));
  link.stop(new EngineStopped('the gateway is closing'));
  await expect(late).rejects.toThrow('the gateway is closing');
  await expect(link.submit(placing(4n))).rejects.toThrow('the gateway is closing');
});

test('what may wait is bounded', () => {
  const { link } = linked();
  for (let count = 0; count < 20_000; count++) {
    expect(link.fullWords).toBeUndefined();
    void link.submit(placing(BigInt(count))).catch(() => undefined);
  }
  expect(link.fullWords).toBe('20000 commands wait for the engine');
});

test('a thread that has ended is answered no more, and its last commands are still done', async () => {
  const { link, intake, asked, messages, run } = linked();
  void link.submit(placing(1n)).catch(() => undefined);
  await run();
  asked[0]?.resolve(released(1));
  intake.end();
  await run();
  expect(messages).toEqual({ calls: 1, answers: 0 });
});
