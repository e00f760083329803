/**
 * The last records of a journal, damaged at every offset. Each damage has one correct outcome, and that
 * outcome is asserted, not only that something sensible happens.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { FaultyFiles } from './faulty-files.fixture.ts';
import { JournalDamaged } from './journal.ts';
import { appendNext, entriesFrom, expectEntries } from './journal-contract.ts';
import { encodeRecord, recordBytesOf } from './record.ts';
import { readHeader, segmentName } from './segment-header.ts';
import { openSegments, type Segments } from './segments.ts';
import { verifySegments } from './verify.ts';

const DIRECTORY = '/journal';
const SEGMENT_BYTES = 2048;
type Image = ReadonlyMap<string, Uint8Array>;
type Span = {
  readonly path: string;
  readonly start: number;
  readonly end: number;
  readonly last: number;
};

/** A journal on disk, and the position of each of its records. */
async function journalOf(groups: readonly number[]): Promise<{ image: Image; spans: Span[] }> {
  const files = new FaultyFiles();
  const journal = await open(files);
  const spans: Span[] = [];
  let path = '';
  let start = 0;
  for (const count of groups) {
    const first = journal.lastSequence + 1;
    await appendNext(journal, count);
    if (files.list(DIRECTORY).includes(segmentName(first))) {
      path = `${DIRECTORY}/${segmentName(first)}`;
      start = 512;
    }
    const end = endOfRecord(files.contents(path), start);
    spans.push({ path, start, end, last: journal.lastSequence });
    start = end;
  }
  await journal.close();
  const names = files.list(DIRECTORY).filter((name) => name.endsWith('.journal'));
  const image = new Map(
    names.map((name) => [`${DIRECTORY}/${name}`, files.contents(`${DIRECTORY}/${name}`)]),
  );
  return { image, spans };
}

const endOfRecord = (file: Uint8Array, start: number): number =>
  start + Math.ceil((64 + new DataView(file.buffer).getUint32(start + 12, true)) / 16) * 16;

const open = (files: FaultyFiles): Promise<Segments> =>
  openSegments({ directory: DIRECTORY, stamp: 'test', segmentBytes: SEGMENT_BYTES, files });

function diskOf(
  image: Image,
  path: string,
  change: (bytes: Uint8Array) => Uint8Array,
): FaultyFiles {
  const files = new FaultyFiles();
  for (const [name, bytes] of image)
    files.setContents(name, name === path ? change(bytes.slice()) : bytes);
  return files;
}

/** Opens, checks every entry, continues writing, and checks again after another restart. */
async function expectCutTo(files: FaultyFiles, last: number, span: Span): Promise<void> {
  const journal = await open(files);
  expect(journal.lastSequence).toBe(last);
  expect(journal.opened.cut).toMatchObject({ file: span.path });
  expectEntries(journal.read(1), 1, last);
  await appendNext(journal, 2);
  await journal.close();
  files.crash();
  const again = await open(files);
  expect(again.opened.cut).toBeUndefined();
  expectEntries(again.read(1), 1, last + 2);
  expect(files.contents(span.path).length).toBe(SEGMENT_BYTES);
  await again.close();
}

async function expectRefused(files: FaultyFiles, span: Span): Promise<void> {
  const refusal = await open(files).then(
    () => undefined,
    (cause: unknown) => cause,
  );
  expect(refusal).toBeInstanceOf(JournalDamaged);
  expect(refusal).toMatchObject({ file: span.path, offset: expect.any(Number) });
  expect(() => verifySegments({ directory: DIRECTORY, files })).toThrow(JournalDamaged);
}

