import { cpSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { parts } from '../../test/support/core-venue.ts';
import { plainSecrets } from '../../test/support/plain-secrets.ts';
import type { Transfer } from '../domain/commands.ts';
import type { AccountIndex } from '../domain/units.ts';
import { openSegments } from '../journal/segments.ts';
import { MemoryLog, MemoryStream } from '../replication/memory-log.fixture.ts';
import { encodeMessage, type Message } from '../replication/message.ts';
import { demoGenesis } from '../sandbox/demo.ts';
import { manualClocks, pastClocks, realClocks } from './clock.ts';
import type { ClusterOptions } from './cluster-node.ts';
import { beginFrom, joinedAt } from './join-snapshot.ts';
import { openEngine } from './open-node.ts';
import { type EngineOptions, type RunningEngine, startEngine } from './start.ts';
import { verifyVenue } from './verify.ts';

const directories: string[] = [];
afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true });
});

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'rialto-engine-'));
  directories.push(directory);
  return directory;
}

const start = (directory: string, more: Partial<EngineOptions> = {}): Promise<RunningEngine> =>
  startEngine({
    directory,
    venueId: 'test',
    segmentBytes: 64 * 1024,
    onFailure: (reason) => {
      throw reason;
    },
    ...more,
  });

const genesis = demoGenesis(plainSecrets());

function transferOn({ engine }: RunningEngine, quantity: string, fingerprint?: string): Transfer {
  const [family] = engine.directory.families();
  const key = engine.directory.keys().find(({ permissions }) => permissions.includes('trade'));
  if (family === undefined || key === undefined) throw new Error('the demo has keys');
  const [main, desk] = family.accounts;
  return {
    kind: 'transfer',
    by: {
      key: key.key,
      ...(fingerprint === undefined ? {} : { fingerprint, expiresAtMs: engine.nowMs() + 60_000 }),
    },
    asset: engine.directory.assetByCode('USDT') as never,
    amount: parts(quantity),
    from: main as AccountIndex,
    to: desk as AccountIndex,
  };
}

async function transfers(running: RunningEngine, count: number): Promise<void> {
  const all = Array.from({ length: count }, () => running.engine.submit(transferOn(running, '1')));
  await Promise.all(all);
}

test('a venue that stopped and started is the same venue, with and without its snapshot', async () => {
  const directory = newDirectory();
  const first = await start(directory);
  await first.engine.submit(genesis);
  await transfers(first, 500);
  const { digest } = first.engine.status();
  await first.stop();
  expect(readdirSync(join(directory, 'snapshots'))).toHaveLength(1);

  const second = await start(directory);
  expect(second.recovered).toMatchObject({ sequence: 501, fromSnapshot: 501, replayed: 0 });
  expect(second.engine.status().digest).toBe(digest);
  await transfers(second, 10);
  const { digest: later } = second.engine.status();
  await second.stop();

  rmSync(join(directory, 'snapshots'), { recursive: true });
  const third = await start(directory);
  expect(third.recovered).toMatchObject({ sequence: 511, fromSnapshot: 0, replayed: 511 });
  expect(third.engine.status().digest).toBe(later);
  await third.stop();
  const verified = verifyVenue({ directory, venueId: 'test' });
  expect(verified).toMatchObject({ sequence: 511, digest: later, audit: { faults: [] } });
});

test('the journal replayed elsewhere gives the digest of the running venue', async () => {
  const directory = newDirectory();
  const running = await start(directory);
  await running.engine.submit(genesis);
  await transfers(running, 100);
  const elsewhere = newDirectory();
  cpSync(join(directory, 'journal'), join(elsewhere, 'journal'), {
    recursive: true,
    filter: (path) => !path.endsWith('lock'),
  });
  expect(verifyVenue({ directory: elsewhere, venueId: 'test' }).digest).toBe(
    running.engine.status().digest,
  );
  await running.stop();
});

test('a repeated request gets the first answer after a restart, from the event log', async () => {
  const directory = newDirectory();
  const running = await start(directory);
  await running.engine.submit(genesis);
  const order = transferOn(running, '7', 'print');
  const { outcome } = await running.engine.submit(order);
  await transfers(running, 20);
  await running.stop();
  const again = await start(directory);
  const repeated = await again.engine.submit(order);
  expect(repeated.outcome).toEqual(outcome);
  expect(repeated.isRepeat).toBe(true);
  await again.stop();
});

