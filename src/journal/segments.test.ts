import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FaultyFiles } from './faulty-files.fixture.ts';
import { type Files, type OpenFile, realFiles } from './files.ts';
import { JournalDamaged, JournalFailure, JournalFence, JournalLocked } from './journal.ts';
import { appendNext, appendNextNow, entryOf, expectEntries } from './journal-contract.ts';
import { encodeHeader, readHeader, segmentName } from './segment-header.ts';
import { openSegments, type Segments, type SegmentsOptions } from './segments.ts';
import { verifySegments } from './verify.ts';

let directory: string;
beforeEach(() => {
  directory = fs.mkdtempSync(join(tmpdir(), 'segments-'));
});
afterEach(() => fs.rmSync(directory, { recursive: true, force: true }));

const open = (options: Partial<SegmentsOptions> = {}): Promise<Segments> =>
  openSegments({ directory, stamp: 'rules 1, venue A', segmentBytes: 4096, ...options });
const segments = (where = directory): string[] =>
  fs
    .readdirSync(where)
    .filter((name) => name.endsWith('.journal'))
    .sort();

async function fill(groups: number, options?: Partial<SegmentsOptions>): Promise<void> {
  const journal = await open(options);
  for (let group = 0; group < groups; group++) await appendNext(journal, 1 + (group % 9));
  await journal.close();
}

describe('segments', () => {
  test('a journal rolls over many segments and reads across all of them', async () => {
    const journal = await open();
    for (let group = 0; group < 400; group++) await appendNext(journal, 1 + (group % 9));
    expect(segments().length).toBeGreaterThan(15);
    expectEntries(journal.read(1), 1, journal.lastSequence);
    for (let from = 1; from <= journal.lastSequence; from += 97) {
      expectEntries(journal.read(from), from, journal.lastSequence);
    }
    expect(journal.verifyAll()).toEqual({
      segments: segments().length,
      firstSequence: 1,
      lastSequence: journal.lastSequence,
      chain: journal.chain,
      tornTail: undefined,
    });
    for (const name of segments()) expect(fs.statSync(join(directory, name)).size).toBe(4096);
    await journal.close();
  });

  test('a group larger than a segment gets a segment of its own size', async () => {
    const journal = await open();
    await appendNext(journal, 2);
    await appendNext(journal, 500);
    await appendNext(journal, 2);
    expect(segments()).toEqual([1, 3, 503].map(segmentName));
    expectEntries(journal.read(1), 1, 504);
    await journal.close();
    const again = await open();
    expectEntries(again.read(400), 400, 504);
    await again.close();
  });

  test('one group is one write and one sync', async () => {
    const calls: string[] = [];
    // The first file is being written; the second is prepared meanwhile, whenever there is time.
    const journal = await open({ files: counted(calls, [1]), segmentBytes: 1 << 20 });
    await appendNext(journal);
    calls.splice(0);
    for (let group = 0; group < 10; group++) await appendNext(journal, 64);
    expect(calls).toEqual(Array.from({ length: 10 }, () => ['write', 'sync']).flat());
    await journal.close();
  });

  test('opening reads no more than the two newest segments and the headers of the others', async () => {
    await fill(400);
    const reads: string[] = [];
    const journal = await open({ files: counted(reads) });
    const old = segments().slice(0, -2);
    expect(old.length).toBeGreaterThan(15);
    for (const name of old) expect(reads.filter((read) => read === `read ${name}`).length).toBe(1);
    await journal.close();
  });

  test('a group too large for the format is refused and does not end the journal', async () => {
    const journal = await open();
    const huge = { length: 2 ** 30 } as Uint8Array;
    await expect(journal.append([huge], 1)).rejects.toThrow(RangeError);
    await appendNext(journal);
    await journal.close();
  });
});

