import { expect, test } from 'vitest';
import { digestText } from '../bytes/digest.ts';
import type { Fault } from '../replication/memory-log.fixture.ts';
import { type Beat, beatFrom, beatText } from './beat.ts';
import { SimCluster, type SimNode } from './cluster.fixture.ts';
import { begun, shown, transferOf } from './cluster-clients.fixture.ts';
import { type Engine, EngineStopped } from './engine.ts';
import { FreshEngine } from './fresh-engine.ts';
import type { Planted } from './planted-mistakes.fixture.ts';

test('of three standbys that receive nothing exactly one leads, after the time of silence', async () => {
  const cluster = new SimCluster();
  await cluster.startAll();
  await cluster.pass(1_400);
  expect(cluster.leaders()).toEqual([]);
  await cluster.pass(500);
  expect(cluster.leaders()).toHaveLength(1);
  await cluster.pass(5_000);
  expect(cluster.leaders()).toHaveLength(1);
  const [leader] = cluster.leaders();
  for (const { node } of cluster.nodes.filter((one) => one !== leader)) {
    const url = `http://${leader?.name}`;
    expect(node?.leader()).toMatchObject({ node: leader?.name, url });
  }
});

test('when the leader is killed a standby has all that was answered, and goes on', async () => {
  const { cluster, leader, engine } = await begun();
  const answered = engine.submit(transferOf(engine, 'a'));
  await cluster.pass(20);
  await answered;
  const { digest } = engine.status();
  cluster.kill(leader);
  const killedMs = cluster.nowMs;
  const next = await cluster.untilLed();
  expect(cluster.nowMs - killedMs).toBeLessThan(2_000);
  const other = next.engine as Engine;
  expect(other.status().digest).toBe(digest);
  // The same signed request gets the first outcome.
  const again = other.submit(transferOf(other, 'a'));
  await cluster.pass(20);
  expect((await again).isRepeat).toBe(true);
});

test('a leader that was cut off and replaced ends, answers nothing, and comes back as a standby', async () => {
  const { cluster, leader, engine } = await begun();
  leader.log.isCutOff = true;
  const unanswered = engine.submit(transferOf(engine, 'lost')).then(
    () => 'answered',
    (cause: unknown) => (cause instanceof EngineStopped ? 'unknown' : 'failed'),
  );
  const next = await cluster.untilLedBy((node) => node !== leader);
  leader.log.isCutOff = false;
  await cluster.pass(300);
  expect(await unanswered).toBe('unknown');
  expect(leader.ended?.message).toMatch(/another node has taken over/);
  await cluster.start(leader);
  await cluster.pass(3_000);
  expect(cluster.leaders()).toEqual([next]);
  expect(cluster.replayed().fingerprints).not.toContain('lost');
});

test('a leader that reaches nobody answers views while its lease lasts, and not one moment longer', async () => {
  const { cluster, leader, engine } = await begun();
  const before = 0n;
  expect(await answeredBy(cluster, shown(engine, before))).not.toBe('nothing');
  leader.log.isCutOff = true;
  await cluster.pass(700);
  expect(await answeredBy(cluster, shown(engine, before))).not.toBe('nothing');
  await cluster.pass(200);
  // It waits for the log, and says that it does not know.
  const late = shown(engine, before);
  await cluster.pass(2_500);
  expect(await late).toBeUndefined();
});

test('a view behind commands that wait for a log that is away is answered in words, too', async () => {
  const { cluster, leader, engine } = await begun();
  leader.log.isCutOff = true;
  engine.submit(transferOf(engine, 'waits')).catch(() => undefined);
  let end: unknown = 'none yet';
  engine.view('clock', {}).catch((cause: unknown) => {
    end = cause;
  });
  await cluster.pass(11_000);
  expect(end).toBe('none yet');
  await cluster.pass(3_500);
  expect(end).toBeInstanceOf(EngineStopped);
});

test('history is read from a leader only while it is proven that it leads', async () => {
  const { cluster, leader, engine } = await begun();
  const edge = new FreshEngine({ engine, isIdle: () => false, keepers: [] });
  await edge.refreshed();
  leader.log.isCutOff = true;
  await cluster.pass(1_000);
  const late = edge.refreshed().then(
    () => 'shown',
    () => 'not shown',
  );
  await cluster.pass(2_500);
  expect(await late).toBe('not shown');
});

test('a leader that receives nothing no longer keeps others from taking over', async () => {
  const { cluster, leader, engine } = await begun();
  leader.log.isSendOnly = true;
  engine.submit(transferOf(engine, 'unanswered')).catch(() => undefined);
  await cluster.untilLedBy((node) => node !== leader, 3_000);
  leader.log.isSendOnly = false;
  await cluster.pass(500);
  expect(leader.ended?.message).toMatch(/another node has taken over/);
});