test('an event log that was deleted is written again, the same', async () => {
  const directory = newDirectory();
  const running = await start(directory);
  await running.engine.submit(genesis);
  const order = transferOn(running, '7', 'print');
  const { outcome } = await running.engine.submit(order);
  await running.stop();
  rmSync(join(directory, 'events'), { recursive: true });
  const again = await start(directory);
  await again.stop();
  const third = await start(directory);
  expect((await third.engine.submit(order)).outcome).toEqual(outcome);
  await third.stop();
});

test('a damaged event log is refused with the advice to have it made again', async () => {
  const directory = newDirectory();
  const running = await start(directory);
  await running.engine.submit(genesis);
  await transfers(running, 5);
  await running.stop();
  const events = join(directory, 'events');
  truncateSync(join(events, readdirSync(events)[0] as string), 700);
  const advice = `remove ${events}, and a start writes it again`;
  expect(() => verifyVenue({ directory, venueId: 'test' })).toThrow(advice);
  const { promise, resolve } = Promise.withResolvers<Error>();
  const damaged = await start(directory, { onFailure: resolve });
  expect((await promise).message).toContain(advice);
  await damaged.stop().catch(() => undefined);
  rmSync(events, { recursive: true });
  await (await start(directory)).stop();
  expect(verifyVenue({ directory, venueId: 'test' }).eventLog.sequence).toBe(6);
});

test('history or a snapshot ahead of the journal is refused with the reason', async () => {
  const directory = newDirectory();
  const running = await start(directory);
  await running.engine.submit(genesis);
  await transfers(running, 5);
  await running.stop();
  await expect(start(directory, { historySequence: 7 })).rejects.toThrow(
    'history is at 7, ahead of the journal at 6',
  );
  rmSync(join(directory, 'journal'), { recursive: true });
  await expect(start(directory)).rejects.toThrow('a snapshot is at 6, ahead of the journal at 0');
});

test('files of another venue are refused', async () => {
  const directory = newDirectory();
  const running = await start(directory);
  await running.engine.submit(genesis);
  await running.stop();
  await expect(start(directory, { venueId: 'another' })).rejects.toThrow(/stamp|another/);
});

test('a clock behind the journal by more than five seconds is refused unless that is allowed', async () => {
  const directory = newDirectory();
  const startMs = Date.now();
  const running = await start(directory, { clocks: manualClocks(startMs) });
  await running.engine.submit(genesis);
  await running.stop();
  const behind = { clocks: manualClocks(startMs - 5_001) };
  await expect(start(directory, behind)).rejects.toThrow('--allow-clock-behind');
  const allowed = await start(directory, { ...behind, allowClockBehind: true });
  expect(allowed.engine.nowMs()).toBe(startMs);
  await allowed.stop();
});

