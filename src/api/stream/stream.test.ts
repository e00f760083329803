import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import pino from 'pino';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { fakeHistory } from '../fake-history.fixture.ts';
import { createServer, DEFAULT_API_CONFIG } from '../server.ts';
import { fakeEngine, keys, operatorsOf, passwords } from '../venue.fixture.ts';

const pem = (name: string): string => readFileSync(`test/support/tls/${name}.pem`, 'utf8');

const nextMessage = (socket: WebSocket): Promise<string> =>
  new Promise((resolve, reject) => {
    socket.once('message', (data: Buffer) => resolve(data.toString()));
    socket.once('error', reject);
  });

type Changed = Partial<typeof DEFAULT_API_CONFIG>;

const serverOf = (changed: Changed, engine = fakeEngine()) =>
  createServer({
    ...{ engine, history: fakeHistory(), log: pino({ level: 'silent' }) },
    ...{ metrics: new Registry(), keys, passwords, operators: operatorsOf(), venueId: 'v' },
    config: { ...DEFAULT_API_CONFIG, port: 0, managementPort: 0, closeGraceMs: 100, ...changed },
  });

test('the stream goes through the limits and the TLS of its listener', async () => {
  const server = serverOf({
    connections: { ...DEFAULT_API_CONFIG.connections, maxConnectionsPerAddress: 2 },
    tls: { key: pem('key-1'), cert: pem('cert-1') },
  });
  const { port } = await server.listen();
  const open = () =>
    new WebSocket(`wss://127.0.0.1:${port}/v2/websocket`, { rejectUnauthorized: false });
  const first = open();
  expect(await nextMessage(first)).toContain('"event":"Welcome"');
  expect(await nextMessage(open())).toContain('"event":"Welcome"');
  expect(server.listeners).toBe(2);
  await expect(nextMessage(open())).rejects.toThrow();
  const shutdown = nextMessage(first);
  await server.close();
  expect(await shutdown).toContain('"event":"shutdown"');
});

test('an address that connects too often is answered 429 and when to come back', async () => {
  const stream = { ...DEFAULT_API_CONFIG.stream, connectionsPerMinute: 3 };
  const server = serverOf({ stream });
  const { port } = await server.listen();
  const open = () => new WebSocket(`ws://127.0.0.1:${port}/v2/websocket`);
  for (let n = 0; n < 3; n++) {
    const socket = open();
    expect(await nextMessage(socket)).toContain('"event":"Welcome"');
    socket.terminate();
  }
  const { statusCode, headers, body } = await refusalOf(open());
  expect(statusCode).toBe(429);
  expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  expect(Number(headers['retry-after'])).toBeLessThanOrEqual(20);
  expect(JSON.parse(body)).toMatchObject({ success: false, code: '429' });
  expect(body).toContain('at most 3 new stream connections a minute and address');
  await server.close();
});

test('all addresses of an IPv6 network count as one', async () => {
  const stream = { ...DEFAULT_API_CONFIG.stream, connectionsPerMinute: 2 };
  const server = serverOf({ stream, trustProxy: true });
  const { port } = await server.listen();
  const open = (from: string) =>
    new WebSocket(`ws://127.0.0.1:${port}/v2/websocket`, { headers: { 'X-Forwarded-For': from } });
  expect(await nextMessage(open('2001:db8:0:1::1'))).toContain('"event":"Welcome"');
  expect(await nextMessage(open('2001:db8:0:1::2'))).toContain('"event":"Welcome"');
  expect((await refusalOf(open('2001:db8:0:1::3'))).statusCode).toBe(429);
  expect(await nextMessage(open('2001:db8:0:2::1'))).toContain('"event":"Welcome"');
  await server.close();
});

test('a fault in one message ends its connection, and nothing else', async () => {
  const engine = fakeEngine();
  const { directory } = engine;
  const broken = {
    ...directory,
    keyByAccess: () => {
      throw new Error('a fault of ours');
    },
  };
  const server = serverOf({}, Object.assign(engine, { directory: broken }));
  const { port } = await server.listen();
  const open = () => new WebSocket(`ws://127.0.0.1:${port}/v2/websocket`);
  const [socket, other] = [open(), open()];
  await Promise.all([nextMessage(socket), nextMessage(other)]);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  const data = { apiKey: 'k', timestamp: String(engine.nowMs()), signature: 's' };
  socket.send(JSON.stringify({ op: 'login', data }));
  expect(await nextMessage(socket)).toContain('"code":"50001"');
  expect(await closed).toBe(1011);
  other.send('ping');
  expect(await nextMessage(other)).toBe('pong');
  await server.close();
});