test('an idle leader proves that it leads when somebody reads, and only then', async () => {
  const { cluster, engine } = await begun();
  await cluster.pass(10_000);
  const quiet = cluster.stream.messages.length;
  await cluster.pass(10_000);
  expect(cluster.stream.messages.length).toBe(quiet);
  expect(await answeredBy(cluster, shown(engine, 0n))).not.toBe('nothing');
  expect(cluster.stream.messages.length).toBe(quiet + 1);
  expect(await answeredBy(cluster, shown(engine, 0n))).not.toBe('nothing');
  expect(cluster.stream.messages.length).toBe(quiet + 1);
});

test('a hand-over is taken at once, without a wait for silence', async () => {
  const { cluster, leader } = await begun();
  cluster.stream.send('hand-over', leader.name);
  const startedMs = cluster.nowMs;
  await cluster.untilLedBy((node) => node !== leader);
  expect(cluster.nowMs - startedMs).toBeLessThan(300);
  expect(leader.ended?.message).toBe('handed over');
});

test('a standby whose clock is wrong says so while another one leads, and so do its beats', async () => {
  const { cluster, leader } = await begun();
  const standby = cluster.nodes.find((one) => one !== leader) as SimNode;
  standby.clockMs = -400;
  const beats: (number | null | undefined)[] = [];
  leader.log.subscribe('beat', (text) => {
    const beat = beatFrom(text);
    if (beat?.node === standby.name) beats.push(beat.clockMs);
  });
  await cluster.pass(6_000);
  expect(standby.troubles.join()).toMatch(
    /400 ms behind the log.s.*it does not lead until the clock is set/,
  );
  expect(beats.at(-1)).toBe(-400);
  expect(cluster.leaders()).toEqual([leader]);
});

test('a node that receives beats of another one under its own name says so', async () => {
  const { cluster, leader } = await begun();
  const beat = { ...ownBeat(leader), url: 'http://elsewhere' };
  for (let times = 0; times < 3; times++) cluster.stream.send('beat', beatText(beat));
  await cluster.pass(100);
  expect(leader.troubles).toEqual([
    `another node calls itself ${leader.name}, too, at http://elsewhere: give each a cluster.node of its own`,
  ]);
});

function ownBeat({ name: node }: SimNode): Beat {
  return {
    ...{ node, role: 'standby', url: 'http://own', sequence: 1, place: 1, term: 1 },
    ...{ version: '', layout: '', listeners: 0, clockMs: null },
  } as Beat;
}

test('a node whose clock is wrong does not lead until it is set', async () => {
  const cluster = new SimCluster(['engine-1']);
  await cluster.startAll();
  const [node] = cluster.nodes as [SimNode];
  node.clockMs = 251;
  await cluster.pass(5_000);
  expect(cluster.leaders()).toEqual([]);
  node.clockMs = -250;
  await cluster.pass(200);
  expect(cluster.leaders()).toEqual([node]);
});

test('while the log is away nobody takes over, and the leader goes on when it is back', async () => {
  const { cluster, leader, engine } = await begun();
  cluster.stream.isAway = true;
  const submitted = engine.submit(transferOf(engine, 'patient'));
  await cluster.pass(10_000);
  expect(cluster.leaders()).toEqual([leader]);
  cluster.stream.isAway = false;
  await cluster.pass(200);
  expect((await submitted).outcome.events[0]?.kind).not.toBe('refused');
  expect(cluster.replayed().fingerprints.filter((one) => one === 'patient')).toHaveLength(1);
});

test('what is no beat is no beat', () => {
  for (const text of ['', '{}', 'null', '[]', '{"node":1}', '{"node":"a","role":"king"}']) {
    expect(beatFrom(text)).toBeUndefined();
  }
});

const answeredBy = async (cluster: SimCluster, answer: Promise<unknown>): Promise<unknown> => {
  let found: unknown = 'nothing';
  void answer.then((value) => {
    found = value ?? 'nothing';
  });
  await cluster.pass(30);
  return found;
};

/**
 * Kills, cuts, pauses, lost answers and late messages at random, under requests and views: what was
 * answered is in the log once, no view misses what was answered before it, and all nodes agree.
 */
