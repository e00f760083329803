import type { MemoryRoom } from './memory-room.ts';

export type BodyLimits = {
  readonly limitBytes: number;
  /** Shared by all bodies that are still arriving: a thousand slow senders must fit into it. */
  readonly room: MemoryRoom;
};
export type Body = { readonly text: string } | { readonly refused: 'too large' | 'no room' };

/**
 * Collects a body that arrives in parts and hands it over once, as text, or says why it was not taken.
 * A body that came whole with its head is never held and needs none of this.
 *
 * What comes after a refusal is thrown away as it arrives (the timeout of requests bounds that), so
 * that a client that is still sending gets to read it. A body that breaks off is never handed over.
 */
export class BodyReader {
  readonly #limits: BodyLimits;
  readonly #done: (body: Body) => void;
  #chunks: Buffer[] | undefined = [];
  #sizeBytes = 0;

  constructor(limits: BodyLimits, done: (body: Body) => void) {
    this.#limits = limits;
    this.#done = done;
  }

  take(chunk: Buffer): void {
    if (this.#chunks === undefined) return;
    const { limitBytes, room } = this.#limits;
    const isTooLarge = this.#sizeBytes + chunk.length > limitBytes;
    if (!isTooLarge && room.take(chunk.length)) {
      this.#sizeBytes += chunk.length;
      this.#chunks.push(ownBytes(chunk));
      return;
    }
    this.abandon();
    this.#done({ refused: isTooLarge ? 'too large' : 'no room' });
  }

  end(): void {
    const chunks = this.#chunks;
    if (chunks === undefined) return;
    this.abandon();
    const [only] = chunks;
    const whole = chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks);
    this.#done({ text: whole.toString('utf8') });
  }

  /** Nothing more is wanted: what was held is let go. */
  abandon(): void {
    if (this.#chunks === undefined) return;
    this.#chunks = undefined;
    this.#limits.room.give(this.#sizeBytes);
  }
}

/** A short piece of a long read would keep all of that in memory. */
const ownBytes = (chunk: Buffer): Buffer =>
  chunk.length * 2 < chunk.buffer.byteLength ? Buffer.from(chunk) : chunk;
