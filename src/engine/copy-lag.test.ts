import { expect, test } from 'vitest';
import { ByteWriter } from '../bytes/pack.ts';
import type { SimCluster } from './cluster.fixture.ts';
import { begun, shown, transferOf } from './cluster-clients.fixture.ts';
import { writeCommand } from './codec.ts';
import { CommandIntake } from './command-intake.ts';
import type { Engine, Submitted } from './engine.ts';
import {
  decodeGatewayBatch,
  decodeLeaderBatch,
  encodeGatewayBatch,
  encodeLeaderBatch,
} from './gateway-protocol.ts';
import type { RemoteEngine } from './remote-engine.ts';

/** Turns of the event loop in which no time passes: a copy that lags stays where it is. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function withGateway(): Promise<{
  readonly cluster: SimCluster;
  readonly one: RemoteEngine;
}> {
  const { cluster } = await begun();
  const gateway = await cluster.startGateway();
  const one = await cluster.untilListening(gateway);
  await cluster.pass(1_000);
  return { cluster, one };
}

async function inOneInstant<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  let found: Answer | undefined;
  void answer.then((value) => {
    found = value;
  });
  await turns();
  return found;
}

test('a command is answered with the outcome that the leader sent, the copy comes later, and a view brings it up', async () => {
  const { cluster, one } = await withGateway();
  const before = one.copySequence;
  const submitted = await inOneInstant(one.submit(transferOf(one, 'sent')));
  expect(submitted?.outcome).toMatchObject({ sequence: before + 1 });
  expect(one.copySequence).toBe(before);
  // Who asks for history or opens a channel now waits for what was answered.
  expect(one.releasedSequence).toBe(before + 1);
  expect(await inOneInstant(shown(one, 0n))).toBeTypeOf('number');
  expect(one.copySequence).toBeGreaterThan(before);
  await inOneInstant(one.submit(transferOf(one, 'by itself')));
  const answered = one.releasedSequence;
  expect(one.copySequence).toBeLessThan(answered);
  await cluster.pass(300);
  expect(one.copySequence).toBeGreaterThanOrEqual(answered);
});

test('what a status shows is all that has come', async () => {
  const { one } = await withGateway();
  const submitted = await inOneInstant(one.submit(transferOf(one, 'sent')));
  expect(one.status()).toMatchObject({ sequence: submitted?.outcome.sequence });
});

test('while somebody listens to the stream, an answer waits for the copy, which follows at once', async () => {
  const { cluster } = await begun();
  const gateway = await cluster.startGateway();
  const one = await cluster.untilListening(gateway);
  gateway.hasListeners = true;
  const submitted = await inOneInstant(one.submit(transferOf(one, 'seen')));
  expect(submitted).toHaveProperty('outcome');
  expect(one.copySequence).toBe(submitted?.outcome.sequence);
});

test('the same request again, and one whose answer got lost, have the outcome that the copy has', async () => {
  const { cluster, one } = await withGateway();
  const first = await inOneInstant(one.submit(transferOf(one, 'same')));
  const second = await inOneInstant(one.submit(transferOf(one, 'same')));
  expect(second?.outcome).toEqual(first?.outcome);
  expect(second?.isRepeat).toBe(true);
  let lost = 1;
  cluster.stream.isMessageLost = (topic) => topic.startsWith('gate.') && lost-- > 0;
  const answer = one.submit(transferOf(one, 'lost'));
  expect(await inOneInstant(answer)).toBeUndefined();
  await cluster.pass(1_000);
  expect(await answer).toMatchObject({ isRepeat: false });
});

/** What a leader posts to one gateway for commands with these outcomes. */
async function postedFor(outcomes: readonly number[], takesOutcomes: boolean) {
  const posted: Uint8Array[] = [];
  let receive: (bytes: Uint8Array) => void = () => undefined;
  const intake = new CommandIntake({
    ...{ writer: 'w', stamp: 'f', soon: setImmediate, nowMs: () => 0, onTrouble: () => undefined },
    transport: {
      isConnected: true,
      post: (_, bytes) => posted.push(bytes.slice()) > 0,
      receive: (_, onBytes) => {
        receive = onBytes;
        return () => undefined;
      },
    },
    sendsOutcome: () => true,
  });
  let sequence = 0;
  const submit = async (): Promise<Submitted> => {
    const bytes = new Uint8Array(outcomes[sequence++] ?? 0).fill(7);
    return { encoded: { sequence, bytes }, isRepeat: false } as unknown as Submitted;
  };
  intake.open({ submit } as unknown as Engine);
  const { one } = await withGateway();
  const bytes = commandBytes(one);
  receive(
    encodeGatewayBatch({
      ...{ node: 'g', inbox: 'i', stamp: 'f', version: '1', doneBelow: 1, question: 0 },
      ...{ commands: outcomes.map((_, at) => ({ number: at + 1, bytes })), takesOutcomes },
    }).slice(),
  );
  await turns();
  return posted.map((bytes) => decodeLeaderBatch(bytes)?.answers ?? []);
}

/** As it is written in a message to the leader. */
function commandBytes(engine: RemoteEngine): Uint8Array {
  const out = new ByteWriter();
  writeCommand(out, transferOf(engine, 'x'));
  return out.bytes();
}

test('outcomes are sent to gateways that accept them, none that is long, and a message has only so much of them', async () => {
  const lengths = [10, 5_000, ...Array.from({ length: 100 }, () => 4_000)];
  const messages = await postedFor(lengths, true);
  expect(messages.length).toBeGreaterThan(1);
  const outcomes = messages.flat().map((answer) => 'outcome' in answer && answer.outcome?.length);
  expect(outcomes).toEqual([10, false, ...Array.from({ length: 100 }, () => 4_000)]);
  const withoutOutcomes = (await postedFor([10, 20], false)).flat();
  expect(withoutOutcomes.map((answer) => 'outcome' in answer)).toEqual([false, false]);
});

test('messages of a version without outcomes are read, and it reads these', () => {
  const batch = {
    ...{ node: 'g', inbox: 'i', stamp: 'f', version: '1', doneBelow: 3, question: 0 },
    commands: [{ number: 3, bytes: new Uint8Array([1, 2]) }],
  };
  const bytes = encodeGatewayBatch({ ...batch, takesOutcomes: true }).slice();
  expect(decodeGatewayBatch(bytes)).toMatchObject({ ...batch, takesOutcomes: true });
  // It ended behind the commands.
  expect(decodeGatewayBatch(bytes.subarray(0, -1))).toMatchObject({
    ...batch,
    takesOutcomes: false,
  });
  const answers = [{ kind: 'recorded', number: 3, sequence: 9, isRepeat: false }] as const;
  const answer = encodeLeaderBatch({ writer: 'w', refusal: '', answers }).slice();
  expect(decodeLeaderBatch(answer)?.answers).toEqual(answers);
});
