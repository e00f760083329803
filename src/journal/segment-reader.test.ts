import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Files, realFiles } from './files.ts';
import { JournalDamaged } from './journal.ts';
import { appendNext, entryOf, expectEntries } from './journal-contract.ts';
import { openSegmentReader } from './segment-reader.ts';
import { openSegments } from './segments.ts';

let directory: string;
beforeEach(() => {
  directory = fs.mkdtempSync(join(tmpdir(), 'reader-'));
});
afterEach(() => fs.rmSync(directory, { recursive: true, force: true }));

const open = () => openSegments({ directory, stamp: 's', segmentBytes: 4096 });

test('a follower that asks again and again reads every entry once, across rolls', async () => {
  const journal = await open();
  const reader = openSegmentReader({ directory });
  let seen = 0;
  for (let group = 0; group < 300; group++) {
    await appendNext(journal, 1 + (group % 9));
    if (group % 3 !== 0) continue;
    expectEntries(reader.read(seen + 1, journal.lastSequence), seen + 1, journal.lastSequence);
    seen = journal.lastSequence;
    expect([...reader.read(seen + 1, seen)]).toEqual([]);
  }
  await journal.close();
});

test('a follower goes on within a group it was allowed to see a part of', async () => {
  const journal = await open();
  await appendNext(journal, 5);
  await appendNext(journal, 20);
  const reader = openSegmentReader({ directory });
  for (let last = 1; last <= 25; last++) expectEntries(reader.read(last, last), last, last);
  expectEntries(reader.read(3, 24), 3, 24);
  await journal.close();
});

test('a follower that goes on reads only what is new', async () => {
  let readBytes = 0;
  const files = {
    ...realFiles,
    open: (path: string, mode: 'read' | 'change' | 'create') => {
      const file = realFiles.open(path, mode);
      const read = (into: Uint8Array, position: number): number => {
        const count = file.read(into, position);
        readBytes += count;
        return count;
      };
      return { ...bound(file), read };
    },
  };
  const journal = await openSegments({ directory, stamp: 's', segmentBytes: 1 << 20 });
  const reader = openSegmentReader({ directory, files });
  for (let group = 0; group < 500; group++) await appendNext(journal, 9);
  expectEntries(reader.read(1, 4500), 1, 4500);
  await appendNext(journal, 9);
  readBytes = 0;
  expectEntries(reader.read(4501, 4509), 4501, 4509);
  expect(readBytes).toBeLessThan(20_000);
  await journal.close();
});

test('a read that is abandoned half-way closes its file and has no side effects', async () => {
  const journal = await open();
  for (let group = 0; group < 50; group++) await appendNext(journal, 9);
  const opened = new Set<object>();
  const files: Files = {
    ...realFiles,
    open: (path, mode) => {
      const file = realFiles.open(path, mode);
      const close = file.close.bind(file);
      opened.add(file);
      file.close = () => {
        opened.delete(file);
        close();
      };
      return file;
    },
  };
  const reader = openSegmentReader({ directory, files });
  for (let round = 0; round < 20; round++) {
    for (const { sequence } of reader.read(1 + round, 450)) if (sequence === 100 + round) break;
  }
  // It keeps the one in which it would continue.
  expect(opened.size).toBe(1);
  expectEntries(reader.read(1, 450), 1, 450);
  reader.close();
  expect(opened.size).toBe(0);
  await journal.close();
});

test('what was never written is a gap, not an end', async () => {
  const journal = await open();
  await appendNext(journal, 9);
  const reader = openSegmentReader({ directory });
  expect(() => [...reader.read(1, 10)]).toThrow(/sequence 10 and on are missing/);
  expect(() => [...openSegmentReader({ directory: `${directory}/none` }).read(1, 1)]).toThrow(
    JournalDamaged,
  );
  await journal.close();
});

