/**
 * The next segment, filled with zeros in the background as `next.spare` and held open, so that a journal whose
 * segment is full needs neither time nor descriptors for a new one.
 */
import { join } from 'node:path';
import { removeQuietly } from './archive.ts';
import {
  type Files,
  fillWithZeros,
  isOutOfDescriptors,
  type OpenDirectory,
  type OpenFile,
} from './files.ts';

export const SPARE_NAME = 'next.spare';

export type SpareOptions = {
  readonly files: Files;
  readonly directory: string;
  /** The open directory, for its fsyncs. */
  readonly names: OpenDirectory;
  readonly bytes: number;
  /** Called when it cannot be prepared, and when that then succeeds. */
  readonly onTrouble: (words: string) => void;
  /** Runs a function after a while. */
  readonly later: (run: () => void) => void;
};

export class SpareSegment {
  readonly #options: SpareOptions;
  readonly #path: string;
  /** Resolves when it is ready; rejects only when it is needed and cannot be created. */
  #file: Promise<OpenFile>;
  #failure: string | undefined;
  /** From then on the file belongs to the journal, under the same name until it is renamed. */
  #isTaken = false;
  #isClosed = false;

  /** `isFirst`: nothing is appended yet that could wait behind it. */
  constructor(options: SpareOptions, isFirst: boolean) {
    this.#options = options;
    this.#path = join(options.directory, SPARE_NAME);
    this.#file = this.#prepare(isFirst);
  }

  /** Why there is none yet, as text. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /**
   * A failed one is tried once more; if only descriptors are missing, this waits, because connections come and
   * go.
   */
  async take(): Promise<OpenFile> {
    this.#isTaken = true;
    try {
      return await this.#file;
    } catch {
      for (;;) {
        try {
          const file = await this.#make(false);
          this.#failure = undefined;
          return file;
        } catch (cause) {
          if (!isOutOfDescriptors(cause) || this.#isClosed) throw cause;
          await new Promise<void>((resolve) => this.#options.later(resolve));
        }
      }
    }
  }

  /** The one that was taken has its own name now: prepares another. */
  prepareNext(): void {
    this.#isTaken = false;
    this.#file = this.#prepare(false);
  }

  /** `take` no longer waits for descriptors. */
  giveUp(): void {
    this.#isClosed = true;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const file = await this.#file.catch(() => undefined);
    file?.close();
  }

  #prepare(isFirst: boolean): Promise<OpenFile> {
    const file = this.#make(isFirst);
    file.then(
      () => {
        if (this.#failure === undefined) return;
        this.#failure = undefined;
        this.#options.onTrouble(`the next segment of ${this.#options.directory} is ready again`);
      },
      (cause: unknown) => this.#failed(file, cause),
    );
    return file;
  }

  /** Nothing was promised about a spare, so a failed one (on a full disk, for example) may be retried. */
  #failed(failed: Promise<OpenFile>, cause: unknown): void {
    const { directory, later, onTrouble } = this.#options;
    const reason = cause instanceof Error ? cause.message : String(cause);
    if (this.#failure === undefined) {
      onTrouble(`the next segment of ${directory} cannot be made ready: ${reason}`);
    }
    this.#failure = reason;
    later(() => {
      if (this.#isClosed || this.#file !== failed) return;
      // Whoever has taken it makes it, under the same name.
      if (!this.#isTaken) this.#file = this.#prepare(false);
    });
  }

  async #make(isFirst: boolean): Promise<OpenFile> {
    const { files, names, bytes } = this.#options;
    const file = files.open(this.#path, 'create');
    try {
      await fillWithZeros(file, 0, bytes, isFirst ? 'at once' : 'in durable pieces');
      await names.fsync();
      return file;
    } catch (cause) {
      file.close();
      removeQuietly(files, this.#path);
      throw cause;
    }
  }
}
