import { connect } from 'node:net';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { afterEach, expect, test } from 'vitest';
import type { ApiConfig } from './config.ts';
import { fakeHistory } from './fake-history.fixture.ts';
import { type ApiServer, createServer, DEFAULT_API_CONFIG } from './server.ts';
import {
  type FakeEngine,
  fakeEngine,
  keys,
  operatorsOf,
  passwords,
  signedHeaders,
} from './venue.fixture.ts';

const running: ApiServer[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) await server.close().catch(() => undefined);
});

async function started(changes: Partial<ApiConfig> = {}, engine: FakeEngine = fakeEngine()) {
  const history = fakeHistory();
  const log = pino({ level: 'silent' });
  const config = { ...DEFAULT_API_CONFIG, port: 0, ...changes };
  const metrics = new Registry();
  const venueId = 'venue-1';
  const server = createServer({
    ...{ engine, history, config, log, metrics, keys, passwords, venueId },
    operators: operatorsOf(),
  });
  running.push(server);
  const { port, managementPort } = await server.listen();
  const management = `http://127.0.0.1:${managementPort}`;
  return { server, engine, history, port, base: `http://127.0.0.1:${port}`, management };
}

// biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
const jsonOf = async (response: Response): Promise<any> => response.json();

const TRANSFER = '{"asset":"OX","quantity":"1","fromAccount":"main","toAccount":"desk-a"}';
const transferHeaders = (port: number): Record<string, string> => {
  const { host: _host, ...headers } = signedHeaders({
    accessKey: 'main-full',
    method: 'POST',
    path: '/v3/transfer',
    host: `127.0.0.1:${port}`,
    body: TRANSFER,
  });
  return headers;
};

test('a header that every answer shall have is on answers, refusals and what is no HTTP', async () => {
  const { base, port, management } = await started({ everyAnswer: 'X-Rialto-Log: unsafe' });
  for (const url of [`${base}/v3/markets`, `${base}/nowhere`, `${management}/live`]) {
    expect((await fetch(url)).headers.get('x-rialto-log')).toBe('unsafe');
  }
  const socket = connect(port, '127.0.0.1');
  socket.end('NONSENSE\r\n\r\n');
  let text = '';
  for await (const piece of socket) text += piece;
  expect(text).toMatch(/\r\nX-Rialto-Log: unsafe\r\n/);
  const plain = await fetch(`${(await started()).base}/v3/markets`);
  expect(plain.headers.get('x-rialto-log')).toBeNull();
});

test('a signed POST goes through, with an id of its own', async () => {
  const { base, port } = await started();
  const answer = await fetch(`${base}/v3/transfer`, {
    method: 'POST',
    headers: transferHeaders(port),
    body: TRANSFER,
  });
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({ success: true, data: { quantity: '1' } });
  expect(answer.headers.get('content-type')).toBe('application/json');
  expect(answer.headers.get('ratelimit-limit')).toBe('1');
  const other = await fetch(`${base}/v3/time`);
  expect(other.headers.get('x-request-id')).toMatch(/^[\w-]+-[0-9a-z]+$/);
  expect(other.headers.get('x-request-id')).not.toBe(answer.headers.get('x-request-id'));
});

test('an unknown path is 404, a wrong method 405 and says which are right', async () => {
  const { base } = await started();
  const unknown = await fetch(`${base}/v3/nothing`);
  expect([unknown.status, (await jsonOf(unknown)).code]).toEqual([404, '20003']);
  const wrong = await fetch(`${base}/v3/transfer`, { method: 'PUT', body: 'x'.repeat(300_000) });
  expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST, GET']);
  expect((await jsonOf(wrong)).code).toBe('20003');
});

