/** So many bytes may be held at once, by all together; who asks for more is refused. */
export class MemoryRoom {
  readonly limitBytes: number;
  #usedBytes = 0;

  constructor(limitBytes: number) {
    this.limitBytes = limitBytes;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  get isOverfull(): boolean {
    return this.#usedBytes > this.limitBytes;
  }

  /** Takes what fits; answers whether it did. */
  take(bytes: number): boolean {
    if (this.#usedBytes + bytes > this.limitBytes) return false;
    this.#usedBytes += bytes;
    return true;
  }

  /** Counts what is held already and cannot be refused any more. */
  add(bytes: number): void {
    this.#usedBytes += bytes;
  }

  give(bytes: number): void {
    this.#usedBytes -= bytes;
  }
}
