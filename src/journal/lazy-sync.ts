/** The fsyncs of a journal that is a copy: now and then, one for everything written since the last. */
export class LazySync {
  #isDirty = false;
  #running: Promise<void> | undefined;

  wrote(): void {
    this.#isDirty = true;
  }

  /** Resolves when everything written before this call is on disk; rejects as `fsync` does. */
  async settle(fsync: () => Promise<void>): Promise<void> {
    // A running fsync may have started before the last write.
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
