import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import pino from 'pino';
import { Registry } from 'prom-client';
import { afterEach, expect, test } from 'vitest';
import { createServer, DEFAULT_API_CONFIG } from '../../src/api/server.ts';
import { operatorsOf } from '../../src/api/venue.fixture.ts';
import { handoutOf } from '../../src/cli/handout.ts';
import { operate } from '../../src/cli/operate.ts';
import { RialtoClient } from '../../src/client/index.ts';
import { venueConfig } from '../../src/config.ts';
import { manualClocks } from '../../src/engine/clock.ts';
import { type RunningEngine, startEngine } from '../../src/engine/start.ts';
import { verifyVenue } from '../../src/engine/verify.ts';
import { openHistory } from '../../src/history/history.ts';
import { prepareHistory } from '../../src/history/open.ts';
import { openProjector } from '../../src/history/projector.ts';
import { identityOf } from '../../src/identity.ts';
import { openSegmentReader } from '../../src/journal/segment-reader.ts';
import { openSegments } from '../../src/journal/segments.ts';
import { withStoppedVenue } from '../../src/main.ts';
import { masterKeyOf } from '../../src/master-key.ts';
import { createPasswords } from '../../src/passwords.ts';
import { keyMaker, sealWith } from '../../src/seal.ts';
import { ENDPOINTS } from '../../src/wire/endpoints.ts';
import { backUp } from '../../src/wire/operator-reports.ts';

const folders: string[] = [];
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  await stopAll();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** A frozen data directory, freshly unpacked. */
function unpacked(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'rialto-frozen-'));
  folders.push(folder);
  execFileSync('tar', ['xzf', `test/frozen/${name}.tar.gz`, '-C', folder]);
  return join(folder, 'data');
}

// biome-ignore lint/suspicious/noExplicitAny: what an old version answered, in the shapes it had
type Answers = any;
const answersOf = (name: string): Answers =>
  JSON.parse(gunzipSync(readFileSync(`test/frozen/${name}.json.gz`)).toString());

/** When the first version was stopped: a test must not depend on the current date. */
const CLEAN_END_MS = 1_794_737_657_000;
const CLEAN_END_SEQUENCE = 1062;

async function start(directory: string, atMs = CLEAN_END_MS): Promise<RunningEngine> {
  const { venueId } = identityOf(directory);
  const running = await startEngine({
    directory,
    venueId,
    clocks: manualClocks(atMs),
    onFailure: (reason) => {
      throw reason;
    },
  });
  closing.push(() => running.stop());
  return running;
}

/** As the program's history thread does: a history with an older schema is rebuilt from the event log. */
async function catchUp(directory: string, stamp: string): Promise<void> {
  const file = join(directory, 'history.db');
  await prepareHistory({ file, stamp });
  const projector = await openProjector({ file, stamp });
  const events = openSegmentReader({ directory: join(directory, 'events') });
  await projector.project(events.read(projector.sequence + 1, CLEAN_END_SEQUENCE));
  await projector.close();
}

/** The edge over a started engine: what a client would get. Prices and ticks do not move. */
async function serve(directory: string, { engine }: RunningEngine) {
  const { venueId } = identityOf(directory);
  const seal = sealWith(
    masterKeyOf({ masterKeyFile: join(directory, 'master.key'), masterKeyText: undefined }),
  );
  const file = join(directory, 'history.db');
  await catchUp(directory, venueId);
  const history = await openHistory({ file, stamp: venueId, after: () => () => undefined });
  history.advanced(Number.MAX_SAFE_INTEGER);
  const server = createServer({
    engine,
    history,
    config: {
      ...DEFAULT_API_CONFIG,
      port: 0,
      limits: { ...DEFAULT_API_CONFIG.limits, isOn: false },
    },
    log: pino({ level: 'silent' }),
    metrics: new Registry(),
    keys: keyMaker(seal),
    passwords: createPasswords(),
    operators: operatorsOf(),
    venueId,
  });
  const { port } = await server.listen();
  closing.push(async () => {
    await server.close();
    await history.close();
  });
  const host = `localhost:${port}`;
  const urls = { host, managementUrl: '' };
  const accounts = handoutOf({ directory: engine.directory, seal, ...urls }).families.flatMap(
    (family) => family.accounts,
  );
  return (accountId: string) => {
    const key = accounts.find((account) => account.accountId === accountId)?.keys[0];
    if (key === undefined) throw new Error(`no key of ${accountId}`);
    const client = new RialtoClient({
      baseUrl: `http://${host}`,
      accessKey: key.accessKey,
      secret: key.secret,
      nowMs: () => engine.nowMs(),
    });
    return (path: string, request: Record<string, string> = {}): Promise<Answers> => {
      const endpoint = ENDPOINTS.find((one) => one.method === 'GET' && one.path === path);
      if (endpoint === undefined) throw new Error(`no endpoint ${path}`);
      return client.call(endpoint, request as never);
    };
  };
}

