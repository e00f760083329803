import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, describe, expect, test, vi } from 'vitest';
import type { Event } from '../../src/domain/events.ts';
import { describeAccountHours } from '../../src/history/account-hours-contract.ts';
import { describeCandles } from '../../src/history/candles-contract.ts';
import type { Database } from '../../src/history/database.ts';
import { HistoryFailed, openHistory, type PostgresPlace } from '../../src/history/history.ts';
import { describeHistory } from '../../src/history/history-contract.ts';
import { tradesLog, walletLog } from '../../src/history/logs.fixture.ts';
import { historyCursor, prepareHistory, verifyHistory } from '../../src/history/open.ts';
import { describeOrders } from '../../src/history/orders-contract.ts';
import { contents, logged, STAMP, transfersLog } from '../../src/history/outcomes.fixture.ts';
import { describePages } from '../../src/history/pages-contract.ts';
import { openSessions } from '../../src/history/place.ts';
import { type LoggedOutcome, openProjector, type Projector } from '../../src/history/projector.ts';
import { describeProjector } from '../../src/history/projector-contract.ts';
import { HistoryRefused } from '../../src/history/refused.ts';
import { describeRisk } from '../../src/history/risk-contract.ts';
import { queriesOf, SCHEMA } from '../../src/history/subjects.ts';
import { describeTrades } from '../../src/history/trades-contract.ts';
import { describeWalletRecords } from '../../src/history/wallet-records-contract.ts';
import { runProjector } from '../../src/history/worker.ts';
import { clientFor, refusalOf, startVenue } from '../http/venue.ts';
import { onePostgres, placeOn, placesOn, tamperOn, userWithPassword } from './real-postgres.ts';

const server = await onePostgres();
afterAll(() => server?.stop());

type Placed = { readonly postgres: PostgresPlace };
const after = () => () => {};
const free = server === undefined ? undefined : placesOn(server);
/** Empty, but possibly used before. */
const emptyPlace = (): Placed => ({ postgres: (free as () => PostgresPlace)() });
/** Without any tables. */
const newPlace = (): Placed => ({ postgres: placeOn(server as NonNullable<typeof server>) });

const isThere = server !== undefined;

describe.runIf(isThere)('the suites of history', () => {
  const store = { name: 'PostgreSQL', newPlace: emptyPlace, runs: 0.05 };
  describeHistory(store);
  describeProjector(store);
  describePages(store);
  describeTrades(store);
  describeOrders(store);
  describeCandles(store);
  describeRisk(store);
  describeWalletRecords(store);
  describeAccountHours(store);
});

