import { pino } from 'pino';
import { Registry } from 'prom-client';
import { afterEach, describe, expect, test } from 'vitest';
import type { Command } from '../../domain/commands.ts';
import type { ApiConfig } from '../config.ts';
import { fakeHistory } from '../fake-history.fixture.ts';
import { type ApiServer, createServer, DEFAULT_API_CONFIG } from '../server.ts';
import {
  type FakeEngine,
  fakeEngine,
  keys,
  operatorsOf,
  passwords,
  type Sent,
  signedHeaders,
} from '../venue.fixture.ts';
import type { ConnectionLimits } from './connections.ts';
import { answersIn, type RawClient, rawClient } from './raw-client.fixture.ts';

/** HTTP itself, byte by byte: what no client library would send, and what slow ones do. */

const running: ApiServer[] = [];
const clients: RawClient[] = [];
afterEach(async () => {
  for (const { socket } of clients.splice(0)) socket.destroy();
  for (const server of running.splice(0)) await server.close().catch(() => undefined);
});

type Changes = Omit<Partial<ApiConfig>, 'connections'> & {
  readonly connections?: Partial<ConnectionLimits>;
};

async function started(changes: Changes = {}, engine: FakeEngine = fakeEngine()) {
  const connections = { ...DEFAULT_API_CONFIG.connections, ...changes.connections };
  const limits = { ...DEFAULT_API_CONFIG.limits, isOn: false };
  const config = { ...DEFAULT_API_CONFIG, port: 0, limits, ...changes, connections };
  const metrics = new Registry();
  const server = createServer({
    ...{ engine, history: fakeHistory(), config, metrics, venueId: 'venue-1' },
    log: pino({ level: 'silent' }),
    keys,
    passwords,
    operators: operatorsOf(),
  });
  running.push(server);
  const { port } = await server.listen();
  const connected = async (options: { paused?: boolean } = {}): Promise<RawClient> => {
    const client = await rawClient(port, options);
    clients.push(client);
    return client;
  };
  return { port, engine, metrics, connected };
}

const TRANSFER = '{"asset":"OX","quantity":"1","fromAccount":"main","toAccount":"desk-a"}';

