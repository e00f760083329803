import type { Event } from '../../domain/events.ts';
import type { MarketIndex } from '../../domain/units.ts';
import type { Directory, ViewName, Views } from '../../domain/views.ts';
import type { CandleRow, DayMarks, DayStats } from '../../history/history.ts';

/** The venue as feeds see it: everything in it is on disk. */
export type StreamSource = {
  readonly sequence: number;
  readonly timeMs: number;
  readonly directory: Directory;
  view<Name extends ViewName>(name: Name, query: Views[Name]['query']): Views[Name]['result'];
};

/** What feeds read from history; undefined if it is not available now. */
export type StreamPast = {
  day(market: MarketIndex, fromMs: number): DayStats | DayMarks | undefined;
  /** The interval that contains a time. */
  candle(market: MarketIndex, lengthMs: number, atMs: number): CandleRow | undefined;
};

/**
 * How a message relates to earlier ones in its channel. An event is sent to everybody. A state replaces the
 * previous one, so it may be skipped for a listener that lags. A delta builds on earlier messages: a listener
 * that missed one needs a new snapshot.
 */
export type Delivery = 'event' | 'state' | 'delta';

/** Where a feed puts its messages: whole JSON objects. */
export type Emit = (text: string, delivery: Delivery) => void;

/** Builds the messages of one channel. */
export type Feed = {
  /** The first messages for a new listener; later messages build on them. */
  first(isCounted: boolean): readonly string[];
  /** Called when time has passed; `nowMs` is from a monotonic clock. */
  beat?(nowMs: number): void;
  /** Something has happened to the feed's account: called after several durable commands. */
  settle?(): void;
  /** The events of one command that concern the feed, in order. */
  onEvents?(batch: EventBatch): void;
};

export type EventBatch = {
  readonly timeMs: number;
  readonly events: readonly Event[];
  /** One command cancelled all orders of the account. */
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
    // On a grid, so that a late call does not shift all later ones.
    this.#nextMs = Math.max(this.#nextMs + this.#periodMs, nowMs + this.#periodMs / 2);
    return true;
  }
}

/** The heartbeat: a channel sends something at least this often, even when nothing changes. */
export const HEARTBEAT_MS = 5_000;
