import { ByteReader, ByteWriter } from '../bytes/pack.ts';

/**
 * The messages between gateways and the leader. A batch has the commands of one turn of a gateway's event
 * loop, and at most one question for the newest released sequence; answers come in batches as well.
 *
 * The header of a batch is the same in every version, so that a gateway of another version can be told why it
 * is refused.
 */
const PROTOCOL = 1;

/**
 * The topic of a leader's batches: each takeover draws a new writer id, so none reaches the next leader by
 * mistake.
 */
export const leaderTopic = (writer: string): string => `lead.${writer}`;

export type Numbered = {
  /** Counts up per gateway; a command that is sent again keeps its number. */
  readonly number: number;
  /** The command as encoded in journal entries. */
  readonly bytes: Uint8Array;
};

export type GatewayBatch = {
  /** The name of the gateway. */
  readonly node: string;
  /** The topic on which it receives answers. */
  readonly inbox: string;
  /** Venue, rules and layout. */
  readonly stamp: string;
  readonly version: string;
  /** It waits for no answer with a smaller number. */
  readonly doneBelow: number;
  /** The number of the question; 0 if there is none. */
  readonly question: number;
  readonly commands: readonly Numbered[];
  /** It accepts outcomes with the answers. A leader of the previous version ignores this field. */
  readonly takesOutcomes?: boolean;
};

/**
 * `recorded`: it is in the log; its outcome follows from that, or comes with the answer. `refused`: by the
 * engine itself, without an effect. `not taken`: another leader must be asked. `unknown`: the engine ended
 * before it knew. `newest`: the answer to a question.
 */
export type LeaderAnswer =
  | {
      readonly kind: 'recorded';
      readonly number: number;
      readonly sequence: number;
      readonly isRepeat: boolean;
      /** As stored in the event log. */
      readonly outcome?: Uint8Array | undefined;
    }
  | {
      readonly kind: 'refused';
      readonly number: number;
      readonly sequence: number;
      readonly timeMs: number;
      readonly reason: string;
      readonly message: string;
    }
  | { readonly kind: 'not taken' | 'unknown'; readonly number: number }
  | { readonly kind: 'newest'; readonly number: number; readonly sequence: number };

export type LeaderBatch = {
  readonly writer: string;
  /** Why this gateway is not served; empty if it is. */
  readonly refusal: string;
  readonly answers: readonly LeaderAnswer[];
};

const KINDS = ['recorded', 'refused', 'not taken', 'unknown', 'newest'] as const;
/** Only for gateways that accept outcomes: `recorded`, the first time it is sent, with its outcome. */
const WITH_OUTCOME = KINDS.length;
/** The most bytes of a batch beside its commands; each command takes 12 more than its own bytes. */
export const BATCH_HEAD_BYTES = 1_024;
export const COMMAND_HEAD_BYTES = 12;

const writer = new ByteWriter(64 * 1_024);

/** Valid until the next call. */
export function encodeGatewayBatch(batch: GatewayBatch): Uint8Array {
  writer.clear();
  writer.u8(PROTOCOL);
  for (const text of [batch.node, batch.inbox, batch.stamp, batch.version]) writer.text(text);
  writer.f64(batch.doneBelow);
  writer.f64(batch.question);
  writer.u32(batch.commands.length);
  for (const { number, bytes } of batch.commands) {
    writer.f64(number);
    writer.u32(bytes.length);
    writer.raw(bytes);
  }
  writer.u8(batch.takesOutcomes === true ? 1 : 0);
  return writer.view();
}

/**
 * Of a batch of another version only the header is read. Undefined if it is not a batch: anybody may send to
 * the servers.
 */
export const decodeGatewayBatch = (
  bytes: Uint8Array,
): (GatewayBatch & { readonly protocol: number }) | undefined =>
  orNothing(() => {
    const reader = new ByteReader(bytes);
    const protocol = reader.u8();
    const [node, inbox, stamp, version] = [
      ...[reader.text(), reader.text(), reader.text(), reader.text()],
    ] as [string, string, string, string];
    const head = { protocol, node, inbox, stamp, version };
    if (protocol !== PROTOCOL) return { ...head, doneBelow: 0, question: 0, commands: [] };
    const doneBelow = reader.f64();
    const question = reader.f64();
    const commands = Array.from({ length: countIn(reader, bytes) }, () => ({
      number: reader.f64(),
      bytes: reader.raw(reader.u32()),
    }));
    const takesOutcomes = !reader.isAtEnd && reader.u8() === 1;
    return { ...head, doneBelow, question, commands, takesOutcomes };
  });

export const isOwnProtocol = ({ protocol }: { readonly protocol: number }): boolean =>
  protocol === PROTOCOL;

/** Valid until the next call. */
export function encodeLeaderBatch(batch: LeaderBatch): Uint8Array {
  writer.clear();
  writer.u8(PROTOCOL);
  writer.text(batch.writer);
  writer.text(batch.refusal);
  writer.u32(batch.answers.length);
  for (const answer of batch.answers) {
    const outcome = answer.kind === 'recorded' ? answer.outcome : undefined;
    writer.u8(outcome === undefined ? KINDS.indexOf(answer.kind) : WITH_OUTCOME);
    writer.f64(answer.number);
    if (outcome !== undefined) {
      writer.f64((answer as { readonly sequence: number }).sequence);
      writer.u32(outcome.length);
      writer.raw(outcome);
      continue;
    }
    if ('sequence' in answer) writer.f64(answer.sequence);
    if (answer.kind === 'recorded') writer.u8(answer.isRepeat ? 1 : 0);
    if (answer.kind === 'refused') {
      writer.f64(answer.timeMs);
      writer.text(answer.reason);
      writer.text(answer.message);
    }
  }
  return writer.view();
}

/** Outcomes are views into these bytes. */
export const decodeLeaderBatch = (bytes: Uint8Array): LeaderBatch | undefined =>
  orNothing(() => {
    const reader = new ByteReader(bytes);
    reader.u8();
    const from = reader.text();
    const refusal = reader.text();
    // The rest may have another layout in another version; such a leader refuses anyway.
    if (refusal !== '') return { writer: from, refusal, answers: [] };
    const answers = Array.from({ length: countIn(reader, bytes) }, () => answerIn(reader));
    return { writer: from, refusal, answers };
  });

function answerIn(reader: ByteReader): LeaderAnswer {
  const code = reader.u8();
  const number = reader.f64();
  if (code === WITH_OUTCOME) {
    const sequence = reader.f64();
    const outcome = reader.raw(reader.u32());
    return { kind: 'recorded', number, sequence, isRepeat: false, outcome };
  }
  const kind = KINDS[code];
  switch (kind) {
    case 'recorded':
      return { kind, number, sequence: reader.f64(), isRepeat: reader.u8() === 1 };
    case 'refused': {
      const sequence = reader.f64();
      const timeMs = reader.f64();
      return { kind, number, sequence, timeMs, reason: reader.text(), message: reader.text() };
    }
    case 'not taken':
    case 'unknown':
      return { kind, number };
    case 'newest':
      return { kind, number, sequence: reader.f64() };
    default:
      throw new RangeError('an answer of a kind that this program does not know');
  }
}

/** Every element takes at least a few bytes: an impossible count must not allocate a list. */
function countIn(reader: ByteReader, { length }: Uint8Array): number {
  const count = reader.u32();
  if (count > length) throw new RangeError(`${count} elements in ${length} bytes`);
  return count;
}

function orNothing<Found>(read: () => Found): Found | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
