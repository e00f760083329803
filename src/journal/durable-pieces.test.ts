import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DURABLE_PIECE_BYTES, type Files, type OpenFile, realFiles } from './files.ts';
import { appendNext } from './journal-contract.ts';
import { openSegments } from './segments.ts';
import { newestSnapshot, writeSnapshot } from './snapshots.ts';

const STAMP = 'rules 1, venue A';
let directory: string;
beforeEach(() => {
  directory = fs.mkdtempSync(join(tmpdir(), 'pieces-'));
});
afterEach(() => fs.rmSync(directory, { recursive: true, force: true }));

test('the next segment is made ready in pieces, each durable before the following one', async () => {
  const unsynced = new Unsynced();
  const segmentBytes = 5 * DURABLE_PIECE_BYTES + 4096;
  const journal = await openSegments({
    ...{ directory, stamp: STAMP, segmentBytes, files: unsynced.files },
  });
  await appendNext(journal, 1);
  unsynced.bytesMax = 0;
  await journal.close();
  expect(fs.statSync(join(directory, 'next.spare')).size).toBe(segmentBytes);
  expect(unsynced.bytesMax).toBe(DURABLE_PIECE_BYTES);
  expect(unsynced.closedWith).toBe(0);
});

test('so is a snapshot, and it is read whole', async () => {
  const unsynced = new Unsynced();
  const blob = Uint8Array.from({ length: 3 * DURABLE_PIECE_BYTES + 5 }, (_, at) => (at * 7) & 0xff);
  await writeSnapshot(directory, 12, blob, { stamp: STAMP, files: unsynced.files });
  expect(unsynced.bytesWritten).toBeGreaterThan(blob.length);
  expect(unsynced.bytesMax).toBe(DURABLE_PIECE_BYTES);
  expect(unsynced.closedWith).toBe(0);
  const { sequence, bytes } = newestSnapshot(directory);
  expect(sequence).toBe(12);
  expect(Buffer.compare(bytes ?? new Uint8Array(), blob)).toBe(0);
});

/** Real files that count what was written to a file since its last sync. */
class Unsynced {
  bytesMax = 0;
  bytesWritten = 0;
  /** The most that was left when a file was closed. */
  closedWith = 0;
  readonly files: Files = {
    ...realFiles,
    open: (path, mode) => this.#counted(realFiles.open(path, mode)),
  };

  #counted(file: OpenFile): OpenFile {
    let unsyncedBytes = 0;
    const add = (count: number): number => {
      unsyncedBytes += count;
      this.bytesWritten += count;
      this.bytesMax = Math.max(this.bytesMax, unsyncedBytes);
      return count;
    };
    return {
      size: () => file.size(),
      read: (into, position) => file.read(into, position),
      write: (bytes, position) => add(file.write(bytes, position)),
      writeAside: async (bytes, position) => add(await file.writeAside(bytes, position)),
      fsync: async () => {
        await file.fsync();
        unsyncedBytes = 0;
      },
      syncNow: () => {
        file.syncNow();
        unsyncedBytes = 0;
      },
      close: () => {
        this.closedWith = Math.max(this.closedWith, unsyncedBytes);
        file.close();
      },
    };
  }
}
