import { copyFileSync, existsSync, rmSync } from 'node:fs';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { afterEach, expect, test } from 'vitest';
import { ByteWriter } from '../bytes/pack.ts';
import { encodeOutcome } from '../domain/event-codec.ts';
import { amount, ticks } from '../domain/units.ts';
import {
  contents,
  credit,
  logged,
  newFile,
  STAMP,
  transferOf,
  transfersLog,
} from './outcomes.fixture.ts';
import { type LoggedOutcome, openProjector } from './projector.ts';
import { HistoryRefused } from './refused.ts';
import { catalogue, closedOf, matchOf } from './trades.fixture.ts';

const native = { run: StatementSync.prototype.run, exec: DatabaseSync.prototype.exec };
afterEach(() => {
  StatementSync.prototype.run = native.run;
  DatabaseSync.prototype.exec = native.exec;
});

const log = logged([
  { timeMs: 10, events: [credit(0, 0, 900n), credit(3, 1, 2n ** 61n)] },
  { timeMs: 10, events: [transferOf({ from: 0, to: 1, asset: 0, parts: 100n })] },
  { timeMs: 11, events: [] },
  { timeMs: 15, events: [transferOf({ from: 3, to: 5, asset: 1, parts: 7n })] },
  { timeMs: 15, events: [transferOf({ from: 1, to: 2, asset: 0, parts: 40n })] },
  { timeMs: 90, events: [{ kind: 'refused', reason: 'SAME_ACCOUNT', message: 'no' }] },
]);

/** Two matches of one minute in two batches, one of the next minute, and what closed by them. */
const tradesLog = logged([
  { timeMs: 10, events: catalogue },
  { timeMs: 20, events: [matchOf({ match: 1 }, { taker: {}, maker: { fee: amount(2n) } })] },
  {
    timeMs: 20,
    events: [matchOf({ match: 2, priceTicks: ticks(70) }, { taker: {}, maker: {} }), closedOf({})],
  },
  { timeMs: 60_000, events: [matchOf({ match: 3 }, { taker: {}, maker: {} })] },
]);
const behindTrades = ({ sequence, bytes }: LoggedOutcome): LoggedOutcome => {
  const outcome = new ByteWriter();
  encodeOutcome(outcome, 60_000 + sequence, bytes.subarray(8));
  return { sequence: sequence + tradesLog.length, bytes: outcome.bytes() };
};

test('an event becomes its rows, and the cursor says how far history has come', () => {
  const file = newFile();
  project(file, log);
  const held = contents(file);
  expect(held['about']).toMatchObject([{ stamp: STAMP, cursor: 6n, cursor_ms: 90n }]);
  expect(held['family_transfers']).toHaveLength(3);
  expect(held['account_transfers']).toHaveLength(6);
  const entries = held['wallet_entries'] as { account: bigint; id: bigint; amount: bigint }[];
  expect(entries.map(({ account, id, amount }) => [account, id, amount])).toEqual([
    [0n, 8n, 900n],
    [0n, 25n, -100n],
    [1n, 26n, 100n],
    [1n, 41n, -40n],
    [2n, 42n, 40n],
    [3n, 16n, 2n ** 61n],
    [3n, 33n, -7n],
    [5n, 34n, 7n],
  ]);
});

test.each([
  ['transfers', log],
  ['trades', tradesLog],
])('a crash between any two statements of %s leaves each event exactly once', (_, outcomes) => {
  const whole = newFile();
  project(whole, outcomes);
  const expected = contents(whole);
  let crashes = 0;
  for (let statement = 1; ; statement++) {
    const file = crashAt(statement, outcomes);
    if (file === undefined) break;
    project(file, outcomes);
    expect(contents(file), `after a crash before statement ${statement}`).toEqual(expected);
    crashes++;
  }
  // Creation, batches with BEGIN, cursor and COMMIT each, and the rows.
  expect(crashes).toBeGreaterThan(30);
});

test('the time of every 256th event is kept, whatever it was', () => {
  const file = newFile();
  project(file, transfersLog(600));
  expect(contents(file)['entry_times']).toEqual([
    { id: 8n * 256n, at_ms: 1_085n },
    { id: 8n * 512n, at_ms: 1_170n },
  ]);
});

test('a history that was deleted is made again with the same rows', () => {
  const file = newFile();
  const many = [...tradesLog, ...transfersLog(500).map(behindTrades)];
  project(file, many);
  const before = contents(file);
  for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
  project(file, many);
  expect(contents(file)).toEqual(before);
});