test('a body above the limit is 413: before the key where it is declared, else after', async () => {
  const { base, port } = await started({ bodyLimitBytes: 1_000 });
  const declared = await fetch(`${base}/v3/transfer`, { method: 'POST', body: 'x'.repeat(1_001) });
  expect([declared.status, (await jsonOf(declared)).code]).toEqual([413, '20027']);
  const chunks = new ReadableStream({
    start(controller) {
      for (let chunk = 0; chunk < 5; chunk++) controller.enqueue(new Uint8Array(400));
      controller.close();
    },
  });
  const streamed = await fetch(`${base}/v3/transfer`, {
    method: 'POST',
    headers: transferHeaders(port),
    body: chunks,
    duplex: 'half',
  } as RequestInit);
  expect(streamed.status).toBe(413);
  const fits = await fetch(`${base}/v3/transfer`, { method: 'POST', body: 'x'.repeat(1_000) });
  expect(fits.status).toBe(401);
});

test('a request broken off in its body disturbs nobody', async () => {
  const { base, port, engine } = await started();
  await new Promise<void>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write('POST /v3/transfer HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\n{"as');
      setTimeout(() => socket.destroy(), 20);
    });
    socket.on('close', () => resolve());
  });
  expect((await fetch(`${base}/v3/time`)).status).toBe(200);
  expect(engine.submitted).toEqual([]);
});

test('health, readiness and metrics say how the venue is', async () => {
  const { base, management, engine, history } = await started();
  const health = await (await fetch(`${management}/health`)).json();
  expect(health).toMatchObject({
    status: 'ok',
    venueId: 'venue-1',
    engine: { sequence: 4, digest: '00ff00ff00ff00ff' },
    history: { sequence: 4 },
  });
  expect((await fetch(`${management}/ready`)).status).toBe(200);
  // Cancels and reads are still served: nobody is kept away, and whoever asks is told.
  engine.diskRefusing = 'new orders are not taken, cancels are: the disk has 5 bytes left';
  const limited = await fetch(`${management}/ready`);
  expect([limited.status, await limited.json()]).toEqual([
    200,
    { ready: true, limited: [engine.diskRefusing] },
  ]);
  engine.diskRefusing = undefined;
  history.sequence = 3;
  expect((await fetch(`${management}/ready`)).status).toBe(503);
  // Traders are not kept away from a venue that was started while its history cannot be reached.
  history.trouble = 'connect ECONNREFUSED';
  expect((await fetch(`${management}/ready`)).status).toBe(200);
  history.trouble = undefined;
  history.sequence = 4;
  engine.isStopped = true;
  expect((await fetch(`${management}/ready`)).status).toBe(503);
  await fetch(`${base}/v3/time`);
  await fetch(`${base}/v3/balances`);
  await fetch(`${base}/no-such`);
  const metrics = await (await fetch(`${management}/metrics`)).text();
  expect(metrics).toContain(
    'rialto_http_requests_total{path="/v3/time",method="GET",status="200"} 1',
  );
  expect(metrics).toContain('{path="/v3/balances",method="GET",status="401"} 1');
  expect(metrics).toContain('{path="-",method="-",status="404"} 1');
  expect(metrics).toContain('rialto_http_request_seconds_count{path="/v3/time",method="GET"} 1');
  expect(metrics).toContain(
    'rialto_http_request_seconds_bucket{path="/v3/time",method="GET",le="+Inf"} 1',
  );
  expect(metrics).toContain('rialto_engine_sequence 4');
  expect(metrics).toContain('rialto_history_lag 0');
});

test('readiness names both clocks while they differ by more than five seconds', async () => {
  const { management, engine } = await started();
  engine.wallNow = engine.now + 5_000;
  expect((await fetch(`${management}/ready`)).status).toBe(200);
  engine.wallNow = engine.now - 5_001;
  const response = await fetch(`${management}/ready`);
  expect(response.status).toBe(503);
  const [engineText, wallText] = [engine.now, engine.wallNow].map((ms) =>
    new Date(ms).toISOString(),
  );
  expect(await jsonOf(response)).toEqual({
    ready: false,
    reasons: [`the clocks differ: engine ${engineText}, wall clock ${wallText}`],
  });
  const metrics = await (await fetch(`${management}/metrics`)).text();
  expect(metrics).toContain('rialto_clock_ahead_ms -5001');
  expect(metrics).toContain('rialto_clock_jumps_total{what="backward"} 0');
});