describe('what is refused', () => {
  test('a missing segment in the middle', async () => {
    await fill(100);
    const [, second] = segments();
    fs.unlinkSync(join(directory, second as string));
    await expect(open()).rejects.toThrow(`the segment before it, ${second}, is missing`);
  });

  test('a segment under the name of another', async () => {
    await fill(100);
    fs.copyFileSync(join(directory, segments()[0] as string), join(directory, segmentName(9999)));
    await expect(open()).rejects.toThrow(/begins at sequence 1, its name says otherwise/);
  });

  test('a foreign stamp', async () => {
    await fill(3);
    await expect(open({ stamp: 'rules 1, venue B' })).rejects.toThrow(
      /stamped "rules 1, venue A", not "rules 1, venue B"/,
    );
    expect(() => verifySegments({ directory, stamps: ['other'] })).toThrow(JournalDamaged);
  });

  test('another format version, even with a header that checks', async () => {
    await fill(3);
    const path = join(directory, segmentName(1));
    const bytes = fs.readFileSync(path);
    bytes.writeUInt32LE(7, 8);
    fs.writeFileSync(path, bytes);
    await expect(open()).rejects.toThrow(/format version 7, this program reads 1/);
  });

  test('a chain hash that does not follow from the segment before', async () => {
    await fill(100);
    const path = join(directory, segments().at(-1) as string);
    reheaded(path, new Uint8Array(32).fill(7));
    await expect(open()).rejects.toThrow(/chain hash does not follow/);
    expect(() => verifySegments({ directory })).toThrow(/chain hash does not follow/);
  });

  test('a read of what is damaged in an old segment, after what is whole has been read', async () => {
    await fill(400);
    const old = join(directory, segments()[3] as string);
    const bytes = fs.readFileSync(old);
    bytes[2000] = (bytes[2000] as number) ^ 1;
    fs.writeFileSync(old, bytes);
    const journal = await open();
    const found: number[] = [];
    expect(() => {
      for (const { sequence, bytes: read } of journal.read(1)) {
        expect(Buffer.compare(read, entryOf(sequence))).toBe(0);
        found.push(sequence);
      }
    }).toThrow(JournalDamaged);
    expect(found.length).toBeGreaterThan(100);
    expect(() => journal.verifyAll()).toThrow(/the checksum differs/);
    await journal.close();
  });

  test('a stamp too long, a segment too small', async () => {
    await expect(open({ stamp: 'é'.repeat(129) })).rejects.toThrow(RangeError);
    await expect(open({ segmentBytes: 100 })).rejects.toThrow(RangeError);
  });
});

test('a journal of an older stamp is written on under the new one, in a new segment', async () => {
  await fill(3);
  const journal = await open({ stamp: 'rules 2, venue A', olderStamps: ['rules 1, venue A'] });
  await appendNext(journal, 2);
  await appendNext(journal, 2);
  await journal.close();
  expect(segments()).toEqual([1, 7].map(segmentName));
  await expect(open()).rejects.toThrow(/stamped "rules 2, venue A"/);
});

describe('the lock', () => {
  test('a second writer of the same process is refused and named', async () => {
    const journal = await open();
    const refusal = open();
    await expect(refusal).rejects.toThrow(JournalLocked);
    await expect(refusal).rejects.toThrow(`is held by process ${process.pid}`);
    await journal.close();
    await (await open()).close();
  });

  test('a refused open gives the lock back', async () => {
    await fill(3);
    await expect(open({ stamp: 'other' })).rejects.toThrow(JournalDamaged);
    await (await open()).close();
  });
});

test('a writer killed at work leaves all that it had called durable', {
  timeout: 300_000,
}, async () => {
  const script = `
    import { openSegments } from ${JSON.stringify(new URL('segments.ts', import.meta.url).href)};
    const journal = await openSegments({ directory: process.argv[1], stamp: 's', segmentBytes: 8192 });
    for (;;) {
      const first = journal.lastSequence + 1;
      const entries = Array.from({ length: 1 + (first % 7) }, (_, i) => Buffer.from('entry ' + (first + i)));
      await journal.append(entries, first);
      process.stdout.write(journal.lastSequence + '\\n');
    }`;
  let acknowledged = 0;
  for (let round = 0; round < 4; round++) {
    const writer = spawn(process.execPath, ['--input-type=module', '-e', script, directory]);
    let output = '';
    writer.stdout.on('data', (data: Buffer) => {
      output += data.toString();
      if (output.length > 500 * (round + 1)) writer.kill('SIGKILL');
    });
    await new Promise((resolve) => writer.once('close', resolve));
    acknowledged = Number(output.slice(0, output.lastIndexOf('\n')).split('\n').at(-1));
    const journal = await open({ stamp: 's', segmentBytes: 8192 });
    expect(journal.lastSequence).toBeGreaterThanOrEqual(acknowledged);
    let sequence = 0;
    for (const entry of journal.read(1)) {
      expect(Buffer.from(entry.bytes).toString()).toBe(`entry ${++sequence}`);
    }
    expect(sequence).toBe(journal.lastSequence);
    await journal.close();
  }
  expect(acknowledged).toBeGreaterThan(100);
});

