import { expect, test } from 'vitest';
import { digestText } from '../bytes/digest.ts';
import type { Fault } from '../replication/memory-log.fixture.ts';
import type { SimCluster, SimGateway, SimNode } from './cluster.fixture.ts';
import { begun, shown, transferOf, unsignedOf } from './cluster-clients.fixture.ts';
import { type Engine, EngineStopped, type Submitted } from './engine.ts';
import { leaderTopic } from './gateway-protocol.ts';
import type { Planted } from './planted-mistakes.fixture.ts';
import type { RemoteEngine } from './remote-engine.ts';

type WithGateways = {
  readonly cluster: SimCluster;
  readonly leader: SimNode;
  readonly one: RemoteEngine;
  readonly other: RemoteEngine;
  readonly gateways: readonly [SimGateway, SimGateway];
};

/** Three engines, a venue that has begun, and two gateways. */
async function withGateways(planted?: Planted): Promise<WithGateways> {
  const { cluster, leader } = await begun(planted);
  const gateways = [await cluster.startGateway(), await cluster.startGateway()] as const;
  const one = await cluster.untilListening(gateways[0]);
  const other = await cluster.untilListening(gateways[1]);
  return { cluster, leader, one, other, gateways };
}

/** The answer, once there is one; time passes meanwhile. */
async function within<Answer>(
  cluster: SimCluster,
  answer: Promise<Answer>,
  mostMs = 20_000,
): Promise<Answer | Error> {
  let found: Answer | Error | undefined;
  answer.then(
    (value) => {
      found = value;
    },
    (cause: Error) => {
      found = cause;
    },
  );
  const untilMs = cluster.nowMs + mostMs;
  do await cluster.pass(10);
  while (found === undefined && cluster.nowMs < untilMs);
  return found ?? new Error('no answer');
}

const refusalIn = (submitted: Submitted | Error): unknown =>
  submitted instanceof Error ? submitted : submitted.outcome.events[0];

test('what one gateway was answered, another one shows', async () => {
  const { cluster, one, other } = await withGateways();
  const before = (await within(cluster, shown(other, 0n))) as number;
  for (let count = 1; count <= 5; count++) {
    const submitted = await within(cluster, one.submit(transferOf(one, `a${count}`)));
    expect(submitted).toMatchObject({ isRepeat: false });
    expect(await within(cluster, shown(other, 0n))).toBe(before + count);
  }
  expect(one.status().digest).toBe(other.status().digest);
});

test('one signed request sent through two gateways across a takeover has one effect and one answer', async () => {
  const { cluster, leader, one, other } = await withGateways();
  // It is stored, but the leader dies before it learns that.
  cluster.stream.faultOf = () => 'answer lost';
  const first = one.submit(transferOf(one, 'twice'));
  await cluster.pass(20);
  cluster.kill(leader);
  cluster.stream.faultOf = () => 'none';
  const second = other.submit(transferOf(other, 'twice'));
  const answers = [await within(cluster, first), await within(cluster, second)] as Submitted[];
  expect(answers.map(({ isRepeat }) => isRepeat)).toEqual([true, true]);
  expect(answers[0]?.outcome).toEqual(answers[1]?.outcome);
  expect(cluster.replayed().fingerprints).toEqual(['twice']);
});

test('a command that a leader took with it is sent to the next one, signed or not', async () => {
  const { cluster, leader, one } = await withGateways();
  leader.log.isCutOff = true;
  const signed = one.submit(transferOf(one, 'kept'));
  const plain = one.submit(unsignedOf(one, 7));
  await cluster.pass(20);
  expect(one.status().waiting).toBe(2);
  expect(await within(cluster, signed)).toMatchObject({ isRepeat: false });
  // The takeover was read, and it was not among what the leader before it had stored.
  expect(await within(cluster, plain)).toMatchObject({ isRepeat: false });
  const { fingerprints, unsigned } = cluster.replayed();
  expect({ fingerprints, unsigned }).toEqual({ fingerprints: ['kept'], unsigned: [7n] });
});

