/**
 * Reads entries across segments, without a lock and without writing: the writer's own `read`, and the
 * follower that tails the same files from another thread.
 *
 * It remembers where it stopped, so that a follower that keeps asking for the next entries reads each record
 * once, and keeps that file open, so that continuing needs no new descriptor. It also remembers positions at
 * intervals, so that a single entry is found without reading its segment from the beginning. No data is
 * cached between calls: what lay beyond `upTo` may have been half written.
 */
import { type Files, realFiles } from './files.ts';
import { checkFrom, type Entry, JournalDamaged, type JournalReader } from './journal.ts';
import { type Group, PayloadReader } from './record.ts';
import { listSegments } from './segment-header.ts';
import {
  type Checks,
  type Place,
  type SegmentWalker,
  type Stop,
  type Walk,
  walkOn,
  walkSegment,
} from './segment-walker.ts';

export function openSegmentReader(options: {
  readonly directory: string;
  readonly files?: Files;
  /** 'chain' by default. */
  readonly checks?: Checks;
  /** An entry is valid until the next one is requested: for callers that read few entries, often. */
  readonly isReused?: boolean;
}): JournalReader {
  const { directory, files = realFiles, checks, isReused } = options;
  return new SegmentReader(directory, files, { checks, isReused });
}

/** A position is remembered every so many bytes; the newest cover more than a minute of a busy venue. */
const PLACE_EACH_BYTES = 128 * 1024;
const PLACES_MAX = 2_048;

class SegmentReader implements JournalReader {
  readonly #directory: string;
  readonly #files: Files;
  readonly #how: Pick<Walk, 'checks' | 'isReused'>;
  #resume: Place | undefined;
  /** Positioned in the segment of `#resume`; taken over by the read that continues there. */
  #kept: SegmentWalker | undefined;
  /** By sequence. */
  #places: Place[] = [];
  #lastPlace: Place | undefined;

  constructor(directory: string, files: Files, how: Pick<Walk, 'checks' | 'isReused'>) {
    this.#directory = directory;
    this.#files = files;
    this.#how = how;
  }

  read(fromSequence: number, upTo: number): IterableIterator<Entry> {
    checkFrom(fromSequence);
    return this.#entries(fromSequence, upTo);
  }

  close(): void {
    this.#keep(undefined);
  }

  #entries(fromSequence: number, upTo: number): IterableIterator<Entry> {
    return new Entries(
      {
        walkFrom: (sequence) => this.#walkFrom(sequence),
        walkOn: (walker, stop) => walkOn(this.#files, this.#directory, walker, stop),
        passed: ({ place }) => {
          this.#resume = place;
          this.#remember(place);
        },
        left: (walker) => {
          if (walker.place.segmentFirst === this.#resume?.segmentFirst) this.#keep(walker);
          else walker.close();
        },
      },
      fromSequence,
      upTo,
    );
  }

  #walk(walk: Walk): SegmentWalker | undefined {
    return walkSegment(this.#files, this.#directory, { ...walk, ...this.#how });
  }

  #keep(walker: SegmentWalker | undefined): void {
    this.#kept?.close();
    this.#kept = walker;
  }