describe('the last three records in one segment', () => {
  let image: Image;
  let spans: Span[];
  beforeAll(async () => {
    ({ image, spans } = await journalOf([20, 30, 20, 2, 1, 3, 2]));
    expect(new Set(spans.slice(-4).map(({ path }) => path)).size).toBe(1);
  });

  test('a file that ends anywhere within them is cut to the last whole record', async () => {
    for (const [index, span] of [...spans.entries()].slice(-3)) {
      const before = spans[index - 1] as Span;
      for (let length = span.start; length < span.end; length++) {
        const files = diskOf(image, span.path, (bytes) => bytes.subarray(0, length));
        await expectCutTo(files, before.last, span);
      }
    }
  });

  test('a bit flipped in the last record cuts it, one in an earlier record is refused', async () => {
    for (const [index, span] of [...spans.entries()].slice(-3)) {
      for (let offset = span.start; offset < span.end; offset++) {
        const files = diskOf(image, span.path, flipped(offset));
        if (index < spans.length - 1) await expectRefused(files, span);
        else await expectCutTo(files, (spans[index - 1] as Span).last, span);
      }
    }
  });

  test('a bit flipped in what was never written is cut away', async () => {
    const span = spans.at(-1) as Span;
    for (let offset = span.end; offset < SEGMENT_BYTES; offset += 7) {
      await expectCutTo(diskOf(image, span.path, flipped(offset)), span.last, span);
    }
  });

  test('a bit flipped anywhere in the header of the newest segment is refused', async () => {
    const { path } = spans.at(-1) as Span;
    for (let offset = 0; offset < 512; offset++) {
      await expect(open(diskOf(image, path, flipped(offset)))).rejects.toThrow(JournalDamaged);
    }
  });

  test('a hole where a whole record was, with good ones behind it, is refused', async () => {
    const span = spans.at(-2) as Span;
    const files = diskOf(image, span.path, (bytes) => bytes.fill(0, span.start, span.end));
    await expect(open(files)).rejects.toThrow(
      /a good record stands at offset \d+: .*; restore the file from a copy$/,
    );
  });

  test('a record that checks but was not written here next is refused and not cut', async () => {
    const { path, end, last } = spans.at(-1) as Span;
    const plain = diskOf(image, path, (bytes) => bytes);
    const { salt } = readHeader(plain.open(path, 'read'), path, Number(path.slice(-28, -8)));
    const journal = await open(plain);
    const chain = Buffer.from(journal.chain, 'hex');
    await journal.close();
    const entries = entriesFrom(last + 1, 2);
    const forged: readonly [number, Uint8Array, number, RegExp | undefined][] = [
      [last + 1, chain, 1, undefined],
      [last + 1, chain, 2, /format version 2, this program reads 1/],
      [last + 2, chain, 1, /begins at sequence \d+, not \d+/],
      [last, chain, 1, /begins at sequence \d+, not \d+/],
      [last + 1, chain.toReversed(), 1, /the chain hash differs/],
    ];
    for (const [firstSequence, previousChain, version, refusal] of forged) {
      const record = new Uint8Array(recordBytesOf(entries));
      encodeRecord(record, { entries, firstSequence, previousChain, salt }, version);
      const files = diskOf(image, path, (bytes) => {
        bytes.set(record, end);
        return bytes;
      });
      if (refusal === undefined) await (await open(files)).close();
      else await expect(open(files)).rejects.toThrow(refusal);
    }
  });
});

describe('the last three records across two segments', () => {
  let image: Image;
  let spans: Span[];
  beforeAll(async () => {
    ({ image, spans } = await journalOf([30, 20, 15, 12]));
    const [before, previous, last] = spans.slice(-3) as [Span, Span, Span];
    expect(before.path).toBe(previous.path);
    expect(previous.path).not.toBe(last.path);
  });

  test('any damage is refused: a segment is named only when its first record is synced', async () => {
    for (const span of spans.slice(-3)) {
      for (let offset = span.start; offset < span.end; offset++) {
        await expectRefused(diskOf(image, span.path, flipped(offset)), span);
        await expectRefused(
          diskOf(image, span.path, (bytes) => bytes.subarray(0, offset)),
          span,
        );
      }
    }
  });
});

test('bytes in a payload that look like a record do not turn a torn tail into damage', async () => {
  const { image, spans } = await journalOf([9, 9]);
  const span = spans.at(-1) as Span;
  const copied = (image.get(span.path) as Uint8Array).slice(span.start, span.end);
  const files = diskOf(image, span.path, (bytes) => bytes);
  const journal = await open(files);
  // The first append rolls: the copy is then in a segment for which it was not written.
  await appendNext(journal, 22);
  await appendNext(journal, 1);
  const path = `${DIRECTORY}/${segmentName(19)}`;
  const at = endOfRecord(files.contents(path), endOfRecord(files.contents(path), 512));
  const last = journal.lastSequence;
  await journal.append([new Uint8Array([...new Uint8Array(12), ...copied])], last + 1);
  await journal.close();
  const bytes = files.contents(path);
  bytes[at + 5] = (bytes[at + 5] as number) ^ 1;
  files.setContents(path, bytes);
  await expectCutTo(files, last, { path, start: at, end: 0, last });
});

/** Flips one bit of the byte at an offset, a different one for each offset. */
const flipped =
  (offset: number) =>
  (bytes: Uint8Array): Uint8Array => {
    bytes[offset] = (bytes[offset] as number) ^ (1 << ((offset * 5) % 8));
    return bytes;
  };