/** The leader stores one without a signature and dies before it learns that. */
async function unsignedInDoubt(planted?: Planted): Promise<{ answer: unknown; stored: bigint[] }> {
  const { cluster, leader, one } = await withGateways(planted);
  cluster.stream.faultOf = () => 'answer lost';
  const plain = one.submit(unsignedOf(one, 7));
  await cluster.pass(20);
  cluster.kill(leader);
  cluster.stream.faultOf = () => 'none';
  const answer = await within(cluster, plain);
  return { answer, stored: [...cluster.replayed().unsigned] };
}

test('one without a signature that the leader before may have stored is not sent again: outcome unknown', async () => {
  const { answer, stored } = await unsignedInDoubt();
  expect(answer).toBeInstanceOf(EngineStopped);
  expect(stored).toEqual([7n]);
  // What would happen otherwise.
  expect((await unsignedInDoubt('gateway resends anything')).stored).toEqual([7n, 7n]);
});

test('messages that get lost are sent again, and take effect once, signed or not', async () => {
  const { cluster, one } = await withGateways();
  const countOf = new Map<string, number>();
  cluster.stream.isMessageLost = (topic) => {
    const count = (countOf.get(topic) ?? 0) + 1;
    countOf.set(topic, count);
    return count <= 2;
  };
  const answers = [one.submit(transferOf(one, 'a')), one.submit(unsignedOf(one, 9))];
  const looked = shown(one, 0n);
  for (const answer of answers) expect(await within(cluster, answer)).toHaveProperty('outcome');
  expect(await within(cluster, looked)).toBeTypeOf('number');
  const { fingerprints, unsigned } = cluster.replayed();
  expect({ fingerprints, unsigned }).toEqual({ fingerprints: ['a'], unsigned: [9n] });
});

test('a hand-over loses no request: what the old leader does not take, the new one gets', async () => {
  const { cluster, leader, one, other } = await withGateways();
  const answers: Promise<Submitted>[] = [];
  cluster.stream.send('hand-over', leader.name);
  for (let count = 0; count < 20; count++) {
    answers.push(one.submit(transferOf(one, `h${count}`)), other.submit(unsignedOf(one, count)));
    await cluster.pass(10);
  }
  for (const answer of answers) expect(await within(cluster, answer)).toHaveProperty('outcome');
  expect(leader.ended?.message).toBe('handed over');
  expect(cluster.replayed().fingerprints).toHaveLength(20);
  expect(new Set(cluster.replayed().unsigned).size).toBe(20);
});

test('without a leader for 12 s a command that nobody got is refused, and one that somebody may have is unknown', async () => {
  const { cluster, one } = await withGateways();
  const [dead] = cluster.leaders() as [SimNode];
  // Sent, and the message arrives nowhere.
  cluster.stream.isMessageLost = () => true;
  const sent = one.submit(transferOf(one, 'sent'));
  await cluster.pass(20);
  await dead.handOver();
  for (const node of cluster.nodes) cluster.kill(node);
  await cluster.pass(100);
  const unsent = one.submit(transferOf(one, 'unsent'));
  const looked = one.view('clock', {});
  looked.catch(() => undefined);
  expect(await within(cluster, sent)).toBeInstanceOf(EngineStopped);
  const refusal = refusalIn(await within(cluster, unsent));
  expect(refusal).toMatchObject({ kind: 'refused', reason: 'UNAVAILABLE' });
  expect((refusal as { message: string }).message).toMatch(/12 s; the request had no effect/);
  expect(await within(cluster, looked)).toBeInstanceOf(EngineStopped);
  expect(cluster.nowMs).toBeLessThan(40_000);
});

test('a gateway that reaches no log server says so within seconds, and its client goes elsewhere with the same bytes', async () => {
  const { cluster, one, other, gateways } = await withGateways();
  gateways[0].log.isCutOff = true;
  const cutOffMs = cluster.nowMs;
  const refusal = refusalIn(await within(cluster, one.submit(transferOf(one, 'elsewhere'))));
  expect(refusal).toMatchObject({ kind: 'refused', reason: 'UNAVAILABLE' });
  expect(await within(cluster, one.view('clock', {}))).toBeInstanceOf(EngineStopped);
  expect(cluster.nowMs - cutOffMs).toBeLessThan(4_000);
  const moved = await within(cluster, other.submit(transferOf(other, 'elsewhere')));
  expect(moved).toMatchObject({ isRepeat: false });
});