test('snapshots are taken on the way and old ones are thrown away', async () => {
  const directory = newDirectory();
  const running = await start(directory, { snapshotEvery: 50 });
  await running.engine.submit(genesis);
  for (let round = 0; round < 8; round++) {
    await transfers(running, 60);
    // Each round must be followed before the next, or the follower would take them in one go.
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  await running.stop();
  const kept = readdirSync(join(directory, 'snapshots'));
  expect(kept.length).toBeGreaterThan(0);
  expect(kept.length).toBeLessThanOrEqual(3);
  expect(verifyVenue({ directory, venueId: 'test' }).snapshotsChecked).toBe(kept.length);
});

test('a request from before the snapshot that a node began with has no second effect, and the answer says that it was taken', async () => {
  const directory = newDirectory();
  const first = await start(directory);
  await first.engine.submit(genesis);
  const signed = transferOn(first, '5', 'once');
  const { outcome } = await first.engine.submit(signed);
  await first.stop();
  const joined = newDirectory();
  const [name = ''] = readdirSync(join(directory, 'snapshots')).toReversed();
  const state = join(joined, name);
  cpSync(join(directory, 'snapshots', name), state);
  beginFrom(joined, { sequence: Number.parseInt(name, 10), state }, writeFileSync);
  const second = await start(joined, { beginsAfter: joinedAt(joined) });
  const before = second.engine.status().sequence;
  const again = await second.engine.submit(signed);
  expect(again).toMatchObject({
    isRepeat: true,
    outcome: {
      sequence: outcome.sequence,
      events: [{ kind: 'refused', reason: 'ANSWERED_BEFORE' }],
    },
  });
  expect(second.engine.status().sequence).toBe(before);
  // What this node did itself is answered as ever.
  const own = transferOn(second, '6', 'twice');
  const done = await second.engine.submit(own);
  expect((await second.engine.submit(own)).outcome).toEqual(done.outcome);
  await second.stop();
});

/** A log of one entry that was closed for a layout. */
async function closedLog(layout: string): Promise<MemoryLog> {
  const log = new MemoryLog(new MemoryStream());
  const by = { node: 'engine-1', writer: 'ab'.repeat(16), entries: [] };
  const entries = [new Uint8Array(8)];
  const messages: Message[] = [
    { ...by, kind: 'takeover', firstSequence: 1 },
    { ...by, kind: 'group', firstSequence: 1, entries },
    { ...by, kind: 'gate', firstSequence: 2, layout },
  ];
  for (const [place, message] of messages.entries()) {
    await log.append(encodeMessage(message), place);
  }
  return log;
}

test.each(['engine', 'gateway'] as const)(
  'a node of a cluster, %s, upgrades its directory only where the log was closed for its layout at its end: otherwise it says what to do, and nothing is changed',
  async (role) => {
    const directory = newDirectory();
    const stamp = 'test rules 1 layout before';
    const journal = await openSegments({ directory: join(directory, 'journal'), stamp });
    await journal.append([new Uint8Array(8)], 1);
    await journal.close();
    const files = readdirSync(directory, { recursive: true });
    const options = { directory, venueId: 'test', onFailure: () => undefined };
    const opening = async (log: MemoryLog): Promise<unknown> =>
      openEngine(options, { role, log } as unknown as ClusterOptions);
    const refusal =
      /written with rules 1 layout before.*nothing was changed.*install the version of the others/;
    await expect(opening(new MemoryLog(new MemoryStream()))).rejects.toThrow(refusal);
    await expect(opening(await closedLog('rules 1 layout other'))).rejects.toThrow(refusal);
    // Past that: only a program that can read it takes it over.
    await expect(opening(await closedLog('rules 1 layout before'))).rejects.toThrow(/no reader/);
    expect(readdirSync(directory, { recursive: true })).toEqual(files);
  },
);

test('a gateway that is stopped before an engine leads, because something of it is refused, ends without a word of its own', async () => {
  const log = new MemoryLog(new MemoryStream());
  const cluster = {
    ...{ role: 'gateway', log, node: 'gateway-1', url: 'http://gateway-1' },
    every: () => () => undefined,
    after: () => () => undefined,
    ...{ onHandOver: () => undefined, onGate: () => undefined },
  } as unknown as ClusterOptions;
  const options = { directory: newDirectory(), venueId: 'test', onFailure: () => undefined };
  const unhandled: unknown[] = [];
  const onUnhandled = (cause: unknown): void => void unhandled.push(cause);
  process.on('unhandledRejection', onUnhandled);
  try {
    const { stop } = await openEngine(options, cluster);
    await stop();
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).toEqual([]);
  } finally {
    process.off('unhandledRejection', onUnhandled);
  }
});

test('how long ago every invariant was checked comes from the machine clock, also while the past is played', async () => {
  const startMs = 1_700_000_000_000;
  const clocks = pastClocks(realClocks, startMs);
  const running = await start(newDirectory(), { clocks });
  await running.engine.submit(genesis);
  // It audits behind something that has changed.
  const audited = async () => {
    await transfers(running, 1);
    return running.engine.status().follower?.audit;
  };
  await expect.poll(audited, { timeout: 60_000 }).toBeDefined();
  // Ten hours of past are played in no time.
  const hoursMs = 10 * 3_600_000;
  clocks.advanceTo(startMs + hoursMs);
  const { audit } = running.engine.status().follower ?? {};
  expect(audit?.atMs).toBeGreaterThan(startMs + hoursMs / 2);
  await running.stop();
});
