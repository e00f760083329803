import type { Event } from '../../domain/events.ts';
import type { MarketIndex } from '../../domain/units.ts';
import type { Directory, ViewName, Views } from '../../domain/views.ts';
import type { CandleRow, DayMarks, DayStats } from '../../history/history.ts';

/** The venue as feeds see it: everything in it is on disk. */
export type StreamSource = {
  readonly sequence: number;
  readonly timeMs: number;
  readonly directory: Directory;
  view<Name extends ViewName>(name: Name, ask: Views[Name]['ask']): Views[Name]['result'];
};

/** What feeds read of the past; undefined where it is not available now. */
export type StreamPast = {
  day(market: MarketIndex, fromMs: number): DayStats | DayMarks | undefined;
  /** The interval that runs at a time. */
  candle(market: MarketIndex, lengthMs: number, atMs: number): CandleRow | undefined;
};

/**
 * How a message relates to those before it in its channel. An event is told to everybody. A state replaces
 * what was told before, so a listener that lags may be spared it. A delta builds on what was told before: a
 * listener that was spared one needs a new beginning.
 */
export type How = 'event' | 'state' | 'delta';

/** Where a feed puts its messages: whole JSON objects. */
export type Emit = (text: string, how: How) => void;

/** Makes the messages of one channel. */
export type Feed = {
  /** What a new listener is told first; later messages build on it. */
  first(isCounted: boolean): readonly string[];
  /** Called when time has passed; `nowMs` is of a steady clock. */
  beat?(nowMs: number): void;
  /** Called after durable commands have been heard, several at a time. */
  settle?(): void;
  /** Something has happened to the account that the feed is about. */
  touch?(): void;
  /** The events of one command that the feed is about, in order. */
  hear?(heard: Heard): void;
};

export type Heard = {
  readonly timeMs: number;
  readonly events: readonly Event[];
  /** All orders of the account were cancelled by one command. */
  readonly isCancelAll?: boolean;
};

export type FeedParts = {
  readonly source: StreamSource;
  readonly past: StreamPast;
  readonly emit: Emit;
};

/** True at most once a period. */
export class Pace {
  readonly #periodMs: number;
  #nextMs = 0;

  constructor(periodMs: number) {
    this.#periodMs = periodMs;
  }

  isDue(nowMs: number): boolean {
    if (nowMs < this.#nextMs) return false;
    // On a grid, so that a late beat does not shift all that follow.
    this.#nextMs = Math.max(this.#nextMs + this.#periodMs, nowMs + this.#periodMs / 2);
    return true;
  }
}

/** A channel that is alive says so at least this often, also when nothing changes. */
export const HEARTBEAT_MS = 5_000;
