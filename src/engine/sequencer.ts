import { digestText } from '../bytes/digest.ts';
import { ByteWriter } from '../bytes/pack.ts';
import { firstSequenceOf, signatureOf } from '../core/memory/requests.ts';
import { RULES_VERSION } from '../core/snapshot.ts';
import type { State } from '../core/state.ts';
import { apply, hasPendingWork, isIdle, nextStepAtMs } from '../core/venue.ts';
import { directoryOf, view } from '../core/views/views.ts';
import { BrokenInvariant } from '../domain/assert.ts';
import type { Command } from '../domain/commands.ts';
import { encodeOutcome } from '../domain/event-codec.ts';
import { type Refusal, refuse } from '../domain/rejections.ts';
import { sequence, timeMs } from '../domain/units.ts';
import type { Directory, ViewName, Views } from '../domain/views.ts';
import type { Clock } from './clock.ts';
import { encodeUnapplied, pooled, setDigest } from './codec.ts';
import type { DiskWatch } from './disk-watch.ts';
import {
  type Engine,
  type EngineStatus,
  EngineStopped,
  type FollowerStatus,
  type Submitted,
  unrecorded,
} from './engine.ts';
import { GroupCommit, type GroupCommitParts } from './group-commit.ts';
import { adviceOn, type Poison } from './poison.ts';
import type { RecentOutcomes } from './recent-outcomes.ts';
import { Released } from './released.ts';

export type SequencerParts = Omit<GroupCommitParts, 'onFailure'> & {
  readonly state: State;
  readonly clock: Clock;
  readonly poison: Poison;
  readonly recent: RecentOutcomes;
  /** The venue cannot continue: log the reason and end the process. */
  readonly onFailure: (reason: Error) => void;
  /** The disk of the journal; absent for an in-memory venue. */
  readonly disk?: DiskWatch;
  readonly follower?: () => FollowerStatus;
  /** The most commands that may wait for the journal; no limit unless set. */
  readonly waitingMax?: number;
};

/** A command that arrived while consequences of another were pending. */
type Queued = {
  readonly command: Command;
  readonly resolve: (submitted: Submitted | Promise<Submitted>) => void;
  readonly reject: (reason: Error) => void;
};

/** Client commands that may queue while work is pending; more are refused. */
const QUEUED_MAX = 10_000;
const SEND_AGAIN = 'the same request may be sent again in a moment';

/**
 * The single writer. Gives each command its sequence and its time, and releases no outcome before the command
 * that caused it is on disk (group-commit.ts).
 *
 * A command does a bounded number of its consequences (domain/bounds.ts). Continue commands do the rest, one
 * per turn of the event loop and ahead of every client. In between, sockets are read, views are served and
 * durable outcomes are sent; commands that arrive meanwhile queue up.
 */
export class Sequencer implements Engine {
  readonly directory: Directory;
  readonly #parts: SequencerParts;
  readonly #out = new ByteWriter(64 * 1024);
  readonly #outcome = new ByteWriter(64 * 1024);
  readonly #waitingMax: number;
  readonly #groups: GroupCommit;
  #queued: Queued[] = [];
  #isTurnScheduled = false;
  #stopped: EngineStopped | undefined;
  #isBroken = false;

  constructor(parts: SequencerParts) {
    this.#parts = parts;
    this.#waitingMax = parts.waitingMax ?? Number.POSITIVE_INFINITY;
    this.#groups = new GroupCommit({ ...parts, onFailure: (reason) => this.#stop(reason) });
    this.directory = directoryOf(parts.state);
    // A crash may have happened between a command and its consequences.
    this.#scheduleTurn();
  }