describe.runIf(isThere)('opening a history on a server', () => {
  test('a missing one is created once, however many open it at the same time', async () => {
    const place = newPlace();
    expect(await historyCursor(place)).toBe(0);
    expect(await refusal(openHistory({ ...place, stamp: STAMP, after }))).toMatch(/^missing/);
    const all = [1, 2, 3].map(() => prepareHistory({ ...place, stamp: STAMP }));
    expect(await Promise.all(all)).toEqual([0, 0, 0]);
    expect(await verifyHistory({ ...place, stamp: STAMP })).toMatchObject({ sequence: 0 });
  });

  test("another venue's is refused by everyone and left as it is, however old it is", async () => {
    const place = emptyPlace();
    await project(place, walletLog);
    const before = await contents(place);
    await tamperOn(place.postgres, 'UPDATE about SET schema_version = 0');
    const stamp = 'another venue';
    const reason =
      /^foreign: postgres:.*is the history of venue-of-the-tests, not of another venue: give .*schema/;
    expect(await refusal(prepareHistory({ ...place, stamp }))).toMatch(reason);
    expect(await refusal(openHistory({ ...place, stamp, after }))).toMatch(reason);
    expect(await refusal(verifyHistory({ ...place, stamp }))).toMatch(reason);
    await tamperOn(place.postgres, `UPDATE about SET schema_version = ${SCHEMA.version}`);
    expect(await contents(place)).toEqual(before);
  });

  test('tables that are no history, newer and unknown ones are refused with what to do', async () => {
    const place = newPlace();
    const { schema } = place.postgres;
    await tamperOn(place.postgres, `CREATE SCHEMA ${schema}; CREATE TABLE songs (name text)`);
    expect(await refusal(prepareHistory({ ...place, stamp: STAMP }))).toMatch(
      /^foreign: .*not a history: give it a schema of its own/,
    );
    await tamperOn(place.postgres, 'DROP TABLE songs');
    await prepareHistory({ ...place, stamp: STAMP });
    await tamperOn(place.postgres, "UPDATE about SET digest = 'of a branch'");
    expect(await refusal(prepareHistory({ ...place, stamp: STAMP }))).toMatch(
      /^unknown: .*other tables \(of a branch\).*DROP SCHEMA history_\d+ CASCADE/,
    );
    await tamperOn(place.postgres, `UPDATE about SET schema_version = ${SCHEMA.version + 1}`);
    expect(await refusal(openHistory({ ...place, stamp: STAMP, after }))).toMatch(
      /^newer: .*run the newer program, or drop its schema/,
    );
  });

  test('an older schema is made anew, but not while somebody uses it', async () => {
    const place = newPlace();
    await project(place, walletLog);
    const before = await contents(place);
    const reader = await openHistory({ ...place, stamp: STAMP, after });
    await tamperOn(place.postgres, 'UPDATE about SET schema_version = 1; DROP TABLE entry_times');
    expect(await refusal(prepareHistory({ ...place, stamp: STAMP }))).toMatch(
      /^failed: .*older schema 1 and is in use: it is made anew once every program/,
    );
    await reader.close();
    expect(await refusal(openHistory({ ...place, stamp: STAMP, after }))).toMatch(/^missing/);
    const projector = await openProjector({ ...place, stamp: STAMP });
    expect(projector.sequence).toBe(0);
    await projector.project(walletLog);
    // The lock was released: others read while this one writes.
    expect(await contents(place)).toEqual(before);
    await projector.close();
  });

  test('no query scans: each descends an index by all it compares, and sorts nothing', async () => {
    const place = emptyPlace();
    await project(place, tradesLog);
    await tamperOn(place.postgres, 'ANALYZE');
    const texts = new Set<string>();
    const query = (sql: string) => {
      texts.add(sql);
      return async () => [];
    };
    queriesOf({ ...NOBODY, query });
    expect(texts.size).toBeGreaterThan(20);
    const sessions = await openSessions(place, { stamp: STAMP, schema: SCHEMA });
    for (const sql of texts) {
      const values = [...sql.matchAll(/\?/g)].map(() => 1);
      const explain = (database: Database) =>
        database.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${sql}`)(...values);
      const plan = (await sessions.use(explain)).map((row) => row['QUERY PLAN']).join('\n');
      expect(plan, sql).toMatch(/Index (Only )?Scan/);
      expect(plan, sql).not.toMatch(/Sort|Seq Scan|Bitmap/);
      const conditions = [...plan.matchAll(/Index Cond: (.*)/g)];
      const condition = conditions.map(([, text]) => text).join(' ');
      for (const [, column] of sql.matchAll(/(\w+) [=<>]=? \?/g)) {
        // A number identifies one record, whichever account it belongs to.
        if (column === 'account' && sql.includes('number = ?')) continue;
        // In a walk by id, the time only drops a few rows at the ends.
        if (column === 'at_ms' && /id\)? > /.test(sql)) continue;
        expect(condition, sql).toContain(String(column));
      }
      for (const [, columns = '', sign] of sql.matchAll(/\((\w+(?:, \w+)*)\) ([<>]) \(/g)) {
        const place = columns.includes(',') ? `ROW(${columns})` : columns;
        expect(condition, sql).toContain(`${place} ${sign}`);
      }
    }
    await sessions.close();
  });
});

describe.runIf(isThere)('two projectors on one server', () => {
  test('that write at the same time double nothing: one finds the cursor moved and wrote nothing', async () => {
    const many = transfersLog(400);
    const [place, whole] = [emptyPlace(), emptyPlace()];
    await project(whole, many);
    const open = (rowsMax: number) => openProjector({ ...place, stamp: STAMP, rowsMax });
    const both = [await open(70), await open(110)];
    let refused = 0;
    const run = async (projector: Projector): Promise<void> => {
      while (projector.sequence < many.length) {
        const reason = await refusal(projector.project(many));
        if (reason === 'not refused') return;
        expect(reason).toMatch(/^taken/);
        refused++;
        await projector.reloadCursor();
      }
    };
    await Promise.all(both.map(run));
    for (const projector of both) await projector.close();
    expect(refused).toBeGreaterThan(0);
    expect(await contents(place)).toEqual(await contents(whole));
  });

  test('the one that lost watches and reports the other, and continues when it stops moving', async () => {
    const log = transfersLog(90);
    const place = emptyPlace();
    const other = await openProjector({ ...place, stamp: STAMP });
    let nowMs = 0;
    let turns = 0;
    let goneAtMs = 0;
    const reported: number[] = [];
    // The other one is first every time until it is gone, at 30.
    const gather = async (): Promise<void> => {
      nowMs += 100;
      turns++;
      await other.reloadCursor();
      if (turns === 1) await other.project(log.slice(0, 20));
      if (turns === 5) await other.project(log.slice(0, 30));
      if (turns === 5) goneAtMs = nowMs;
    };
    let wroteAtMs = 0;
    await runProjector({
      ...place,
      stamp: STAMP,
      source: { read: (from, upTo) => log.slice(from - 1, Math.min(upTo, turns === 0 ? 10 : 90)) },
      waitForMore: () => Promise.reject(new Error('a server is not waited for')),
      onAdvanced: (sequence) => {
        reported.push(sequence);
        if (sequence > 30) wroteAtMs = nowMs;
      },
      gather,
      nowMs: () => nowMs,
      isStopped: () => reported.includes(90),
    });
    expect(reported).toEqual([0, 10, 20, 30, 90]);
    expect(wroteAtMs - goneAtMs).toBeGreaterThanOrEqual(750);
    await other.close();
    const whole = emptyPlace();
    await project(whole, log);
    expect(await contents(place)).toEqual(await contents(whole));
  });

  test('a node that joins finds the history of the others, and needs none of its own log', async () => {
    const place = emptyPlace();
    await project(place, transfersLog(20));
    const reported: number[] = [];
    let turns = 0;
    await runProjector({
      ...place,
      stamp: STAMP,
      source: { read: () => [] },
      waitForMore: () => Promise.reject(new Error('a server is not waited for')),
      onAdvanced: (sequence) => reported.push(sequence),
      gather: async () => void turns++,
      isStopped: () => turns > 2,
    });
    expect(reported).toEqual([20]);
  });
});

describe.runIf(isThere)('a server that asks for a password', () => {
  test('says so if there is none', async () => {
    const { postgres } = newPlace();
    const sealed = { ...postgres, url: await userWithPassword(postgres, 'other') };
    expect(await refusal(prepareHistory({ postgres: sealed, stamp: STAMP }))).toMatch(
      /the server asks for a password: history.passwordFile or RIALTO_HISTORY_PASSWORD$/,
    );
  });

  test.each(['plain', 'a:b@c/d?e#f%41 +\u00e4'])('takes %j', async (password) => {
    const { postgres } = newPlace();
    const sealed = { ...postgres, url: await userWithPassword(postgres, password) };
    const place = { postgres: { ...sealed, password } };
    await prepareHistory({ ...place, stamp: STAMP });
    await project(place, transfersLog(5));
    const history = await openHistory({ ...place, stamp: STAMP, after });
    const ask = { family: 0 as never, fromMs: 0, toMs: 9_999, limit: 7 };
    expect((await history.transfers(ask)).length).toBeGreaterThan(0);
    await history.close();
    const wrong = { postgres: { ...sealed, password: 'never to be told' } };
    const words = await refusal(openProjector({ ...wrong, stamp: STAMP }));
    expect(words).toMatch(/^failed: history at .*password authentication failed/);
    expect(words).not.toMatch(/never to be told/);
  });
});

describe.runIf(isThere)('a server that fails', () => {
  test('is reported in words without a password, and reads go on when it is back', async () => {
    const place = emptyPlace();
    await project(place, transfersLog(50));
    const secret = { ...place.postgres, password: 'never to be told' };
    const history = await openHistory({ postgres: secret, stamp: STAMP, after });
    const projector = await openProjector({ postgres: secret, stamp: STAMP });
    const ask = { family: 0 as never, fromMs: 0, toMs: 9_999, limit: 7 };
    expect(await history.transfers(ask)).toHaveLength(7);
    await server?.kill();
    for (const work of [
      () => history.transfers(ask),
      () => projector.project(transfersLog(60)),
      () => openProjector({ postgres: secret, stamp: STAMP }),
    ]) {
      const words = await refusal(work());
      expect(words).toMatch(
        /^failed: history at postgres:\/\/127\.0\.0\.1:\d+\/postgres \(\w+\): ./,
      );
      expect(words).not.toMatch(/never to be told|rialto@/);
    }
    await projector.close();
    await server?.start();
    expect(await history.transfers(ask)).toHaveLength(7);
    await history.close();
  });

  test('in the middle of a batch leaves it whole or not at all', async () => {
    const many = transfersLog(3_000);
    const [place, whole] = [emptyPlace(), emptyPlace()];
    await project(whole, many);
    const projector = await openProjector({ ...place, stamp: STAMP, rowsMax: 2_000 });
    const running = refusal(projector.project(many));
    while (projector.sequence < 600) await setTimeout(1);
    await server?.kill();
    expect(await running).toMatch(/^(failed|not refused)/);
    await projector.close();
    await server?.start();
    await project(place, many);
    expect(await contents(place)).toEqual(await contents(whole));
  });

  test('and one that answers no more is given up after a while', async () => {
    const place = emptyPlace();
    await prepareHistory({ ...place, stamp: STAMP });
    const sessions = await openSessions(place, { stamp: STAMP, schema: SCHEMA });
    const slow = sessions.use((database) => database.query('SELECT pg_sleep(60)')());
    expect(await refusal(slow)).toMatch(/^failed: .*statement timeout/);
    await sessions.close();
  });

  test('a character that it cannot hold does not stop history for ever', async () => {
    const place = emptyPlace();
    const acted: Event = {
      ...{ kind: 'operator-acted', actor: 'operator:"tom\\', act: 'note', subject: 'x,{}' },
      ...{ before: '', after: 'NULL', reason: 'a\0b' },
    };
    await project(place, logged([{ timeMs: 5, events: [acted] }]));
    const history = await openHistory({ ...place, stamp: STAMP, after });
    const { kind: _, ...record } = acted;
    expect(await history.acts({ fromMs: 0, toMs: 9, limit: 5 })).toEqual([
      { ...record, reason: 'a\uFFFDb', isRefused: false, sequence: 1, timeMs: 5 },
    ]);
    expect(
      await history.acts({ fromMs: 0, toMs: 9, limit: 5, actor: 'operator:"tom\\' }),
    ).toHaveLength(1);
    expect(await history.acts({ fromMs: 0, toMs: 1e30, limit: 5, actor: '\0' })).toEqual([]);
    await history.close();
  });
});

describe.runIf(isThere)('a venue with history on a server', () => {
  test('reads its writes, trades on while the server is away, and catches up', async () => {
    const { url } = placeOn(server as NonNullable<typeof server>);
    const venue = await startVenue({ args: ['--history', url] });
    try {
      const rialto = clientFor(venue);
      const move = { asset: 'USDT', fromAccount: 'main', toAccount: 'desk-a' };
      const moved = async () => {
        const [main] = await rialto.wallet({ type: 'INTERNAL' });
        return main?.walletHistory.map(({ amount }) => amount);
      };
      await rialto.transfer({ ...move, quantity: '1.25' });
      expect(await moved()).toEqual(['-1.25']);
      expect((await rialto.tickers()).length).toBeGreaterThan(0);
      expect(existsSync(join(venue.data, 'history.db'))).toBe(false);
      await server?.kill();
      await rialto.transfer({ ...move, quantity: '2' });
      expect(await refusalOf(moved())).toMatchObject({
        status: 503,
        message: expect.stringContaining('history is not available at the moment; trading goes on'),
      });
      await server?.start();
      // The projector retries every two seconds.
      await vi.waitFor(async () => expect(await moved()).toEqual(['-2', '-1.25']), 60_000);
      expect(await venue.stop()).toBe(0);
    } finally {
      await venue.kill();
    }
  });
});

/** Used to list the queries. */
const NOBODY: Database = {
  query: () => async () => [],
  snapshot: (work) => work(),
  close: async () => undefined,
};

async function project(place: Placed, outcomes: readonly LoggedOutcome[]): Promise<void> {
  const projector = await openProjector({ ...place, stamp: STAMP });
  try {
    await projector.project(outcomes);
  } finally {
    await projector.close();
  }
}

async function refusal(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'not refused';
  } catch (cause) {
    if (cause instanceof HistoryRefused) return `${cause.reason}: ${cause.message}`;
    expect(cause).toBeInstanceOf(HistoryFailed);
    return `failed: ${(cause as Error).message}`;
  }
}