test('the main listener tells everybody only whether the venue lives', async () => {
  const { base, engine } = await started();
  expect(await jsonOf(await fetch(`${base}/health`))).toEqual({ status: 'ok' });
  for (const path of ['/ready', '/metrics']) {
    expect((await fetch(`${base}${path}`)).status).toBe(404);
  }
  engine.isStopped = true;
  expect(await jsonOf(await fetch(`${base}/health`))).toEqual({ status: 'stopped' });
});

test('a port that is taken fails the start, names its setting, and leaves nothing listening', async () => {
  const first = await started();
  const managementPort = Number(new URL(first.management).port);
  await expect(started({ managementPort })).rejects.toThrow(
    /^management listener \(managementHost, managementPort\): listen EADDRINUSE/,
  );
  const free = await started();
  const freed = Number(new URL(free.management).port);
  await free.server.close();
  await expect(started({ port: first.port, managementPort: freed })).rejects.toThrow('EADDRINUSE');
  await started({ managementPort: freed });
});

test('people find a page with every endpoint, programs the OpenAPI document', async () => {
  const { base } = await started();
  const page = await fetch(base);
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  const html = await page.text();
  for (const path of ['/v3/transfer', '/v3/account/names', '/openapi.json', '/health']) {
    expect(html).toContain(path);
  }
  const document = await jsonOf(await fetch(`${base}/openapi.json`));
  expect(document.paths['/v3/transfer'].post.operationId).toBe('post_v3_transfer');
});

test('closing finishes what is in flight, takes no new connection, and ends idle ones after a moment', async () => {
  const engine = fakeEngine();
  const answer = engine.answer;
  let release = (): void => undefined;
  const arrived = new Promise<void>((arrive) => {
    engine.answer = (command) => {
      arrive();
      return new Promise((resolve) => {
        release = () => resolve(answer(command));
      });
    };
  });
  const { server, base, port } = await started({}, engine);
  await fetch(`${base}/v3/time`);
  const inFlight = fetch(`${base}/v3/transfer`, {
    method: 'POST',
    headers: transferHeaders(port),
    body: TRANSFER,
  });
  await arrived;
  let isClosed = false;
  const closed = server.close().then(() => {
    isClosed = true;
  });
  // What was on its way on a connection of before is answered; a new connection finds nobody.
  const late = await fetch(`${base}/v3/time`);
  expect([late.status, late.headers.get('connection')]).toEqual([200, 'close']);
  await expect(fetch(`${base}/v3/time`)).rejects.toThrow();
  expect(isClosed).toBe(false);
  release();
  const response = await inFlight;
  expect(response.status).toBe(200);
  expect(response.headers.get('connection')).toBe('close');
  await closed;
  expect(isClosed).toBe(true);
});

test('the limits of an address hold across its requests, and can be switched off', async () => {
  const rules = [{ of: 'all', per: 'address', count: 2, perMs: 60_000 }] as const;
  const on = await started({ limits: { isOn: true, rules } });
  const statuses = async (base: string): Promise<number[]> => {
    const answers: number[] = [];
    for (let time = 0; time < 3; time++) answers.push((await fetch(`${base}/v3/time`)).status);
    return answers;
  };
  expect(await statuses(on.base)).toEqual([200, 200, 429]);
  const off = await started({ limits: { isOn: false, rules } });
  expect(await statuses(off.base)).toEqual([200, 200, 200]);
});

test('the address that a proxy forwards counts only when the proxy is trusted', async () => {
  const rules = [{ of: 'all', per: 'address', count: 1, perMs: 60_000 }] as const;
  const from = (base: string, address: string) =>
    fetch(`${base}/v3/time`, { headers: { 'x-forwarded-for': `6.6.6.6, ${address}` } });
  const trusting = await started({ trustProxy: true, limits: { isOn: true, rules } });
  expect((await from(trusting.base, '1.1.1.1')).status).toBe(200);
  expect((await from(trusting.base, '2.2.2.2')).status).toBe(200);
  expect((await from(trusting.base, '1.1.1.1')).status).toBe(429);
  const strict = await started({ limits: { isOn: true, rules } });
  expect((await from(strict.base, '1.1.1.1')).status).toBe(200);
  expect((await from(strict.base, '2.2.2.2')).status).toBe(429);
});
