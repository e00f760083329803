import type { Delivery } from './feed.ts';
import { writeHead } from './frames.ts';

/**
 * What the thread that builds messages hands to the one that has the sockets: frames as they are written to
 * sockets, in one buffer, and the recipients of each range. Nothing is encoded a second time.
 */
export type Batch = { readonly bytes: Uint8Array; readonly parts: Float64Array };

/**
 * For the plain listeners of a channel, for those with numbered messages, or the first messages of one
 * listener.
 */
export type PartKind = 'plain' | 'counted' | 'first';
export type BatchPart = {
  readonly kind: PartKind;
  /** The channel's number; for first messages, the listener's. */
  readonly id: number;
  readonly delivery: Delivery;
  readonly frames: Uint8Array;
};

const KINDS: readonly PartKind[] = ['plain', 'counted', 'first'];
const DELIVERIES: readonly Delivery[] = ['event', 'state', 'delta'];
const PART_NUMBERS = 5;

export class BatchWriter {
  #bytes = Buffer.allocUnsafeSlow(64 * 1_024);
  #length = 0;
  readonly #parts: number[] = [];

  get isEmpty(): boolean {
    return this.#parts.length === 0;
  }

  /** Consecutive messages for the same listeners. */
  add(kind: PartKind, id: number, delivery: Delivery, texts: readonly string[]): void {
    const start = this.#length;
    for (const text of texts) this.#frame(text);
    this.#parts.push(KINDS.indexOf(kind), id, DELIVERIES.indexOf(delivery), start, this.#length);
  }

  /** What was added so far; the writer starts again. */
  take(): Batch {
    // A copy of exactly the right size: ownership passes to the receiver.
    const bytes = new Uint8Array(this.#bytes.subarray(0, this.#length));
    const parts = new Float64Array(this.#parts);
    this.#length = 0;
    this.#parts.length = 0;
    if (this.#bytes.length > KEPT_BYTES) this.#bytes = Buffer.allocUnsafeSlow(64 * 1_024);
    return { bytes, parts };
  }

  #frame(text: string): void {
    const length = Buffer.byteLength(text);
    const needed = this.#length + length + FRAME_HEAD_MAX;
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2));
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    const at = writeHead(this.#bytes, this.#length, length);
    this.#bytes.write(text, at, 'utf8');
    this.#length = at + length;
  }
}

const FRAME_HEAD_MAX = 10;
const KEPT_BYTES = 4 * 1_024 * 1_024;

/** The parts of a batch for one thread, with that thread's own numbers; undefined if there are none. */
export function batchFor(
  { bytes, parts }: Batch,
  numberOf: (kind: PartKind, id: number) => number | undefined,
): Batch | undefined {
  const own: number[] = [];
  let length = 0;
  for (let at = 0; at < parts.length; at += PART_NUMBERS) {
    const [kind, id, delivery, start, end] = numbersAt(parts, at);
    const number = numberOf(KINDS[kind] as PartKind, id);
    if (number === undefined) continue;
    own.push(kind, number, delivery, start, end);
    length += end - start;
  }
  if (own.length === 0) return undefined;
  if (own.length === parts.length) return { bytes, parts: new Float64Array(own) };
  const less = new Uint8Array(length);
  let filled = 0;
  for (let at = 0; at < own.length; at += PART_NUMBERS) {
    const [, , , start, end] = numbersAt(own, at);
    less.set(bytes.subarray(start, end), filled);
    own[at + 3] = filled;
    filled += end - start;
    own[at + 4] = filled;
  }
  return { bytes: less, parts: new Float64Array(own) };
}

type PartNumbers = [kind: number, id: number, delivery: number, start: number, end: number];

const numbersAt = (parts: ArrayLike<number>, at: number): PartNumbers =>
  [parts[at], parts[at + 1], parts[at + 2], parts[at + 3], parts[at + 4]] as PartNumbers;

export function* partsOf({ bytes, parts }: Batch): Iterable<BatchPart> {
  for (let at = 0; at < parts.length; at += PART_NUMBERS) {
    const [kind, id, delivery, start, end] = numbersAt(parts, at);
    yield {
      kind: KINDS[kind] as PartKind,
      id,
      delivery: DELIVERIES[delivery] as Delivery,
      frames: bytes.subarray(start, end),
    };
  }
}