test('a full disk ends the journal and leaves what was acknowledged', async () => {
  const files = limited(40 * 1024);
  const journal = await open({ files });
  let failure: unknown;
  while (failure === undefined) {
    await appendNext(journal, 9).catch((cause: unknown) => {
      failure = cause;
    });
  }
  const last = journal.lastSequence;
  await journal.close();
  const again = await open();
  expect(again.lastSequence).toBeGreaterThanOrEqual(last);
  expectEntries(again.read(1), 1, again.lastSequence);
  await again.close();
});

describe('archiving', () => {
  test('moves whole segments below a sequence away, and never the newest', async () => {
    const archive = join(directory, 'archive');
    const journal = await open();
    for (let group = 0; group < 200; group++) await appendNext(journal, 1 + (group % 9));
    const before = segments();
    const keptFrom = Number((before[5] as string).slice(0, 20));
    expect(await journal.archive(keptFrom - 1, archive)).toEqual(before.slice(0, 4));
    expect(await journal.archive(keptFrom, archive)).toEqual(before.slice(4, 5));
    expect(segments()).toEqual(before.slice(5));
    expectEntries(journal.read(keptFrom), keptFrom, journal.lastSequence);
    expect(() => [...journal.read(keptFrom - 1)]).toThrow(`oldest segment begins at ${keptFrom}`);
    await journal.archive(Number.MAX_SAFE_INTEGER, archive);
    expect(segments()).toEqual(before.slice(-1));
    await appendNext(journal, 200);
    await journal.close();
    for (const name of segments(archive)) fs.renameSync(join(archive, name), join(directory, name));
    const again = await open();
    expectEntries(again.read(1), 1, again.lastSequence);
    await again.close();
  });

  test('into the archive of another journal is refused, and nothing moves', async () => {
    const archive = join(directory, 'archive');
    fs.mkdirSync(archive);
    fs.writeFileSync(join(archive, segmentName(1)), 'theirs');
    await fill(100);
    const before = segments();
    const journal = await open();
    await expect(journal.archive(100, archive)).rejects.toThrow(/already there, with other bytes/);
    expect(segments()).toEqual(before);
    await journal.close();
  });

  test('to another disk, the copy is durable there before the original goes', async () => {
    for (let call = 1; ; call++) {
      const files = new FaultyFiles({ seed: call, farDirectory: '/far' });
      const options = { directory: '/journal', stamp: 's', segmentBytes: 2048, files };
      const journal = await openSegments(options);
      for (let group = 0; group < 12; group++) await appendNext(journal, 9);
      files.stopAtCall = files.calls + call;
      const isDone = await journal.archive(100, '/far').then(
        (names) => names.length,
        () => 0,
      );
      files.crash();
      for (const name of files.list('/far').filter((found) => found.endsWith('.journal'))) {
        files.setContents(`/journal/${name}`, files.contents(`/far/${name}`));
      }
      const again = await openSegments(options);
      expectEntries(again.read(1), 1, 108);
      await again.close();
      if (isDone > 0) {
        expect(isDone).toBeGreaterThan(1);
        break;
      }
    }
  });
});