test('a reader that leaves the chain to others still finds every damaged byte', async () => {
  const journal = await open();
  for (let group = 0; group < 3; group++) await appendNext(journal, 2);
  await journal.close();
  const [name] = fs.readdirSync(directory).filter((each) => each.endsWith('.journal'));
  const file = join(directory, name ?? '');
  const whole = fs.readFileSync(file);
  const readAll = () => [...openSegmentReader({ directory, checks: 'checksum' }).read(1, 6)];
  expectEntries(readAll(), 1, 6);
  const end = whole.findLastIndex((byte) => byte !== 0);
  for (let at = 0; at <= end; at++) {
    const damaged = Buffer.from(whole);
    damaged[at] = (damaged[at] as number) ^ 0x10;
    fs.writeFileSync(file, damaged);
    expect(readAll, `byte ${at}`).toThrow(JournalDamaged);
  }
});

test('another thread tails the journal while it is written, through rolls and an archiving', async () => {
  const script = `
    const { parentPort, workerData } = require('node:worker_threads');
    import(workerData.reader).then(({ openSegmentReader }) => {
      const reader = openSegmentReader({ directory: workerData.directory });
      let seen = 0;
      parentPort.on('message', (upTo) => {
        for (const { sequence, bytes } of reader.read(seen + 1, upTo)) {
          if (sequence !== ++seen) throw new Error('gap at ' + seen);
          parentPort.postMessage({ sequence, bytes: bytes.slice() });
        }
      });
      parentPort.postMessage('ready');
    });`;
  const reader = new URL('segment-reader.ts', import.meta.url).href;
  const worker = new Worker(script, { eval: true, workerData: { directory, reader } });
  const found: Uint8Array[] = [];
  const failed = new Promise<never>((_, reject) => worker.once('error', reject));
  await Promise.race([new Promise((resolve) => worker.once('message', resolve)), failed]);
  const done = new Promise<void>((resolve) => {
    worker.on('message', ({ bytes }: { bytes: Uint8Array }) => {
      found.push(bytes);
      if (found.length === 1500) resolve();
    });
  });
  const journal = await open();
  for (let group = 0; group < 300; group++) {
    await appendNext(journal, 5);
    worker.postMessage(journal.lastSequence);
    if (group === 200) await journal.archive(Math.max(1, found.length - 200), `${directory}/old`);
  }
  await Promise.race([done, failed]);
  await worker.terminate();
  found.forEach((bytes, index) => {
    expect(Buffer.compare(bytes, entryOf(index + 1))).toBe(0);
  });
  await journal.close();
});

/** The methods of a file as own properties, so that one can be replaced. */
const bound = (file: ReturnType<typeof realFiles.open>) => ({
  size: () => file.size(),
  read: (into: Uint8Array, position: number) => file.read(into, position),
  write: (bytes: Uint8Array, position: number) => file.write(bytes, position),
  writeAside: (bytes: Uint8Array, position: number) => file.writeAside(bytes, position),
  fsync: () => file.fsync(),
  syncNow: () => file.syncNow(),
  close: () => file.close(),
});

test('one entry out of many is read again without its segment from the beginning', async () => {
  const journal = await openSegments({ directory, stamp: 's' });
  for (let group = 0; group < 400; group++) {
    const entries = Array.from({ length: 20 }, (_, at) => new Uint8Array(300).fill(at + group));
    await journal.append(entries, group * 20 + 1);
  }
  let readBytes = 0;
  const files = {
    ...realFiles,
    open: (path: string, mode: 'read' | 'change' | 'create') => {
      const file = bound(realFiles.open(path, mode));
      const read = (into: Uint8Array, position: number): number => {
        const bytes = file.read(into, position);
        readBytes += bytes;
        return bytes;
      };
      return { ...file, read };
    },
  };
  const reader = openSegmentReader({ directory, files });
  const take = (sequence: number): number => {
    readBytes = 0;
    for (const entry of reader.read(sequence, sequence)) {
      expect(entry.sequence).toBe(sequence);
      expect(entry.bytes[0]).toBe((((sequence - 1) % 20) + Math.floor((sequence - 1) / 20)) % 256);
      break;
    }
    return readBytes;
  };
  const first = take(7_900);
  expect(first).toBeGreaterThan(2_000_000);
  for (const sequence of [7_901, 7_900, 4_000, 20, 1, 6_123, 7_999]) {
    expect(take(sequence)).toBeLessThan(first / 4);
  }
  reader.close();
  await journal.close();
});