test('what has been projected is passed over when it comes again', () => {
  const file = newFile();
  const advanced: number[] = [];
  const projector = openProjector({ file, stamp: STAMP, onAdvanced: (to) => advanced.push(to) });
  projector.project(log.slice(0, 4));
  projector.project(log.slice(1, 3));
  projector.project(log.slice(2));
  projector.project(log);
  projector.close();
  expect(advanced).toEqual([4, 6]);
  const whole = newFile();
  project(whole, log);
  expect(contents(file)).toEqual(contents(whole));
});

test('many outcomes are projected in several transactions, and each is told', () => {
  const advanced: number[] = [];
  const projector = openProjector({
    file: newFile(),
    stamp: STAMP,
    onAdvanced: (to) => advanced.push(to),
    rowsMax: 60,
  });
  projector.project(transfersLog(35));
  projector.close();
  // A transfer is six rows with its outcome.
  expect(advanced).toEqual([10, 20, 30, 35]);
});

test('a log with a gap is refused, and what came before it in that transaction is undone', () => {
  const file = newFile();
  const gap = [...log.slice(0, 2), ...log.slice(3)];
  expect(() => project(file, gap)).toThrow(/has come to 2, but the event log goes on at 4/);
  expect(refusalOf(() => project(file, log.slice(1)))).toBe('gap');
  project(file, log);
  expect(contents(file)['about']).toMatchObject([{ cursor: 6n }]);
});

test('a projector that goes on after a failure counts nothing twice', () => {
  const file = newFile();
  const projector = openProjector({ file, stamp: STAMP });
  projector.project(tradesLog.slice(0, 1));
  const gap = [...tradesLog.slice(1, 3), { ...(tradesLog[3] as LoggedOutcome), sequence: 9 }];
  expect(() => projector.project(gap)).toThrow(/goes on at 9/);
  projector.project(tradesLog);
  projector.close();
  const whole = newFile();
  project(whole, tradesLog);
  expect(contents(file)).toEqual(contents(whole));
});

test('time that runs backwards stops history', () => {
  const backwards = logged([
    { timeMs: 10, events: [] },
    { timeMs: 9, events: [] },
  ]);
  const file = newFile();
  expect(() => project(file, backwards)).toThrow(/never runs backwards/);
  project(file, backwards.slice(0, 1));
  expect(() => project(file, backwards)).toThrow(/never runs backwards/);
});

test('of two projectors on one file the one that comes second is refused', () => {
  const file = newFile();
  const first = openProjector({ file, stamp: STAMP });
  const second = openProjector({ file, stamp: STAMP });
  first.project(log.slice(0, 2));
  // Rows clash first where there are rows; an outcome without any is found out by the cursor.
  expect(() => second.project(log.slice(0, 1))).toThrow();
  first.close();
  second.close();
  const third = openProjector({ file, stamp: STAMP });
  const fourth = openProjector({ file, stamp: STAMP });
  third.project(log.slice(2, 3));
  expect(refusalOf(() => fourth.project(log.slice(2, 3)))).toBe('taken');
  third.close();
  fourth.close();
});

function project(file: string, outcomes: Iterable<LoggedOutcome>): void {
  const projector = openProjector({ file, stamp: STAMP });
  try {
    projector.project(outcomes);
  } finally {
    projector.close();
  }
}

/**
 * Projects in batches of two and dies before the n-th statement, that of a transaction's begin and
 * end included. Answers a copy of the files as the dying process leaves them, or undefined when it
 * got through.
 */
function crashAt(statement: number, outcomes: readonly LoggedOutcome[]): string | undefined {
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
    const projector = openProjector({ file, stamp: STAMP });
    try {
      for (let n = 0; n < outcomes.length; n += 2) projector.project(outcomes.slice(n, n + 2));
      return undefined;
    } finally {
      projector.close();
    }
  } catch (cause) {
    expect(String(cause)).toContain('the process dies');
    return left;
  } finally {
    StatementSync.prototype.run = native.run;
    DatabaseSync.prototype.exec = native.exec;
  }
}

function refusalOf(work: () => void): string | undefined {
  try {
    work();
    return undefined;
  } catch (cause) {
    expect(cause).toBeInstanceOf(HistoryRefused);
    return (cause as HistoryRefused).reason;
  }
}
