import { digestText } from '../bytes/digest.ts';
import { ByteWriter } from '../bytes/pack.ts';
import { signatureOf } from '../core/memory/requests.ts';
import type { State } from '../core/state.ts';
import { directoryOf } from '../core/views/views.ts';
import type { Command } from '../domain/commands.ts';
import { encodeOutcome } from '../domain/event-codec.ts';
import { type Rejection, refuse } from '../domain/rejections.ts';
import type { Directory } from '../domain/views.ts';
import type { Clock } from './clock.ts';
import { ENTRY_HEAD_BYTES, pooled, writeCommand } from './codec.ts';
import { CopyEngine } from './copy-engine.ts';
import type { DiskWatch } from './disk-watch.ts';
import {
  type EngineStatus,
  EngineStopped,
  type FollowerStatus,
  type Submitted,
  unrecorded,
} from './engine.ts';
import { type CommandAnswer, KEEP_MS, type LeaderConnection } from './leader-connection.ts';
import type { RecentOutcomes } from './recent-outcomes.ts';
import type { EntryHandler } from './recovery.ts';
import { Released } from './released.ts';
import type { Every } from './ticker.ts';

export type RemoteEngineParts = {
  /** The copy; it follows the log. */
  readonly state: State;
  readonly connection: Pick<
    LeaderConnection,
    'submit' | 'newest' | 'waiting' | 'unanswered' | 'fullWords' | 'setLeader' | 'onLogged' | 'stop'
  >;
  readonly recent: RecentOutcomes;
  readonly clock: Clock;
  /** A monotonic clock. */
  readonly nowMs: () => number;
  readonly every: Every;
  readonly disk?: DiskWatch;
  readonly follower?: () => FollowerStatus;
  /** For a copy that lags on purpose. */
  readonly lag?: CopyLag;
};

export type CopyLag = {
  /** Applies what has arrived from the log. */
  readonly catchUp: () => void;
  /** Somebody listens to the stream, which is made from the copy: answers wait for the copy as well. */
  readonly isForbidden: () => boolean;
};

type Awaiting = {
  readonly sequence: number;
  readonly untilMs: number;
  readonly resolve: () => void;
  readonly reject: (reason: Error) => void;
};

const CHECK_MS = 250;

/**
 * The engine of a gateway: commands go to the leader, and everything else comes from the gateway's own copy
 * of the state, which follows the log.
 *
 * A command is answered from the copy's own events, once the copy has applied it; so after an answer its
 * effect is visible here. If the leader sends the outcome of a command that only views show, it is answered
 * at once and the copy may be applied later: the next view waits for it. A view first asks the leader for the
 * newest released sequence and waits until the copy has reached it; so it shows what any node has answered.
 */
export class RemoteEngine extends CopyEngine {
  readonly directory: Directory;
  readonly #parts: RemoteEngineParts;
  readonly #command = new ByteWriter(4_096);
  readonly #outcome = new ByteWriter(64 * 1_024);
  readonly #stopChecking: () => void;
  #awaiting: Awaiting[] = [];
  /** The newest sequence that was answered with the leader's outcome. */
  #answeredTo = 0;
  #stopped: EngineStopped | undefined;

  constructor(parts: RemoteEngineParts) {
    super(parts);
    this.#parts = parts;
    this.directory = directoryOf(parts.state);
    this.#stopChecking = parts.every(CHECK_MS, () => this.#check());
  }