/** A signed request as bytes. */
function request(port: number, sent: Partial<Sent> & { headers?: string } = {}): string {
  const { method = 'POST', path = '/v3/transfer', body = '' } = sent;
  const host = sent.host ?? `127.0.0.1:${port}`;
  const signed = signedHeaders({ accessKey: 'main-full', ...sent, method, path, host });
  const lines = Object.entries(signed).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = body === '' ? '' : `content-length: ${Buffer.byteLength(body)}\r\n`;
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}${length}${sent.headers ?? ''}\r\n${body}`;
}
const transfer = (port: number, sent: Partial<Sent> = {}): string =>
  request(port, { body: TRANSFER, ...sent });
const GET_TIME = 'GET /v3/time HTTP/1.1\r\nHost: localhost\r\n\r\n';

/** An engine that answers on command. */
function heldEngine() {
  const engine = fakeEngine();
  const { answer } = engine;
  const held: (() => void)[] = [];
  engine.answer = (command: Command) =>
    new Promise((resolve) => held.push(() => resolve(answer(command))));
  const release = (): void => {
    for (const go of held.splice(0)) go();
  };
  const arrived = async (count: number): Promise<void> => {
    while (held.length < count) await new Promise((resolve) => setTimeout(resolve, 2));
  };
  return { engine, release, arrived, held };
}

const failure = (status: number, code: string, message: RegExp | string) => ({
  status,
  json: {
    success: false,
    code,
    message: message instanceof RegExp ? expect.stringMatching(message) : message,
  },
});

test('a client that has closed its own end still gets its answer', async () => {
  const { engine, release, arrived } = heldEngine();
  const { port, connected } = await started({}, engine);
  const client = await connected();
  client.send(transfer(port));
  client.socket.end();
  await arrived(1);
  await new Promise((resolve) => setTimeout(resolve, 20));
  release();
  expect(answersIn(await client.closed)).toMatchObject([{ status: 200, json: { success: true } }]);
});

describe('Host', () => {
  test('once, no more and no less; HTTP/1.0 may leave it out', async () => {
    const { connected } = await started();
    const ask = async (lines: string): Promise<unknown> => {
      const client = await connected();
      client.send(lines);
      return answersIn(await client.closed)[0];
    };
    const two = 'GET /v3/time HTTP/1.1\r\nHost: localhost\r\nhost: evil.example\r\n\r\n';
    expect(await ask(two)).toEqual(failure(400, '20002', /2 Host headers/));
    const none = 'GET /v3/time HTTP/1.1\r\nConnection: close\r\n\r\n';
    expect(await ask(none)).toEqual(failure(400, '20002', /no Host header/));
    expect(await ask('GET /v3/time HTTP/1.0\r\n\r\n')).toMatchObject({ status: 200 });
  });

  test('in a signature is a name of this venue, with any port; the refusal names it and the setting', async () => {
    const { port, connected } = await started({ hostAliases: ['venue.example'] });
    const client = await connected();
    const ask = async (host: string, signedHost = host): Promise<unknown> => {
      const before = client.text().length;
      client.send(request(port, { method: 'GET', path: '/v3/balances', host, signedHost }));
      await client.until(/\}$/);
      while (client.text().length === before) await new Promise((go) => setTimeout(go, 2));
      return answersIn(client.text().slice(before))[0];
    };
    for (const host of ['localhost', 'LocalHost:1', '127.0.0.1:9', '127.9.9.9', '[::1]:80']) {
      expect(await ask(host), host).toMatchObject({ status: 200 });
    }
    expect(await ask('venue.example:8443')).toMatchObject({ status: 200 });
    expect(await ask('evil.example', 'venue.example')).toMatchObject({ status: 200 });
    const refused = failure(401, '20000', /Host "evil\.example:80" is no name .* hostAliases/);
    expect(await ask('evil.example:80')).toEqual(refused);
    const wrong = failure(401, '20000', /came with Host "localhost".*setting hostAliases/);
    expect(await ask('localhost', 'evil.example')).toEqual(wrong);
  });
});

describe('what the parser refuses has the envelope too', () => {
  const cases: [string, string, number, string][] = [
    ['no HTTP', 'HELLO\r\n\r\n', 400, '20002'],
    [
      'two lengths',
      `${GET_TIME.slice(0, -2)}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`,
      400,
      '20002',
    ],
    [
      'a length and chunks',
      'POST /v3/transfer HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
      '20002',
    ],
    [
      'long headers',
      `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
      '20027',
    ],
    ['CONNECT', 'CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n\r\n', 405, '20003'],
  ];
  test.each(cases)('%s', async (_name, bytes, status, code) => {
    const { connected } = await started();
    const client = await connected();
    client.send(bytes);
    expect(answersIn(await client.closed).at(-1)).toEqual(failure(status, code, /./));
  });

  test('long extensions of chunks', async () => {
    const { port, connected } = await started();
    const client = await connected();
    const head = request(port, { headers: 'Transfer-Encoding: chunked\r\n' });
    client.send(`${head}2;${'x'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`);
    expect(answersIn(await client.closed)).toEqual([failure(413, '20027', /chunks/)]);
  });

  test('a body that breaks off by a closed end', async () => {
    const { port, engine, connected } = await started();
    const client = await connected();
    client.send(transfer(port).slice(0, -5));
    client.socket.end();
    expect(answersIn(await client.closed)).toEqual([failure(400, '20002', /./)]);
    expect(engine.submitted).toEqual([]);
  });

  test('after the answers to the whole requests before it', async () => {
    const { engine, release, arrived } = heldEngine();
    const { port, connected } = await started({}, engine);
    const client = await connected();
    client.send(`${transfer(port)}${transfer(port)}NOT HTTP\r\n\r\n`);
    await arrived(2);
    release();
    const answers = answersIn(await client.closed);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 400]);
  });
});

