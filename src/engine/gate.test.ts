import { expect, test } from 'vitest';
import { LogRefused } from '../replication/log.ts';
import { gateBehind } from '../replication/log-cursor.ts';
import { MemoryLog } from '../replication/memory-log.fixture.ts';
import { encodeMessage } from '../replication/message.ts';
import type { SimCluster, SimNode } from './cluster.fixture.ts';
import { begun, transferOf } from './cluster-clients.fixture.ts';
import type { Engine } from './engine.ts';
import { GateReached, GateWatch } from './gate.ts';
import { LAYOUT } from './stamp.ts';

/** A cluster whose log was closed at its end, with one transfer in it. */
async function closed(): Promise<{ cluster: SimCluster; leader: SimNode; digest: string }> {
  const { cluster, leader, engine } = await begun();
  const answered = engine.submit(transferOf(engine, 'a'));
  await cluster.pass(20);
  await answered;
  const { digest } = engine.status();
  cluster.stream.send('gate', leader.name);
  await cluster.pass(3_000);
  return { cluster, leader, digest };
}

const lift = (cluster: SimCluster, firstSequence: number) =>
  new MemoryLog(cluster.stream).append(
    encodeMessage({
      ...{ kind: 'lift', node: 'operator', writer: 'ab'.repeat(16), firstSequence, entries: [] },
    }),
    cluster.stream.messages.length,
  );

test('at a gate every node ends with all that was answered, and nobody of this layout leads behind it', async () => {
  const { cluster, leader } = await closed();
  expect(leader.ended?.message).toBe('handed over');
  const standbys = cluster.nodes.filter((node) => node !== leader);
  for (const { ended } of standbys) expect(ended).toBeInstanceOf(GateReached);
  expect(cluster.nodes.map(({ stored }) => stored.length)).toEqual([2, 2, 2]);
  expect(cluster.leaders()).toEqual([]);
  // Started again it ends there again, whatever came behind.
  for (const node of cluster.nodes) {
    await expect(cluster.start(node)).rejects.toThrow(/closed for .* behind sequence 2.*--lift/);
  }
  const gate = await gateBehind(new MemoryLog(cluster.stream), 2);
  expect(gate).toEqual({ layout: LAYOUT.name, place: cluster.stream.messages.length });
});

test('a gate that is lifted is as if it had never been there', async () => {
  const { cluster, digest } = await closed();
  expect(await lift(cluster, 3)).toBe('stored');
  expect(await gateBehind(new MemoryLog(cluster.stream), 2)).toBeUndefined();
  await cluster.startAll();
  const next = await cluster.untilLed();
  const engine = next.engine as Engine;
  expect(engine.status().digest).toBe(digest);
  const again = engine.submit(transferOf(engine, 'a'));
  await cluster.pass(20);
  expect((await again).isRepeat).toBe(true);
  const more = engine.submit(transferOf(engine, 'b'));
  await cluster.pass(20);
  await more;
  expect(cluster.replayed().fingerprints).toHaveLength(2);
});

test('nothing but a takeover or a lift follows a gate, and no lift without one', async () => {
  const { cluster } = await closed();
  // Two in a row: the second lifts nothing.
  await lift(cluster, 3);
  await lift(cluster, 3);
  await expect(cluster.start(cluster.nodes[0] as SimNode)).rejects.toThrow(/fence/);
});

const at = (sequence: number) => ({
  ...{ node: 'engine-1', writer: '', firstSequence: sequence + 1, entries: [] },
});

test('a node that begins at the gate of the layout before passes it, any other is refused', () => {
  const gate = { ...at(7), kind: 'gate', layout: 'rules 1' } as const;
  const next = new GateWatch(7);
  next.pass(gate);
  next.pass({ ...at(7), kind: 'takeover' });
  expect(next.isReached).toBe(false);
  expect(() => next.pass({ ...at(7), kind: 'lift' })).toThrow(/was lifted/);
  expect(() => new GateWatch(0).pass(gate)).toThrow(LogRefused);
  expect(() => new GateWatch(6).pass(gate)).toThrow(/entries in rules 1 up to sequence 7/);
});
