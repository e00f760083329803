import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import type { FamilyIndex } from '../domain/units.ts';
import { openHistory } from './history.ts';
import { prepareHistory } from './open.ts';
import { newFile, STAMP, transfersLog } from './outcomes.fixture.ts';
import { openProjector } from './projector.ts';

test('walking page by page meets every row once, within one millisecond too', () => {
  const file = newFile();
  const projector = openProjector({ file, stamp: STAMP });
  projector.project(transfersLog(1_000));
  projector.close();
  const history = openHistory({ file, stamp: STAMP, after: () => () => {} });
  const window = { family: 0 as FamilyIndex, fromMs: 0, toMs: 9_999, limit: 7 };
  const met: bigint[] = [];
  for (let page = history.transfers(window); page.length > 0 && met.length < 2_000; ) {
    met.push(...page.map(({ id }) => id));
    page = history.transfers({ ...window, beforeId: met.at(-1) });
  }
  expect(met).toEqual(Array.from({ length: 1_000 }, (_, n) => BigInt(8 * (1_000 - n))));
  history.close();
});

test('whoever waits for a write reads it', async () => {
  const { history, projector, log } = venue();
  const isReached = history.reached(2, 2_000);
  const later = history.reached(3, 2_000);
  let isLaterAnswered = false;
  void later.then(() => {
    isLaterAnswered = true;
  });
  projector.project(log.slice(0, 2));
  expect(await isReached).toBe(true);
  expect(history.sequence).toBe(2);
  expect(history.transfers(EVERYTHING).map(({ id }) => id)).toEqual([16n, 8n]);
  expect(isLaterAnswered).toBe(false);
  projector.project(log.slice(2));
  expect(await later).toBe(true);
  expect(history.transfers(EVERYTHING)).toHaveLength(3);
  expect(await history.reached(3, 0)).toBe(true);
  close(history, projector);
});

test('only a read that has to wait wants history to come', async () => {
  const wanted: number[] = [];
  const file = newFile();
  prepareHistory({ file, stamp: STAMP });
  const after = () => () => {};
  const history = openHistory({ file, stamp: STAMP, after, want: (to) => wanted.push(to) });
  history.advanced(4);
  expect(await history.reached(4, 2_000)).toBe(true);
  expect(await history.reached(5, 0)).toBe(false);
  expect(wanted).toEqual([]);
  const isReached = history.reached(6, 2_000);
  expect(wanted).toEqual([6]);
  history.close();
  expect(await isReached).toBe(false);
});

test('whoever waits too long is told, and a later write does not answer twice', async () => {
  const { history, projector, log, timers } = venue();
  const isReached = history.reached(1, 2_000);
  expect(timers.map(({ delayMs }) => delayMs)).toEqual([2_000]);
  timers[0]?.call();
  expect(await isReached).toBe(false);
  projector.project(log);
  expect(await history.reached(1, 2_000)).toBe(true);
  expect(timers).toEqual([]);
  close(history, projector);
});

test('a timer of someone who was answered is taken back', async () => {
  const { history, projector, log, timers } = venue();
  const isReached = history.reached(1, 2_000);
  projector.project(log);
  expect(await isReached).toBe(true);
  expect(timers).toEqual([]);
  close(history, projector);
});

test('the cursor never goes back, and closing answers whoever waits', async () => {
  const { history, projector, log } = venue();
  projector.project(log);
  history.advanced(1);
  expect(history.sequence).toBe(3);
  const isReached = history.reached(4, 2_000);
  close(history, projector);
  expect(await isReached).toBe(false);
  expect(await history.reached(5, 2_000)).toBe(false);
});

test('a reader that opens later begins at the cursor in the file', () => {
  const { history, projector, log, file } = venue();
  projector.project(log);
  const second = openHistory({ file, stamp: STAMP, after: () => () => {} });
  expect(second.sequence).toBe(3);
  second.close();
  close(history, projector);
});

test('no query scans: each descends by every column it compares and sorts nothing', () => {
  const file = newFile();
  prepareHistory({ file, stamp: STAMP });
  const statements = preparedBy(() => openHistory({ file, stamp: STAMP, after: () => () => {} }));
  const queries = statements.filter((sql) => !/sqlite_schema/.test(sql));
  expect(queries.length).toBeGreaterThan(20);
  const database = new DatabaseSync(file);
  for (const sql of queries) {
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[];
    expect(plan, sql).toHaveLength(1);
    const detail = plan[0]?.detail ?? '';
    expect(detail).toMatch(/^SEARCH /);
    for (const [, column, sign] of sql.matchAll(/(\w+) ([=<>])=? \?/g)) {
      // In a walk by id the time drops a few rows at its ends.
      if (column === 'at_ms' && sql.includes('id > ?')) continue;
      // A key of one whole number is the row's own place.
      expect(detail).toContain(column === 'bucket' ? 'rowid=?' : `${column}${sign}?`);
    }
  }
  database.close();
});

const EVERYTHING = { family: 0 as FamilyIndex, fromMs: 0, toMs: 10_000, limit: 500 };

/** A projector and a reader on one file, and timers that go off by hand. */
function venue() {
  const file = newFile();
  prepareHistory({ file, stamp: STAMP });
  const timers: { delayMs: number; call: () => void }[] = [];
  const history = openHistory({
    file,
    stamp: STAMP,
    after: (delayMs, call) => {
      const timer = { delayMs, call };
      timers.push(timer);
      return () => void timers.splice(timers.indexOf(timer), 1);
    },
  });
  const onAdvanced = (sequence: number): void => history.advanced(sequence);
  const projector = openProjector({ file, stamp: STAMP, onAdvanced });
  return { file, history, projector, timers, log: transfersLog(3) };
}

function close(...open: readonly { close(): void }[]): void {
  for (const each of open) each.close();
}

/** The text of every statement that was prepared meanwhile. */
function preparedBy(work: () => { close(): void }): string[] {
  const texts: string[] = [];
  const { prepare } = DatabaseSync.prototype;
  DatabaseSync.prototype.prepare = function (this: DatabaseSync, sql, options) {
    texts.push(sql);
    return prepare.call(this, sql, options);
  };
  try {
    work().close();
  } finally {
    DatabaseSync.prototype.prepare = prepare;
  }
  return texts;
}