test('what waits without a leader is bounded: more is refused as busy', async () => {
  const { cluster, leader, one } = await withGateways();
  await leader.handOver();
  for (const node of cluster.nodes) cluster.kill(node);
  await cluster.pass(100);
  const command = transferOf(one, 'many');
  for (let count = 0; count < 20_000; count++) one.submit(command).catch(() => undefined);
  const refusal = refusalIn(await within(cluster, one.submit(command)));
  expect(refusal).toMatchObject({ kind: 'refused', reason: 'BUSY' });
  expect(one.status().waiting).toBe(20_000);
});

test('a leader that was replaced and does not know it says nothing to a gateway that asks', async () => {
  const { cluster, leader, gateways } = await withGateways();
  // The leader receives from gateways, but it cannot append: so it cannot prove that it leads.
  leader.log.append = async () => ({ unknown: 'no answer' });
  leader.log.send = () => undefined;
  await cluster.pass(900);
  const view = (gateways[0].engine as RemoteEngine).view('clock', {});
  let isAnswered = false;
  void view.then(() => {
    isAnswered = true;
  });
  await cluster.pass(300);
  expect(isAnswered).toBe(false);
  await cluster.untilLedBy((node) => node !== leader);
  await cluster.pass(600);
  expect(isAnswered).toBe(true);
});

test('a gateway of another version or venue is refused in words, on both sides', async () => {
  const { cluster, leader } = await withGateways();
  const gateway = await cluster.startGateway();
  cluster.killGateway(gateway);
  gateway.stamp = 'another venue';
  await cluster.startGateway(gateway);
  await cluster.pass(100);
  expect(gateway.ended?.message).toMatch(
    /gateway gateway-3 does not fit.*\(another venue\).*\(venue rules layout\)/,
  );
  expect(leader.troubles.join()).toMatch(/gateway-3 does not fit/);
});

test('bytes that are not a message are ignored', async () => {
  const { cluster, one } = await withGateways();
  const writer = cluster.leaders()[0]?.node?.writer ?? '';
  for (const bytes of [[], [1], [1, 255, 255, 255, 255], [9, 0, 0, 0, 0]]) {
    cluster.stream.post(leaderTopic(writer), new Uint8Array(bytes));
  }
  expect(await within(cluster, one.submit(transferOf(one, 'after')))).toHaveProperty('outcome');
});

/**
 * Kills, cuts, lost appends and lost messages at random, under requests and views through gateways: what was
 * answered is in the log once, no view of any gateway misses what was answered by any other, and a gateway
 * that has just started shows everything.
 */