/** The venue ticked for some more seconds after the answers were recorded: its marks have moved. */
const MARKED = new Set([
  'collateral',
  'estLiquidationPrice',
  'maintenanceMargin',
  'markPrice',
  'marginRatio',
  'notionalPositionSize',
  'portfolioVarMargin',
  'positionPnl',
  'riskRatio',
]);

function withoutMarks(answer: Answers): Answers {
  if (Array.isArray(answer)) return answer.map(withoutMarks);
  if (answer === null || typeof answer !== 'object') return answer;
  const kept = Object.entries(answer).filter(([name]) => !MARKED.has(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, withoutMarks(value)]));
}

/** Repeats every request that the first version had answered. */
async function expectSameAnswers(directory: string, running: RunningEngine): Promise<void> {
  const clientOf = await serve(directory, running);
  const { depth, tickers, ...accounts } = answersOf('v1-clean');
  for (const [accountId, then] of Object.entries<Answers>(accounts)) {
    const ask = clientOf(accountId);
    expect(await ask('/v3/account')).toMatchObject(withoutMarks(then.account));
    expect(await ask('/v3/orders/working')).toMatchObject(then.working);
    expect(await ask('/v3/trades', { limit: '200' })).toMatchObject(then.trades);
    expect(await ask('/v3/wallet', { limit: '500' })).toMatchObject(then.wallet);
    expect(await ask('/v3/transfer', { limit: '200' })).toMatchObject(then.transfers);
  }
  const ask = clientOf(Object.keys(accounts)[0] ?? '');
  const now = await ask('/v3/tickers');
  for (const { lastUpdatedAt: _, ...then } of withoutMarks(tickers)) {
    expect(now).toContainEqual(expect.objectContaining(then));
  }
  for (const [marketCode, then] of Object.entries<Answers>(depth)) {
    const { asks, bids } = await ask('/v3/depth', { marketCode, level: '1000' });
    expect({ asks, bids }).toEqual({ asks: then.asks, bids: then.bids });
  }
}

async function stopAll(): Promise<void> {
  for (const close of closing.splice(0).reverse()) await close();
}

const bytesIn = (directory: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(directory, { recursive: true, encoding: 'utf8' })
      .filter((name) => statSync(join(directory, name)).isFile())
      .map((name) => [
        name,
        createHash('sha256')
          .update(readFileSync(join(directory, name)))
          .digest('hex'),
      ]),
  );

test('a cleanly stopped venue of the first version opens and answers as it did', async () => {
  const directory = unpacked('v1-clean');
  const running = await start(directory);
  expect(running.recovered).toMatchObject({ sequence: 1062, fromSnapshot: 1062, replayed: 0 });
  expect(running.recovered.remarks).toEqual([
    'the data of Rialto 0.1.0 was taken over at sequence 1062',
  ]);
  await expectSameAnswers(directory, running);
});

test('it trades on, stops, starts without a second take-over, and verifies', async () => {
  const directory = unpacked('v1-clean');
  const { venueId } = identityOf(directory);
  const first = await start(directory);
  const everybody = first.engine.directory.keys().filter((key) => key.permissions.length > 1);
  for (const { key } of everybody) await first.engine.submit({ kind: 'cancel-all', by: { key } });
  const { sequence, digest } = first.engine.status();
  await stopAll();
  const again = await start(directory, CLEAN_END_MS + 60_000);
  expect(again.recovered).toMatchObject({ sequence, fromSnapshot: sequence, remarks: [] });
  expect(again.engine.status().digest).toBe(digest);
  await stopAll();
  const verified = verifyVenue({ directory, venueId });
  expect(verified).toMatchObject({ sequence, from: 1062, digest, audit: { faults: [] } });
  expect(verified.eventLog.sequence).toBe(sequence);
  // Without any snapshot of this layout, the kept old one is converted once more.
  for (const name of readdirSync(join(directory, 'snapshots'))) {
    if (!name.includes('rules-1')) rmSync(join(directory, 'snapshots', name));
  }
  const third = await start(directory, CLEAN_END_MS + 120_000);
  expect(third.recovered).toMatchObject({ sequence, fromSnapshot: 1062 });
  expect(third.engine.status().digest).toBe(digest);
  await stopAll();
  // What the first version emitted is only in the event log.
  rmSync(join(directory, 'events'), { recursive: true });
  await expect(start(directory, CLEAN_END_MS + 180_000)).rejects.toThrow(
    'the event log ends at 0, and what follows cannot be replayed from before 1062',
  );
});