  submit(command: Command): Promise<Submitted> {
    if (this.#stopped !== undefined) return Promise.reject(this.#stopped);
    if (!this.#isBusy()) return this.#take(command);
    // Prices, ticks and operators' commands are few, and needed to finish pending work.
    if (this.#queued.length >= QUEUED_MAX && 'by' in command) {
      return Promise.resolve(this.#refused(refuse('BUSY', `${QUEUED_MAX} commands are waiting`)));
    }
    return new Promise((resolve, reject) => {
      this.#queued.push({ command, resolve, reject });
    });
  }

  async view<Name extends ViewName>(
    name: Name,
    query: Views[Name]['query'],
  ): Promise<Views[Name]['result']> {
    // After a broken invariant the state may be half changed: nothing of it may be shown.
    if (this.#isBroken) throw this.#stopped;
    const result = view(this.#parts.state, name, query);
    await this.#durableTo(this.#parts.state.sequence);
    return result;
  }

  get releasedSequence(): number {
    return this.#groups.durable;
  }

  nowMs(): number {
    return Math.max(this.#parts.clock.nowMs(), this.#parts.state.timeMs);
  }

  nextStepAtMs(): number | undefined {
    return nextStepAtMs(this.#parts.state);
  }

  isIdle(): boolean {
    return isIdle(this.#parts.state) && this.#queued.length === 0;
  }

  indexPrices(): Views['indexPrices']['result'] {
    return view(this.#parts.state, 'indexPrices', {});
  }

  /** Nothing to do here: FreshEngine submits time and prices. */
  refreshed(): Promise<void> {
    return Promise.resolve();
  }

  status(): EngineStatus {
    const { state, syncTimes, follower } = this.#parts;
    const sync = syncTimes?.summary();
    return {
      sequence: state.sequence,
      releasedSequence: this.#groups.durable,
      digest: digestText(state.digest),
      waiting: this.#groups.waiting + this.#queued.length,
      isStopped: this.#stopped !== undefined,
      clock: this.#parts.clock.reading(),
      disk: this.#parts.disk?.status ?? { freeBytes: undefined, refusing: undefined },
      ...(sync === undefined ? {} : { sync }),
      ...(follower === undefined ? {} : { follower: follower() }),
    };
  }

  /** Accepts no more commands and waits until everything accepted is done and released. */
  async drain(): Promise<void> {
    this.#stopped ??= new EngineStopped('the venue is closing');
    await this.whenIdle();
    await this.#durableTo(this.#parts.state.sequence);
  }

  /** Resolves once no consequence and no queued command is pending. */
  async whenIdle(): Promise<void> {
    while (this.#isBusy() && !this.#isBroken) {
      await new Promise<void>((resolve) => this.#parts.soon(resolve));
    }
  }

  #isBusy(): boolean {
    return hasPendingWork(this.#parts.state) || this.#queued.length > 0;
  }

  #take(command: Command): Promise<Submitted> {
    const first = this.#firstSequenceOf(command);
    if (first !== undefined) return this.#repeat(first);
    const refusal = this.#ownRefusal(command) ?? this.#stepClock(command);
    if (refusal !== undefined) return Promise.resolve(this.#refused(refusal));
    const submitted = this.#apply(command);
    this.#scheduleTurn();
    return submitted;
  }

  #scheduleTurn(): void {
    if (this.#isTurnScheduled || !this.#isBusy()) return;
    this.#isTurnScheduled = true;
    this.#parts.soon(() => this.#turn());
  }

  /** Pending work first, then one command that has waited for it. */
  #turn(): void {
    this.#isTurnScheduled = false;
    if (this.#isBroken) return;
    if (hasPendingWork(this.#parts.state)) {
      this.#apply({ kind: 'continue' }).catch(() => undefined); // Reported through onFailure.
    } else {
      const next = this.#queued.shift();
      if (next !== undefined) next.resolve(this.#take(next.command));
    }
    this.#scheduleTurn();
  }

  #apply(command: Command): Promise<Submitted> {
    const { state } = this.#parts;
    const stamped = {
      sequence: sequence(state.sequence + 1),
      timeMs: timeMs(this.nowMs()),
      command,
    };
    let entry: Uint8Array;
    try {
      entry = encodeUnapplied(stamped, RULES_VERSION);
    } catch (cause) {
      return Promise.reject(cause); // Not applied either: the journal would lack it.
    }
    // Apply first, then append. A command that trips an invariant stops the process before it
    // reaches the journal, so a restart cannot trip on it again. Nothing was released yet: if we die
    // between the two, the outcome is lost together with the memory.
    this.#out.clear();
    this.#outcome.clear();
    try {
      apply(state, stamped, this.#out);
      encodeOutcome(this.#outcome, stamped.timeMs, this.#out.view());
    } catch (cause) {
      return Promise.reject(this.#setAside(command, cause));
    }
    setDigest(entry, state.digest);
    const outcome = pooled(this.#outcome.view());
    this.#parts.recent.add(stamped.sequence, outcome);
    return new Promise((resolve, reject) => {
      this.#groups.add({
        sequence: stamped.sequence,
        entry,
        release: () => resolve(new Released(stamped.sequence, outcome)),
        fail: reject,
      });
    });
  }

  #firstSequenceOf(command: Command): number | undefined {
    const signature = signatureOf(command);
    if (signature === undefined) return undefined;
    return firstSequenceOf(this.#parts.state.requests, signature);
  }

  /** The same signed bytes again: waits until the first is durable, then returns its outcome. */
  async #repeat(first: number): Promise<Submitted> {
    await this.#durableTo(first);
    return this.#parts.recent.answerOf(first, this.nowMs(), true);
  }

  #refused(refusal: Refusal): Submitted {
    return unrecorded(refusal, this.#groups.durable, this.nowMs());
  }

  /** Refusals by the sequencer itself: they change no state, so they are not in the journal. */
  #ownRefusal(command: Command): Refusal | undefined {
    if (this.#parts.poison.has(command)) return refuse('COMMAND_SET_ASIDE');
    if (this.#parts.recent.isFull) return refuse('BUSY');
    if (this.#groups.waitingCommands >= this.#waitingMax) {
      return refuse('BUSY', `${this.#waitingMax} commands wait for the log; ${SEND_AGAIN}`);
    }
    const noRoom = this.#parts.disk?.refusalOf(command);
    return noRoom === undefined ? undefined : refuse('UNAVAILABLE', noRoom);
  }

  /** The clock steps between two commands: `step-clock` is the first with the new time. */
  #stepClock(command: Command): Refusal | undefined {
    if (command.kind !== 'step-clock') return undefined;
    const reason = this.#parts.clock.stepTo(command.toMs);
    return reason === undefined ? undefined : refuse('PARAMETER_INVALID', reason);
  }

  /** Our own bug: keeps the command for the engineers, and stops before a wrong outcome is released. */
  #setAside(command: Command, cause: unknown): EngineStopped {
    const reason = cause instanceof Error ? cause : new BrokenInvariant(String(cause));
    let file: string | undefined;
    try {
      file = this.#parts.poison.add(command, reason);
    } catch {
      // On a full disk it cannot be set aside; the broken invariant is still the reason to report.
    }
    const kept = file === undefined ? '' : ` Set aside: ${file}.`;
    const error = new Error(`${reason.message}.${kept} ${adviceOn(command)}`, { cause: reason });
    error.name = reason.name;
    return this.#stop(error);
  }

  #durableTo(at: number): Promise<void> {
    // What broke an invariant may have taken a sequence, and will never be durable.
    if (this.#isBroken && at > this.#groups.durable) return Promise.reject(this.#stopped);
    return this.#groups.durableTo(at);
  }

  #stop(reason: Error): EngineStopped {
    const stopped = new EngineStopped(reason.message, reason.cause);
    this.#stopped = stopped;
    this.#isBroken = true;
    for (const { reject } of this.#queued) reject(stopped);
    this.#queued = [];
    this.#parts.onFailure(reason);
    return stopped;
  }
}
