import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import {
  type BoundExchange,
  type Connection,
  type ConnectionLimits,
  Connections,
  DEFAULT_LIMITS,
} from './connections.ts';
import { SharedConnections, sharedConnectionBytes } from './shared-connections.ts';
import { subnetOf } from './subnet.ts';

/** Connections that are only pretended, and a clock that stands until it is moved. */
function bench(changes: Partial<ConnectionLimits> = {}) {
  const clock = { ms: 0 };
  const limits = {
    ...DEFAULT_LIMITS,
    maxConnections: 10,
    maxConnectionsPerAddress: 10,
    ...changes,
  };
  const connections = new Connections(limits, () => clock.ms);
  const socketOf = (): Connection & { isCut: boolean } => {
    const connection = {
      ...{ running: 0, waiting: [], unreadBytes: 0, progressAtMs: 0, isGone: false, isCut: false },
      pause: () => undefined,
      resume: () => undefined,
      destroy: () => {
        connection.isCut = true;
        connections.drop(connection);
      },
    };
    return connection;
  };
  const enter = (
    connection: Connection,
  ): { began: BoundExchange[]; end: () => void; isTaken: boolean } => {
    const began: BoundExchange[] = [];
    const exchange: BoundExchange = {
      ...{ connection, unreadBytes: 0, isRunning: false },
      begin: () => began.push(exchange),
    };
    const isTaken = connections.enter(exchange);
    return { began, end: () => connections.finish(exchange), isTaken };
  };
  return { clock, connections, socketOf, enter };
}

test('who has not taken anything for 30 s is cut; who takes a little is not', () => {
  const { clock, connections, socketOf, enter } = bench();
  const [slow, steady] = [socketOf(), socketOf()];
  const [ofSlow] = enter(slow).began;
  const [ofSteady] = enter(steady).began;
  connections.written(ofSlow as BoundExchange, 1_000);
  connections.written(ofSteady as BoundExchange, 1_000);
  clock.ms = 20_000;
  connections.read(ofSteady as BoundExchange, 10);
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
  const [small, large, last] = sockets.map((socket) => enter(socket).began[0] as BoundExchange);
  connections.written(small as BoundExchange, 300);
  connections.written(large as BoundExchange, 600);
  connections.written(last as BoundExchange, 101);
  expect(sockets.map(({ isCut }) => isCut)).toEqual([false, true, false]);
  expect(connections.unread.usedBytes).toBe(401);
});

test('while much is unread the next request of that connection waits', () => {
  const { connections, socketOf, enter } = bench({ unreadPauseBytes: 500 });
  const socket = socketOf();
  const first = enter(socket);
  connections.written(first.began[0] as BoundExchange, 501);
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
  connections.written(first.began[0] as BoundExchange, 400);
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

test('threads on one port count connections together, and none of one that has died', () => {
  const memory = new SharedArrayBuffer(sharedConnectionBytes(2));
  const limits = { ...DEFAULT_LIMITS, maxConnections: 5, maxConnectionsPerAddress: 3 };
  const [one, other] = [0, 1].map(
    (slot) => new Connections(limits, () => 0, new SharedConnections(memory, slot)),
  ) as [Connections, Connections];
  const from = (connections: Connections, remoteAddress: string) => {
    const destroy = (): boolean => socket.emit('close');
    const socket = Object.assign(new EventEmitter(), { remoteAddress, destroy });
    return { isIn: connections.admit(socket as unknown as Socket), end: destroy };
  };
  const first = from(one, '10.0.0.1');
  expect([first, from(other, '10.0.0.1'), from(one, '10.0.0.1')].map(({ isIn }) => isIn)).toEqual([
    ...[true, true, true],
  ]);
  expect(from(other, '10.0.0.1').isIn).toBe(false);
  expect(other.counts.refusedPerAddress).toBe(1);
  expect([from(other, '10.0.0.2'), from(other, '10.0.0.3')].map(({ isIn }) => isIn)).toEqual([
    ...[true, true],
  ]);
  expect(from(one, '10.0.0.4').isIn).toBe(false);
  expect(one.counts.refusedTotal).toBe(1);
  first.end();
  expect(from(other, '10.0.0.1').isIn).toBe(true);
  new SharedConnections(memory, 1).wipe();
  expect(new SharedConnections(memory, 0).open()).toBe(1);
});