test('its history can be made again from the event log it left', async () => {
  const directory = unpacked('v1-clean');
  const { venueId } = identityOf(directory);
  const file = join(directory, 'history.db');
  rmSync(file);
  const projector = await openProjector({ file, stamp: venueId });
  await projector.project(
    openSegmentReader({ directory: join(directory, 'events') }).read(1, 1062),
  );
  await projector.close();
  await expectSameAnswers(directory, await start(directory));
});

test('one with a journal behind its newest snapshot is refused in words, and left alone', async () => {
  const directory = unpacked('v1-tail');
  const before = bytesIn(directory);
  const words =
    'the venue does not start: the data was written by Rialto 0.1.0 and not stopped cleanly: its ' +
    'journal ends at 1134, its newest snapshot is at 1062. Start Rialto 0.1.0 on it and stop it ' +
    '(SIGTERM); then start this version again';
  await expect(start(directory)).rejects.toThrow(words);
  const work = (client: RialtoClient) => client.call(backUp, { to: join(directory, '..', 'copy') });
  await expect(operate({ data: directory }, work)).rejects.toThrow(words);
  expect(bytesIn(directory)).toEqual(before);
  // The whole program, which also opens history: the earlier version has to go on with it.
  const config = venueConfig({ data: directory }, directory);
  await expect(withStoppedVenue({ config }, async () => undefined)).rejects.toThrow(words);
  expect(bytesIn(directory)['history.db']).toBe(before['history.db']);
});

test('a command does not take it over in passing: a backup would be no way back', async () => {
  const directory = unpacked('v1-clean');
  const before = bytesIn(directory);
  const to = join(directory, '..', 'copy');
  await expect(
    operate({ data: directory }, (client) => client.call(backUp, { to })),
  ).rejects.toThrow(
    new Error(
      `${directory} was written by Rialto 0.1.0, and nothing was changed: a command would take the data over, ` +
        'and that version could not open it any more. Stop that version if it still runs, copy the directory ' +
        'to be able to go back, and start this version on it first',
    ),
  );
  expect(bytesIn(directory)).toEqual(before);
  expect(existsSync(to)).toBe(false);
  const config = join(directory, '..', 'node.json');
  const cluster = { node: 'engine-1', servers: ['nats://127.0.0.1:1'] };
  writeFileSync(config, JSON.stringify({ data: directory, cluster }));
  await expect(operate({ config }, (client) => client.call(backUp, { to }))).rejects.toThrow(
    'is a node of a cluster',
  );
  const running = await start(directory);
  await running.stop();
  closing.splice(0);
  await operate({ data: directory }, (client) => client.call(backUp, { to }));
  expect(existsSync(join(to, 'backup.json'))).toBe(true);
});

test('data of the first version without its event log is refused in words', async () => {
  const directory = unpacked('v1-clean');
  rmSync(join(directory, 'events'), { recursive: true });
  await expect(start(directory)).rejects.toThrow(
    'the event log is at 0, the journal of Rialto 0.1.0 at 1062',
  );
});

test('a layout that no reader knows is never opened', async () => {
  const directory = unpacked('v1-clean');
  const { venueId } = identityOf(directory);
  const journal = await openSegments({
    directory: join(directory, 'journal'),
    stamp: `${venueId} rules 2 layout 0000000000000000`,
    olderStamps: [venueId],
  });
  await journal.append([new Uint8Array(1)], 1063);
  await journal.close();
  await expect(start(directory)).rejects.toThrow(
    /was written with rules 2 layout 0{16}, this program has rules \d layout \w{16} and no reader/,
  );
});
