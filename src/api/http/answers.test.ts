import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { pino } from 'pino';
import { afterEach, expect, test, vi } from 'vitest';
import { DEFAULT_LIMITS } from './connections.ts';
import {
  createListener,
  type Listener,
  type ListenerOptions,
  turnOfEventLoop,
} from './listener.ts';
import { Tally } from './observe.ts';
import type { PageServed } from './page.ts';
import type { Target } from './request-handler.ts';
import { createRouter } from './router.ts';

/** Answers as bytes on a real socket, without and with TLS. */

const running: Listener[] = [];
afterEach(async () => {
  for (const listener of running.splice(0)) await listener.close();
});

const served = (body: PageServed['body'], headers: string[] = []): PageServed => ({
  status: 200,
  body,
  headers,
});
const BYTES = Buffer.from([0x00, 0xff, 0x0d, 0x0a, 0x80]);
const PIECES = ['[1', ',"é"', ',3]'];
const inPieces = (): PageServed => {
  const left = [...PIECES];
  return served({ heldBytes: 100, next: () => left.shift() });
};

async function started(changes: Partial<ListenerOptions> = {}): Promise<number> {
  const router = createRouter<Target>();
  const tally = new Tally('GET', '/');
  const page = (path: string, serve: () => PageServed): void =>
    router.add('GET', path, { path, serve, tally } as unknown as Target);
  page('/short', () => served('{"a":"é"}', ['X-More', 'yes']));
  page('/plain', () => served('hello', ['Content-Type', 'text/plain']));
  page('/long', inPieces);
  page('/bytes', () => served(BYTES, ['Content-Type', 'application/x-any']));
  const listener = createListener({
    ...{ host: '127.0.0.1', port: 0, router, unrouted: tally, trustProxy: false },
    limits: { ...DEFAULT_LIMITS, maxConnections: 9, maxConnectionsPerAddress: 9 },
    turn: turnOfEventLoop(),
    nextRequestId: () => 'id-1',
    closeGraceMs: 1_000,
    log: pino({ level: 'silent' }),
    ...changes,
  });
  running.push(listener);
  return (await listener.listen()).port;
}

/** Sends bytes and waits for the other side's end; times of day are left out. */
async function exchange(port: number, bytes: string, isSecure = false): Promise<string> {
  const socket = isSecure
    ? connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
    : connect({ port, host: '127.0.0.1' });
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.write(bytes);
  await once(socket, 'close');
  return Buffer.concat(chunks)
    .toString('utf8')
    .replaceAll(/Date: [^\r]+ GMT/g, 'Date: now');
}

const ask = (method: string, path: string, lines = ''): string =>
  `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${lines}\r\n`;
const CLOSE = 'Connection: close\r\n';

const head = (...lines: string[]): string => `${lines.join('\r\n')}\r\n\r\n`;
const SHORT = [
  'HTTP/1.1 200 OK',
  'Content-Type: application/json',
  'Cache-Control: no-store',
  'Content-Length: 10',
  'X-Request-Id: id-1',
  'X-More: yes',
  'Date: now',
];
const KEPT = ['Connection: keep-alive', 'Keep-Alive: timeout=65'];
const LAST = ['Connection: close'];

test('an answer says its length in bytes, and whether the connection stays', async () => {
  const port = await started();
  const both = await exchange(port, ask('GET', '/short') + ask('GET', '/short', CLOSE));
  expect(both).toBe(`${head(...SHORT, ...KEPT)}{"a":"é"}${head(...SHORT, ...LAST)}{"a":"é"}`);
});

test('a type of its own takes the place of JSON', async () => {
  const port = await started();
  expect(await exchange(port, ask('GET', '/plain', CLOSE))).toBe(
    `${head(
      ...['HTTP/1.1 200 OK', 'Content-Length: 5', 'X-Request-Id: id-1'],
      ...['Content-Type: text/plain', 'Date: now', ...LAST],
    )}hello`,
  );
});

test('HEAD gets the length of the body it does not get', async () => {
  const port = await started();
  const answer = await exchange(port, ask('HEAD', '/short', CLOSE));
  expect(answer).toMatch(/^HTTP\/1\.1 405 /);
  expect(answer).toMatch(/Allow: GET\r\n/);
  expect(answer).toMatch(/Content-Length: [1-9]\d*\r\n/);
  expect(answer.endsWith('\r\n\r\n')).toBe(true);
});

const LONG = ['HTTP/1.1 200 OK', ...SHORT.slice(1, 3), 'X-Request-Id: id-1'];

