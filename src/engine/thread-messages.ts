import { ByteReader, ByteWriter, type Plain } from '../bytes/pack.ts';
import type { Command } from '../domain/commands.ts';
import { readCommand, writeCommand } from './codec.ts';
import type { Submitted } from './engine.ts';
import { Released } from './released.ts';

/**
 * The messages between a gateway thread and the engine's thread, one for each turn of an event loop: calls of
 * the gateway, and their answers in whatever order they come. Both threads run the same program and no message
 * is lost, so there are no versions and nothing is sent again.
 */

/** A command, or `refresh`: bring an idle venue up to the current second. */
export type Call = Command | 'refresh';

/** `refreshed`: the answer to `refresh`. `unknown`: the engine has ended before it knew. */
export type Answer = Submitted | 'refreshed' | 'unknown';

/** What follows the ticket of an answer. The first two are followed by the bytes of the outcome. */
const RECORDED = 0;
const REPEATED = 1;
const WITHOUT_BYTES = 2;
const REFRESHED = 3;
const UNKNOWN = 4;

/** A buffer that a long message has made larger than this is not kept. */
const KEPT_BYTES_MAX = 1_024 * 1_024;
const BUFFER_BYTES = 16 * 1_024;
const HEAD_BYTES = 8;

/** Collects the records of one message. */
class MessageWriter {
  protected out = new ByteWriter(BUFFER_BYTES);

  /** The message so far; the next one begins. */
  take(): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(this.out.view());
    if (bytes.length > KEPT_BYTES_MAX) this.out = new ByteWriter(BUFFER_BYTES);
    else this.out.clear();
    return bytes;
  }

  protected head(ticket: number, word: number): void {
    const at = this.out.take(HEAD_BYTES);
    this.out.fields.setUint32(at, ticket, true);
    this.out.fields.setUint32(at + 4, word, true);
  }
}

export class CallWriter extends MessageWriter {
  readonly #command = new ByteWriter(4_096);

  /** Returns how many bytes the call has. A command that cannot be written leaves the message as it was. */
  add(ticket: number, call: Call): number {
    this.#command.clear();
    if (call !== 'refresh') writeCommand(this.#command, call);
    const { length } = this.#command;
    this.head(ticket, length);
    if (length > 0) this.out.raw(this.#command.view());
    return length;
  }
}

/** `undefined` stands for a command that cannot be read. */
export function readCalls(
  bytes: Uint8Array,
  onCall: (ticket: number, call: Call | undefined) => void,
): void {
  const from = new ByteReader(bytes);
  const command = new ByteReader(bytes);
  while (!from.isAtEnd) {
    const ticket = from.u32();
    const length = from.u32();
    const start = from.take(length) - bytes.byteOffset;
    command.open(bytes, start, start + length);
    onCall(ticket, length === 0 ? 'refresh' : commandIn(command));
  }
}

function commandIn(reader: ByteReader): Command | undefined {
  try {
    return readCommand(reader);
  } catch {
    return undefined;
  }
}

export class AnswerWriter extends MessageWriter {
  add(ticket: number, answer: Answer): void {
    if (answer === 'refreshed') this.head(ticket, REFRESHED);
    else if (answer === 'unknown') this.head(ticket, UNKNOWN);
    else if (answer.encoded === undefined) {
      this.head(ticket, WITHOUT_BYTES);
      const { outcome, isRepeat, isUnrecorded } = answer;
      this.out.value({ outcome, isRepeat, isUnrecorded } as unknown as Plain);
    } else {
      const { sequence, bytes } = answer.encoded;
      this.head(ticket, answer.isRepeat ? REPEATED : RECORDED);
      this.out.f64(sequence);
      this.out.u32(bytes.length);
      this.out.raw(bytes);
    }
  }
}

/** Outcomes are not copied: they keep the bytes of the message. */
export function readAnswers(
  bytes: Uint8Array,
  onAnswer: (ticket: number, answer: Answer) => void,
): void {
  const from = new ByteReader(bytes);
  while (!from.isAtEnd) {
    const ticket = from.u32();
    onAnswer(ticket, answerIn(from));
  }
}

function answerIn(from: ByteReader): Answer {
  const kind = from.u32();
  if (kind === REFRESHED) return 'refreshed';
  if (kind === UNKNOWN) return 'unknown';
  if (kind === WITHOUT_BYTES) return from.value() as unknown as Submitted;
  const sequence = from.f64();
  const outcome = from.raw(from.u32());
  return new Released(sequence, outcome, kind === REPEATED);
}
