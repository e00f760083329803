import {
  closeSync,
  existsSync,
  fdatasyncSync,
  mkdtempSync,
  openSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

/**
 * The disk alone, beside the figures that depend on it: a journal's append (4 KiB into existing space, then
 * fdatasync) once a millisecond. A disk that others use as well may stop for many milliseconds at a time, and
 * whatever waits for it waits as long.
 */
export async function sampleDisk(forMs: number): Promise<number[]> {
  const directory = mkdtempSync(join(tmpdir(), 'rialto-disk-'));
  const file = openSync(join(directory, 'sample'), 'w+');
  const tookMs: number[] = [];
  try {
    writeSync(file, Buffer.alloc(FILE_BYTES), 0, FILE_BYTES, 0);
    fdatasyncSync(file);
    const entry = Buffer.alloc(4_096, 1);
    const startedMs = performance.now();
    for (let at = 0; performance.now() - startedMs < forMs; at++) {
      const beganMs = performance.now();
      writeSync(file, entry, 0, entry.length, (at * entry.length) % FILE_BYTES);
      fdatasyncSync(file);
      tookMs.push(performance.now() - beganMs);
      await setTimeout(1);
    }
  } finally {
    closeSync(file);
    rmSync(directory, { recursive: true, force: true });
  }
  return tookMs;
}

const FILE_BYTES = 16 * 1_024 * 1_024;

/** A folder whose files are in memory; undefined if the system has none. */
export const MEMORY_FOLDER = existsSync('/dev/shm') ? '/dev/shm' : undefined;

/** The value that so large a share of them does not exceed. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
