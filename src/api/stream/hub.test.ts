import { expect, test } from 'vitest';
import { refuse } from '../../domain/rejections.ts';
import { AT_ONCE } from '../http/turn.fixture.ts';
import { fakeEngine } from '../venue.fixture.ts';
import { BatchWriter } from './batch.ts';
import type { FeedAnswer, FeedRequest } from './feed-protocol.ts';
import { ChannelHub } from './hub.ts';
import { DEFAULT_STREAM_LIMITS, type StreamLimits } from './limits.ts';
import { messagesOf } from './publisher.fixture.ts';
import { Session, type SessionParts } from './session.ts';
import { cutLargest } from './slow-consumer.ts';
import type { StreamSocket } from './socket.ts';

const BTC = 'depth:BTC-USD-SWAP-LIN';

/** A socket that reads nothing until a test lets it. */
function fakeSocket() {
  const socket = {
    address: '10.0.0.1',
    unreadBytes: 0,
    isOpen: true,
    isPaused: false,
    received: [] as string[],
    closed: undefined as [number, string] | undefined,
    send: (text: string) => {
      socket.received.push(text);
    },
    flush: () => undefined,
    sendFrames: (frames: Uint8Array) => {
      if (!socket.isOpen) return;
      socket.unreadBytes += frames.length;
      for (const message of messagesOf({ frames })) socket.received.push(JSON.stringify(message));
    },
    close: (code: number, reason: string) => {
      socket.isOpen = false;
      socket.closed = [code, reason];
    },
    pause: () => {
      socket.isPaused = true;
    },
    resume: () => {
      socket.isPaused = false;
    },
  };
  return socket satisfies StreamSocket;
}

function scene(changed: Partial<StreamLimits> = {}) {
  const limits = { ...DEFAULT_STREAM_LIMITS, ...changed };
  const posted: FeedRequest[] = [];
  const timers: (() => void)[] = [];
  const turns: (() => void)[] = [];
  const troubles: string[] = [];
  let onAnswer: (answer: FeedAnswer) => void = () => undefined;
  let onEnd: (reason: Error) => void = () => undefined;
  let starts = 0;
  let steadyMs = 0;
  const faults: unknown[] = [];
  const hub = new ChannelHub({
    engine: fakeEngine(),
    limits,
    openFeed: (handlers) => {
      ({ onAnswer, onEnd } = handlers);
      starts++;
      return { post: (request) => posted.push(request), stop: () => Promise.resolve() };
    },
    every: (_periodMs, run) => {
      timers.push(run);
      return () => undefined;
    },
    soon: (run) => turns.push(run),
    onTrouble: ({ message }) => troubles.push(message),
  });
  const parts: SessionParts = {
    turn: AT_ONCE,
    limits,
    nowMs: () => 1,
    steadyMs: () => steadyMs,
    login: () => refuse('KEY_UNKNOWN'),
    commands: { run: () => Promise.resolve() },
    mayCommand: () => true,
    subscriptions: hub,
    onFault: (fault) => faults.push(fault),
  };
  const listener = () => {
    const socket = fakeSocket();
    return { socket, session: new Session(socket, parts) };
  };
  const request = { channel: BTC, tag: undefined, withSeq: false, fromSeq: undefined };
  /** What the other thread says: kind, id, how, message. */
  const publish = (...part: Parameters<BatchWriter['add']>) => {
    const batch = new BatchWriter();
    batch.add(...part);
    onAnswer({ kind: 'batch', batch: batch.take() });
  };
  const opened = () =>
    posted.filter(({ kind }) => kind === 'open').at(-1) as Extract<FeedRequest, { kind: 'open' }>;
  return {
    ...{ hub, posted, timers, turns, troubles, listener, request, publish, opened, parts, faults },
    beat: () => {
      for (const run of timers) run();
    },
    idle: () => onAnswer({ kind: 'idle' }),
    end: (reason: Error) => onEnd(reason),
    passed: (ms: number) => {
      steadyMs += ms;
    },
    get starts() {
      return starts;
    },
  };
}

