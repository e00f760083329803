import { connect } from 'node:net';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { afterEach, expect, test } from 'vitest';
import { STREAM_PATH } from '../../wire/stream.ts';
import { fakeHistory } from '../fake-history.fixture.ts';
import { type ApiServer, createServer, DEFAULT_API_CONFIG } from '../server.ts';
import { fakeEngine, keys, operatorsOf, passwords } from '../venue.fixture.ts';

/** Messages behind which a client ends the connection at once: they are read and answered before it ends. */

const running: ApiServer[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) await server.close().catch(() => undefined);
});

/** Opens a connection, sends these bytes once it is welcome, and returns what came after the welcome. */
async function said(bytes: Buffer, isLast = false): Promise<string> {
  const server = createServer({
    ...{ engine: fakeEngine(), history: fakeHistory(), log: pino({ level: 'silent' }) },
    ...{ metrics: new Registry(), keys, passwords, operators: operatorsOf(), venueId: 'venue-1' },
    config: { ...DEFAULT_API_CONFIG, port: 0, closeGraceMs: 100 },
  });
  running.push(server);
  const { port } = await server.listen();
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  let all = '';
  let isWelcome = false;
  const ended = new Promise<void>((resolve) => socket.on('end', resolve));
  socket.on('error', () => undefined);
  socket.on('data', (data: Buffer) => {
    all += data.toString('latin1');
    if (isWelcome || !all.includes('"nonce"')) return;
    isWelcome = true;
    all = '';
    if (isLast) socket.end(bytes);
    else socket.write(bytes);
  });
  socket.write(HANDSHAKE);
  await ended;
  socket.destroy();
  return all;
}

const HANDSHAKE =
  `GET ${STREAM_PATH} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';

/** A client's frame; its mask is zero. */
const frame = (kind: number, data: Buffer): Buffer =>
  Buffer.concat([Buffer.of(0x80 | kind, 0x80 | data.length, 0, 0, 0, 0), data]);
const text = (words: string): Buffer => frame(1, Buffer.from(words));
const CLOSE = frame(8, Buffer.of(3, 232));

test('messages in front of a close frame are answered, then it is', async () => {
  const subscribe = text('{"op":"subscribe","args":["nothing"]}');
  const answers = await said(Buffer.concat([text('ping'), subscribe, CLOSE]));
  expect(answers).toContain('pong');
  expect(answers).toContain('"event":"subscribe"');
  expect(answers.indexOf('pong')).toBeLessThan(answers.indexOf('\u0088'));
});

test('a message in front of the end of the socket is answered', async () => {
  expect(await said(text('ping'), true)).toContain('pong');
});
