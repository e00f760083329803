import { assert } from '../domain/assert.ts';

/** Small enough to be freed soon, large enough that a venue under full load starts only a few a second. */
const BLOCK_BYTES = 256 * 1024;
const BLOCK_OUTCOMES = 1_024;

type Block = {
  first: number;
  count: number;
  readonly bytes: Uint8Array;
  /** The end offset of each outcome in the bytes. */
  readonly ends: Uint32Array;
};

/**
 * The bytes of consecutive sequences, in reusable blocks. As one object each, ten thousand of them survive
 * every young collection and make the garbage collector walk the whole heap every few seconds, which clients
 * see in their p99.
 */
export class OutcomeBlocks {
  #blocks: Block[] = [];
  #spare: Block | undefined;
  #bytes = 0;
  #next: number;

  constructor(nextSequence: number) {
    this.#next = nextSequence;
  }

  get last(): number {
    return this.#next - 1;
  }

  /** Bytes of all blocks, full or not. */
  get bytes(): number {
    return this.#bytes;
  }

  add(sequence: number, outcome: Uint8Array): void {
    assert(sequence === this.#next, 'outcomes are kept one after another');
    const block = this.#roomFor(outcome.length);
    const from = block.count === 0 ? 0 : (block.ends[block.count - 1] as number);
    block.bytes.set(outcome, from);
    block.ends[block.count++] = from + outcome.length;
    this.#next++;
  }

  /** A copy: the block may be reused before its reader is done. */
  find(sequence: number): Uint8Array | undefined {
    if (sequence >= this.#next) return undefined;
    const block = this.#blocks.findLast(({ first }) => first <= sequence);
    if (block === undefined) return undefined;
    const at = sequence - block.first;
    const from = at === 0 ? 0 : (block.ends[at - 1] as number);
    return block.bytes.slice(from, block.ends[at]);
  }

  /** The last sequence in the oldest block; undefined if there is none. */
  get oldestEnd(): number | undefined {
    const [oldest] = this.#blocks;
    return oldest === undefined ? undefined : oldest.first + oldest.count - 1;
  }

  dropOldest(): void {
    const oldest = this.#blocks.shift();
    assert(oldest !== undefined, 'a block that is dropped is there');
    this.#bytes -= oldest.bytes.length;
    if (oldest.bytes.length === BLOCK_BYTES) this.#spare = oldest;
  }

  #roomFor(length: number): Block {
    const newest = this.#blocks.at(-1);
    if (newest !== undefined && newest.count < BLOCK_OUTCOMES) {
      const used = newest.count === 0 ? 0 : (newest.ends[newest.count - 1] as number);
      if (used + length <= newest.bytes.length) return newest;
    }
    const block = this.#begin(length);
    this.#blocks.push(block);
    this.#bytes += block.bytes.length;
    return block;
  }

  #begin(length: number): Block {
    const spare = this.#spare;
    if (spare !== undefined && length <= BLOCK_BYTES) {
      this.#spare = undefined;
      spare.first = this.#next;
      spare.count = 0;
      return spare;
    }
    return {
      ...{ first: this.#next, count: 0, ends: new Uint32Array(BLOCK_OUTCOMES) },
      bytes: new Uint8Array(Math.max(length, BLOCK_BYTES)),
    };
  }
}