test('frames of any kind keep a connection, pongs too', async () => {
  const server = serverOf({ stream: { ...DEFAULT_API_CONFIG.stream, idleMs: 4_000 } });
  const { port } = await server.listen();
  const open = () => new WebSocket(`ws://127.0.0.1:${port}/v2/websocket`);
  const [silent, alive] = [open(), open()];
  await Promise.all([nextMessage(silent), nextMessage(alive)]);
  const beat = setInterval(() => alive.pong(), 50);
  await new Promise((resolve) => silent.once('close', resolve));
  clearInterval(beat);
  expect(alive.readyState).toBe(WebSocket.OPEN);
  alive.send('ping');
  expect(await nextMessage(alive)).toBe('pong');
  await server.close();
});

const HANDSHAKE = [
  'GET /v2/websocket HTTP/1.1',
  'Host: localhost',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
];
const rawSocket = (port: number, lines: readonly string[]): Socket => {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => undefined);
  socket.write([...lines, '', ''].join('\r\n'));
  return socket;
};

test('no sub-protocol is agreed to, whatever is offered: there is none', async () => {
  const server = serverOf({});
  const { port } = await server.listen();
  const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
  const socket = rawSocket(port, [...HANDSHAKE, key, 'Sec-WebSocket-Protocol: chat, v2']);
  const answer = await new Promise((resolve) => socket.once('data', resolve));
  expect(String(answer)).toContain('HTTP/1.1 101 ');
  expect(String(answer).toLowerCase()).not.toContain('sec-websocket-protocol');
  socket.destroy();
  await server.close();
});

test('a refused handshake ends the connection, though its peer keeps it open', async () => {
  const stream = { ...DEFAULT_API_CONFIG.stream, closeGraceMs: 50, connectionsPerMinute: 1 };
  const server = serverOf({ stream });
  const { port } = await server.listen();
  const withKey = [...HANDSHAKE, 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='];
  // Without a key: 400. The second in the minute: 429.
  for (const [lines, status] of [
    [HANDSHAKE, '400'],
    [withKey, '429'],
  ] as const) {
    const socket = rawSocket(port, lines);
    const answer = await new Promise((resolve) => socket.once('data', resolve));
    expect(String(answer)).toContain(`HTTP/1.1 ${status}`);
    // Once the other side is gone, what is sent to it is answered with a reset.
    const beat = setInterval(() => socket.write('x'), 10);
    await new Promise((resolve) => socket.once('close', resolve));
    clearInterval(beat);
  }
  await server.close();
});

test('a peer that resets a refused handshake ends nothing but its connection', async () => {
  const server = serverOf({ stream: { ...DEFAULT_API_CONFIG.stream, connectionsPerMinute: 1 } });
  const { port } = await server.listen();
  const welcomed = new WebSocket(`ws://127.0.0.1:${port}/v2/websocket`);
  await nextMessage(welcomed);
  const withKey = [...HANDSHAKE, 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='];
  for (let n = 0; n < 5; n++) {
    const socket = rawSocket(port, withKey);
    await new Promise((resolve) => socket.once('data', resolve));
    socket.resetAndDestroy();
  }
  welcomed.send('ping');
  expect(await nextMessage(welcomed)).toBe('pong');
  await server.close();
});

test('after five failed logins the connection ends and says why', async () => {
  const server = serverOf({});
  const { port } = await server.listen();
  const socket = new WebSocket(`ws://127.0.0.1:${port}/v2/websocket`);
  const codes: string[] = [];
  socket.on('message', (data: Buffer) => codes.push(JSON.parse(data.toString()).code));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.once('open', () => {
    for (let tries = 0; tries < 5; tries++) socket.send('{"op":"login","data":{}}');
  });
  expect(await closed).toBe(1008);
  expect(codes).toEqual([undefined, ...Array(5).fill('20023'), '20007']);
  await server.close();
});

const refusalOf = (socket: WebSocket) =>
  new Promise<{ statusCode: number | undefined; headers: IncomingHttpHeaders; body: string }>(
    (resolve) => {
      socket.on('error', () => undefined);
      socket.once('unexpected-response', async (_, response: IncomingMessage) => {
        const { statusCode, headers } = response;
        resolve({ statusCode, headers, body: await text(response) });
        socket.terminate();
      });
    },
  );
