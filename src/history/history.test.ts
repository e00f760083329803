import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { WalletType } from '../domain/terms.ts';
import type { AccountIndex, FamilyIndex } from '../domain/units.ts';
import { type OpenHistory, openHistory, type TransferRow, type WalletEntryRow } from './history.ts';
import { prepareHistory } from './open.ts';
import {
  ACCOUNTS,
  ASSETS,
  anyHappenings,
  FAMILIES,
  type Happened,
  logged,
  newFile,
  STAMP,
  transfersLog,
} from './outcomes.fixture.ts';
import { openProjector } from './projector.ts';

test('any page of any list is what a plain filter over everything gives', () => {
  fc.assert(
    fc.property(
      anyHappenings(60),
      fc.array(anyAsk, { minLength: 30, maxLength: 30 }),
      (all, asks) => {
        const history = historyOf(all);
        const oracle = plainly(all);
        for (const { account, type, family, asset, mine, ...ask } of asks) {
          const page = { ...ask, toMs: ask.fromMs + ask.lengthMs };
          expect(history.walletEntries({ account, type, ...page })).toEqual(
            paged(
              oracle.wallet.filter(
                (row) => row.account === account && (type ?? row.type) === row.type,
              ),
              page,
            ).map(({ account: _, ...row }) => row),
          );
          const owner = mine ? account : undefined;
          expect(history.transfers({ family, account: owner, asset, ...page })).toEqual(
            paged(
              oracle.transfers
                .filter((row) => row.family === family && (asset ?? row.asset) === row.asset)
                .filter((row) => owner === undefined || row.from === owner || row.to === owner),
              page,
            ).map(({ family: _, ...row }) => row),
          );
        }
        history.close();
      },
    ),
    { numRuns: 60 },
  );
});

test('walking page by page meets every row once, within one millisecond too', () => {
  const file = newFile();
  const projector = openProjector({ file, stamp: STAMP });
  projector.project(transfersLog(1_000));
  projector.close();
  const history = openHistory({ file, stamp: STAMP, after: () => () => {} });
  const window = { family: 0 as FamilyIndex, fromMs: 0, toMs: 9_999, limit: 7 };
  const met: bigint[] = [];
  for (let page = history.transfers(window); page.length > 0; ) {
    met.push(...page.map(({ id }) => id));
    page = history.transfers({ ...window, beforeId: met.at(-1) });
  }
  expect(met).toEqual(Array.from({ length: 1_000 }, (_, n) => BigInt(3 * (999 - n) + 1)));
  history.close();
});

test('whoever waits for a write reads it', async () => {
  const { history, projector, log } = venue();
  const isReached = history.reached(2, 2_000);
  const later = history.reached(3, 2_000);
  projector.project(log.slice(0, 2));
  expect(await isReached).toBe(true);
  expect(history.sequence).toBe(2);
  expect(history.transfers(EVERYTHING).map(({ id }) => id)).toEqual([4n, 1n]);
  projector.project(log.slice(2));
  expect(await later).toBe(true);
  expect(history.transfers(EVERYTHING)).toHaveLength(3);
  expect(await history.reached(3, 0)).toBe(true);
  close(history, projector);
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
  expect(queries.length).toBeGreaterThan(6);
  const database = new DatabaseSync(file);
  for (const sql of queries) {
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[];
    expect(plan, sql).toHaveLength(1);
    const detail = plan[0]?.detail ?? '';
    expect(detail).toMatch(/^SEARCH /);
    for (const [, column] of sql.matchAll(/(\w+) = \?/g)) expect(detail).toContain(`${column}=?`);
    if (sql.includes('at_ms >=')) expect(detail).toContain('at_ms>? AND (at_ms,id)<(?,?)');
  }
  database.close();
});

const EVERYTHING = { family: 0 as FamilyIndex, fromMs: 0, toMs: 10_000, limit: 500 };

const anyAsk = fc.record({
  account: fc.constantFrom(...ACCOUNTS),
  type: fc.constantFrom<(WalletType | undefined)[]>(undefined, 'INTERNAL', 'DEPOSIT', 'FUNDING'),
  family: fc.constantFrom(...FAMILIES),
  asset: fc.constantFrom(undefined, ...ASSETS),
  mine: fc.boolean(),
  fromMs: fc.oneof(fc.integer({ min: 990, max: 1_100 }), fc.constant(0)),
  lengthMs: fc.oneof(fc.integer({ min: 0, max: 60 }), fc.constant(1_000_000)),
  limit: fc.oneof(fc.integer({ min: 0, max: 5 }), fc.constant(500)),
  beforeId: fc.option(
    fc.integer({ min: 0, max: 5_000 }).map((id) => BigInt(id)),
    { nil: undefined },
  ),
});

type Page = { fromMs: number; toMs: number; limit: number; beforeId?: bigint | undefined };

function paged<Row extends { id: bigint; timeMs: number }>(
  rows: readonly Row[],
  page: Page,
): Row[] {
  return rows
    .filter(({ timeMs }) => timeMs >= page.fromMs && timeMs <= page.toMs)
    .filter(({ id }) => page.beforeId === undefined || id < page.beforeId)
    .toSorted((a, b) => b.timeMs - a.timeMs || Number(b.id - a.id))
    .slice(0, page.limit);
}

/** The same history in two arrays, by the words of the rules. */
function plainly(all: readonly Happened[]) {
  const wallet: (WalletEntryRow & { account: AccountIndex })[] = [];
  const transfers: (TransferRow & { family: FamilyIndex })[] = [];
  for (const { timeMs, events } of all) {
    for (const event of events) {
      if (event.kind === 'genesis-credited') {
        const { account, asset, amount } = event;
        wallet.push({ id: BigInt(event.entry), account, asset, type: 'DEPOSIT', amount, timeMs });
      }
      if (event.kind === 'transferred') {
        const { family, asset, amount, from, to } = event;
        const id = BigInt(event.entry);
        const given = -amount as typeof amount;
        const entry = { asset, type: 'INTERNAL', timeMs } as const;
        transfers.push({ id, family, asset, amount, from, to, timeMs });
        wallet.push({ ...entry, id: id + 1n, account: from, amount: given });
        wallet.push({ ...entry, id: id + 2n, account: to, amount });
      }
    }
  }
  return { wallet, transfers };
}

function historyOf(all: readonly Happened[]): OpenHistory {
  const file = newFile();
  const projector = openProjector({ file, stamp: STAMP });
  projector.project(logged(all));
  projector.close();
  return openHistory({ file, stamp: STAMP, after: () => () => {} });
}

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