describe('an append that waits on this thread', () => {
  const always = {
    isOnThread: () => true,
    appendsMax: () => 1,
    overlapped: () => undefined,
    took: () => undefined,
  };

  test('is one write and one fsync, durable when it returns, and read back', async () => {
    const calls: string[] = [];
    const journal = await open({ pace: always, files: counted(calls) });
    await appendNext(journal, 3);
    calls.length = 0;
    expect(appendNextNow(journal, 5)).toBe(true);
    expect([calls, journal.lastSequence]).toEqual([['write', 'sync now'], 8]);
    await appendNext(journal);
    expectEntries(journal.read(1), 1, 9);
    await journal.close();
    const again = await open();
    expectEntries(again.read(1), 1, 9);
    await again.close();
  });

  test('is left to append on a slow disk, for a new segment, and for an empty group', async () => {
    const journal = await open({ pace: { ...always, isOnThread: () => false } });
    await appendNext(journal);
    expect([appendNextNow(journal), journal.lastSequence]).toEqual([false, 1]);
    await journal.close();
    const quick = await open({ pace: always });
    expect(quick.appendNow([], quick.lastSequence + 1)).toBe(false);
    let appended = 0;
    while (appendNextNow(quick, 9)) appended++;
    expect(appended).toBeGreaterThan(3);
    await appendNext(quick, 9);
    expect(appendNextNow(quick, 9)).toBe(true);
    await quick.close();
  });

  test('tells the pace how long the disk took', async () => {
    const took: number[] = [];
    let ms = 0;
    const pace = { ...always, took: (one: number) => void took.push(one) };
    const journal = await open({ pace, nowMs: () => (ms += 7) });
    await appendNext(journal);
    appendNextNow(journal);
    expect(took).toEqual([7]);
    await journal.close();
  });

  test('throws what append rejects with: a fence, a permanent failure, a closed journal', async () => {
    const files = new FaultyFiles({ seed: 1 });
    const journal = await open({ pace: always, files });
    await appendNext(journal);
    expect(() => journal.appendNow([entryOf(3)], 3)).toThrow(JournalFence);
    const inFlight = appendNext(journal);
    expect(() => journal.appendNow([entryOf(2)], 2)).toThrow(JournalFence);
    await inFlight;
    files.fault = { call: files.calls + 2, code: 'EIO' };
    expect(() => appendNextNow(journal)).toThrow(JournalFailure);
    expect(() => appendNextNow(journal)).toThrow(JournalFailure);
    await expect(appendNext(journal)).rejects.toThrow(JournalFailure);
    await journal.close();
    expect(() => appendNextNow(journal)).toThrow(JournalFailure);
  });
});

/** Writes another chain hash into a segment header, with a correct checksum. */
function reheaded(path: string, previousChain: Uint8Array): void {
  const file = realFiles.open(path, 'change');
  const header = readHeader(file, path, Number(path.slice(-28, -8)));
  const bytes = new Uint8Array(512);
  encodeHeader(bytes, { ...header, previousChain });
  file.write(bytes, 0);
  file.close();
}

/** Real files that record each call by name. */
function counted(calls: string[], onlyOpened?: readonly number[]): Files {
  let opened = 0;
  const note = (file: OpenFile, path: string): OpenFile => ({
    size: () => file.size(),
    read: (into, position) => {
      calls.push(`read ${path.slice(-28)}`);
      return file.read(into, position);
    },
    write: (bytes, position) => {
      calls.push('write');
      return file.write(bytes, position);
    },
    writeAside: (bytes, position) => file.writeAside(bytes, position),
    fsync: () => {
      calls.push('sync');
      return file.fsync();
    },
    syncNow: () => {
      calls.push('sync now');
      file.syncNow();
    },
    close: () => file.close(),
  });
  return {
    ...realFiles,
    open: (path, mode) => {
      const file = realFiles.open(path, mode);
      opened++;
      return onlyOpened === undefined || onlyOpened.includes(opened) ? note(file, path) : file;
    },
  };
}

/** Real files on a disk with limited space. */
function limited(bytesMax: number): Files {
  let left = bytesMax;
  return {
    ...realFiles,
    open: (path, mode) => {
      const file = realFiles.open(path, mode);
      const spend = (bytes: Uint8Array): Uint8Array => {
        if (left === 0) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
        const fitting = bytes.subarray(0, left);
        left -= fitting.length;
        return fitting;
      };
      return {
        size: () => file.size(),
        read: (into, position) => file.read(into, position),
        write: (bytes, position) => file.write(spend(bytes), position),
        writeAside: async (bytes, position) => file.writeAside(spend(bytes), position),
        fsync: () => file.fsync(),
        syncNow: () => file.syncNow(),
        close: () => file.close(),
      };
    },
  };
}
