import { cpSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { peekSegments } from '../journal/peek.ts';
import { peekSnapshots } from '../journal/snapshots.ts';
import { tearCopy } from '../journal/torn-copy.fixture.ts';
import { verifySegments } from '../journal/verify.ts';
import { MemoryLog, MemoryStream } from '../replication/memory-log.fixture.ts';
import { decodeMessage } from '../replication/message.ts';
import { demo, transferOf, unsignedOf } from './cluster-clients.fixture.ts';
import type { ClusterOptions } from './cluster-node.ts';
import { beginFrom, joinedAt } from './join-snapshot.ts';
import { layoutOf } from './layout.ts';
import { openEngine } from './open-node.ts';
import type { RunningEngine } from './start.ts';

/** It goes with the run (test/support/run-folder.ts). */
const newDirectory = (): string => mkdtempSync(join(tmpdir(), 'rialto-gateway-'));

/** A node on a real disk, with the timers of the machine, over a log in memory. */
async function open(
  stream: MemoryStream,
  role: ClusterOptions['role'],
  directory: string,
): Promise<RunningEngine> {
  const onFailure = (reason: Error): void => void failures.push(reason);
  const opened = await openEngine(
    { directory, venueId: 'test', onFailure, beginsAfter: joinedAt(directory) },
    {
      ...{
        log: new MemoryLog(stream),
        role,
        node: role,
        url: '',
        onHandOver: () => undefined,
        onGate: () => undefined,
      },
      every: (periodMs, run) => {
        const timer = setInterval(run, periodMs);
        return () => clearInterval(timer);
      },
      after: (delayMs, call) => {
        const timer = setTimeout(call, delayMs);
        return () => clearTimeout(timer);
      },
    },
  );
  const running = await opened.leading;
  running.cluster?.open(running.engine, () => 0);
  return running;
}
const failures: Error[] = [];

async function leaderAndGateway() {
  const stream = new MemoryStream();
  stream.nowMs = () => Date.now();
  const leader = await open(stream, 'engine', newDirectory());
  await leader.engine.submit(demo);
  const directory = newDirectory();
  return { stream, leader, directory, first: await open(stream, 'gateway', directory) };
}

test('a gateway whose journal lost a part with the power, behind the end of its event log and snapshot, reads it from the log again', async () => {
  const { stream, leader, directory, first } = await leaderAndGateway();
  for (let amount = 1; amount <= 20; amount++) {
    await first.engine.submit(unsignedOf(first.engine, amount));
  }
  const { sequence, digest } = first.engine.status();
  await first.stop();
  const { journal, events, snapshots } = layoutOf(directory);
  expect(tearCopy(journal)).toBeGreaterThan(10);
  expect(peekSegments({ directory: journal, isCopy: true }).lastSequence()).toBeLessThan(sequence);
  expect(peekSegments({ directory: events }).lastSequence()).toBe(sequence);
  expect(peekSnapshots(snapshots)[0]?.sequence).toBe(sequence);

  const again = await open(stream, 'gateway', directory);
  expect(again.engine.status()).toMatchObject({ sequence, digest });
  await again.engine.submit(unsignedOf(again.engine, 21));
  const { digest: after } = again.engine.status();
  expect(leader.engine.status().digest).toBe(after);
  await again.stop();
  expect(verifySegments({ directory: journal })).toMatchObject({ lastSequence: sequence + 1 });
  expect(peekSegments({ directory: events }).lastSequence()).toBe(sequence + 1);

  // An entry that the log has lost as well: the gateway refuses to start.
  await leader.stop();
  tearCopy(journal);
  stream.messages.length = stream.messages.findLastIndex(
    ({ place, bytes }) => decodeMessage(place, bytes).entries.length > 0,
  );
  await expect(open(stream, 'gateway', directory)).rejects.toThrow(/the log has lost 1 entries/);
  expect(failures).toEqual([]);
});

test('a request from before the snapshot that a gateway began with has no second effect, and the answer says that it was taken', async () => {
  const { stream, leader, directory, first } = await leaderAndGateway();
  const { by, ...transfer } = transferOf(first.engine, 'once');
  const signed = { ...transfer, by: { ...by, expiresAtMs: Date.now() + 3_600_000 } };
  const { outcome } = await first.engine.submit(signed);
  await first.stop();

  const joined = newDirectory();
  const { snapshots } = layoutOf(directory);
  const [name = ''] = readdirSync(snapshots).toReversed();
  const state = join(joined, name);
  cpSync(join(snapshots, name), state);
  beginFrom(joined, { sequence: Number.parseInt(name, 10), state }, writeFileSync);
  const second = await open(stream, 'gateway', joined);
  const before = second.engine.status().sequence;
  expect(await second.engine.submit(signed)).toMatchObject({
    isRepeat: true,
    outcome: {
      sequence: outcome.sequence,
      events: [{ kind: 'refused', reason: 'ANSWERED_BEFORE' }],
    },
  });
  expect(second.engine.status().sequence).toBe(before);
  await second.stop();
  await leader.stop();
  expect(failures).toEqual([]);
});
