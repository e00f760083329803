import { ByteReader, ByteWriter } from '../bytes/pack.ts';

/**
 * What gateways and the leader write to each other. A batch has the commands of one turn of a gateway's event loop, and
 * at most one question for the newest released sequence; answers come in batches as well.
 *
 * The head of a batch stays as it is in every version, so that a gateway of another one can be told why
 * it is refused.
 */
const PROTOCOL = 1;

/** Where a leader gets batches: each takeover draws a new writer, so none reaches the next leader by mistake. */
export const leaderTopic = (writer: string): string => `lead.${writer}`;

export type Numbered = {
  /** Counts up in one gateway; the same command sent again has the same. */
  readonly number: number;
  /** The command as entries of the journal have it. */
  readonly bytes: Uint8Array;
};

export type GatewayBatch = {
  /** The name of the gateway. */
  readonly node: string;
  /** Where it gets answers. */
  readonly inbox: string;
  /** Venue, rules and layout. */
  readonly fits: string;
  readonly version: string;
  /** It waits for no answer with a smaller number. */
  readonly doneBelow: number;
  /** The number of the question; 0 where there is none. */
  readonly question: number;
  readonly commands: readonly Numbered[];
  /** It takes outcomes with the answers; an engine of a version before does not look at this. */
  readonly takesOutcomes?: boolean;
};

/**
 * `recorded`: it is in the log, and its outcome follows from that, or comes with it. `refused`: by the engine itself, without
 * an effect. `not taken`: somebody else must be asked. `unknown`: the engine ended over it. `newest`: the
 * answer to a question.
 */
export type LeaderAnswer =
  | {
      readonly kind: 'recorded';
      readonly number: number;
      readonly sequence: number;
      readonly isRepeat: boolean;
      /** As the event log has it. */
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
  /** Why this gateway does not get anything; empty where it does. */
  readonly refusal: string;
  readonly answers: readonly LeaderAnswer[];
};

const KINDS = ['recorded', 'refused', 'not taken', 'unknown', 'newest'] as const;
/** Only to who takes them: `recorded`, for the first time, with its outcome. */
const WITH_OUTCOME = KINDS.length;
/** What a batch takes beside its commands, at most; each command takes 12 more than its bytes. */
export const BATCH_HEAD_BYTES = 1_024;
export const COMMAND_HEAD_BYTES = 12;

const writer = new ByteWriter(64 * 1_024);

/** Valid until the next one is made. */
export function encodeGatewayBatch(batch: GatewayBatch): Uint8Array {
  writer.clear();
  writer.u8(PROTOCOL);
  for (const text of [batch.node, batch.inbox, batch.fits, batch.version]) writer.text(text);
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

/** Of another version only the head is read. Undefined where it is no batch: anybody may send to the servers. */
export const decodeGatewayBatch = (
  bytes: Uint8Array,
): (GatewayBatch & { readonly protocol: number }) | undefined =>
  orNothing(() => {
    const reader = new ByteReader(bytes);
    const protocol = reader.u8();
    const [node, inbox, fits, version] = [
      ...[reader.text(), reader.text(), reader.text(), reader.text()],
    ] as [string, string, string, string];
    const head = { protocol, node, inbox, fits, version };
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

/** Valid until the next one is made. */
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

/** Outcomes are parts of these bytes. */
export const decodeLeaderBatch = (bytes: Uint8Array): LeaderBatch | undefined =>
  orNothing(() => {
    const reader = new ByteReader(bytes);
    reader.u8();
    const from = reader.text();
    const refusal = reader.text();
    // Of another version the rest may be laid out differently; such a leader says no anyway.
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

/** Every element takes a few bytes at least: a count that cannot be right makes no list. */
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