  async submit(command: Command): Promise<Submitted> {
    if (this.#stopped !== undefined) throw this.#stopped;
    const { connection } = this.#parts;
    const full = connection.fullWords;
    if (full !== undefined) return this.refused(refuse('BUSY', full));
    this.#command.clear();
    writeCommand(this.#command, command);
    const isSigned = signatureOf(command)?.fingerprint !== undefined;
    return this.#submittedOf(await connection.submit(pooled(this.#command.view()), isSigned));
  }

  /** The leader brings an idle venue up to the current second before it answers with its sequence. */
  async refreshed(): Promise<void> {
    await this.#applied(await this.#parts.connection.newest());
  }

  /** The copy may be behind what was answered; a read waits for it. */
  get releasedSequence(): number {
    return Math.max(this.#parts.state.sequence, this.#answeredTo);
  }

  /** The sequence that the copy has reached. */
  get copySequence(): number {
    return this.#parts.state.sequence;
  }

  /** Commands and reads that wait for the leader. */
  get unanswered(): number {
    return this.#parts.connection.unanswered;
  }

  /** Somebody waits for the copy to advance. */
  get isAwaited(): boolean {
    return this.#awaiting.length > 0;
  }

  status(): EngineStatus {
    const { state, connection, clock, disk, follower, lag } = this.#parts;
    lag?.catchUp();
    return {
      sequence: state.sequence,
      releasedSequence: this.releasedSequence,
      digest: digestText(state.digest),
      waiting: connection.waiting,
      isStopped: this.#stopped !== undefined,
      clock: clock.reading(),
      disk: disk?.status ?? { freeBytes: undefined, refusing: undefined },
      ...(follower === undefined ? {} : { follower: follower() }),
    };
  }

  /** Called with the outcome of each entry that the copy applies. */
  readonly onEntry: EntryHandler = (sequence, timeMs, events) => {
    this.#outcome.clear();
    encodeOutcome(this.#outcome, timeMs, events);
    this.#parts.recent.add(sequence, this.#outcome.view());
  };

  readonly onBytes = (entry: Uint8Array): void => {
    this.#parts.connection.onLogged(entry.subarray(ENTRY_HEAD_BYTES));
  };

  /** The copy has advanced, or another node leads. */
  moved(writer: string | undefined): void {
    this.#parts.connection.setLeader(writer);
    if (this.#awaiting.length === 0) return;
    const { sequence } = this.#parts.state;
    const due = this.#awaiting.filter((one) => one.sequence <= sequence);
    if (due.length === 0) return;
    this.#awaiting = this.#awaiting.filter((one) => one.sequence > sequence);
    for (const { resolve } of due) resolve();
  }

  stop(): void {
    this.#stopped = new EngineStopped('the gateway is closing');
    this.#stopChecking();
    this.#parts.connection.stop(this.#stopped);
    for (const { reject } of this.#awaiting.splice(0)) reject(this.#stopped);
  }

  async #submittedOf(answer: CommandAnswer): Promise<Submitted> {
    if (answer.kind === 'not sent') return this.refused(refuse('UNAVAILABLE', answer.words));
    if (answer.kind === 'refused') {
      const { sequence, timeMs, reason, message } = answer;
      return unrecorded({ rejected: reason as Rejection, message }, sequence, timeMs);
    }
    const { sequence, isRepeat, outcome } = answer;
    const { lag } = this.#parts;
    if (outcome !== undefined && lag?.isForbidden() === false) {
      this.#answeredTo = Math.max(this.#answeredTo, sequence);
      return new Released(sequence, outcome, isRepeat);
    }
    await this.#applied(sequence);
    return this.#parts.recent.answerOf(sequence, this.nowMs(), isRepeat);
  }

  /** Resolves when the copy has reached this sequence. */
  #applied(sequence: number): Promise<void> {
    const { state, lag } = this.#parts;
    if (sequence > state.sequence) lag?.catchUp();
    if (sequence <= state.sequence) return Promise.resolve();
    if (this.#stopped !== undefined) return Promise.reject(this.#stopped);
    const untilMs = this.#parts.nowMs() + KEEP_MS;
    return new Promise((resolve, reject) => {
      this.#awaiting.push({ sequence, untilMs, resolve, reject });
    });
  }

  #check(): void {
    const nowMs = this.#parts.nowMs();
    const late = this.#awaiting.filter(({ untilMs }) => untilMs <= nowMs);
    if (late.length === 0) return;
    this.#awaiting = this.#awaiting.filter(({ untilMs }) => untilMs > nowMs);
    const reason = new EngineStopped('this gateway does not keep up with the log');
    for (const { reject } of late) reject(reason);
  }
}
