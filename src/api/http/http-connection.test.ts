import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { type ConnectionLimits, Connections, DEFAULT_LIMITS } from './connections.ts';
import type { Exchange, Output } from './exchange.ts';
import { FakeSocket } from './fake-socket.fixture.ts';
import { HttpConnection, type Malformed, type UpgradeRequest } from './http-connection.ts';
import { AT_ONCE } from './turn.fixture.ts';
import type { Reader, Turn } from './turn.ts';

/** One connection over a pretended socket: requests are answered when the test says so. */
function connected(
  changes: Partial<ConnectionLimits> & {
    readonly takesOver?: boolean;
    readonly limitBytes?: number;
    readonly turn?: Turn;
  } = {},
) {
  const { takesOver = false, limitBytes = 1_000, turn = AT_ONCE, ...some } = changes;
  const clock = { ms: 1_000 };
  const limits = { ...DEFAULT_LIMITS, maxConnections: 9, maxConnectionsPerAddress: 9, ...some };
  const connections = new Connections(limits, () => clock.ms);
  const socket = new FakeSocket();
  const began: string[] = [];
  const bodies: string[] = [];
  const faults: Malformed['rule'][] = [];
  const taken: [UpgradeRequest, Socket, string][] = [];
  const exchanges = new Map<string, Exchange>();
  const answer = (target: string, more: Partial<Output> = {}): void => {
    const exchange = exchanges.get(target) as Exchange;
    const text = `${target};`;
    exchange.connection.respond(exchange, { text, bytes: text.length, isLast: false, ...more });
  };
  const connection = new HttpConnection(socket.asSocket, {
    connections,
    turn,
    coarseNowMs: () => clock.ms,
    serve: (exchange) => {
      const { target } = exchange.head;
      began.push(target);
      exchanges.set(target, exchange);
      if (target.startsWith('/unread')) return;
      exchange.readBody({ limitBytes, room: connections.unfinished }, (body) => {
        if ('text' in body) bodies.push(body.text);
        else answer(target, { text: `${body.refused};`, isLast: true });
      });
    },
    turnAway: (exchange) => {
      exchanges.set(exchange.head.target, exchange);
      answer(exchange.head.target, { text: 'too many;' });
    },
    malformed: ({ rule }) => {
      faults.push(rule);
      return { text: `${rule};`, bytes: rule.length + 1, isLast: true };
    },
    upgrade: takesOver
      ? (request, over, rest) => taken.push([request, over, rest.toString()])
      : undefined,
  });
  const send = (text: string): void => void socket.emit('data', Buffer.from(text));
  const wait = (ms: number): void => {
    clock.ms += ms;
    connection.checkTime(clock.ms);
  };
  const seen = { began, bodies, faults, taken, exchanges };
  return { socket, connection, connections, ...seen, answer, send, wait };
}

const get = (target: string, lines = ''): string => `GET ${target} HTTP/1.1\r\n${lines}\r\n`;
const post = (target: string, body: string, lines = ''): string =>
  `POST ${target} HTTP/1.1\r\nContent-Length: ${body.length}\r\n${lines}\r\n${body}`;

describe('requests that come together', () => {
  test('are answered in their order, whichever is ready first', () => {
    const { socket, send, began, answer, connections } = connected();
    send(get('/1') + post('/2', 'two') + get('/3'));
    expect(began).toEqual(['/1', '/2', '/3']);
    answer('/3');
    answer('/2');
    expect(socket.text).toBe('');
    expect(connections.unread.usedBytes).toBe(6);
    answer('/1');
    expect(socket.text).toBe('/1;/2;/3;');
    expect(connections.unread.usedBytes).toBe(0);
  });

  test('begin so many at a time; what has arrived of a body that waits is read in its turn', () => {
    const { socket, send, began, bodies, answer } = connected({ runningMax: 1 });
    send(get('/1') + post('/2', 'two').slice(0, -1));
    expect([began, socket.isPaused()]).toEqual([['/1'], true]);
    answer('/1');
    expect([began, socket.isPaused()]).toEqual([['/1', '/2'], false]);
    send('o');
    expect(bodies).toEqual(['', 'two']);
  });

  test('beyond those that may wait are turned away in their place', () => {
    const { socket, send, began, answer } = connected({ runningMax: 1, waitingMax: 1 });
    send(get('/1') + get('/2') + get('/3') + post('/4', 'four'));
    answer('/1');
    answer('/2');
    expect(began).toEqual(['/1', '/2']);
    expect(socket.text).toBe('/1;/2;too many;too many;');
  });

  test('behind one that says it is the last are not looked at', () => {
    const { socket, send, began, answer } = connected();
    send(get('/1', 'Connection: close\r\n') + get('/2'));
    send(get('/3'));
    answer('/1', { isLast: true });
    expect([began, socket.text, socket.writableEnded]).toEqual([['/1'], '/1;', true]);
  });

  test('behind an answer that is the last never begin', () => {
    const { socket, send, began, answer } = connected({ runningMax: 1 });
    send(get('/1') + get('/2'));
    answer('/1', { isLast: true });
    expect([began, socket.writableEnded]).toEqual([['/1'], true]);
  });

  test('are read on when what was written is taken at last', () => {
    const { socket, send, began, answer, connections } = connected({ unreadPauseBytes: 2 });
    socket.isStuck = true;
    send(get('/1'));
    answer('/1');
    expect(connections.unread.usedBytes).toBe(3);
    send(get('/2'));
    expect([began, socket.isPaused()]).toEqual([['/1'], true]);
    socket.drain();
    expect([began, socket.isPaused()]).toEqual([['/1', '/2'], false]);
    expect(connections.unread.usedBytes).toBe(0);
  });
});

