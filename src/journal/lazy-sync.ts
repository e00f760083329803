/** The fsyncs of a journal that is a copy: now and then, one for all that was written since the last. */
export class LazySync {
  #isDirty = false;
  #running: Promise<void> | undefined;

  wrote(): void {
    this.#isDirty = true;
  }

  /** Resolves when all that was written before this call is on disk; rejects with what `fsync` does. */
  async settle(fsync: () => Promise<void>): Promise<void> {
    // One that runs may have begun before the last write.
    await this.#running;
    if (this.#isDirty) this.#running ??= this.#run(fsync);
    await this.#running;
  }

  async #run(fsync: () => Promise<void>): Promise<void> {
    this.#isDirty = false;
    try {
      await fsync();
    } finally {
      this.#running = undefined;
    }
  }
}