test('the answer comes with the beginning, and messages before it are not for the listener', () => {
  const { hub, listener, request, publish, opened } = scene();
  const { socket, session } = listener();
  hub.subscribe(session, request);
  const { channel, listener: id } = opened();
  publish('plain', channel, 'state', ['{"n":0}']);
  expect(socket.received).toEqual([]);
  publish('first', id, 'event', ['{"n":1}']);
  publish('plain', channel, 'state', ['{"n":2}']);
  expect(socket.received.map((text) => JSON.parse(text))).toMatchObject([
    { event: 'subscribe', success: true, channel: BTC },
    { n: 1 },
    { n: 2 },
  ]);
  hub.unsubscribe(session, BTC);
  publish('plain', channel, 'state', ['{"n":3}']);
  expect(socket.received).toHaveLength(3);
});

test('who lags is spared what is replaced, and begins anew when it has caught up', () => {
  const { hub, listener, request, publish, opened, posted, beat } = scene({ lagBytes: 100 });
  const [slow, quick] = [listener(), listener()];
  const ids = [slow, quick].map(({ session }) => {
    hub.subscribe(session, request);
    publish('first', opened().listener, 'event', ['{"n":0}']);
    return opened().listener;
  });
  slow.socket.unreadBytes = 101;
  for (let n = 1; n <= 3; n++) {
    quick.socket.unreadBytes = 0;
    publish('plain', opened().channel, 'delta', [`{"n":${n}}`]);
  }
  expect(slow.socket.received).toHaveLength(2);
  expect(quick.socket.received).toHaveLength(5);
  beat();
  expect(posted.some(({ kind }) => kind === 'again')).toBe(false);
  slow.socket.unreadBytes = 40;
  beat();
  beat();
  const again = posted.filter(({ kind }) => kind === 'again');
  expect(again).toMatchObject([{ listener: ids[0] }]);
  // What comes before the new beginning would not fit to anything it knows.
  publish('plain', opened().channel, 'delta', ['{"n":4}']);
  publish('first', ids[0] as number, 'event', ['{"n":5}']);
  publish('plain', opened().channel, 'delta', ['{"n":6}']);
  expect(slow.socket.received.slice(2)).toEqual(['{"n":5}', '{"n":6}']);
});

test('events are never left out: who does not read them is cut off, and gets the reason', () => {
  const { hub, listener, request, publish, opened } = scene({
    lagBytes: 100,
    unreadMaxBytes: 1_000,
  });
  const { socket, session } = listener();
  hub.subscribe(session, request);
  publish('first', opened().listener, 'event', []);
  for (let n = 0; n < 20; n++)
    publish('plain', opened().channel, 'event', ['x'.repeat(100)].map(quoted));
  expect(socket.closed?.[0]).toBe(1013);
  expect(JSON.parse(socket.received.at(-1) ?? '')).toMatchObject({
    event: 'close',
    code: '000201',
  });
  expect(hub.cutSlow).toBe(1);
});
const quoted = (text: string): string => `{"x":"${text}"}`;

const thirty = Array.from({ length: 30 }, () => quoted('x'.repeat(100)));

/** A listener that may leave 1,000 bytes unread beside a burst, and 100 before one. */
function bursts() {
  const { hub, listener, request, publish, opened } = scene({
    lagBytes: 100,
    unreadMaxBytes: 1_000,
  });
  const { socket, session } = listener();
  hub.subscribe(session, request);
  const { channel, listener: id } = opened();
  return { socket, publish, channel, id };
}

test('a snapshot or what a single command did may be larger than that, if it is read', () => {
  for (const kind of ['first', 'plain'] as const) {
    const { socket, publish, channel, id } = bursts();
    if (kind === 'plain') publish('first', id, 'event', []);
    publish(kind, kind === 'plain' ? channel : id, 'event', thirty);
    expect(socket.closed, kind).toBeUndefined();
    // What comes on top counts as before.
    for (let n = 0; n < 8; n++) publish('plain', channel, 'event', [quoted('x'.repeat(100))]);
    expect(socket.closed, kind).toBeUndefined();
    for (let n = 0; n < 4; n++) publish('plain', channel, 'event', [quoted('x'.repeat(100))]);
    expect(socket.closed?.[0], kind).toBe(1013);
  }
});

