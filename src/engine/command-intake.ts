import { ByteReader } from '../bytes/pack.ts';
import { assert } from '../domain/assert.ts';
import type { Command } from '../domain/commands.ts';
import { VERSION } from '../domain/version.ts';
import type { Transport } from '../replication/log.ts';
import { readCommand } from './codec.ts';
import type { Engine, Submitted } from './engine.ts';
import {
  decodeGatewayBatch,
  encodeLeaderBatch,
  type GatewayBatch,
  isOwnProtocol,
  type LeaderAnswer,
  leaderTopic,
} from './gateway-protocol.ts';

export type IntakeParts = {
  readonly transport: Transport;
  /** The writer id of this leader's takeover. */
  readonly writer: string;
  /** Venue, rules and layout of this node. */
  readonly stamp: string;
  readonly soon: (run: () => void) => void;
  readonly nowMs: () => number;
  readonly onTrouble: (words: string) => void;
  /** Commands whose outcome is sent with the answer, to gateways that accept outcomes. Default: orders. */
  readonly sendsOutcome?: (command: Command) => boolean;
};

type Gateway = {
  readonly inbox: string;
  /** The answers to its commands; undefined while an answer is not known yet. */
  readonly answers: Map<number, LeaderAnswer | undefined>;
  outbox: LeaderAnswer[];
  lastSeenMs: number;
  takesOutcomes: boolean;
};

/** A gateway that sends nothing for this long is forgotten; its next start has another inbox. */
const FORGET_MS = 60_000;
/** Batches that arrive before the leader can serve. More are dropped; gateways send them again. */
const HELD_MAX = 1_000;
const ANSWERS_PER_MESSAGE = 1_000;
/** The most bytes of one outcome in a message; the gateway takes a longer one from its own copy. */
const OUTCOME_BYTES_MAX = 4 * 1_024;
const OUTCOMES_BYTES_MAX = 256 * 1_024;

/**
 * The leader's side of the connection to the gateways. It listens on a topic named after its takeover, so it
 * receives only messages meant for this leader. A command is answered when its entry is in the log, and a
 * question needs the lease: a leader that was replaced can answer neither.
 *
 * A command that a gateway sends again is not submitted again, signed or not: it gets the answer of the
 * first.
 */
export class CommandIntake {
  readonly #parts: IntakeParts;
  readonly #gateways = new Map<string, Gateway>();
  readonly #stop: () => void;
  #held: Uint8Array[] = [];
  #engine: Engine | undefined;
  #isClosed = false;
  #isTurnScheduled = false;
  #refusedNode: string | undefined;
  #batches = 0;

  constructor(parts: IntakeParts) {
    this.#parts = parts;
    const { transport, writer } = parts;
    this.#stop = transport.receive(leaderTopic(writer), (bytes) => this.#receive(bytes));
  }

  /** Batches received since this node leads. */
  get batches(): number {
    return this.#batches;
  }

  /** From now on commands are accepted. */
  open(engine: Engine): void {
    this.#engine = engine;
    for (const bytes of this.#held.splice(0)) this.#receive(bytes);
  }

  /** Accepts nothing more; what was accepted is answered. The next leader gets the rest. */
  close(): void {
    this.#isClosed = true;
  }

  /** From now on nothing is answered. */
  end(): void {
    this.#stop();
  }

  #receive(bytes: Uint8Array): void {
    if (this.#engine === undefined && !this.#isClosed) {
      if (this.#held.length < HELD_MAX) this.#held.push(bytes.slice());
      return;
    }
    const batch = decodeGatewayBatch(bytes);
    if (batch === undefined) return;
    const refusal = this.#refusalOf(batch);
    if (refusal !== undefined) {
      this.#refuse(batch, refusal);
      return;
    }
    this.#batches++;
    const gateway = this.#gatewayOf(batch);
    for (const { number, bytes: command } of batch.commands) {
      this.#take(gateway, number, command);
    }
    if (batch.question !== 0) this.#answerQuestion(gateway, batch.question);
  }

  #refusalOf(batch: GatewayBatch & { readonly protocol: number }): string | undefined {
    const { stamp } = this.#parts;
    if (isOwnProtocol(batch) && batch.stamp === stamp) return undefined;
    const [own, other] = isOwnProtocol(batch) ? [stamp, batch.stamp] : ['', 'another protocol'];
    return (
      `gateway ${batch.node} does not fit the engine that leads: it is version ${batch.version} ` +
      `(${other}), the engine is ${VERSION}${own === '' ? '' : ` (${own})`}; run versions with the ` +
      'same layout of data, of the same venue'
    );
  }

  /** Logged here once; sent to the gateway every time. */
  #refuse({ node, inbox }: GatewayBatch, refusal: string): void {
    const { transport, writer, onTrouble } = this.#parts;
    if (this.#refusedNode !== node) onTrouble(refusal);
    this.#refusedNode = node;
    transport.post(inbox, encodeLeaderBatch({ writer, refusal, answers: [] }));
  }

