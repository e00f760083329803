import { VERSION } from '../domain/version.ts';
import type { Transport } from '../replication/log.ts';
import { EngineStopped } from './engine.ts';
import {
  BATCH_HEAD_BYTES,
  COMMAND_HEAD_BYTES,
  decodeLeaderBatch,
  encodeGatewayBatch,
  type LeaderAnswer,
  leaderTopic,
  type Numbered,
} from './gateway-protocol.ts';
import type { Every } from './ticker.ts';

export type LeaderConnectionParts = {
  readonly transport: Transport & { readonly messageBytesMax: number };
  readonly node: string;
  /** The topic on which this gateway receives answers; drawn at random by each start. */
  readonly inbox: string;
  readonly stamp: string;
  /** A monotonic clock. */
  readonly nowMs: () => number;
  readonly every: Every;
  readonly soon: (run: () => void) => void;
  /** Accepts outcomes with answers, if the leader sends them. */
  readonly takesOutcomes?: boolean;
  /** The leader does not serve this gateway; called with the reason. */
  readonly onRefused: (words: string) => void;
};

/** The fate of a command; `not sent`: nobody has accepted it, and nobody will. */
export type CommandAnswer =
  | Extract<LeaderAnswer, { readonly kind: 'recorded' | 'refused' }>
  | { readonly kind: 'not sent'; readonly words: string };

type Pending = Numbered & {
  readonly isSigned: boolean;
  readonly untilMs: number;
  readonly resolve: (answer: CommandAnswer) => void;
  readonly reject: (reason: Error) => void;
  /** The writer it was last sent to; undefined if it has to be sent. */
  sentTo: string | undefined;
  /** A leader may have accepted it. */
  isDoubtful: boolean;
  /** A previous leader may have accepted it. Does not matter for a signed command. */
  wasElsewhere: boolean;
  /** An equal command was seen in the log since this one was sent. */
  isSeen: boolean;
  resendAtMs: number;
  waitMs: number;
};

type WaitingRead = {
  readonly untilMs: number;
  readonly resolve: (sequence: number) => void;
  readonly reject: (reason: Error) => void;
};
type Question = { readonly reads: readonly WaitingRead[]; resendAtMs: number };

/** For this long a command is sent again, to whichever engine leads; also how long a read waits. */
export const KEEP_MS = 12_000;
/** Without a log server it gives up sooner: other gateways may have one. Longer than switching servers takes. */
const AWAY_MS = 700;
const AWAY_WORDS = 'this gateway reaches no log server';
/** The most that may wait for a leader; more is refused. */
const PENDING_MAX = 20_000;
const PENDING_BYTES_MAX = 32 * 1_024 * 1_024;
const READS_MAX = 50_000;
/** Messages may be lost with the server that carries them. Each retry waits twice as long, up to a limit. */
const RESEND_MS = 500;
const RESEND_MOST_MS = 2_000;
const CHECK_MS = 50;
const BATCH_BYTES = 512 * 1_024;

/**
 * A gateway's side of the connection to the leader. All commands of a turn go in one batch, together with one question
 * for the newest released sequence.
 *
 * The log says who leads. When a takeover is read there, everything that the previous leader accepted has been read as
 * well, and nothing more of it can follow. So a command that it may have accepted is sent to the next leader if that is
 * safe: a signed one always, because the core recognises signed requests; any other only if it was not seen in the log.
 */
export class LeaderConnection {
  readonly #parts: LeaderConnectionParts;
  readonly #pending = new Map<number, Pending>();
  /** Commands without a signature that a leader may have accepted, by their bytes. */
  readonly #unsigned = new Map<string, Set<Pending>>();
  readonly #questions = new Map<number, Question>();
  /** Sorted by number when they are sent. */
  #unsent: Pending[] = [];
  readonly #stops: (() => void)[];
  #reads: WaitingRead[] = [];
  #readCount = 0;
  #pendingBytes = 0;
  #number = 0;
  #leader: string | undefined;
  #isTurnScheduled = false;
  #stopped: EngineStopped | undefined;
  #awaySinceMs: number | undefined;
  #batches = 0;
  #resent = 0;

