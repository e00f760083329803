import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import {
  type ConnectionLimits,
  Connections,
  DEFAULT_LIMITS,
  type Exchange,
} from './connections.ts';
import { subnetOf } from './subnet.ts';

/** Sockets that are only pretended, and a clock that stands until it is moved. */
function bench(changes: Partial<ConnectionLimits> = {}) {
  const clock = { ms: 0 };
  const limits = {
    ...DEFAULT_LIMITS,
    maxConnections: 10,
    maxConnectionsPerAddress: 10,
    ...changes,
  };
  const connections = new Connections(limits, () => clock.ms);
  const socketOf = (): Socket & { isCut: boolean } => {
    const socket = Object.assign(new EventEmitter(), {
      isCut: false,
      pauses: 0,
      isPaused: () => false,
      pause: () => undefined,
      resume: () => undefined,
      destroy: () => {
        socket.isCut = true;
        socket.emit('close');
      },
    });
    return socket as unknown as Socket & { isCut: boolean };
  };
  const enter = (socket: Socket): { began: Exchange[]; end: () => void; isTaken: boolean } => {
    const response = new EventEmitter();
    const began: Exchange[] = [];
    const isTaken = connections.enter(
      { socket, complete: true } as IncomingMessage,
      response as ServerResponse,
      (exchange) => began.push(exchange),
    );
    return { began, end: () => response.emit('close'), isTaken };
  };
  return { clock, connections, socketOf, enter };
}

test('who has not taken anything for 30 s is cut; who takes a little is not', () => {
  const { clock, connections, socketOf, enter } = bench();
  const [slow, steady] = [socketOf(), socketOf()];
  const [ofSlow] = enter(slow).began;
  const [ofSteady] = enter(steady).began;
  connections.written(ofSlow as Exchange, 1_000);
  connections.written(ofSteady as Exchange, 1_000);
  clock.ms = 20_000;
  connections.read(ofSteady as Exchange, 10);
  clock.ms = 30_000;
  connections.cutSlow();
  expect([slow.isCut, steady.isCut]).toEqual([true, false]);
  expect(connections.unread.usedBytes).toBe(990);
  expect(connections.counts).toMatchObject({ cutSlow: 1, cutUnread: 0 });
});

test('who waits for an answer is not slow', () => {
  const { clock, connections, socketOf, enter } = bench();
  const socket = socketOf();
  enter(socket);
  clock.ms = 1_000_000;
  connections.cutSlow();
  expect(socket.isCut).toBe(false);
});

test('beyond the bytes that all may leave unread, who has most is cut', () => {
  const { connections, socketOf, enter } = bench({ unreadMaxBytes: 1_000 });
  const sockets = [socketOf(), socketOf(), socketOf()];
  const [small, large, last] = sockets.map((socket) => enter(socket).began[0] as Exchange);
  connections.written(small as Exchange, 300);
  connections.written(large as Exchange, 600);
  connections.written(last as Exchange, 101);
  expect(sockets.map(({ isCut }) => isCut)).toEqual([false, true, false]);
  expect(connections.unread.usedBytes).toBe(401);
});

test('while much is unread the next request of that connection waits', () => {
  const { connections, socketOf, enter } = bench({ unreadPauseBytes: 500 });
  const socket = socketOf();
  const first = enter(socket);
  connections.written(first.began[0] as Exchange, 501);
  const second = enter(socket);
  expect(second.began).toEqual([]);
  expect(enter(socketOf()).began).toHaveLength(1);
  first.end();
  expect(second.began).toHaveLength(1);
  expect(connections.unread.usedBytes).toBe(0);
});

test('what is unread of a connection that closes is forgotten, once', () => {
  const { connections, socketOf, enter } = bench();
  const socket = socketOf();
  const first = enter(socket);
  connections.written(first.began[0] as Exchange, 400);
  socket.destroy();
  first.end();
  expect(connections.unread.usedBytes).toBe(0);
});

test('addresses of one IPv6 network count as one', () => {
  expect(subnetOf('10.1.2.3')).toBe('10.1.2.3');
  expect(subnetOf('::ffff:10.1.2.3')).toBe('10.1.2.3');
  expect(subnetOf('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2');
  expect(subnetOf('2001:db8:1:2::9')).toBe('2001:db8:1:2');
  expect(subnetOf('2001:db8::9')).toBe('2001:db8:0:0');
  expect(subnetOf('::1')).toBe('0:0:0:0');
});