describe('a request with Expect: 100-continue', () => {
  const expecting = (target: string): string =>
    post(target, 'body', 'Expect: 100-continue\r\n').slice(0, -4);

  test('gets 100 Continue after the answers before it', () => {
    const { socket, send, answer, bodies } = connected();
    send(get('/1') + expecting('/2'));
    expect(socket.text).toBe('');
    answer('/1');
    expect(socket.text).toBe('/1;HTTP/1.1 100 Continue\r\n\r\n');
    send('body');
    expect(bodies.at(-1)).toBe('body');
  });

  test('gets nothing where the body is there already, or not requested', () => {
    const { socket, send } = connected();
    send(`${expecting('/1')}body`);
    send(expecting('/unread'));
    expect(socket.text).toBe('');
  });
});

describe('a body that was not requested', () => {
  test('is thrown away as it arrives, and the next request is read', () => {
    const { socket, send, began, answer, connections } = connected();
    send(post('/unread', 'abcdef').slice(0, -3));
    answer('/unread');
    send(`def${get('/2')}`);
    answer('/2');
    expect([began, socket.text]).toEqual([['/unread', '/2'], '/unread;/2;']);
    expect(connections.unfinished.usedBytes).toBe(0);
  });

  test('and is broken or slow ends the connection without a second answer', () => {
    const broken = connected();
    const head = 'POST /unread HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n';
    broken.send(head);
    broken.answer('/unread');
    broken.send('no chunk');
    expect([broken.socket.text, broken.socket.writableEnded]).toEqual(['/unread;', true]);
    const slow = connected();
    slow.send(head);
    slow.answer('/unread');
    slow.wait(30_000);
    expect([slow.socket.text, slow.socket.writableEnded]).toEqual(['/unread;', true]);
  });

  test('that comes in single bytes is one text, and counts by its bytes', () => {
    const { send, bodies, connections } = connected();
    send('POST /1 HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n');
    for (const character of 'all of a body') send(`1\r\n${character}\r\n`);
    expect(connections.unfinished.usedBytes).toBe(13);
    send('0\r\n\r\n');
    expect([bodies, connections.unfinished.usedBytes]).toEqual([['all of a body'], 0]);
  });

  test('that is too large is refused when it is, once', () => {
    const { socket, send, connections } = connected({ limitBytes: 8 });
    send('POST /1 HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n');
    expect(connections.unfinished.usedBytes).toBe(5);
    send('5\r\nworld\r\n5\r\nagain\r\n');
    expect([socket.text, socket.writableEnded]).toEqual(['too large;', true]);
    expect(connections.unfinished.usedBytes).toBe(0);
  });
});

describe('what is no request', () => {
  test('is answered after the whole requests before it; one that breaks in its body never', () => {
    const { socket, send, answer, faults } = connected();
    send(`${get('/1')}POST /2 HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello!`);
    expect([faults, socket.text]).toEqual([['chunk end'], '']);
    answer('/1');
    expect([socket.text, socket.writableEnded]).toEqual(['/1;chunk end;', true]);
  });

  test('is what a closed end breaks off, in its head or in its body', () => {
    for (const part of ['GET / HT', post('/1', 'one').slice(0, -1)]) {
      const { socket, send, faults } = connected();
      send(part);
      socket.emit('end');
      expect([faults, socket.text]).toEqual([['broken off'], 'broken off;']);
    }
  });

  test('is a head for which there is no room', () => {
    const { send, faults, connections } = connected({ unfinishedMaxBytes: 20 });
    send('GET /a HTTP/1.1\r\n');
    expect(connections.unfinished.usedBytes).toBe(17);
    send('X: 1\r\n');
    expect(faults).toEqual(['no room']);
    expect(connections.unfinished.usedBytes).toBe(0);
  });
});

describe('a client that closes its own end', () => {
  test('gets the answers it is owed, then the end', () => {
    const { socket, send, answer } = connected();
    send(get('/1'));
    socket.emit('end');
    expect(socket.writableEnded).toBe(false);
    answer('/1');
    expect([socket.text, socket.writableEnded]).toEqual(['/1;', true]);
  });

  test('and is owed nothing gets the end at once', () => {
    const { socket } = connected();
    socket.emit('end');
    expect([socket.text, socket.writableEnded]).toEqual(['', true]);
  });
});