  #walkFrom(sequence: number): SegmentWalker {
    const resume = this.#resume;
    const kept = this.#kept;
    this.#kept = undefined;
    if (resume?.nextSequence !== sequence) kept?.close();
    else if (kept !== undefined) {
      kept.goOnFrom(resume);
      return kept;
    }
    if (resume?.nextSequence === sequence) {
      const walker = this.#walk({ first: resume.segmentFirst, from: resume });
      if (walker !== undefined) return walker;
    }
    const segments = listSegments(this.#files, this.#directory);
    const first = segments.findLast((firstSequence) => firstSequence <= sequence);
    const near = this.#places[this.#placeBefore(sequence)];
    const from = near?.segmentFirst === first ? near : undefined;
    const walker = first === undefined ? undefined : this.#walk({ first, from });
    if (walker !== undefined) return walker;
    throw new JournalDamaged(
      { file: this.#directory, offset: 0 },
      `sequence ${sequence} is not here: ${segments[0] === undefined ? 'there are no segments' : `the oldest segment begins at ${segments[0]}`}`,
    );
  }

  #remember({ segmentFirst, offset, nextSequence, chain }: Place): void {
    if (isNear(this.#lastPlace, segmentFirst, offset)) return;
    const before = this.#placeBefore(nextSequence);
    this.#lastPlace = this.#places[before];
    if (isNear(this.#lastPlace, segmentFirst, offset)) return;
    // A copy: the chain is a view of everything that was read with it.
    const place = { segmentFirst, offset, nextSequence, chain: new Uint8Array(chain) };
    this.#places.splice(before + 1, 0, place);
    this.#lastPlace = place;
    if (this.#places.length > PLACES_MAX) this.#places = this.#places.slice(PLACES_MAX / 2);
  }

  /** The index of the last one before a sequence; -1 if there is none. */
  #placeBefore(sequence: number): number {
    return this.#places.findLastIndex(({ nextSequence }) => nextSequence <= sequence);
  }
}

/** What an iteration over entries needs from its reader. */
type Source = {
  readonly walkFrom: (sequence: number) => SegmentWalker;
  readonly walkOn: (walker: SegmentWalker, stop: Stop) => SegmentWalker;
  /** All entries of the group before the walker's position were returned. */
  readonly passed: (walker: SegmentWalker) => void;
  /** The walker is no longer needed. */
  readonly left: (walker: SegmentWalker) => void;
};

/** Iterates over entries. Not a generator: resuming one costs as much as reading a small entry. */
class Entries implements IterableIterator<Entry> {
  readonly #source: Source;
  readonly #from: number;
  readonly #upTo: number;
  #walker: SegmentWalker | undefined;
  #group: Group | undefined;
  #payload = new PayloadReader(new Uint8Array(0));
  #next = 1;
  #last = 0;
  #isOver = false;

  constructor(source: Source, from: number, upTo: number) {
    this.#source = source;
    this.#from = from;
    this.#upTo = upTo;
    this.#isOver = from > upTo;
  }

  [Symbol.iterator](): this {
    return this;
  }

  next(): IteratorResult<Entry, undefined> {
    if (this.#next > this.#last && !this.#goOn()) return { done: true, value: undefined };
    return { done: false, value: this.#payload.next(this.#next++) };
  }

  return(): IteratorResult<Entry, undefined> {
    this.#isOver = true;
    this.#last = 0;
    this.#next = 1;
    const walker = this.#walker;
    this.#walker = undefined;
    if (walker !== undefined) this.#source.left(walker);
    return { done: true, value: undefined };
  }

  /** Advances to the next group that has entries to return; false at the end. */
  #goOn(): boolean {
    if (this.#isOver) return false;
    try {
      this.#walker ??= this.#source.walkFrom(this.#from);
      for (;;) {
        if (this.#group !== undefined) {
          const { lastSequence } = this.#group;
          if (lastSequence <= this.#upTo) this.#source.passed(this.#walker);
          this.#group = undefined;
          if (lastSequence >= this.#upTo) break;
        }
        const group = this.#walker.next();
        if ('stopped' in group) {
          const next = this.#source.walkOn(this.#walker, group);
          this.#walker.close();
          this.#walker = next;
          continue;
        }
        this.#group = group;
        if (group.lastSequence < this.#from) continue;
        this.#open(group);
        if (this.#next <= this.#last) return true;
      }
    } catch (cause) {
      this.return();
      throw cause;
    }
    this.return();
    return false;
  }

  #open({ payload, firstSequence, lastSequence }: Group): void {
    this.#payload = new PayloadReader(payload);
    for (this.#next = firstSequence; this.#next < this.#from; this.#next++) {
      this.#payload.stepOver();
    }
    this.#last = Math.min(lastSequence, this.#upTo);
  }
}

const isNear = (place: Place | undefined, segmentFirst: number, offset: number): boolean =>
  place !== undefined &&
  place.segmentFirst === segmentFirst &&
  offset >= place.offset &&
  offset - place.offset < PLACE_EACH_BYTES;
