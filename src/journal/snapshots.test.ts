import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FaultyFiles } from './faulty-files.fixture.ts';
import {
  listSnapshots,
  newestSnapshot,
  pruneSnapshots,
  snapshotName,
  writeSnapshot,
} from './snapshots.ts';

const DIRECTORY = '/snapshots';
const stamp = 'rules 1';
const text = (content: string): Uint8Array => new TextEncoder().encode(content);
const pathOf = (sequence: number): string => `${DIRECTORY}/${snapshotName(sequence)}`;

async function diskWith(...sequences: readonly number[]): Promise<FaultyFiles> {
  const files = new FaultyFiles();
  for (const sequence of sequences) {
    await writeSnapshot(DIRECTORY, sequence, text(`state ${sequence}`), { files, stamp });
  }
  return files;
}

describe('snapshots', () => {
  test('the newest is found, also at most at a sequence', async () => {
    const files = await diskWith(10, 300, 20);
    expect(listSnapshots(DIRECTORY, { files })).toEqual([300, 20, 10]);
    expect(newestSnapshot(DIRECTORY, { files })).toMatchObject({ sequence: 300, skipped: [] });
    expect(newestSnapshot(DIRECTORY, { files, atMost: 299 }).bytes).toEqual(text('state 20'));
    expect(newestSnapshot(DIRECTORY, { files, atMost: 9 })).toEqual({
      sequence: 0,
      bytes: undefined,
      skipped: [],
    });
  });

  test('one damaged at any byte, or ending at any byte, is skipped with the reason', async () => {
    const files = await diskWith(10, 20);
    const whole = files.contents(pathOf(20));
    for (let offset = 0; offset < whole.length; offset++) {
      const flipped = whole.slice();
      flipped[offset] = (flipped[offset] as number) ^ (1 << ((offset * 5) % 8));
      for (const damaged of [flipped, whole.subarray(0, offset)]) {
        files.setContents(pathOf(20), damaged);
        const found = newestSnapshot(DIRECTORY, { files, stamps: [stamp] });
        expect(found).toMatchObject({ sequence: 10, bytes: text('state 10') });
        expect(found.skipped).toEqual([{ file: pathOf(20), reason: expect.stringMatching(/\w/) }]);
      }
    }
    files.setContents(pathOf(20), new Uint8Array([...whole, 0]));
    expect(newestSnapshot(DIRECTORY, { files }).sequence).toBe(10);
  });

  test('one of a foreign stamp, or under the name of another, is skipped', async () => {
    const files = await diskWith(10);
    await writeSnapshot(DIRECTORY, 20, text('theirs'), { files, stamp: 'rules 2' });
    files.setContents(pathOf(30), files.contents(pathOf(10)));
    const found = newestSnapshot(DIRECTORY, { files, stamps: [stamp] });
    expect(found).toMatchObject({ sequence: 10 });
    expect(found.skipped.map(({ reason }) => reason)).toEqual([
      'it is of sequence 10',
      'it is stamped "rules 2"',
    ]);
    expect(newestSnapshot(DIRECTORY, { files, stamps: [stamp, 'rules 2'] }).sequence).toBe(20);
  });

  test('pruning keeps the newest that check, and never counts a damaged one', async () => {
    const files = await diskWith(10, 20, 30, 40, 50);
    files.setContents(pathOf(50), text('damaged'));
    files.setContents(`${pathOf(60)}.tmp`, text('left by a crash'));
    expect(await pruneSnapshots(DIRECTORY, 2, { files })).toEqual([20, 10]);
    expect(files.list(DIRECTORY).sort()).toEqual([30, 40, 50].map(snapshotName));
  });

  test('power lost or a fault at any call leaves the old one or the new one, whole', async () => {
    for (let call = 1; ; call++) {
      for (const trouble of ['power', 'EIO', 'ENOSPC'] as const) {
        const files = await diskWith(10);
        const at = files.calls + call;
        if (trouble === 'power') files.stopAtCall = at;
        else files.fault = { call: at, code: trouble };
        const isWritten = await writeSnapshot(DIRECTORY, 20, text('state 20'), {
          files,
          stamp,
        }).then(
          () => true,
          () => false,
        );
        if (trouble === 'power' || isWritten) files.crash();
        const found = newestSnapshot(DIRECTORY, { files });
        expect(found.skipped).toEqual([]);
        expect(found.bytes).toEqual(text(`state ${found.sequence}`));
        if (isWritten) expect(found.sequence).toBe(20);
        await writeSnapshot(DIRECTORY, 30, text('state 30'), { files, stamp });
        expect(files.list(DIRECTORY).filter((name) => name.endsWith('.tmp'))).toEqual([]);
        if (isWritten) return;
      }
    }
  });

  test('whatever the blob, it comes back from a real disk', async () => {
    const directory = fs.mkdtempSync(join(tmpdir(), 'snapshots-'));
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
        fc.uint8Array({ maxLength: 5000 }),
        async (sequence, bytes) => {
          await writeSnapshot(join(directory, 'deep', 'er'), sequence, bytes, { stamp });
          const found = newestSnapshot(join(directory, 'deep', 'er'), { atMost: sequence });
          expect(found.sequence).toBe(sequence);
          expect(Buffer.compare(found.bytes ?? text('none'), bytes)).toBe(0);
        },
      ),
      { numRuns: 40 },
    );
    fs.rmSync(directory, { recursive: true });
  });
});