test('a part of it that was read does not count again, and a second burst has to wait for the first', () => {
  for (const between of [[quoted('x')], []]) {
    const { socket, publish, channel, id } = bursts();
    publish('first', id, 'event', thirty);
    socket.unreadBytes = 200;
    if (between.length > 0) publish('plain', channel, 'event', between);
    publish('plain', channel, 'event', thirty);
    expect(socket.closed?.[0]).toBe(1013);
  }
});

test('a frame goes to thousands over several turns, and the next batch only then', () => {
  const { hub, listener, request, publish, opened, turns, posted } = scene();
  const all = Array.from({ length: 600 }, () => {
    const one = listener();
    hub.subscribe(one.session, request);
    publish('first', opened().listener, 'event', []);
    return one;
  });
  const taken = () => posted.filter(({ kind }) => kind === 'taken').length;
  const before = taken();
  publish('plain', opened().channel, 'state', ['{"n":1}']);
  const recipients = () => all.filter(({ socket }) => socket.received.includes('{"n":1}')).length;
  expect([recipients(), taken() - before]).toEqual([256, 0]);
  while (turns.length > 0) turns.shift()?.();
  expect([recipients(), taken() - before]).toEqual([600, 1]);
});

test('the thread ends when nobody listens, starts with the next listener, and is started again when it fails', () => {
  const seen = scene();
  const { hub, listener, request, publish, opened, idle, end, beat, troubles } = seen;
  const { socket, session } = listener();
  expect(seen.starts).toBe(0);
  hub.subscribe(session, request);
  idle();
  expect(seen.starts).toBe(1);
  end(new Error('no memory'));
  expect(troubles).toEqual(['no memory']);
  for (let beats = 0; beats < 3; beats++) beat();
  expect(seen.starts).toBe(1);
  beat();
  expect(seen.starts).toBe(2);
  publish('first', opened().listener, 'event', ['{"n":1}']);
  expect(socket.received.at(-1)).toBe('{"n":1}');
  hub.leave(session);
  idle();
  hub.subscribe(session, request);
  expect(seen.starts).toBe(3);
});

test('a connection that ends after the hub was closed does not start the thread again', async () => {
  const feed = scene();
  const { session } = feed.listener();
  feed.hub.subscribe(session, feed.request);
  await feed.hub.close();
  feed.hub.leave(session);
  expect(feed.starts).toBe(1);
});

test('a connection has at most so many channels', () => {
  const { hub, listener, request } = scene({ subscriptionsMax: 1 });
  const { socket, session } = listener();
  hub.subscribe(session, request);
  hub.subscribe(session, { ...request, channel: 'trade:BTC-USD-SWAP-LIN' });
  expect(JSON.parse(socket.received[0] ?? '')).toMatchObject({ success: false, code: '35023' });
});

test('too many messages a second are refused, each by its tag; who goes on is cut off', () => {
  const { listener, passed } = scene({ messagesPerSecond: 10, rapidMax: 20 });
  const { socket, session } = listener();
  const codes = () =>
    socket.received.map((text) => (text === 'pong' ? text : JSON.parse(text).code));
  for (let at = 0; at < 12; at++) session.receive('ping');
  expect(codes()).toEqual([...Array(10).fill('pong'), '20007', '20007']);
  session.receive('{"op":"placeorder","tag":"t","data":{}}');
  expect(JSON.parse(socket.received.at(-1) ?? '')).toMatchObject({
    ...{ event: 'placeorder', submitted: false, tag: 't', code: '20007' },
  });
  passed(500);
  for (let at = 0; at < 5; at++) session.receive('ping');
  expect(codes().slice(-5)).toEqual(Array(5).fill('pong'));
  for (let at = 0; at < 21; at++) session.receive('ping');
  expect(socket.closed?.[0]).toBe(1008);
});

test('a subscription counts once for each of its channels', () => {
  const { listener } = scene({ messagesPerSecond: 3 });
  const { socket, session } = listener();
  const args = Array.from({ length: 5 }, (_, at) => `nothing${at}`);
  session.receive(JSON.stringify({ op: 'subscribe', args }));
  const codes = socket.received.map((text) => JSON.parse(text).code);
  expect(codes).toEqual(['20001', '20001', '20001', '20007', '20007']);
});

