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
import { contents, STAMP, tamper, transfersLog } from './outcomes.fixture.ts';
import { openProjector } from './projector.ts';
import { HistoryRefused } from './refused.ts';
import { newFile } from './store.fixture.ts';
import { SCHEMA } from './subjects.ts';

const log = transfersLog(2_000);
const after = () => () => {};

test('a history that is not there is made, and stands at the beginning', async () => {
  const file = newFile();
  expect(await historyCursor({ file })).toBe(0);
  expect(await refusal(openHistory({ file, stamp: STAMP, after }))).toMatch(/^missing/);
  expect(await prepareHistory({ file, stamp: STAMP })).toBe(0);
  expect(await historyCursor({ file })).toBe(0);
  const history = await openHistory({ file, stamp: STAMP, after });
  expect(history.sequence).toBe(0);
  await history.close();
});

test('preparing changes nothing in a history that is there, and answers its cursor', async () => {
  const file = await projected();
  const before = await contents({ file });
  expect(await prepareHistory({ file, stamp: STAMP })).toBe(2_000);
  expect(await historyCursor({ file })).toBe(2_000);
  expect(await contents({ file })).toEqual(before);
  await verifyHistory({ file, stamp: STAMP });
});

test("another venue's history is refused by everyone and left as it is, however old it is", async () => {
  const file = await projected();
  const before = await contents({ file });
  tamper(file, 'UPDATE about SET schema_version = 0');
  const stamp = 'another venue';
  const reason = /^foreign: .* is the history of venue-of-the-tests, not of another venue/;
  expect(await refusal(prepareHistory({ file, stamp }))).toMatch(reason);
  expect(await refusal(openProjector({ file, stamp }))).toMatch(reason);
  expect(await refusal(openHistory({ file, stamp, after }))).toMatch(reason);
  tamper(file, `UPDATE about SET schema_version = ${SCHEMA.version}`);
  expect(await contents({ file })).toEqual(before);
});

test('a database that is no history is refused', async () => {
  const file = newFile();
  tamper(file, 'CREATE TABLE songs (name TEXT)');
  expect(await refusal(prepareHistory({ file, stamp: STAMP }))).toMatch(
    /^foreign: .*not a history/,
  );
  expect(await refusal(historyCursor({ file }))).toMatch(/^foreign/);
});

test('a newer schema is refused with both versions', async () => {
  const file = await projected();
  tamper(file, `UPDATE about SET schema_version = ${SCHEMA.version + 1}`);
  const reason = new RegExp(`^newer: .*schema ${SCHEMA.version + 1}.*knows ${SCHEMA.version}`);
  expect(await refusal(prepareHistory({ file, stamp: STAMP }))).toMatch(reason);
  expect(await refusal(openHistory({ file, stamp: STAMP, after }))).toMatch(reason);
});

test('tables of another program with the same version are refused, and it says what to do', async () => {
  const file = await projected();
  tamper(file, "UPDATE about SET digest = 'of a branch'");
  const reason = /^unknown: .*other tables \(of a branch\).*delete the file/;
  expect(await refusal(prepareHistory({ file, stamp: STAMP }))).toMatch(reason);
  expect(await refusal(openHistory({ file, stamp: STAMP, after }))).toMatch(reason);
});

test('an older schema is dropped, and everything is projected again', async () => {
  const file = await projected();
  const before = await contents({ file });
  tamper(file, 'UPDATE about SET schema_version = 1; DROP TABLE entry_times');
  expect(await historyCursor({ file })).toBe(0);
  expect(await refusal(openHistory({ file, stamp: STAMP, after }))).toMatch(/^missing: .*older/);
  const projector = await openProjector({ file, stamp: STAMP });
  expect(projector.sequence).toBe(0);
  await projector.project(log);
  await projector.close();
  expect(await contents({ file })).toEqual(before);
});

test('a WAL left beside a dropped file does not bring old rows back', async () => {
  const old = newFile();
  const projector = await openProjector({ file: old, stamp: STAMP });
  await projector.project(log);
  const file = newFile();
  copyFileSync(`${old}-wal`, `${file}-wal`);
  await projector.close();
  expect(await prepareHistory({ file, stamp: STAMP })).toBe(0);
  expect((await contents({ file }))['wallet_entries']).toEqual([]);
});

test('a file whose beginning is not that of a database is refused as damaged', async () => {
  const file = await projected();
  overwrite(file, 0, Buffer.from('no longer a file'));
  for (const open of [prepareHistory, verifyHistory]) {
    expect(await refusal(open({ file, stamp: STAMP }))).toMatch(/^damaged: .*delete it/);
  }
  expect(await refusal(historyCursor({ file }))).toMatch(/^damaged/);
  expect(await refusal(openHistory({ file, stamp: STAMP, after }))).toMatch(/^damaged/);
});

test('a file that was cut short is refused as damaged', async () => {
  const file = await projected();
  truncateSync(file, Math.floor(statSync(file).size / 2 / 4096) * 4096);
  expect(await refusal(prepareHistory({ file, stamp: STAMP }))).toMatch(/^damaged/);
});

test('a file that is not a whole page is refused as damaged', async () => {
  const file = newFile();
  writeFileSync(
    file,
    'a note somebody left here, long enough to be taken for a header of a database',
  );
  expect(await refusal(prepareHistory({ file, stamp: STAMP }))).toMatch(/^damaged/);
});

test('a page overwritten in the middle is found by verifying, at every place', async () => {
  const whole = await projected();
  const pages = readFileSync(whole).length / 4096;
  for (let page = 1; page < pages; page++) {
    const file = newFile();
    copyFileSync(whole, file);
    overwrite(file, page * 4096, Buffer.alloc(4096, 0xa5));
    expect(await refusal(verifyHistory({ file, stamp: STAMP })), `page ${page}`).toMatch(
      /^damaged/,
    );
  }
});

test('the tables do not change without the version of the schema', async () => {
  // If you changed a subject's tables, raise its revision, then put the new pair here.
  expect({ version: SCHEMA.version, digest: SCHEMA.digest }).toEqual({
    version: 40,
    digest: 'd21373b9865f63d5',
  });
});

async function projected(): Promise<string> {
  const file = newFile();
  const projector = await openProjector({ file, stamp: STAMP });
  await projector.project(log);
  await projector.close();
  return file;
}

function overwrite(file: string, position: number, bytes: Uint8Array): void {
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, bytes, 0, bytes.length, position);
  closeSync(descriptor);
}

async function refusal(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'not refused';
  } catch (cause) {
    expect(cause).toBeInstanceOf(HistoryRefused);
    const { reason, message } = cause as HistoryRefused;
    return `${reason}: ${message}`;
  }
}
