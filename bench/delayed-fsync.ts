/** Preloaded into the program by the slow-disk benchmark: every fdatasync takes longer. */
import fs from 'node:fs';

const delayMs = Number(process.env['BENCH_FSYNC_MS'] ?? '5');
const { fdatasync, fdatasyncSync } = fs;
const waiting = new Int32Array(new SharedArrayBuffer(4));

fs.fdatasync = ((descriptor: number, done: (error: NodeJS.ErrnoException | null) => void) =>
  fdatasync(descriptor, (error) => {
    setTimeout(() => done(error), delayMs);
  })) as typeof fdatasync;

fs.fdatasyncSync = (descriptor) => {
  fdatasyncSync(descriptor);
  Atomics.wait(waiting, 0, 0, delayMs);
};
