import type { MarketIndex } from '../../domain/units.ts';
import type { CandleRow, DayMarks, DayStats } from '../../history/history.ts';
import { DAY_MS } from '../../wire/periods.ts';
import type { ChannelSpec } from './channel-spec.ts';
import type { StreamPast, StreamSource } from './feed.ts';

/** Reads that may take long: history may be on another machine. */
export type PastReads = {
  day(market: MarketIndex, fromMs: number): Promise<DayStats | DayMarks | undefined>;
  candle(market: MarketIndex, lengthMs: number, atMs: number): Promise<CandleRow | undefined>;
};

/** Half the period of the feeds that show it. */
const REFRESH_MS = 250;
/** History may be behind by this much: the most recent data is read again for as long. */
const SETTLES_MS = 1_000;
/** Longer than the longest pause between two messages of a feed. */
const UNUSED_MS = 15_000;

type Kept = {
  readonly read: () => Promise<unknown>;
  row: unknown;
  isRead: boolean;
  isReading: boolean;
  usedAtMs: number;
};

/**
 * What feeds need from history, answered from memory: they build their messages synchronously, and history is
 * read in the background while somebody needs it. A channel is opened when its first answer has arrived.
 */
export class RecentPast implements StreamPast {
  readonly #reads: PastReads;
  readonly #source: StreamSource;
  readonly #onRead: () => void;
  readonly #kept = new Map<string, Kept>();
  #nowMs = 0;
  #readAtMs = 0;
  #movedAtMs = 0;
  #sequence = -1;

  constructor(reads: PastReads, source: StreamSource, onRead: () => void) {
    this.#reads = reads;
    this.#source = source;
    this.#onRead = onRead;
  }

  day(market: MarketIndex): DayStats | DayMarks | undefined {
    return this.#used(this.#ofDay(market)) as DayStats | DayMarks | undefined;
  }

  candle(market: MarketIndex, lengthMs: number): CandleRow | undefined {
    return this.#used(this.#ofCandle(market, lengthMs)) as CandleRow | undefined;
  }

  /** Whether everything that a channel will show has been read, or could not be read. */
  isReadyFor(spec: ChannelSpec): boolean {
    const needed = this.#neededBy(spec);
    return needed.every(({ isRead }) => isRead);
  }

  /** Time has passed, by a monotonic clock: what is still needed is read again. */
  beat(nowMs: number): void {
    this.#nowMs = nowMs;
    if (this.#source.sequence !== this.#sequence) this.#movedAtMs = nowMs;
    this.#sequence = this.#source.sequence;
    const isMoving = nowMs - this.#movedAtMs < SETTLES_MS;
    if (nowMs - this.#readAtMs < (isMoving ? REFRESH_MS : SETTLES_MS)) return;
    this.#readAtMs = nowMs;
    for (const [key, kept] of this.#kept) {
      if (nowMs - kept.usedAtMs > UNUSED_MS) this.#kept.delete(key);
      else void this.#read(kept);
    }
  }

  #neededBy(spec: ChannelSpec): Kept[] {
    if (spec.kind === 'candles') return [this.#ofCandle(spec.market, spec.seconds * 1_000)];
    if (spec.kind !== 'ticker') return [];
    if (spec.market !== undefined) return [this.#ofDay(spec.market)];
    return this.#source.directory.markets().map((_, market) => this.#ofDay(market as MarketIndex));
  }

  #ofDay(market: MarketIndex): Kept {
    return this.#of(`day ${market}`, () => this.#reads.day(market, this.#source.timeMs - DAY_MS));
  }

  #ofCandle(market: MarketIndex, lengthMs: number): Kept {
    return this.#of(`candle ${market} ${lengthMs}`, () =>
      this.#reads.candle(market, lengthMs, this.#source.timeMs),
    );
  }

  /** What nobody has requested before is read at once. */
  #of(key: string, read: () => Promise<unknown>): Kept {
    const found = this.#kept.get(key);
    if (found !== undefined) return found;
    const kept = { read, row: undefined, isRead: false, isReading: false, usedAtMs: this.#nowMs };
    this.#kept.set(key, kept);
    void this.#read(kept);
    return kept;
  }

  #used(kept: Kept): unknown {
    kept.usedAtMs = this.#nowMs;
    return kept.row;
  }

  /** While history is not available, the stream continues without it. */
  async #read(kept: Kept): Promise<void> {
    if (kept.isReading) return;
    kept.isReading = true;
    try {
      kept.row = await kept.read();
    } catch {
      kept.row = undefined;
    }
    kept.isReading = false;
    kept.isRead = true;
    this.#onRead();
  }
}
