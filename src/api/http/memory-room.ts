/** A shared budget of bytes; requests beyond it are refused. */
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

  /** Takes bytes if they fit; returns whether they did. */
  take(bytes: number): boolean {
    if (this.#usedBytes + bytes > this.limitBytes) return false;
    this.#usedBytes += bytes;
    return true;
  }

  /** Counts what is already held and can no longer be refused. */
  add(bytes: number): void {
    this.#usedBytes += bytes;
  }

  give(bytes: number): void {
    this.#usedBytes -= bytes;
  }
}
