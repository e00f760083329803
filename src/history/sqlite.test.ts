import { copyFileSync, existsSync, rmSync } from 'node:fs';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { afterEach, expect, test } from 'vitest';
import { ByteWriter } from '../bytes/pack.ts';
import { encodeOutcome } from '../domain/event-codec.ts';
import type { AccountIndex, AssetIndex } from '../domain/units.ts';
import { describeAccountHours } from './account-hours-contract.ts';
import { describeCandles } from './candles-contract.ts';
import { openHistory } from './history.ts';
import { describeHistory } from './history-contract.ts';
import { tradesLog, walletLog } from './logs.fixture.ts';
import { prepareHistory } from './open.ts';
import { describeOrders } from './orders-contract.ts';
import { contents, credit, logged, STAMP, transfersLog } from './outcomes.fixture.ts';
import { describePages } from './pages-contract.ts';
import { type LoggedOutcome, openProjector } from './projector.ts';
import { describeProjector } from './projector-contract.ts';
import { describeRisk } from './risk-contract.ts';
import { newFile, SQLITE } from './store.fixture.ts';
import { catalogue, matchOf } from './trades.fixture.ts';
import { describeTrades } from './trades-contract.ts';
import { describeWalletRecords } from './wallet-records-contract.ts';

describeHistory(SQLITE);
describeProjector(SQLITE);
describePages(SQLITE);
describeTrades(SQLITE);
describeOrders(SQLITE);
describeCandles(SQLITE);
describeRisk(SQLITE);
describeWalletRecords(SQLITE);
describeAccountHours(SQLITE);

const native = {
  run: StatementSync.prototype.run,
  all: StatementSync.prototype.all,
  exec: DatabaseSync.prototype.exec,
};
afterEach(() => {
  StatementSync.prototype.run = native.run;
  StatementSync.prototype.all = native.all;
  DatabaseSync.prototype.exec = native.exec;
});

test.each([
  ['transfers', walletLog],
  ['trades', tradesLog],
])(
  'a crash between any two statements of %s leaves each event exactly once',
  async (_, outcomes) => {
    const whole = newFile();
    await project(whole, outcomes);
    const expected = await contents({ file: whole });
    let crashes = 0;
    for (let statement = 1; ; statement++) {
      const file = await crashAt(statement, outcomes);
      if (file === undefined) break;
      await project(file, outcomes);
      expect(await contents({ file }), `after a crash before statement ${statement}`).toEqual(
        expected,
      );
      crashes++;
    }
    // Creation, batches with BEGIN, cursor and COMMIT each, and the rows.
    expect(crashes).toBeGreaterThan(30);
  },
);

test('a history that was deleted is made again with the same rows', async () => {
  const file = newFile();
  const many = [...tradesLog, ...transfersLog(500).map(behindTrades)];
  await project(file, many);
  const before = await contents({ file });
  for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
  await project(file, many);
  expect(await contents({ file })).toEqual(before);
});

test('a page of the wallet is of one moment, also when history goes on meanwhile', async () => {
  const anna = 0 as AccountIndex;
  const everything = { account: anna, fromMs: 0, toMs: 1_000_000, limit: 500 };
  const file = newFile();
  const projector = await openProjector({ file, stamp: STAMP });
  const trade = matchOf({}, { taker: { account: anna }, maker: { account: 3 as AccountIndex } });
  const log = logged([
    { timeMs: 100, events: [...catalogue, trade] },
    { timeMs: 101, events: [credit(anna, 1 as AssetIndex, 9n), trade] },
  ]);
  await projector.project(log.slice(0, 1));
  const history = await openHistory({ file, stamp: STAMP, after: () => () => {} });
  let goesOn: Promise<void> | undefined;
  // Once, after the first of the two lists: the projector then writes while the query is running.
  StatementSync.prototype.all = function (
    this: StatementSync,
    ...values: Parameters<typeof native.all>
  ) {
    StatementSync.prototype.all = native.all;
    const rows = native.all.apply(this, values);
    goesOn = projector.project(log.slice(1));
    return rows;
  } as typeof native.all;
  expect(await history.walletEntries(everything)).toHaveLength(2);
  await goesOn;
  expect(await history.walletEntries(everything)).toHaveLength(5);
  await projector.close();
  await history.close();
});

