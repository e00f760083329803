/** Connections of threads that listen on the same port, each of which counts its own. */
export type OtherConnections = {
  /** Of all threads, including this one. */
  open(): number;
  /** From one address: an upper bound, rarely a few too many. */
  from(address: string): number;
  entered(address: string): void;
  left(address: string): void;
};

const ROWS = 4;
const WIDTH = 8_192;
const OF_ONE = 1 + ROWS * WIDTH;
const WORD_BYTES = 4;

export const sharedConnectionBytes = (threads: number): number => threads * OF_ONE * WORD_BYTES;

/**
 * Counters in shared memory: no message, no lock. Addresses do not fit there, so this is a count-min sketch:
 * each address has a cell in each of four rows, found by four hashes; the smallest is its count, and too high
 * only if others share all four cells. A thread writes only into its own table, so that it can be wiped when
 * the thread dies.
 */
export class SharedConnections implements OtherConnections {
  readonly #cells: Int32Array;
  readonly #threads: number;
  readonly #own: number;

  constructor(memory: SharedArrayBuffer, own: number) {
    this.#cells = new Int32Array(memory);
    this.#threads = this.#cells.length / OF_ONE;
    this.#own = own * OF_ONE;
  }

  open(): number {
    return this.#sumAt(0);
  }

  from(address: string): number {
    let least = Number.POSITIVE_INFINITY;
    for (let row = 0; row < ROWS; row++) {
      least = Math.min(least, this.#sumAt(cellOf(address, row)));
    }
    return least;
  }

  entered(address: string): void {
    this.#add(address, 1);
  }

  left(address: string): void {
    this.#add(address, -1);
  }

  /** The thread of this table has ended, and so have its connections. */
  wipe(): void {
    this.#cells.fill(0, this.#own, this.#own + OF_ONE);
  }

  #add(address: string, count: number): void {
    Atomics.add(this.#cells, this.#own, count);
    for (let row = 0; row < ROWS; row++) {
      Atomics.add(this.#cells, this.#own + cellOf(address, row), count);
    }
  }

  #sumAt(cell: number): number {
    let sum = 0;
    for (let thread = 0; thread < this.#threads; thread++) {
      sum += Atomics.load(this.#cells, thread * OF_ONE + cell);
    }
    return sum;
  }
}

/** FNV-1a, with another start value for each row. */
function cellOf(address: string, row: number): number {
  let hash = (0x811c9dc5 ^ Math.imul(row + 1, 0x9e3779b1)) >>> 0;
  for (let at = 0; at < address.length; at++) {
    hash = Math.imul(hash ^ address.charCodeAt(at), 0x01000193) >>> 0;
  }
  hash = (hash ^ (hash >>> 15)) >>> 0;
  return 1 + row * WIDTH + (hash % WIDTH);
}