describe('a body is read only from who may send one', () => {
  const head = (port: number, sent: Partial<Sent>): string =>
    transfer(port, sent).slice(0, -TRANSFER.length);

  test('a missing header, an unknown key and a wrong time are refused before it comes', async () => {
    const { port, connected } = await started();
    const rows: [Partial<Sent>, string][] = [
      [{ accessKey: '' }, '30001'],
      [{ accessKey: 'nobody' }, '20025'],
      [{ timestamp: '2020-01-01T00:00:00' }, '20024'],
    ];
    for (const [sent, code] of rows) {
      const client = await connected();
      client.send(head(port, sent));
      expect(await client.until(/"code":"\d+"/)).toContain(`"code":"${code}"`);
    }
  });

  test('an address and a key without tokens are refused before it comes', async () => {
    const rules = [{ of: 'all', per: 'key', count: 1, perMs: 60_000 }] as const;
    const { port, engine, connected } = await started({ limits: { isOn: true, rules } });
    const client = await connected();
    client.send(transfer(port));
    await client.until('"success":true');
    const second = await connected();
    second.send(head(port, {}));
    expect(await second.until(/"code":"\d+"/)).toContain('"code":"429"');
    expect(engine.submitted).toHaveLength(1);
  });

  test('who only knows the name of a key cannot use up what it may do', async () => {
    const rules = [{ of: 'all', per: 'key', count: 2, perMs: 60_000 }] as const;
    const { port, connected } = await started({ limits: { isOn: true, rules } });
    const stranger = await connected();
    for (let times = 0; times < 5; times++) stranger.send(transfer(port, { secret: 'wrong' }));
    await stranger.until('"code":"20000"', 5);
    const owner = await connected();
    owner.send(transfer(port) + transfer(port));
    await owner.until('"success":true', 2);
  });

  test('a request with Expect gets a refusal, or 100 Continue', async () => {
    const { port, connected } = await started();
    const expecting = { body: TRANSFER, headers: 'Expect: 100-continue\r\n' };
    const unknown = await connected();
    unknown.send(request(port, { ...expecting, accessKey: 'nobody' }).slice(0, -TRANSFER.length));
    expect(answersIn(await unknown.closed)).toMatchObject([{ status: 401 }]);
    const known = await connected();
    known.send(request(port, expecting).slice(0, -TRANSFER.length));
    await known.until('HTTP/1.1 100 Continue');
    known.send(TRANSFER);
    await known.until('"success":true');
  });

  test('up to the limit of its endpoint, declared or not', async () => {
    const { port, connected } = await started();
    const declared = await connected();
    declared.send(request(port, { body: 'x'.repeat(16_385) }));
    expect(await declared.until('"code":"20027"')).toContain('16385 bytes, at most 16384 bytes');
    const chunked = await connected();
    const chunk = `2000\r\n${'x'.repeat(0x2000)}\r\n`;
    chunked.send(
      `${request(port, { headers: 'Transfer-Encoding: chunked\r\n' })}${chunk.repeat(3)}`,
    );
    expect(await chunked.until('"code":"20027"')).toContain('HTTP/1.1 413');
  });

  test('as long as there is room for all that is arriving', async () => {
    const { port, metrics, connected } = await started({
      connections: { unfinishedMaxBytes: 100 },
    });
    const slow = await connected();
    slow.send(transfer(port).slice(0, -5));
    const held = async (): Promise<string> =>
      (await metrics.metrics()).match(/unfinished_bytes \d+/)?.[0] ?? '';
    while ((await held()) !== `unfinished_bytes ${TRANSFER.length - 5}`) {
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    const other = await connected();
    other.send(transfer(port).slice(0, -5));
    expect(answersIn(await other.closed)).toEqual([failure(503, '000201', /still arriving/)]);
    slow.send(TRANSFER.slice(-5));
    await slow.until('"success":true');
    expect(await held()).toBe('unfinished_bytes 0');
    expect(await metrics.metrics()).toContain('turned_away_total{reason="body"} 1');
  });

  test('bytes that are not UTF-8 are called so, not a wrong signature', async () => {
    const { port, engine, connected } = await started();
    const client = await connected();
    const bytes = Buffer.from(transfer(port));
    bytes[bytes.length - 3] = 0xff;
    const refusal = failure(400, '20009', /the body is not UTF-8/);
    client.send(bytes);
    expect(answersIn(await client.until('20009'))).toEqual([refusal]);
    client.send(bytes.subarray(0, -5));
    client.send(bytes.subarray(-5));
    expect(answersIn(await client.until('20009', 2))).toEqual([refusal, refusal]);
    expect(engine.submitted).toEqual([]);
    // A replacement character that was sent as such is a character like others.
    client.send(transfer(port, { body: TRANSFER.replace('}', ',"note":"\uFFFD"}') }));
    await client.until('"success":true');
    expect(engine.submitted).toHaveLength(1);
  });

  test('a list of many numbers is counted, not read', async () => {
    const { port, engine, connected } = await started();
    const client = await connected();
    const post = (body: string): void => client.send(request(port, { body }));
    post(`{"asset":[${'1,'.repeat(3_000)}1]}`);
    await client.until('the body holds more than 1024 values');
    post(`{"asset":${'['.repeat(4_000)}${']'.repeat(4_000)}}`);
    await client.until('the body holds more than 32 levels');
    expect(engine.submitted).toEqual([]);
  });
});

describe('a long answer', () => {
  /** An engine with so many open orders. */
  function crowdedEngine(count: number): FakeEngine {
    const engine = fakeEngine();
    const order = {
      ...{ orderId: 1, clientOrderId: 0n, account: 0, family: 0, market: 0, side: 'BUY' },
      ...{ orderType: 'LIMIT', timeInForce: 'GTC', stpMode: 'NONE', triggerType: 'MARK_PRICE' },
      ...{ source: 11, isStop: false, isTriggered: false, reduceOnly: false, priceTicks: 60_000 },
      ...{ stopTicks: 0, totalLots: 5, openLots: 5, filledLots: 0, displayLots: 5 },
      ...{ amountParts: 0n, filledCost: 0n, createdAtMs: 1, lastModifiedAtMs: 1 },
      ...{ lastMatchedAtMs: 0, fees: { native: 0n, usdt: 0n, other: 0n, otherAsset: 0 } },
    };
    engine.view = async () =>
      Array.from({ length: count }, (_, at) => ({ ...order, orderId: count - at })) as never;
    return engine;
  }
  const working = (port: number): string =>
    request(port, { method: 'GET', path: '/v3/orders/working', headers: 'Connection: close\r\n' });

  test('is sent in pieces and is one document', async () => {
    const { port } = await started({}, crowdedEngine(3_001));
    const headers = signedHeaders({
      ...{ accessKey: 'main-read', path: '/v3/orders/working', host: `127.0.0.1:${port}` },
    });
    const { host: _host, ...sent } = headers;
    const answer = await fetch(`http://127.0.0.1:${port}/v3/orders/working`, { headers: sent });
    expect(answer.headers.get('transfer-encoding')).toBe('chunked');
    const { data } = (await answer.json()) as { data: { orderId: string }[] };
    expect(data.map(({ orderId }) => Number(orderId))).toEqual(
      Array.from({ length: 3_001 }, (_, at) => 3_001 - at),
    );
  });

  test('is printed no faster than it is read, and others go on meanwhile', async () => {
    const { port, metrics, connected } = await started({}, crowdedEngine(40_000));
    const lazy = await connected({ paused: true });
    lazy.send(working(port));
    const other = await connected();
    const unread = async (): Promise<number> =>
      Number((await metrics.metrics()).match(/^rialto_http_unread_bytes (\d+)/m)?.[1]);
    const heldBytes = 40_000 * 512;
    for (let seen = 0; ; ) {
      other.send(GET_TIME);
      await other.until('HTTP/1.1 200', ++seen);
      // Stopped: what is held for the list, and one piece that nobody takes.
      const [before, after] = [await unread(), await unread()];
      if (before === after && before > heldBytes) break;
    }
    expect(await unread()).toBeLessThan(heldBytes + 200_000);
    lazy.socket.destroy();
    while ((await unread()) > 10_000) await new Promise((resolve) => setTimeout(resolve, 2));
  });

  test('that nobody reads is cut when there is no room for more', async () => {
    const { port, metrics, connected } = await started(
      { connections: { unreadMaxBytes: 20_000_000 } },
      crowdedEngine(30_000),
    );
    const first = await connected({ paused: true });
    first.send(working(port));
    while (!/unread_bytes 15\d{6}/.test(await metrics.metrics())) {
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    const second = await connected({ paused: true });
    second.send(working(port));
    const isCut = async (): Promise<boolean> =>
      (await metrics.metrics()).includes('connections_cut_total{reason="unread"} 1');
    while (!(await isCut())) await new Promise((resolve) => setTimeout(resolve, 2));
  });
});

describe('connections', () => {
  test('from one address are limited: one more is closed at once and counted', async () => {
    const { metrics, connected } = await started({ connections: { maxConnectionsPerAddress: 3 } });
    const three = [await connected(), await connected(), await connected()];
    const fourth = await connected();
    fourth.send(GET_TIME);
    expect(await fourth.closed).toBe('');
    expect(await metrics.metrics()).toContain('connections_refused_total{reason="address"} 1');
    three[0]?.socket.destroy();
    await three[0]?.closed;
    const openNow = async (): Promise<boolean> =>
      (await metrics.metrics()).includes('http_connections 2');
    while (!(await openNow())) await new Promise((resolve) => setTimeout(resolve, 2));
    const fifth = await connected();
    fifth.send(GET_TIME);
    await fifth.until('HTTP/1.1 200');
  });

  test('in all are limited: one more is closed at once and counted', async () => {
    const { metrics, connected } = await started({ connections: { maxConnections: 2 } });
    const [one] = [await connected(), await connected()];
    const third = await connected();
    third.send(GET_TIME);
    expect(await third.closed).toBe('');
    expect(await metrics.metrics()).toContain('connections_refused_total{reason="total"} 1');
    one?.send(GET_TIME);
    await one?.until('HTTP/1.1 200');
  });

  test('begin so many requests at a time, in order; the rest waits, and too many are refused', async () => {
    const { engine, release, arrived, held } = heldEngine();
    const { port, connected } = await started(
      { connections: { runningMax: 2, waitingMax: 3 } },
      engine,
    );
    const client = await connected();
    const bodies = ['1', '2', '3', '4', '5', '6'].map((quantity) =>
      TRANSFER.replace('"1"', `"${quantity}"`),
    );
    client.send(bodies.map((body) => request(port, { body })).join(''));
    await arrived(2);
    expect(held).toHaveLength(2);
    const quantities: unknown[] = [];
    for (let round = 0; round < 3; round++) {
      await arrived(round === 2 ? 1 : 2);
      release();
      await client.until('"success":true', round === 2 ? 5 : 2 * (round + 1));
    }
    await client.until('"code":"20007"');
    for (const { status, json } of answersIn(client.text())) {
      quantities.push(
        status === 200 ? (json as { data: { quantity: string } }).data.quantity : status,
      );
    }
    expect(quantities).toEqual(['1', '2', '3', '4', '5', 429]);
    expect(engine.submitted).toHaveLength(5);
  });
});

describe('many requests in one write', () => {
  test('are answered before the bytes behind them that are no request', async () => {
    const { connected } = await started();
    const client = await connected();
    client.send(`${GET_TIME.repeat(40)}nonsense\r\n\r\n`);
    const statuses = answersIn(await client.closed).map(({ status }) => status);
    expect(statuses).toEqual([...Array.from({ length: 40 }, () => 200), 400]);
  });

  test('are all answered, also when too many wait and the last of them closes the connection', async () => {
    const { connected } = await started();
    const client = await connected();
    const last = GET_TIME.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n');
    client.send(GET_TIME.repeat(300) + last);
    const statuses = answersIn(await client.closed).map(({ status }) => status);
    expect([statuses.length, statuses[0], statuses.at(-1)]).toEqual([301, 200, 429]);
  });
});