  constructor(parts: LeaderConnectionParts) {
    this.#parts = parts;
    this.#stops = [
      parts.transport.receive(parts.inbox, (bytes) => this.#onBatch(bytes)),
      parts.every(CHECK_MS, () => this.#check()),
    ];
  }

  /** Commands that wait for an answer. */
  get waiting(): number {
    return this.#pending.size;
  }

  /** Commands and reads that wait for an answer. */
  get unanswered(): number {
    return this.#pending.size + this.#readCount;
  }

  /** Since the start: batches sent, and commands that were sent more than once. */
  get counts(): { readonly batches: number; readonly resent: number } {
    return { batches: this.#batches, resent: this.#resent };
  }

  /** Why no more commands are accepted; undefined while there is room. */
  get fullWords(): string | undefined {
    const isFull = this.#pending.size >= PENDING_MAX || this.#pendingBytes >= PENDING_BYTES_MAX;
    return isFull ? `${this.#pending.size} commands wait for the leader` : undefined;
  }

  /** Rejects with EngineStopped if the outcome is not known. */
  submit(bytes: Uint8Array, isSigned: boolean): Promise<CommandAnswer> {
    if (this.#stopped !== undefined) return Promise.reject(this.#stopped);
    const number = ++this.#number;
    return new Promise((resolve, reject) => {
      const pending: Pending = {
        ...{ number, bytes, isSigned, resolve, reject },
        untilMs: this.#parts.nowMs() + KEEP_MS,
        sentTo: undefined,
        isDoubtful: false,
        wasElsewhere: false,
        isSeen: false,
        resendAtMs: 0,
        waitMs: RESEND_MS,
      };
      this.#pending.set(number, pending);
      this.#unsent.push(pending);
      this.#pendingBytes += bytes.length;
      this.#scheduleTurn();
    });
  }

  /** A sequence that is at least the newest one released when this was called. */
  newest(): Promise<number> {
    if (this.#stopped !== undefined) return Promise.reject(this.#stopped);
    if (this.#readCount >= READS_MAX) {
      return Promise.reject(new EngineStopped(`${READS_MAX} reads wait for the leader`));
    }
    this.#readCount++;
    return new Promise((resolve, reject) => {
      this.#reads.push({ untilMs: this.#parts.nowMs() + KEEP_MS, resolve, reject });
      this.#scheduleTurn();
    });
  }

  /** A takeover or a hand-over was read in the log, and everything before it. */
  setLeader(writer: string | undefined): void {
    if (writer === this.#leader) return;
    this.#leader = writer;
    if (writer === undefined) return;
    for (const pending of this.#pending.values()) this.#moveOn(pending);
    for (const [number, { reads }] of this.#questions) {
      this.#questions.delete(number);
      this.#reads.push(...reads);
    }
    this.#scheduleTurn();
  }

  /** A command was read in the log. */
  onLogged(bytes: Uint8Array): void {
    if (this.#unsigned.size === 0) return;
    for (const pending of this.#unsigned.get(nameOf(bytes)) ?? []) pending.isSeen = true;
  }

  stop(reason: EngineStopped): void {
    this.#stopped = reason;
    for (const stop of this.#stops) stop();
    for (const pending of [...this.#pending.values()]) this.#settle(pending)?.reject(reason);
    for (const { reads } of this.#questions.values()) this.#fail(reads, reason);
    this.#questions.clear();
    this.#fail(this.#reads.splice(0), reason);
  }

  /** It was sent to a leader that no longer leads: everything that one accepted has been seen. */
  #moveOn(pending: Pending): void {
    if (pending.sentTo === undefined || pending.sentTo === this.#leader) return;
    if (!pending.isSigned && pending.isSeen) {
      this.#settle(pending)?.reject(
        new EngineStopped('the leader was replaced while it had this command'),
      );
      return;
    }
    this.#resent++;
    this.#takeBack(pending, pending.isSigned);
  }

  /** Queues it for the next leader. */
  #takeBack(pending: Pending, isDoubtful: boolean): void {
    this.#forgetUnsigned(pending);
    pending.sentTo = undefined;
    pending.isDoubtful = isDoubtful;
    pending.wasElsewhere = isDoubtful;
    pending.isSeen = false;
    pending.waitMs = RESEND_MS;
    this.#unsent.push(pending);
  }

  #scheduleTurn(): void {
    if (this.#isTurnScheduled) return;
    this.#isTurnScheduled = true;
    this.#parts.soon(() => {
      this.#isTurnScheduled = false;
      this.#send();
    });
  }

  /** Sends all commands that no leader has yet. */
  #send(): void {
    const leader = this.#leader;
    if (leader === undefined || this.#stopped !== undefined) return;
    const nowMs = this.#parts.nowMs();
    let question = 0;
    if (this.#reads.length > 0) {
      question = ++this.#number;
      this.#questions.set(question, { reads: this.#reads, resendAtMs: nowMs + RESEND_MS });
      this.#reads = [];
    }
    const unsent = this.#unsent
      .filter(({ number }) => this.#pending.has(number))
      .sort((one, other) => one.number - other.number);
    this.#post(leader, unsent, question);
    this.#unsent = unsent.filter(({ sentTo }) => sentTo === undefined);
  }

  /** Splits them into as many messages as needed. */
  #post(leader: string, commands: readonly Pending[], question: number): void {
    const most = Math.min(BATCH_BYTES, this.#parts.transport.messageBytesMax - BATCH_HEAD_BYTES);
    let group: Pending[] = [];
    let groupBytes = 0;
    let unsentQuestion = question;
    for (const command of commands) {
      const size = COMMAND_HEAD_BYTES + command.bytes.length;
      if (group.length > 0 && groupBytes + size > most) {
        if (!this.#postGroup(leader, group, unsentQuestion)) return;
        [group, groupBytes, unsentQuestion] = [[], 0, 0];
      }
      group.push(command);
      groupBytes += size;
    }
    if (group.length > 0 || unsentQuestion !== 0) this.#postGroup(leader, group, unsentQuestion);
  }

  #postGroup(leader: string, commands: readonly Pending[], question: number): boolean {
    const { transport, node, inbox, stamp, nowMs, takesOutcomes = false } = this.#parts;
    const [oldest = this.#number + 1] = this.#pending.keys();
    const batch = { node, inbox, stamp, version: VERSION, takesOutcomes, question, commands };
    const bytes = encodeGatewayBatch({ ...batch, doneBelow: oldest });
    if (!transport.post(leaderTopic(leader), bytes)) return false;
    this.#batches++;
    for (const pending of commands) {
      pending.sentTo = leader;
      pending.isDoubtful = true;
      pending.resendAtMs = nowMs() + pending.waitMs;
      pending.waitMs = Math.min(RESEND_MOST_MS, 2 * pending.waitMs);
      if (!pending.isSigned) this.#noteUnsigned(pending);
    }
    return true;
  }

  #onBatch(bytes: Uint8Array): void {
    // A copy: outcomes in it are read after this call.
    const batch = decodeLeaderBatch(new Uint8Array(bytes));
    if (batch === undefined) return;
    if (batch.refusal !== '') this.#parts.onRefused(batch.refusal);
    for (const answer of batch.answers) {
      if (answer.kind === 'newest') this.#answered(answer, batch.writer);
      else this.#concluded(answer, batch.writer);
    }
  }

  /** An answer of a leader that was replaced may be out of date. */
  #answered({ number, sequence }: { number: number; sequence: number }, writer: string): void {
    const question = this.#questions.get(number);
    if (question === undefined || writer !== this.#leader) return;
    this.#questions.delete(number);
    this.#readCount -= question.reads.length;
    for (const { resolve } of question.reads) resolve(sequence);
  }

  #concluded(answer: Exclude<LeaderAnswer, { kind: 'newest' }>, writer: string): void {
    const pending = this.#pending.get(answer.number);
    if (pending === undefined) return;
    if (answer.kind === 'recorded' || answer.kind === 'refused') {
      this.#settle(pending)?.resolve(answer);
    } else if (answer.kind === 'not taken' && pending.sentTo === writer) {
      // The next leader is about to take over; nothing is sent before that.
      this.#takeBack(pending, pending.wasElsewhere);
      if (this.#leader === writer) this.#leader = undefined;
    }
    // Unknown: the leader ends because of it. The takeover of the next one shows whether it was stored.
  }

  #check(): void {
    const nowMs = this.#parts.nowMs();
    const { isConnected } = this.#parts.transport;
    this.#awaySinceMs = isConnected ? undefined : (this.#awaySinceMs ?? nowMs);
    if (this.#pending.size === 0 && this.#readCount === 0) return;
    const isAway = nowMs - (this.#awaySinceMs ?? nowMs) >= AWAY_MS;
    // If no server is reachable, what arrived last is as hopeless as the rest.
    const lateMs = isAway ? Number.POSITIVE_INFINITY : nowMs;
    const words = isAway ? AWAY_WORDS : `no engine has answered for ${KEEP_MS / 1_000} s`;
    for (const pending of [...this.#pending.values()]) {
      if (pending.untilMs > lateMs) break;
      this.#giveUp(pending, words);
    }
    this.#reads = this.#withoutLate(this.#reads, lateMs, words);
    for (const [number, question] of this.#questions) {
      const reads = this.#withoutLate(question.reads, lateMs, words);
      if (reads.length === 0) this.#questions.delete(number);
      else if (reads.length < question.reads.length) {
        this.#questions.set(number, { ...question, reads });
      }
    }
    this.#resendDue(nowMs);
    this.#send();
  }

  #resendDue(nowMs: number): void {
    const leader = this.#leader;
    if (leader === undefined) return;
    const due: Pending[] = [];
    for (const pending of this.#pending.values()) {
      if (pending.sentTo === leader && pending.resendAtMs <= nowMs) due.push(pending);
    }
    this.#resent += due.length;
    this.#post(leader, due, 0);
    for (const [number, question] of this.#questions) {
      if (question.resendAtMs > nowMs) continue;
      question.resendAtMs = nowMs + RESEND_MS;
      this.#postGroup(leader, [], number);
    }
  }

  #giveUp(pending: Pending, words: string): void {
    const settled = this.#settle(pending);
    if (pending.isDoubtful) settled?.reject(new EngineStopped(words));
    else settled?.resolve({ kind: 'not sent', words: `${words}; the request had no effect` });
  }

  #withoutLate(reads: readonly WaitingRead[], lateMs: number, words: string): WaitingRead[] {
    const late = reads.filter(({ untilMs }) => untilMs <= lateMs);
    if (late.length === 0) return reads as WaitingRead[];
    this.#fail(late, new EngineStopped(words));
    return reads.filter(({ untilMs }) => untilMs > lateMs);
  }

  #fail(reads: readonly WaitingRead[], reason: Error): void {
    this.#readCount -= reads.length;
    for (const { reject } of reads) reject(reason);
  }

  #settle(pending: Pending): Pending | undefined {
    if (!this.#pending.delete(pending.number)) return undefined;
    this.#pendingBytes -= pending.bytes.length;
    this.#forgetUnsigned(pending);
    return pending;
  }

  #noteUnsigned(pending: Pending): void {
    const name = nameOf(pending.bytes);
    const same = this.#unsigned.get(name) ?? new Set();
    this.#unsigned.set(name, same.add(pending));
  }

  #forgetUnsigned(pending: Pending): void {
    if (pending.isSigned) return;
    const name = nameOf(pending.bytes);
    const same = this.#unsigned.get(name);
    if (same?.delete(pending) !== true) return;
    if (same.size === 0) this.#unsigned.delete(name);
  }
}

const nameOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