test('what is taken when the venue closes is answered first', async () => {
  const { listener, parts } = scene();
  let answer = (): void => undefined;
  const socket = listener().socket;
  const caller = { key: 0, account: 0, accessKey: 'k', permissions: ['read', 'trade'] };
  const session = new Session(socket, {
    ...parts,
    login: () => caller as never,
    commands: {
      run: (_caller, _sent, reply) =>
        new Promise((resolve) => {
          answer = () => {
            reply('{"answered":true}');
            resolve();
          };
        }),
    },
  });
  session.receive('{"op":"login"}');
  session.receive('{"op":"placeorder","data":{}}');
  let isFinished = false;
  const finished = session.finished().then(() => {
    isFinished = true;
  });
  await Promise.resolve();
  expect(isFinished).toBe(false);
  answer();
  await finished;
  expect(socket.received.at(-1)).toBe('{"answered":true}');
});

test('a fault in a message ends the connection, and what follows it is not read', () => {
  const { listener, parts, faults } = scene();
  const { socket } = listener();
  const caller = { key: 0, account: 0, accessKey: 'k', permissions: ['read', 'trade'] };
  let runs = 0;
  const session = new Session(socket, {
    ...parts,
    login: () => caller as never,
    commands: {
      run: () => {
        if (++runs === 2) throw new Error('a fault of ours');
        return Promise.resolve();
      },
    },
  });
  session.receive('{"op":"login"}');
  for (let n = 0; n < 3; n++) session.receive('{"op":"modifyorder","data":{}}');
  expect(socket.closed?.[0]).toBe(1011);
  session.receive('{"op":"modifyorder","data":{}}');
  expect(runs).toBe(2);
  expect(faults).toHaveLength(1);
});

test('messages that arrive in one turn are read together, but never more than 64 of a connection ahead', () => {
  const { listener, parts } = scene();
  const { socket } = listener();
  const due: { readNow(): void }[] = [];
  const turn = { ...parts.turn, read: (reader: { readNow(): void }) => due.push(reader) };
  const session = new Session(socket, { ...parts, turn });
  for (let at = 0; at < 63; at++) session.receive('ping');
  expect([socket.received.length, due.length]).toEqual([0, 1]);
  session.receive('ping');
  expect(socket.received.length).toBe(64);
  session.receive('ping');
  for (const reader of due) reader.readNow();
  expect(socket.received.length).toBe(65);
});

test('while all together leave too much unread, those who leave the most are cut off', () => {
  const { listener } = scene();
  const all = [50, 400, 10, 300, 200].map((unreadBytes) => {
    const one = listener();
    one.socket.unreadBytes = unreadBytes;
    return one;
  });
  const sessions = all.map(({ session }) => session);
  expect(cutLargest(sessions, 960)).toBe(0);
  expect(cutLargest(sessions, 300)).toBe(2);
  const closed = all.map(({ socket }) => socket.closed?.[0]);
  expect(closed).toEqual([undefined, 1013, undefined, 1013, undefined]);
});

test('a connection has as many names for one channel as it may have channels', () => {
  const { hub, listener, parts } = scene({ subscriptionsMax: 3 });
  const { socket, session } = listener();
  session.caller = { account: 0 } as never;
  const refusals = (): string[] =>
    socket.received.map((text) => JSON.parse(text)).flatMap(({ message }) => message ?? []);
  const subscribe = (channel: string): void =>
    hub.subscribe(session, { channel, tag: undefined, withSeq: false, fromSeq: undefined });
  for (let at = 0; at < 3; at++) subscribe(`order::${at}`);
  expect(refusals()).toEqual([]);
  subscribe('order::3');
  expect(refusals()).toEqual(['Over the limit: at most 3 channels a connection']);
  // One that it has may be asked for again, and one that it leaves makes room.
  subscribe('order::2');
  expect(parts.subscriptions.unsubscribe(session, 'order::0')).toBeUndefined();
  subscribe('order::3');
  expect(refusals()).toHaveLength(1);
});
