import type { OpenFile } from './files.ts';

/**
 * The descriptors of a file for fsyncs that overlap, one for each. The operating system reports a failure once to
 * each descriptor: of two fsyncs with the same one, the other would look like a success, though what it covers was
 * lost too.
 */
export class SyncHandles {
  readonly #openAnother: () => OpenFile;
  readonly #all: OpenFile[];
  readonly #free: OpenFile[];

  constructor(first: OpenFile, openAnother: () => OpenFile) {
    this.#openAnother = openAnother;
    this.#all = [first];
    this.#free = [first];
  }

  /** Undefined if all are in use and another cannot be opened: then wait for those in use. */
  take(): OpenFile | undefined {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    try {
      const another = this.#openAnother();
      this.#all.push(another);
      return another;
    } catch {
      return undefined;
    }
  }

  giveBack(handle: OpenFile): void {
    this.#free.push(handle);
  }

  close(): void {
    for (const handle of this.#all) handle.close();
  }
}