describe('time', () => {
  test('a head must be there within 10 s, of a new connection and of a later request', () => {
    const silent = connected();
    silent.wait(9_999);
    expect(silent.faults).toEqual([]);
    silent.wait(1);
    expect(silent.faults).toEqual(['too slow']);
    const second = connected();
    second.send(get('/1'));
    second.answer('/1');
    second.wait(60_000);
    second.send('GET /2 HT');
    second.wait(9_999);
    expect(second.faults).toEqual([]);
    second.wait(1);
    expect(second.faults).toEqual(['too slow']);
  });

  test('a request must be whole within 30 s; who is made to wait by us has time', () => {
    const { send, wait, faults, answer } = connected({ runningMax: 1 });
    send(get('/1') + post('/2', 'two').slice(0, -1));
    wait(100_000);
    expect(faults).toEqual([]);
    answer('/1');
    wait(1);
    expect(faults).toEqual(['too slow']);
    const slow = connected();
    slow.send(post('/1', 'one').slice(0, -2));
    slow.wait(29_999);
    slow.send('n');
    expect(slow.faults).toEqual([]);
    slow.wait(1);
    expect(slow.faults).toEqual(['too slow']);
  });

  test('a connection that asks nothing more is closed after 65 s; one that waits for us is not', () => {
    const { socket, send, wait, answer } = connected();
    send(get('/1'));
    wait(1_000_000);
    answer('/1');
    wait(64_999);
    expect(socket.writableEnded).toBe(false);
    wait(1);
    expect([socket.text, socket.writableEnded]).toEqual(['/1;', true]);
  });
});

describe('another protocol', () => {
  const upgrade = get(
    '/stream',
    'Host: x\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n',
  );

  test('gets the socket, what came after the head, and nothing of us stays on it', () => {
    const { socket, send, taken, began } = connected({ takesOver: true });
    send(`${upgrade}first bytes`);
    const [[request, over, rest] = []] = taken;
    expect(request).toMatchObject({ method: 'GET', url: '/stream', httpVersion: '1.1' });
    expect(request?.headers).toMatchObject({ host: 'x', upgrade: 'websocket' });
    expect([over, request?.socket, rest]).toEqual([socket, socket, 'first bytes']);
    for (const event of ['data', 'end', 'error', 'close']) {
      expect(socket.listenerCount(event), event).toBe(0);
    }
    expect([began, socket.readableFlowing]).toEqual([[], null]);
  });

  test('is left open by a venue that closes: it belongs to whoever took it', () => {
    const { socket, send, connection } = connected({ takesOver: true });
    send(upgrade);
    connection.closeIfIdle();
    expect(socket.writableEnded).toBe(false);
  });

  test('is not begun by a request with two Hosts, with a body, or of HTTP/1.0', () => {
    const lines = 'Connection: Upgrade\r\nUpgrade: websocket\r\n';
    for (const bytes of [
      get('/1', `Host: x\r\nHost: y\r\n${lines}`),
      post('/1', 'body', `Host: x\r\n${lines}`),
      `GET /1 HTTP/1.0\r\nHost: x\r\n${lines}\r\n`,
    ]) {
      const { send, taken, began } = connected({ takesOver: true });
      send(bytes);
      expect([taken, began]).toEqual([[], ['/1']]);
    }
  });

  test('is not spoken where nobody takes it over: the request is answered like any other', () => {
    const { send, began } = connected();
    send(upgrade + get('/2'));
    expect(began).toEqual(['/stream', '/2']);
  });
});

test('what a closed connection held is let go', () => {
  const { socket, send, answer, connections } = connected();
  socket.isStuck = true;
  send(get('/1'));
  answer('/1');
  send(post('/2', 'two').slice(0, -1));
  expect([connections.unread.usedBytes, connections.unfinished.usedBytes]).toEqual([3, 2]);
  socket.destroy();
  expect([connections.unread.usedBytes, connections.unfinished.usedBytes]).toEqual([0, 0]);
  socket.drain();
  answer('/2');
  expect([connections.unread.usedBytes, socket.text]).toEqual([0, '/1;']);
});

test('what has arrived when the venue closes is served, although it is not parsed yet', () => {
  const due: Reader[] = [];
  const turn = { ...AT_ONCE, read: (reader: Reader) => void due.push(reader) };
  const { send, exchanges, answer, began } = connected({ turn });
  const parse = (): void => {
    for (const reader of due.splice(0)) reader.readNow();
  };
  send('GET /1 HTTP/1.1\r\n\r\n');
  parse();
  send('GET /2 HTTP/1.1\r\n\r\n');
  const first = exchanges.get('/1') as Exchange;
  answer('/1', { isLast: first.connection.endsWith(first, true) });
  parse();
  expect(began).toEqual(['/1', '/2']);
});
