import { expect, test } from 'vitest';
import { Connections, DEFAULT_LIMITS } from './connections.ts';
import type { Exchange } from './exchange.ts';
import { FakeSocket } from './fake-socket.fixture.ts';
import { HttpConnection } from './http-connection.ts';
import { createTurn } from './turn.ts';

/** A turn whose clockwork is moved by the test. */
function turning() {
  let soon: (() => void)[] = [];
  let afterwards: (() => void)[] = [];
  const turn = createTurn({
    soon: (run) => soon.push(run),
    afterwards: (run) => afterwards.push(run),
  });
  /** The sockets are looked at once more; then everything that this causes. */
  const look = (): void => {
    const due = soon;
    soon = [];
    for (const run of due) {
      run();
      while (afterwards.length > 0) {
        const caused = afterwards;
        afterwards = [];
        for (const one of caused) one();
      }
    }
  };
  const finish = (): void => {
    while (soon.length > 0) look();
  };
  return { turn, look, finish };
}

const LIMITS = { ...DEFAULT_LIMITS, maxConnections: 9, maxConnectionsPerAddress: 9 };

/** Connections over fake sockets, of one server whose every step is noted. */
function served() {
  const { turn, look, finish } = turning();
  const steps: string[] = [];
  const connections = new Connections(LIMITS, () => 0);
  const answer = (exchange: Exchange): void => {
    const text = `${exchange.head.target};`;
    const isLast = !exchange.head.keepsAlive;
    exchange.connection.respond(exchange, { text, bytes: text.length, isLast });
  };
  const open = (): { socket: FakeSocket; connection: HttpConnection } => {
    const socket = new FakeSocket();
    const connection = new HttpConnection(socket.asSocket, {
      connections,
      turn,
      coarseNowMs: () => 0,
      serve: (exchange) => {
        steps.push(`read ${exchange.head.target}`);
        turn.handle(() => {
          steps.push(`handle ${exchange.head.target}`);
          answer(exchange);
        });
      },
      turnAway: answer,
      malformed: () => ({ text: 'bad;', bytes: 4, isLast: true }),
      upgrade: (_request, _socket, rest) => steps.push(`upgraded with ${rest.toString()}`),
    });
    const write = socket.write.bind(socket);
    socket.write = (text: string, ...more: never[]): boolean => {
      steps.push(`write ${text}`);
      return write(text, ...more);
    };
    return { socket, connection };
  };
  return { open, steps, look, finish };
}

const get = (target: string, lines = ''): Buffer =>
  Buffer.from(`GET ${target} HTTP/1.1\r\n${lines}\r\n`);

test('requests of several connections are read, handled and answered kind by kind', () => {
  const { open, steps, finish } = served();
  const [one, other] = [open(), open()];
  one.socket.emit('data', Buffer.concat([get('/1'), get('/2')]));
  other.socket.emit('data', get('/3'));
  finish();
  const [read, handled, written] = [steps.slice(0, 3), steps.slice(3, 6), steps.slice(6)];
  expect(read).toEqual(['read /1', 'read /2', 'read /3']);
  expect(handled).toEqual(['handle /1', 'handle /2', 'handle /3']);
  expect(written).toEqual(['write /1;', 'write /2;', 'write /3;']);
});

test('reading waits for a look at the sockets that brings nothing, at most for three', () => {
  const { open, steps, look } = served();
  const all = Array.from({ length: 6 }, open);
  const send = (at: number): void => void all[at]?.socket.emit('data', get(`/${at}`));
  send(0);
  look();
  expect(steps).toEqual([]);
  look();
  expect(steps.filter((step) => step.startsWith('read'))).toEqual(['read /0']);
  for (const at of [1, 2, 3]) {
    send(at);
    look();
  }
  expect(steps.filter((step) => step.startsWith('read'))).toHaveLength(1);
  send(4);
  look();
  expect(steps.filter((step) => step.startsWith('read'))).toHaveLength(5);
});

test('a second read of a socket does not wait for the first to be parsed', () => {
  const { open, steps } = served();
  const { socket } = open();
  socket.emit('data', get('/1').subarray(0, 5));
  socket.emit('data', get('/1').subarray(5));
  expect(steps).toEqual(['read /1']);
});

test('what came before the end of a connection is served', () => {
  const { open, finish } = served();
  const { socket } = open();
  socket.emit('data', get('/1'));
  socket.emit('end');
  finish();
  expect([socket.text, socket.writableEnded]).toEqual(['/1;', true]);
});

test('what came before a connection was gone is handled, and nothing is written', () => {
  const { open, steps, finish } = served();
  const { socket } = open();
  socket.emit('data', get('/1'));
  socket.emit('close');
  finish();
  expect(steps).toEqual(['read /1', 'handle /1']);
});

test('a connection is not idle while something that has arrived is not parsed', () => {
  const { open, finish } = served();
  const { socket, connection } = open();
  socket.emit('data', get('/1'));
  connection.closeIfIdle();
  connection.checkTime(100_000);
  finish();
  expect([socket.text, socket.writableEnded]).toEqual(['/1;', false]);
});

test('bytes of another protocol that arrive before the request for it is parsed follow it', () => {
  const { open, steps } = served();
  const { socket } = open();
  socket.emit('data', get('/ws', 'Host: here\r\nConnection: Upgrade\r\nUpgrade: other\r\n'));
  socket.emit('data', Buffer.from('more'));
  expect(steps).toEqual(['upgraded with more']);
});

test('no response follows the last', () => {
  const { open, finish } = served();
  const { socket } = open();
  socket.emit('data', Buffer.concat([get('/1', 'Connection: close\r\n'), get('/2')]));
  finish();
  socket.emit('data', get('/3'));
  finish();
  expect([socket.text, socket.writableEnded]).toEqual(['/1;', true]);
});