async function run(seed: number, steps: number, planted?: Planted): Promise<string[]> {
  const { cluster, engine: first } = await begun(planted);
  const random = seeded(seed);
  const pick = <One>(all: readonly One[]): One | undefined =>
    all[Math.floor(random() * all.length)];
  const before = await balanceBefore(cluster, first);
  const faults: string[] = [];
  const answered = new Set<string>();
  const unknown: string[] = [];
  const kinds: Fault[] = ['none', 'none', 'none', 'none', 'lost', 'answer lost', 'late'];
  cluster.stream.faultOf = () => pick(kinds) as Fault;
  cluster.stream.beforeAppend = () => {
    if (random() < 0.1) cluster.stream.deliverLate();
  };
  const send = (engine: Engine, fingerprint: string): void => {
    engine.submit(transferOf(engine, fingerprint)).then(
      ({ outcome }) => {
        if (outcome.events.some(({ kind }) => kind === 'refused')) faults.push('refused');
        answered.add(fingerprint);
      },
      () => unknown.push(fingerprint),
    );
  };
  const look = (engine: Engine): void => {
    const least = answered.size;
    void shown(engine, before).then((seen) => {
      if (seen !== undefined && seen < least) faults.push(`a view shows ${seen} of ${least}`);
    });
  };
  for (let step = 0; step < steps; step++) {
    const leader = pick(cluster.leaders());
    const node = pick(cluster.nodes) as SimNode;
    const dice = random();
    if (leader?.engine !== undefined) {
      if (dice < 0.5) send(leader.engine, `${seed}-${step}`);
      if (random() < 0.5) look(leader.engine);
      const again = unknown.shift();
      if (again !== undefined) send(leader.engine, again);
    }
    if (dice > 0.985) cluster.kill(node);
    else if (dice > 0.97) node.log.isCutOff = true;
    else if (dice > 0.955) cluster.pause(node);
    else if (dice > 0.94) cluster.stream.isAway = !cluster.stream.isAway;
    if (random() < 0.05) cluster.resume(node);
    for (const one of cluster.nodes) {
      if (one.ended !== undefined && !cluster.stream.isAway && random() < 0.2)
        await cluster.start(one);
    }
    await cluster.pass(10 + Math.floor(random() * 120));
  }
  cluster.stream.isAway = false;
  cluster.stream.faultOf = () => 'none';
  for (const node of cluster.nodes) {
    cluster.resume(node);
    if (node.ended !== undefined) await cluster.start(node);
  }
  await cluster.pass(4_000);
  for (const node of cluster.nodes) if (node.ended !== undefined) await cluster.start(node);
  await cluster.untilLed();
  await cluster.pass(500);
  cluster.stream.deliverLate();
  return [...faults, ...disagreements(cluster, answered)];
}

function disagreements(cluster: SimCluster, answered: ReadonlySet<string>): string[] {
  const faults: string[] = [];
  const { fingerprints, state } = cluster.replayed();
  const times = new Map<string, number>();
  for (const one of fingerprints) times.set(one, (times.get(one) ?? 0) + 1);
  for (const one of answered)
    if (times.get(one) !== 1) faults.push(`${one}: ${times.get(one)} times`);
  for (const [one, count] of times) if (count > 1) faults.push(`${one} has ${count} effects`);
  for (const node of cluster.nodes) {
    if (digestText(node.state.digest) !== digestText(state.digest)) {
      faults.push(`${node.name} is at ${node.state.sequence}, the log at ${state.sequence}`);
    }
  }
  if (answered.size === 0) faults.push('nothing was answered');
  return faults;
}

async function balanceBefore(cluster: SimCluster, engine: Engine): Promise<bigint> {
  const seen = shown(engine, 0n);
  await cluster.pass(30);
  return BigInt((await seen) ?? 0) * 1_000_000n;
}

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const SEEDS = Number(process.env['CLUSTER_SEEDS'] ?? 12);

test('whatever is killed, cut off or paused: answered once, no stale view, equal digests', async () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    expect({ seed, faults: await run(seed, 150) }).toEqual({ seed, faults: [] });
  }
});

const PLANTED: readonly Planted[] = [
  'append without expectation',
  'resend without expectation',
  'release before acknowledgement',
  'view without lease',
];

for (const planted of PLANTED) {
  test(`the same run finds a cluster with a mistake in it: ${planted}`, async () => {
    const found: string[] = [];
    for (let seed = 1; seed <= 40 && found.length === 0; seed++) {
      // A node that refuses the log it finds has found it, too.
      const faults = await run(seed, 150, planted).catch((cause: Error) => [cause.message]);
      found.push(...faults);
    }
    expect(found).not.toEqual([]);
  });
}

test("a standby whose layout of data is not the leader's ends and says what to install", async () => {
  const { cluster, leader } = await begun();
  const standby = cluster.nodes.find((one) => one !== leader) as SimNode;
  const beat = { node: 'engine-9', role: 'leader', url: '', place: 99, sequence: 99, term: 9 };
  const newer = { ...beat, version: '9.9.9', layout: 'rules 9 layout 9' };
  leader.log.send('beat', JSON.stringify({ ...newer, layout: undefined }));
  await cluster.pass(20);
  expect(standby.ended).toBeUndefined();
  leader.log.send('beat', JSON.stringify(newer));
  await cluster.pass(20);
  expect(standby.ended?.message).toMatch(
    /engine-9, which leads, is 9\.9\.9 \(rules 9 layout 9\).*install the version of the others/,
  );
});
