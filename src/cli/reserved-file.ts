import fs from 'node:fs';

/**
 * A new file for a secret that is shown once. It is opened, with its room on the disk, before the secret is made:
 * what can fail fails then, and costs nothing.
 */
export class ReservedFile {
  readonly #file: string;
  readonly #descriptor: number;

  /** Refuses a file that is there: it may hold the only copy of another secret. */
  constructor(option: string, file: string) {
    this.#file = file;
    try {
      this.#descriptor = fs.openSync(file, 'wx', 0o600);
    } catch (cause) {
      const { code, message } = cause as NodeJS.ErrnoException;
      const why =
        code === 'EEXIST' ? 'exists already: name a new file' : `cannot be made: ${message}`;
      throw new Error(`${option} ${file} ${why}`, { cause });
    }
    try {
      this.#write(' '.repeat(ROOM_BYTES));
    } catch (cause) {
      this.giveUp();
      throw new Error(`${option} ${file} cannot be written: ${(cause as Error).message}`, {
        cause,
      });
    }
  }

  /** Overwrites what was reserved. If the disk fails after all, the text must be shown instead: it throws. */
  keep(text: string): void {
    this.#write(text);
    fs.ftruncateSync(this.#descriptor, Buffer.byteLength(text));
    fs.fsyncSync(this.#descriptor);
    fs.closeSync(this.#descriptor);
  }

  giveUp(): void {
    fs.closeSync(this.#descriptor);
    fs.rmSync(this.#file, { force: true });
  }

  #write(text: string): void {
    const bytes = Buffer.from(text);
    for (let done = 0; done < bytes.length; ) {
      done += fs.writeSync(this.#descriptor, bytes, done, bytes.length - done, done);
    }
    fs.fsyncSync(this.#descriptor);
  }
}

/** More than a credential has. */
const ROOM_BYTES = 1_024;
