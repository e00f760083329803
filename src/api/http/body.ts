import { isUtf8 } from 'node:buffer';
import type { MemoryRoom } from './memory-room.ts';

export type BodyLimits = {
  readonly limitBytes: number;
  /** Shared by all bodies that are still arriving: a thousand slow senders must fit into it. */
  readonly room: MemoryRoom;
};
export type Body =
  | { readonly text: string }
  | { readonly refused: 'too large' | 'no room' | 'not UTF-8' };

const REPLACEMENT = '\uFFFD';

/**
 * Bytes that are not UTF-8 have no text: what replaces them is not what was signed, so the signature of such
 * a request would be called wrong although it is not.
 */
export function bodyOf(bytes: Buffer): Body {
  const text = bytes.toString('utf8');
  return text.includes(REPLACEMENT) && !isUtf8(bytes) ? { refused: 'not UTF-8' } : { text };
}

/**
 * Collects a body that arrives in parts and hands it over once, as text, or with the reason of its refusal. A
 * body that arrived whole with its head is never buffered and needs none of this.
 *
 * What comes after a refusal is discarded as it arrives (the request timeout bounds that), so that a client
 * that is still sending can read the refusal. A body that breaks off is never handed over.
 */
export class BodyReader {
  readonly #limits: BodyLimits;
  readonly #done: (body: Body) => void;
  /** One buffer for all of it: a body of single bytes must not become as many objects. */
  #held: Buffer = Buffer.alloc(0);
  #sizeBytes = 0;
  #isOver = false;

  constructor(limits: BodyLimits, done: (body: Body) => void) {
    this.#limits = limits;
    this.#done = done;
  }

  take(chunk: Buffer): void {
    if (this.#isOver) return;
    const { limitBytes, room } = this.#limits;
    const isTooLarge = this.#sizeBytes + chunk.length > limitBytes;
    if (!isTooLarge && room.take(chunk.length)) {
      this.#add(chunk);
      return;
    }
    this.abandon();
    this.#done({ refused: isTooLarge ? 'too large' : 'no room' });
  }

  /** Copied: a short piece of a long read would keep all of that in memory. */
  #add(chunk: Buffer): void {
    const neededBytes = this.#sizeBytes + chunk.length;
    if (neededBytes > this.#held.length) {
      const larger = Buffer.allocUnsafe(Math.max(neededBytes, 2 * this.#held.length));
      this.#held.copy(larger, 0, 0, this.#sizeBytes);
      this.#held = larger;
    }
    chunk.copy(this.#held, this.#sizeBytes);
    this.#sizeBytes = neededBytes;
  }

  end(): void {
    if (this.#isOver) return;
    const body = bodyOf(this.#held.subarray(0, this.#sizeBytes));
    this.abandon();
    this.#done(body);
  }

  /** The body is no longer needed: frees what was held. */
  abandon(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#held = Buffer.alloc(0);
    this.#limits.room.give(this.#sizeBytes);
  }
}