test('a long answer comes in chunks, and others after it in their turn', async () => {
  const port = await started();
  const both = await exchange(port, ask('GET', '/long') + ask('GET', '/short', CLOSE));
  const chunks = '2\r\n[1\r\n5\r\n,"é"\r\n3\r\n,3]\r\n0\r\n\r\n';
  const long = head(...LONG, 'Transfer-Encoding: chunked', 'Date: now', ...KEPT);
  expect(both).toBe(`${long}${chunks}${head(...SHORT, ...LAST)}{"a":"é"}`);
});

test('HTTP/1.0 knows no chunks: a long answer ends with the connection', async () => {
  const port = await started();
  const lines = 'GET /long HTTP/1.0\r\nConnection: keep-alive\r\n\r\n';
  expect(await exchange(port, lines)).toBe(
    `${head(...LONG, 'Date: now', ...LAST)}${PIECES.join('')}`,
  );
});

test('bytes are sent as they are, and others after them in their turn', async () => {
  const port = await started();
  const three = ask('GET', '/bytes') + ask('GET', '/bytes') + ask('GET', '/short', CLOSE);
  const answer = await exchange(port, three);
  expect(answer.match(/Content-Length: 5\r\n/g)).toHaveLength(2);
  expect(answer.split(BYTES.toString('utf8'))).toHaveLength(3);
  expect(answer.endsWith('{"a":"é"}')).toBe(true);
});

test('HTTP/1.0 stays connected where it asks for it', async () => {
  const port = await started();
  const stay = 'GET /short HTTP/1.0\r\nConnection: keep-alive\r\n\r\n';
  const both = await exchange(port, `${stay}GET /short HTTP/1.0\r\n\r\n`);
  expect(both).toBe(`${head(...SHORT, ...KEPT)}{"a":"é"}${head(...SHORT, ...LAST)}{"a":"é"}`);
});

const pem = (name: string): string => readFileSync(`test/support/tls/${name}.pem`, 'utf8');

test('TLS goes through the same parser: requests in a row, long answers, refusals', async () => {
  const port = await started({ tls: { key: pem('key-1'), cert: pem('cert-1') } });
  const three = ask('GET', '/long') + ask('GET', '/short') + ask('GET', '/short', CLOSE);
  const answer = await exchange(port, three, true);
  expect(answer.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(3);
  expect(answer.endsWith('{"a":"é"}')).toBe(true);
  const smuggled = ask('GET', '/short', 'Content-Length: 1\r\nContent-Length: 2\r\n');
  expect(await exchange(port, smuggled, true)).toMatch(/^HTTP\/1\.1 400 [\s\S]*two Content-Length/);
});

test('who never finishes a handshake does not keep a venue from closing', async () => {
  const port = await started({ tls: { key: pem('key-1'), cert: pem('cert-1') }, closeGraceMs: 50 });
  const silent = connect({ port, host: '127.0.0.1' });
  await once(silent, 'connect');
  // Taken by the venue as soon as another one is served.
  expect(await exchange(port, ask('GET', '/short', CLOSE), true)).toMatch(/200 OK/);
  const gone = once(silent, 'close');
  await running.pop()?.close();
  await gone;
});

test('who leaves in a handshake, or never begins it, does not stay connected', async () => {
  const port = await started({
    tls: { key: pem('key-1'), cert: pem('cert-1') },
    handshakeMs: 100,
  });
  const distrustful = connectTls({ port, host: '127.0.0.1' });
  const [refusal] = await once(distrustful, 'error');
  expect(refusal.code).toBe('DEPTH_ZERO_SELF_SIGNED_CERT');
  await once(connect({ port, host: '127.0.0.1' }), 'close');
  await vi.waitUntil(() => running[0]?.connections.open === 0, { timeout: 10_000 });
});

test('a socket may be taken over by another protocol', async () => {
  const port = await started({
    upgrade: ({ url, headers }, socket, rest) => {
      socket.write(`${url} ${headers['upgrade']} ${rest};`);
      socket.once('data', (chunk: Buffer) => socket.end(`echo ${chunk}`));
    },
  });
  const socket = connect({ port, host: '127.0.0.1' });
  socket.write(`${ask('GET', '/stream', 'Connection: Upgrade\r\nUpgrade: echo\r\n')}early`);
  expect(String((await once(socket, 'data'))[0])).toBe('/stream echo early;');
  socket.write('later');
  expect(String((await once(socket, 'data'))[0])).toBe('echo later');
  await once(socket, 'close');
});
