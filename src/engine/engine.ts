import type { Command } from '../domain/commands.ts';
import type { Outcome } from '../domain/events.ts';
import type { Refusal } from '../domain/rejections.ts';
import { sequence, timeMs } from '../domain/units.ts';
import type { Directory, ViewName, Views } from '../domain/views.ts';
import type { ClockReading } from './clock.ts';
import type { DiskStatus } from './disk-watch.ts';
import type { SyncSummary } from './sync-times.ts';

/**
 * The interface of the engine. It is asynchronous and uses plain data, so that the engine may run on this
 * thread, on another, or on another machine.
 */
export interface Engine {
  /**
   * Resolves once the command is on disk, with its events. The same signed request again
   * gets the first outcome, after a crash too. Rejects with EngineStopped when the venue stops
   * before it knows: the outcome is then unknown, and the same bytes may be sent again.
   */
  submit(command: Command): Promise<Submitted>;

  /** Reads the current state. Resolves once everything it saw is on disk. */
  view<Name extends ViewName>(
    name: Name,
    query: Views[Name]['query'],
  ): Promise<Views[Name]['result']>;

  /** Names, keys and catalogue, without waiting. */
  readonly directory: Directory;

  /** The newest sequence that has been released. A history read waits until history has passed it. */
  readonly releasedSequence: number;

  /** The engine's clock: never runs backwards; see clock.ts. */
  nowMs(): number;

  /**
   * Whether nothing depends on time or prices: no open order, no position, no debt, nothing pending. While
   * this holds, no ticks and no prices are written; see fresh-engine.ts.
   */
  isIdle(): boolean;

  /** The last accepted index prices, without waiting; the newest may not be on disk yet. */
  indexPrices(): Views['indexPrices']['result'];

  /**
   * For an idle venue: resolves once the time and prices of this second are on disk. For reads of history,
   * which contains what falls due with time.
   */
  refreshed(): Promise<void>;

  /** When the next step of a liquidation is due; undefined while nobody is liquidated. */
  nextStepAtMs(): number | undefined;

  status(): EngineStatus;
}

export type Submitted = {
  readonly outcome: Outcome;
  readonly isRepeat: boolean;
  /** The outcome as stored in the event log, if it is available. */
  readonly encoded?: { readonly sequence: number; readonly bytes: Uint8Array };
  /** Refused by the engine itself: it is not in the journal, and the sequence is not its own. */
  readonly isUnrecorded?: true;
};

/** What an engine refuses by itself. */
export const unrecorded = (
  { rejected: reason, message }: Refusal,
  atSequence: number,
  nowMs: number,
): Submitted => ({
  outcome: {
    sequence: sequence(atSequence),
    timeMs: timeMs(nowMs),
    events: [{ kind: 'refused', reason, message }],
  },
  isRepeat: false,
  isUnrecorded: true,
});

export type EngineStatus = {
  readonly sequence: number;
  readonly releasedSequence: number;
  /** Chained over all events up to `sequence`; equal in every venue that replayed the same journal. */
  readonly digest: string;
  readonly waiting: number;
  readonly isStopped: boolean;
  readonly clock: ClockReading;
  readonly disk: DiskStatus;
  /** Fsync times of the journal's last groups. */
  readonly sync?: SyncSummary;
  /** Absent for an in-memory venue. */
  readonly follower?: FollowerStatus;
};

/** The second copy, which replays the journal on a thread of its own. */
export type FollowerStatus = {
  /** Up to here it has replayed, reproduced the writer's digests, and stored the events. */
  readonly sequence: number;
  /** The last time it checked every invariant of its state; a check that fails stops the venue. */
  readonly audit?: { readonly sequence: number; readonly atMs: number };
};

/** The journal failed or the venue is stopping: the outcome of what was waiting is unknown. */
export class EngineStopped extends Error {
  /** `cause` is for the operator; callers are told the reason alone. */
  constructor(reason: string, cause?: unknown) {
    super(`the engine has stopped: ${reason}`, { cause });
    this.name = 'EngineStopped';
  }
}