  #gatewayOf({ inbox, doneBelow, takesOutcomes = false }: GatewayBatch): Gateway {
    const nowMs = this.#parts.nowMs();
    const known = this.#gateways.get(inbox);
    if (known === undefined) {
      for (const [other, { lastSeenMs }] of this.#gateways) {
        if (nowMs - lastSeenMs > FORGET_MS) this.#gateways.delete(other);
      }
    }
    const gateway = known ?? {
      ...{ inbox, answers: new Map(), outbox: [], lastSeenMs: nowMs, takesOutcomes },
    };
    gateway.lastSeenMs = nowMs;
    gateway.takesOutcomes = takesOutcomes;
    if (known === undefined) this.#gateways.set(inbox, gateway);
    // Numbers arrive in order except for repeats, so the oldest come first.
    for (const number of gateway.answers.keys()) {
      if (number >= doneBelow) break;
      gateway.answers.delete(number);
    }
    return gateway;
  }

  #take(gateway: Gateway, number: number, bytes: Uint8Array): void {
    if (gateway.answers.has(number)) {
      const answer = gateway.answers.get(number);
      if (answer !== undefined) this.#queueAnswer(gateway, answer);
      return;
    }
    if (this.#isClosed || this.#engine === undefined) {
      this.#queueAnswer(gateway, { kind: 'not taken', number });
      return;
    }
    const command = commandIn(bytes);
    if (command === undefined) {
      this.#queueAnswer(gateway, { ...UNREADABLE, number });
      return;
    }
    gateway.answers.set(number, undefined);
    const conclude = (answer: LeaderAnswer, outcome?: Uint8Array): void => {
      // Answers to repeats carry no outcome: repeats are rare, and outcomes would otherwise be kept here.
      if (gateway.answers.has(number)) gateway.answers.set(number, answer);
      const hasOutcome = outcome !== undefined && answer.kind === 'recorded';
      this.#queueAnswer(gateway, hasOutcome ? { ...answer, outcome } : answer);
    };
    this.#engine.submit(command).then(
      (submitted) =>
        conclude(answerOf(number, submitted), this.#outcomeFor(gateway, command, submitted)),
      () => conclude({ kind: 'unknown', number }),
    );
  }

  #outcomeFor(
    { takesOutcomes }: Gateway,
    command: Command,
    { encoded, isRepeat }: Submitted,
  ): Uint8Array | undefined {
    if (!takesOutcomes || encoded === undefined || isRepeat) return undefined;
    const { sendsOutcome = isOfOrders } = this.#parts;
    return encoded.bytes.length <= OUTCOME_BYTES_MAX && sendsOutcome(command)
      ? encoded.bytes
      : undefined;
  }

  /** A view waits until all that it saw is on disk, and until it is proven that this node leads. */
  #answerQuestion(gateway: Gateway, number: number): void {
    const engine = this.#engine;
    if (engine === undefined || this.#isClosed) return;
    engine.view('clock', {}).then(
      () =>
        this.#queueAnswer(gateway, { kind: 'newest', number, sequence: engine.releasedSequence }),
      // The gateway asks again, here or at the next leader.
      () => undefined,
    );
  }

  /** All answers of a turn go in one message. */
  #queueAnswer(gateway: Gateway, answer: LeaderAnswer): void {
    gateway.outbox.push(answer);
    if (this.#isTurnScheduled) return;
    this.#isTurnScheduled = true;
    this.#parts.soon(() => this.#post());
  }

  #post(): void {
    this.#isTurnScheduled = false;
    const { transport, writer } = this.#parts;
    for (const gateway of this.#gateways.values()) {
      const { outbox, inbox } = gateway;
      gateway.outbox = [];
      for (const answers of splitAnswers(outbox)) {
        transport.post(inbox, encodeLeaderBatch({ writer, refusal: '', answers }));
      }
    }
  }
}

/**
 * Only views show what orders did, and a view first brings the gateway's copy up to date. Nothing else in a
 * gateway depends on them.
 */
const isOfOrders = ({ kind }: Command): boolean =>
  kind === 'place-orders' || kind === 'cancel-orders';

/** Splits answers by the number of answers and the bytes of outcomes that one message may have. */
function* splitAnswers(outbox: readonly LeaderAnswer[]): Generator<readonly LeaderAnswer[]> {
  let from = 0;
  let bytes = 0;
  for (const [at, answer] of outbox.entries()) {
    const more = answer.kind === 'recorded' ? (answer.outcome?.length ?? 0) : 0;
    if (at - from >= ANSWERS_PER_MESSAGE || bytes + more > OUTCOMES_BYTES_MAX) {
      yield outbox.slice(from, at);
      [from, bytes] = [at, 0];
    }
    bytes += more;
  }
  if (from < outbox.length) yield from === 0 ? outbox : outbox.slice(from);
}

/** A copy: what the core keeps must not be in a buffer that the servers' client reuses. */
function commandIn(bytes: Uint8Array): Command | undefined {
  try {
    return readCommand(new ByteReader(new Uint8Array(bytes)));
  } catch {
    return undefined;
  }
}

const UNREADABLE = {
  kind: 'refused',
  sequence: 0,
  timeMs: 0,
  reason: 'PARAMETER_INVALID',
  message: 'the command of the gateway cannot be read',
} as const;

function answerOf(number: number, submitted: Submitted): LeaderAnswer {
  const { isRepeat, isUnrecorded, encoded } = submitted;
  if (encoded !== undefined) {
    return { kind: 'recorded', number, sequence: encoded.sequence, isRepeat };
  }
  const { sequence, timeMs, events } = submitted.outcome;
  if (isUnrecorded !== true) return { kind: 'recorded', number, sequence, isRepeat };
  const [refused] = events;
  assert(refused?.kind === 'refused', 'what is in no journal was refused');
  const { reason, message } = refused;
  return { kind: 'refused', number, sequence, timeMs, reason, message };
}
