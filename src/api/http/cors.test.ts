import { pino } from 'pino';
import { Registry } from 'prom-client';
import { afterEach, expect, test } from 'vitest';
import { fakeHistory } from '../fake-history.fixture.ts';
import { type ApiServer, createServer, DEFAULT_API_CONFIG } from '../server.ts';
import { fakeEngine, keys, operatorsOf, passwords } from '../venue.fixture.ts';
import { originFault } from './cors.ts';
import { type RawClient, rawClient } from './raw-client.fixture.ts';

const running: ApiServer[] = [];
const clients: RawClient[] = [];
afterEach(async () => {
  for (const { socket } of clients.splice(0)) socket.destroy();
  for (const server of running.splice(0)) await server.close().catch(() => undefined);
});

/** Both listeners of a venue that allows these origins. */
async function started(...origins: string[]) {
  const server = createServer({
    ...{ engine: fakeEngine(), history: fakeHistory(), metrics: new Registry(), venueId: 'v' },
    config: { ...DEFAULT_API_CONFIG, port: 0, origins },
    ...{ log: pino({ level: 'silent' }), keys, passwords, operators: operatorsOf() },
  });
  running.push(server);
  return server.listen();
}

/** The head of the response to a request with these lines. */
async function headOf(port: number, line: string, ...headers: string[]): Promise<string> {
  const client = await rawClient(port);
  clients.push(client);
  const lines = [`${line} HTTP/1.1`, 'Host: localhost', ...headers].join('\r\n');
  client.send(`${lines}\r\n\r\n`);
  return (await client.until('\r\n\r\n')).split('\r\n\r\n')[0] as string;
}

const APP = 'https://app.example';
const REQUEST_METHOD = 'Access-Control-Request-Method: POST';
const PREFLIGHT = 'OPTIONS /v3/orders/place';

test('a preflight of an allowed origin is answered with methods and headers', async () => {
  const { port } = await started(APP, 'https://other.example:8443');
  const head = await headOf(port, PREFLIGHT, `Origin: ${APP}`, REQUEST_METHOD);
  expect(head).toMatch(/^HTTP\/1\.1 200 /);
  expect(head).toContain(`\r\nAccess-Control-Allow-Origin: ${APP}\r\n`);
  expect(head).toContain('\r\nVary: Origin\r\n');
  expect(head).toContain('\r\nAccess-Control-Allow-Methods: GET, POST, DELETE\r\n');
  expect(head).toContain(
    '\r\nAccess-Control-Allow-Headers: AccessKey, Timestamp, Signature, Nonce, Content-Type\r\n',
  );
  expect(head).toContain('\r\nContent-Length: 0\r\n');
  expect(head).not.toContain('Allow-Credentials');
});

test('responses to an allowed origin expose limits and ids, refusals and unknown paths too', async () => {
  const { port } = await started(APP);
  for (const line of ['GET /v3/time', 'GET /v3/balances', 'GET /nowhere', 'OPTIONS /v3/time']) {
    const head = await headOf(port, line, `Origin: ${APP}`);
    expect(head, line).toContain(`\r\nAccess-Control-Allow-Origin: ${APP}\r\n`);
    expect(head, line).toMatch(
      /\r\nAccess-Control-Expose-Headers: RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, X-Request-Id/,
    );
  }
});

test('other origins, and requests without one, get none of it', async () => {
  const { port } = await started(APP);
  const others = [
    ...['https://evil.example', 'https://app.example.evil.example', 'http://app.example'],
    ...['https://app.example:444', 'null', 'HTTPS://APP.EXAMPLE', `${APP}, https://evil.example`],
    'http://localhost:3000',
  ];
  for (const origin of others) {
    const head = await headOf(port, 'GET /v3/time', `Origin: ${origin}`);
    expect(head, origin).toMatch(/^HTTP\/1\.1 200 /);
    expect(head, origin).not.toContain('Access-Control');
    const preflight = await headOf(port, PREFLIGHT, `Origin: ${origin}`, REQUEST_METHOD);
    expect(preflight, origin).toMatch(/^HTTP\/1\.1 405 /);
    expect(preflight, origin).not.toContain('Access-Control');
  }
  expect(await headOf(port, 'GET /v3/time')).not.toContain('Access-Control');
  expect(await headOf(port, PREFLIGHT, REQUEST_METHOD)).toMatch(/^HTTP\/1\.1 405 /);
});

test('loopback is the pages of this machine on any port, and no name that looks like it', async () => {
  const { port } = await started('loopback');
  for (const origin of ['http://localhost:5173', 'http://127.0.0.1:8080', 'http://localhost']) {
    const head = await headOf(port, PREFLIGHT, `Origin: ${origin}`, REQUEST_METHOD);
    expect(head).toContain(`\r\nAccess-Control-Allow-Origin: ${origin}\r\n`);
  }
  for (const origin of ['http://localhost.evil.example', 'http://127.0.0.1.evil:1', 'loopback']) {
    const head = await headOf(port, 'GET /v3/time', `Origin: ${origin}`);
    expect(head).not.toContain('Access-Control');
  }
});

test('without allowed origins, and on the management listener, there is none', async () => {
  const closed = await started();
  const head = await headOf(closed.port, 'GET /v3/time', `Origin: ${APP}`);
  expect(head).not.toContain('Access-Control');
  const { managementPort } = await started(APP, 'loopback');
  for (const origin of [APP, 'http://localhost:1']) {
    const read = await headOf(managementPort, 'GET /health', `Origin: ${origin}`);
    expect(read).toMatch(/^HTTP\/1\.1 200 /);
    const preflight = await headOf(
      managementPort,
      'OPTIONS /health',
      `Origin: ${origin}`,
      REQUEST_METHOD,
    );
    expect(read + preflight).not.toContain('Access-Control');
  }
});

test('an origin of a configuration is written as browsers send it', () => {
  for (const right of ['https://app.example', 'http://localhost:5173', 'loopback']) {
    expect(originFault(right), right).toBeUndefined();
  }
  expect(originFault('https://App.example/')).toContain('nearest "https://app.example"');
  expect(originFault('https://app.example:443')).toContain('nearest "https://app.example"');
  for (const wrong of ['*', 'app.example', 'null', '', 'file:///tmp', 'ftp://app.example']) {
    expect(originFault(wrong), wrong).toContain('is an origin such as');
  }
});