test('no query scans: each descends by every column it compares and sorts nothing', async () => {
  const file = newFile();
  await prepareHistory({ file, stamp: STAMP });
  const statements = await preparedBy(async () => {
    const history = await openHistory({ file, stamp: STAMP, after: () => () => {} });
    // A connection prepares its queries when the first of them arrives.
    await history.acts({ fromMs: 0, toMs: 0, limit: 1 });
    await history.close();
  });
  const queries = statements.filter((sql) => !/sqlite_schema|SELECT \*/.test(sql));
  expect(queries.length).toBeGreaterThan(20);
  const database = new DatabaseSync(file);
  for (const sql of queries) {
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[];
    const steps = plan.map((step) => step.detail).filter((step) => !FRAME.test(step));
    expect(steps.length, sql).toBeGreaterThan(0);
    for (const step of steps) expect(step, sql).toMatch(/^SEARCH /);
    const detail = steps.join(' ');
    for (const [, column, sign] of sql.matchAll(/(\w+) ([=<>])=? \?/g)) {
      // In a walk by id, the time only drops a few rows at the ends.
      if (column === 'at_ms' && /id\)? > /.test(sql)) continue;
      // The end of the walk from part to part.
      if (column === 'part' && sign === '<') continue;
      // A key of one integer is the rowid.
      expect(detail).toContain(column === 'bucket' ? 'rowid=?' : `${column}${sign}?`);
    }
    for (const [, columns = '', sign] of sql.matchAll(/\((\w+(?:, \w+)*)\) ([<>]) \(/g)) {
      const place = columns.replaceAll(' ', '');
      expect(detail).toContain(place.includes(',') ? `(${place})${sign}(` : `${place}${sign}?`);
    }
  }
  database.close();
});

/** Plan steps that read no table: the frame of a nested query, and the parts it has found. */
const FRAME =
  /^(CO-ROUTINE parts|SETUP|RECURSIVE STEP|SCAN (parts|CONSTANT ROW)|(CORRELATED )?SCALAR SUBQUERY \d+)$/;

const behindTrades = ({ sequence, bytes }: LoggedOutcome): LoggedOutcome => {
  const outcome = new ByteWriter();
  encodeOutcome(outcome, 60_000 + sequence, bytes.subarray(8));
  return { sequence: sequence + tradesLog.length, bytes: outcome.bytes() };
};

async function project(file: string, outcomes: Iterable<LoggedOutcome>): Promise<void> {
  const projector = await openProjector({ file, stamp: STAMP });
  try {
    await projector.project(outcomes);
  } finally {
    await projector.close();
  }
}

/**
 * Projects in batches of two and dies before the n-th statement, including the BEGIN and COMMIT of
 * transactions. Returns a copy of the files as the dying process leaves them, or undefined if it completed.
 */
async function crashAt(
  statement: number,
  outcomes: readonly LoggedOutcome[],
): Promise<string | undefined> {
  const file = newFile();
  const left = newFile();
  let count = 0;
  const step = (): void => {
    if (++count !== statement) return;
    for (const suffix of ['', '-wal']) {
      if (existsSync(file + suffix)) copyFileSync(file + suffix, left + suffix);
    }
    throw new Error('the process dies');
  };
  StatementSync.prototype.run = function (
    this: StatementSync,
    ...values: Parameters<typeof native.run>
  ) {
    step();
    return native.run.apply(this, values);
  } as typeof native.run;
  DatabaseSync.prototype.exec = function (this: DatabaseSync, sql) {
    step();
    native.exec.call(this, sql);
  };
  try {
    const projector = await openProjector({ file, stamp: STAMP });
    try {
      for (let n = 0; n < outcomes.length; n += 2) {
        await projector.project(outcomes.slice(n, n + 2));
      }
      return undefined;
    } finally {
      await projector.close();
    }
  } catch (cause) {
    expect(String(cause)).toContain('the process dies');
    return left;
  } finally {
    StatementSync.prototype.run = native.run;
    DatabaseSync.prototype.exec = native.exec;
  }
}

/** The text of all statements that were prepared during `work`. */
async function preparedBy(work: () => Promise<void>): Promise<string[]> {
  const texts: string[] = [];
  const { prepare } = DatabaseSync.prototype;
  DatabaseSync.prototype.prepare = function (this: DatabaseSync, sql, options) {
    texts.push(sql);
    return prepare.call(this, sql, options);
  };
  try {
    await work();
  } finally {
    DatabaseSync.prototype.prepare = prepare;
  }
  return texts;
}
