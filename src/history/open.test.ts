import { createHash } from 'node:crypto';
import {
  closeSync,
  copyFileSync,
  openSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { expect, test } from 'vitest';
import { openHistory } from './history.ts';
import { historyCursor, prepareHistory, verifyHistory } from './open.ts';
import { contents, newFile, STAMP, tamper, transfersLog } from './outcomes.fixture.ts';
import { openProjector } from './projector.ts';
import { HistoryRefused } from './refused.ts';
import { SCHEMA } from './subjects.ts';

const log = transfersLog(2_000);
const after = () => () => {};

test('a history that is not there is made, and stands at the beginning', () => {
  const file = newFile();
  expect(historyCursor(file)).toBe(0);
  expect(refusal(() => openHistory({ file, stamp: STAMP, after }))).toMatch(/^missing/);
  expect(prepareHistory({ file, stamp: STAMP })).toBe(0);
  expect(historyCursor(file)).toBe(0);
  const history = openHistory({ file, stamp: STAMP, after });
  expect(history.sequence).toBe(0);
  history.close();
});

test('preparing changes nothing in a history that is there, and answers its cursor', () => {
  const file = projected();
  const before = contents(file);
  expect(prepareHistory({ file, stamp: STAMP })).toBe(2_000);
  expect(historyCursor(file)).toBe(2_000);
  expect(contents(file)).toEqual(before);
  verifyHistory({ file, stamp: STAMP });
});

test("another venue's history is refused by everyone and left as it is, however old it is", () => {
  const file = projected();
  tamper(file, 'UPDATE about SET schema_version = 0');
  const before = contents(file);
  const stamp = 'another venue';
  const reason = /^foreign: .* is the history of venue-of-the-tests, not of another venue/;
  expect(refusal(() => prepareHistory({ file, stamp }))).toMatch(reason);
  expect(refusal(() => openProjector({ file, stamp }))).toMatch(reason);
  expect(refusal(() => openHistory({ file, stamp, after }))).toMatch(reason);
  expect(contents(file)).toEqual(before);
});

test('a database that is no history is refused', () => {
  const file = newFile();
  tamper(file, 'CREATE TABLE songs (name TEXT)');
  expect(refusal(() => prepareHistory({ file, stamp: STAMP }))).toMatch(
    /^foreign: .*not a history/,
  );
  expect(refusal(() => historyCursor(file))).toMatch(/^foreign/);
});

test('a newer schema is refused with both versions', () => {
  const file = projected();
  tamper(file, `UPDATE about SET schema_version = ${SCHEMA.version + 1}`);
  const reason = new RegExp(`^newer: .*schema ${SCHEMA.version + 1}.*knows ${SCHEMA.version}`);
  expect(refusal(() => prepareHistory({ file, stamp: STAMP }))).toMatch(reason);
  expect(refusal(() => openHistory({ file, stamp: STAMP, after }))).toMatch(reason);
});

test('an older schema is dropped, and everything is projected again', () => {
  const file = projected();
  const before = contents(file);
  tamper(file, 'UPDATE about SET schema_version = 1; DROP TABLE entry_times');
  expect(historyCursor(file)).toBe(0);
  expect(refusal(() => openHistory({ file, stamp: STAMP, after }))).toMatch(/^missing: .*older/);
  const projector = openProjector({ file, stamp: STAMP });
  expect(projector.sequence).toBe(0);
  projector.project(log);
  projector.close();
  expect(contents(file)).toEqual(before);
});

test('a WAL left beside a dropped file does not bring old rows back', () => {
  const old = newFile();
  const projector = openProjector({ file: old, stamp: STAMP });
  projector.project(log);
  const file = newFile();
  copyFileSync(`${old}-wal`, `${file}-wal`);
  projector.close();
  expect(prepareHistory({ file, stamp: STAMP })).toBe(0);
  expect(contents(file)['wallet_entries']).toEqual([]);
});

test('a file whose beginning is not that of a database is refused as damaged', () => {
  const file = projected();
  overwrite(file, 0, Buffer.from('no longer a file'));
  for (const open of [prepareHistory, verifyHistory]) {
    expect(refusal(() => open({ file, stamp: STAMP }))).toMatch(/^damaged: .*delete it/);
  }
  expect(refusal(() => historyCursor(file))).toMatch(/^damaged/);
  expect(refusal(() => openHistory({ file, stamp: STAMP, after }))).toMatch(/^damaged/);
});

test('a file that was cut short is refused as damaged', () => {
  const file = projected();
  truncateSync(file, Math.floor(statSync(file).size / 2 / 4096) * 4096);
  expect(refusal(() => prepareHistory({ file, stamp: STAMP }))).toMatch(/^damaged/);
});

test('a file that is not a whole page is refused as damaged', () => {
  const file = newFile();
  writeFileSync(
    file,
    'a note somebody left here, long enough to be taken for a header of a database',
  );
  expect(refusal(() => prepareHistory({ file, stamp: STAMP }))).toMatch(/^damaged/);
});

test('a page overwritten in the middle is found by verifying, at every place', () => {
  const whole = projected();
  const pages = readFileSync(whole).length / 4096;
  for (let page = 1; page < pages; page++) {
    const file = newFile();
    copyFileSync(whole, file);
    overwrite(file, page * 4096, Buffer.alloc(4096, 0xa5));
    expect(
      refusal(() => verifyHistory({ file, stamp: STAMP })),
      `page ${page}`,
    ).toMatch(/^damaged/);
  }
});

test('the tables do not change without the version of the schema', () => {
  // Changed a subject's tables? Raise its revision, then write down the new pair here.
  const digest = createHash('sha256').update(SCHEMA.tables.join(';')).digest('hex').slice(0, 16);
  expect({ version: SCHEMA.version, digest }).toEqual({
    version: 38,
    digest: '451f26ff9f4edfca',
  });
});

function projected(): string {
  const file = newFile();
  const projector = openProjector({ file, stamp: STAMP });
  projector.project(log);
  projector.close();
  return file;
}

function overwrite(file: string, position: number, bytes: Uint8Array): void {
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, bytes, 0, bytes.length, position);
  closeSync(descriptor);
}

function refusal(work: () => unknown): string {
  try {
    work();
    return 'not refused';
  } catch (cause) {
    expect(cause).toBeInstanceOf(HistoryRefused);
    const { reason, message } = cause as HistoryRefused;
    return `${reason}: ${message}`;
  }
}