async function run(seed: number, steps: number, planted?: Planted): Promise<string[]> {
  const { cluster, one, gateways } = await withGateways(planted);
  const random = seeded(seed);
  const pick = <One>(all: readonly One[]): One | undefined =>
    all[Math.floor(random() * all.length)];
  const before = (await within(cluster, shown(one, 0n))) as number;
  const faults: string[] = [];
  const answered = new Map<string, number>();
  const plain = new Map<number, 'answered' | 'unknown'>();
  const unknown: string[] = [];
  const kinds: Fault[] = ['none', 'none', 'none', 'none', 'none', 'lost', 'answer lost', 'late'];
  cluster.stream.faultOf = () => pick(kinds) as Fault;
  cluster.stream.isMessageLost = () => random() < 0.05;
  cluster.onListening = ({ name }, { releasedSequence }) => {
    // Names and keys are answered at once.
    const newest = Math.max(0, ...answered.values());
    if (releasedSequence < newest)
      faults.push(`${name} listens at ${releasedSequence} of ${newest}`);
  };
  const send = (engine: Engine, fingerprint: string): void => {
    engine.submit(transferOf(engine, fingerprint)).then(
      ({ outcome, isUnrecorded }) => {
        if (isUnrecorded) return;
        const first = answered.get(fingerprint);
        if (first !== undefined && first !== outcome.sequence) faults.push('another answer');
        answered.set(fingerprint, outcome.sequence);
      },
      () => unknown.push(fingerprint),
    );
  };
  const sendPlain = (engine: Engine, amount: number): void => {
    engine.submit(unsignedOf(engine, amount)).then(
      ({ isUnrecorded }) => isUnrecorded !== true && plain.set(amount, 'answered'),
      () => plain.set(amount, 'unknown'),
    );
  };
  const look = (engine: Engine): void => {
    const least = answered.size;
    void shown(engine, 0n).then((seen) => {
      if (seen !== undefined && seen - before < least)
        faults.push(`a view shows ${seen - before} of ${least}`);
    });
  };
  for (let step = 0; step < steps; step++) {
    const listening = gateways.filter(({ isListening }) => isListening);
    const engine = pick(listening)?.engine;
    const dice = random();
    if (engine !== undefined) {
      if (dice < 0.6) send(engine, `${seed}-${step}`);
      if (random() < 0.3) sendPlain(engine, 1_000 + step);
      if (random() < 0.5) look(engine);
      const again = unknown.shift();
      if (again !== undefined) send(engine, again);
    }
    const node = pick(cluster.nodes) as SimNode;
    const gateway = pick(gateways) as SimGateway;
    if (dice > 0.985) cluster.kill(node);
    else if (dice > 0.97) node.log.isCutOff = true;
    else if (dice > 0.955) cluster.killGateway(gateway);
    else if (dice > 0.945) gateway.log.isCutOff = true;
    if (random() < 0.1) {
      cluster.resume(node);
      gateway.log.isCutOff = false;
    }
    for (const dead of cluster.nodes) {
      if (dead.ended !== undefined && random() < 0.2) await cluster.start(dead);
    }
    for (const dead of gateways) {
      if (dead.ended !== undefined && random() < 0.1) void cluster.startGateway(dead);
    }
    await cluster.pass(10 + Math.floor(random() * 120));
  }
  cluster.stream.faultOf = () => 'none';
  cluster.stream.isMessageLost = () => false;
  for (const node of cluster.nodes) {
    cluster.resume(node);
    if (node.ended !== undefined) await cluster.start(node);
  }
  for (const gateway of gateways) {
    gateway.log.isCutOff = false;
    if (gateway.ended !== undefined) await cluster.startGateway(gateway);
  }
  await cluster.pass(13_000);
  return [...faults, ...disagreements(cluster, gateways, answered, plain)];
}

function disagreements(
  cluster: SimCluster,
  gateways: readonly SimGateway[],
  answered: ReadonlyMap<string, number>,
  plain: ReadonlyMap<number, string>,
): string[] {
  const faults: string[] = [];
  const { fingerprints, unsigned, state } = cluster.replayed();
  for (const one of answered.keys()) {
    const times = fingerprints.filter((found) => found === one).length;
    if (times !== 1) faults.push(`${one}: ${times} times`);
  }
  if (new Set(fingerprints).size !== fingerprints.length) faults.push('a request twice');
  if (new Set(unsigned).size !== unsigned.length) faults.push('an unsigned command twice');
  for (const [amount, what] of plain) {
    const isThere = unsigned.includes(BigInt(amount));
    if (what === 'answered' && !isThere) faults.push(`${amount} was answered and is not there`);
  }
  for (const { name, engine } of gateways) {
    if (engine?.status().digest !== digestText(state.digest)) {
      faults.push(`${name} is at ${engine?.status().sequence}, the log at ${state.sequence}`);
    }
  }
  if (answered.size === 0) faults.push('nothing was answered');
  return faults;
}

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const SEEDS = Number(process.env['CLUSTER_SEEDS'] ?? 3);

test('whatever is killed, cut off or lost: answered once, no stale view through any gateway, equal digests', async () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    expect({ seed, faults: await run(seed, 100) }).toEqual({ seed, faults: [] });
  }
});

const PLANTED: readonly Planted[] = ['gateway listening early', 'gateway view without asking'];

for (const planted of PLANTED) {
  test(`the same run finds gateways with a mistake in them: ${planted}`, async () => {
    const found: string[] = [];
    for (let seed = 1; seed <= 40 && found.length === 0; seed++) {
      found.push(...(await run(seed, 100, planted)));
    }
    expect(found).not.toEqual([]);
  });
}
