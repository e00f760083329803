import { expect, test, vi } from 'vitest';
import { RialtoStream, type StreamMessage } from './stream.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever was sent
type Sent = any;

/** A socket controlled by the test; like the real one it throws when it is used before it is open. */
class FakeSocket extends EventTarget {
  static all: FakeSocket[] = [];
  readonly sent: Sent[] = [];
  isOpen = false;
  isClosed = false;
  readyState: number | undefined;

  constructor() {
    super();
    FakeSocket.all.push(this);
  }

  send(text: string): void {
    if (!this.isOpen) throw new Error('Sent before connected.');
    this.sent.push(text === 'ping' ? text : JSON.parse(text));
  }

  close(): void {
    this.isOpen = false;
    this.isClosed = true;
  }

  say(message: object): void {
    this.isOpen = true;
    this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(message) }));
  }

  lose(): void {
    this.isOpen = false;
    this.dispatchEvent(new Event('close'));
  }
}

function scene(more: object = {}) {
  FakeSocket.all = [];
  const timers: { readonly delayMs: number; readonly run: () => void }[] = [];
  const troubles: string[] = [];
  const anew: (readonly [string, number | undefined])[] = [];
  const stream = new RialtoStream({
    baseUrl: 'http://localhost:1',
    WebSocket: FakeSocket as never,
    nowMs: () => 1_000,
    random: () => 0.5,
    after: (delayMs, run) => {
      timers.push({ delayMs, run });
      return () => undefined;
    },
    onTrouble: (words) => troubles.push(words),
    onAnew: (channel, missed) => anew.push([channel, missed]),
    ...more,
  });
  const socket = (): FakeSocket => FakeSocket.all.at(-1) as FakeSocket;
  const reconnect = (): void => timers.findLast(({ delayMs }) => delayMs < 10_000)?.run();
  /** The timer that was set last. */
  const ring = (): void => timers.at(-1)?.run();
  return { stream, socket, reconnect, ring, timers, troubles, anew };
}

const welcome = { event: 'Welcome', nonce: '1' };
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

test('a connection that is lost while its login is signed leaves the next one alone', async () => {
  const { stream, socket, reconnect } = scene({ accessKey: 'k', secret: 's' });
  const first = socket();
  first.say(welcome);
  first.lose();
  reconnect();
  await settled();
  expect(first.sent).toEqual([]);
  expect(socket().sent).toEqual([]);
  socket().say(welcome);
  const login = { op: 'login', data: { apiKey: 'k', seq: true } };
  await expect.poll(() => socket().sent, { timeout: 60_000 }).toMatchObject([login]);
  stream.close();
});

test('a connection that is still opening is closed once it is open, and its messages are ignored', async () => {
  for (const leave of ['close', 'drop'] as const) {
    const { stream, socket } = scene({ accessKey: 'k', secret: 's' });
    const made = socket();
    made.readyState = 0;
    stream[leave]();
    expect(made.isClosed).toBe(false);
    made.say(welcome);
    await settled();
    expect(made.sent).toEqual([]);
    made.dispatchEvent(new Event('open'));
    expect(made.isClosed).toBe(true);
    stream.close();
  }
});

test('it logs in by the clock of the greeting where its own is far off', async () => {
  const timeOf = async (timestamp: string): Promise<string> => {
    const { stream, socket } = scene({ accessKey: 'k', secret: 's' });
    socket().say({ ...welcome, timestamp });
    await expect.poll(() => socket().sent.length, { timeout: 60_000 }).toBe(1);
    stream.close();
    return socket().sent[0].data.timestamp;
  };
  expect(await timeOf('900000')).toBe('900000');
  expect(await timeOf('1500')).toBe('1000');
});

test('a refused login is told apart from a lost connection, and tried again', async () => {
  let refusals = 0;
  const { stream, socket, reconnect } = scene({
    ...{ accessKey: 'k', secret: 's' },
    onLoginRefused: () => refusals++,
  });
  for (const refusal of [1, 2]) {
    socket().say(welcome);
    const made = socket();
    await expect.poll(() => made.sent.length, { timeout: 60_000 }).toBe(1);
    made.say({ event: 'login', success: false, code: '40001', message: 'no such key' });
    expect([refusals, made.isClosed]).toEqual([refusal, true]);
    made.lose();
    reconnect();
  }
  socket().lose();
  expect(refusals).toBe(2);
  stream.close();
});

test('many channels are requested no faster than the venue takes them, and what it refused again', () => {
  let now = 0;
  const { stream, socket, ring, timers } = scene({ nowMs: () => now });
  const channels = Array.from({ length: 50 }, (_, at) => `ticker:M${at}`);
  const leave = channels.map((channel) => stream.subscribe(channel, () => undefined));
  socket().say(welcome);
  const pause = (): void => {
    now += 600;
    ring();
  };
  const asked = () => socket().sent.map(({ op, args }) => `${op} ${args}`);
  const subscribe = (from: number, to: number) =>
    channels.slice(from, to).map((channel) => `subscribe ${channel}`);
  expect(asked()).toEqual(subscribe(0, 20));
  // One that was not requested yet is not taken back either.
  leave[49]?.();
  expect(asked()).toHaveLength(20);
  for (const channel of channels.slice(0, 18)) {
    socket().say({ event: 'subscribe', success: true, channel });
  }
  const tooRapid = { event: 'subscribe', success: false, code: '20007', message: 'too rapid' };
  socket().say(tooRapid);
  socket().say({ ...tooRapid, channel: channels[19] });
  pause();
  pause();
  expect(asked().slice(20)).toEqual([...subscribe(20, 49), ...subscribe(18, 20)]);
  for (const channel of channels.slice(18)) {
    socket().say({ event: 'subscribe', success: true, channel });
  }
  const { length } = timers;
  leave[0]?.();
  expect(asked().at(-1)).toBe('unsubscribe ticker:M0');
  expect(timers).toHaveLength(length);
  stream.close();
});

test('after a lost connection it asks for what came after the last message, and leaves out what it has', () => {
  const { stream, socket, reconnect } = scene();
  const received: number[] = [];
  stream.subscribe('order:all', ({ seq }: StreamMessage) => received.push(seq));
  socket().say(welcome);
  expect(socket().sent).toEqual([{ op: 'subscribe', seq: true, args: ['order:all'] }]);
  const message = (seq: number) => ({ table: 'order', channel: 'order:all', seq });
  socket().say({ ...message(5), snapshot: true });
  socket().say(message(6));
  socket().lose();
  reconnect();
  socket().say(welcome);
  expect(socket().sent).toMatchObject([{ op: 'subscribe', fromSeq: 6 }]);
  socket().say({ event: 'resume', channel: 'order:all', resumed: true, seq: 7 });
  for (const seq of [6, 7, 9]) socket().say(message(seq));
  // One is missing: everything since is requested, and nothing is delivered until it has arrived.
  expect(socket().sent.at(-1)).toMatchObject({ op: 'subscribe', fromSeq: 7 });
  for (const seq of [8, 9]) socket().say(message(seq));
  expect(received).toEqual([5, 6, 7, 8, 9]);
  stream.close();
});

test('events that the venue no longer has are reported as missed, and the count continues after them', () => {
  const { stream, socket, reconnect, troubles, anew } = scene();
  const received: number[] = [];
  stream.subscribe('trade:X', ({ seq }) => received.push(seq));
  socket().say(welcome);
  socket().say({ event: 'resume', channel: 'trade:X', resumed: false, seq: 4 });
  socket().say({ table: 'trade', channel: 'trade:X', seq: 5 });
  socket().lose();
  reconnect();
  socket().say(welcome);
  socket().say({ event: 'resume', channel: 'trade:X', resumed: false, seq: 100, missed: 95 });
  socket().say({ table: 'trade', channel: 'trade:X', seq: 101 });
  expect(received).toEqual([5, 101]);
  expect(anew).toEqual([['trade:X', 95]]);
  expect(troubles.at(-1)).toContain('not kept');
  stream.close();
});

test('events are counted from the first answer on: one missed before any was received is requested', () => {
  const begun: string[] = [];
  const { stream, socket, reconnect, troubles } = scene({
    onBegun: (channel: string) => begun.push(channel),
  });
  const received: number[] = [];
  stream.subscribe('trade:X', ({ seq }) => received.push(seq));
  socket().say(welcome);
  expect(begun).toEqual([]);
  socket().say({ event: 'resume', channel: 'trade:X', resumed: false, seq: 4 });
  expect([troubles, begun]).toEqual([[], ['trade:X']]);
  socket().lose();
  reconnect();
  socket().say(welcome);
  expect(socket().sent).toMatchObject([{ op: 'subscribe', fromSeq: 4 }]);
  socket().say({ event: 'resume', channel: 'trade:X', resumed: true, seq: 5 });
  socket().say({ table: 'trade', channel: 'trade:X', seq: 5 });
  expect([received, begun]).toEqual([[5], ['trade:X']]);
  stream.close();
});

test('a command that was not answered is sent again under its name', async () => {
  const { stream, socket, reconnect } = scene();
  socket().say(welcome);
  const answered = stream.command('placeorders', [{ marketCode: 'X' }, { marketCode: 'Y' }]);
  const [first] = socket().sent;
  socket().lose();
  reconnect();
  socket().say(welcome);
  expect(socket().sent).toEqual([first]);
  const answer = { event: 'placeorder', submitted: true, tag: first.tag, data: {} };
  socket().say({ ...answer, replayed: true });
  socket().say(answer);
  expect(await answered).toMatchObject([{ replayed: true }, { submitted: true }]);
  stream.close();
});

test('a listener hears nothing that was meant for the one before it', () => {
  const { stream, socket, anew } = scene();
  const heard: (readonly [string, number])[] = [];
  socket().say(welcome);
  const first = stream.subscribe('depthUpdate:X', ({ seq }) => heard.push(['first', seq]));
  const book = (seq: number) => ({ table: 'depthUpdate-diff', channel: 'depthUpdate:X', seq });
  socket().say({ ...book(5), snapshot: true });
  first();
  const off = stream.subscribe('depthUpdate:X', ({ seq }) => heard.push(['second', seq]));
  // On its way when the channel was left.
  socket().say(book(6));
  socket().say({ ...book(7), snapshot: true });
  socket().say(book(8));
  const count = socket().sent.length;
  first();
  expect(socket().sent).toHaveLength(count);
  socket().say(book(9));
  off();
  socket().say(book(10));
  expect(heard).toEqual([
    ['first', 5],
    ['second', 7],
    ['second', 8],
    ['second', 9],
  ]);
  expect(anew).toEqual([]);
  stream.close();
});

test('orders of a market arrive under the name of all orders, as the venue sends them', () => {
  const { stream, socket } = scene();
  const heard: string[] = [];
  socket().say(welcome);
  stream.subscribe('order:X', () => heard.push('X'));
  const message = { table: 'order', channel: 'order:all', seq: 5 };
  socket().say({ ...message, snapshot: true });
  stream.subscribe('order:all', () => heard.push('all'));
  socket().say({ ...message, snapshot: true });
  socket().say({ ...message, seq: 6 });
  expect(heard).toEqual(['X', 'X', 'all', 'X', 'all']);
  stream.close();
});

test('listeners of orders of a market are told what they have missed, too', () => {
  const { stream, socket, reconnect, anew } = scene();
  const received: number[] = [];
  stream.subscribe('order:X', ({ seq }) => received.push(seq));
  const message = { table: 'order', channel: 'order:all' };
  socket().say(welcome);
  socket().say({ ...message, seq: 5, snapshot: true });
  socket().lose();
  reconnect();
  socket().say(welcome);
  const resumed = { event: 'resume', channel: 'order:X', resumed: false, seq: 100, missed: 95 };
  for (const again of [resumed, resumed]) socket().say(again);
  socket().say({ ...message, seq: 101 });
  expect([received, anew]).toEqual([[5, 101], [['order:X', 95]]]);
  stream.close();
});

test('a listener that joins while there is no connection gets the beginning, whoever else listens', () => {
  const { stream, socket, reconnect, anew } = scene();
  const heard: string[] = [];
  stream.subscribe('order:X', ({ seq }) => heard.push(`X ${seq}`));
  const message = { table: 'order', channel: 'order:all' };
  socket().say(welcome);
  socket().say({ ...message, seq: 5, snapshot: true });
  socket().lose();
  stream.subscribe('order:all', ({ seq }) => heard.push(`all ${seq}`));
  reconnect();
  socket().say(welcome);
  expect(socket().sent).toEqual(
    ['order:X', 'order:all'].map((channel) => ({ op: 'subscribe', seq: true, args: [channel] })),
  );
  socket().say({ ...message, seq: 9, snapshot: true });
  socket().say({ ...message, seq: 10 });
  expect(heard).toEqual(['X 5', 'X 9', 'all 9', 'X 10', 'all 10']);
  expect(anew).toEqual([['order:X', undefined]]);
  stream.close();
});

test('what a lost connection has answered of a batch is not counted with the repeated answers', async () => {
  const { stream, socket, reconnect } = scene();
  socket().say(welcome);
  const answered = stream.command('placeorders', [{ marketCode: 'X' }, { marketCode: 'Y' }]);
  const { tag } = socket().sent[0];
  const answer = (orderId: string) => ({
    ...{ event: 'placeorder', submitted: true, tag, data: { orderId } },
  });
  socket().say(answer('1'));
  socket().lose();
  reconnect();
  socket().say(welcome);
  for (const orderId of ['1', '2']) socket().say({ ...answer(orderId), replayed: true });
  expect((await answered).map(({ data }) => data?.['orderId'])).toEqual(['1', '2']);
  stream.close();
});

test('a repeat that is refused at the door, or whose outcome is unknown, is sent until it is answered', async () => {
  const { stream, socket, reconnect, timers } = scene();
  socket().say(welcome);
  const answered = stream.command('placeorder', { marketCode: 'X' });
  const [sent] = socket().sent;
  socket().lose();
  reconnect();
  socket().say(welcome);
  const refused = { event: 'placeorder', submitted: false, tag: sent.tag };
  const message = 'outcome unknown, send the same bytes again';
  for (const answer of [
    { ...refused, code: '20007', data: {} },
    { ...refused, code: '000101', message, data: {} },
  ]) {
    socket().say(answer);
    timers.findLast(({ delayMs }) => delayMs === 600)?.run();
  }
  expect(socket().sent).toEqual([sent, sent, sent]);
  socket().say({ ...refused, submitted: true, replayed: true, data: {} });
  expect(await answered).toMatchObject([{ submitted: true, replayed: true }]);
  // Nothing can have happened of one that was refused at its first attempt.
  const rapid = stream.command('placeorder', { marketCode: 'X' });
  socket().say({ ...refused, tag: socket().sent.at(-1).tag, code: '20007' });
  expect(await rapid).toMatchObject([{ submitted: false, code: '20007' }]);
  stream.close();
});

test('many unanswered commands are repeated in order and not faster than the venue takes them', async () => {
  const { stream, socket, reconnect, timers } = scene();
  const unanswered = Array.from({ length: 60 }, (_, place) =>
    stream.command('placeorder', { place }).catch(() => place),
  );
  socket().say(welcome);
  const next = (): void => timers.findLast(({ delayMs }) => delayMs === 600)?.run();
  const places = (): number[] => socket().sent.map(({ data }) => data.place);
  expect(places()).toHaveLength(25);
  socket().lose();
  reconnect();
  socket().say(welcome);
  unanswered.push(stream.command('cancelorder', { place: 60 }).catch(() => 60));
  next();
  expect(places()).toHaveLength(50);
  next();
  expect(places()).toEqual(Array.from({ length: 61 }, (_, place) => place));
  stream.close();
  expect(await Promise.all(unanswered)).toHaveLength(61);
});

test('a repeat that was refused at the door goes before what was given after it', () => {
  const { stream, socket, reconnect, timers } = scene();
  const given = (op: 'placeorder' | 'cancelorder', place: number): void =>
    void stream.command(op, { place }).catch(() => undefined);
  for (let place = 0; place < 30; place++) given('placeorder', place);
  socket().say(welcome);
  const next = (): void => timers.findLast(({ delayMs }) => delayMs === 600)?.run();
  next();
  const { tag } = socket().sent[13];
  given('cancelorder', 30);
  socket().lose();
  reconnect();
  socket().say(welcome);
  socket().say({ event: 'placeorder', submitted: false, tag, code: '20007', data: {} });
  next();
  const places = socket().sent.map(({ data }) => data.place);
  expect(places.slice(25)).toEqual([13, 25, 26, 27, 28, 29, 30]);
  stream.close();
});

test('a command that was never sent is given up as one', async () => {
  let nowMs = 0;
  const { stream, socket, reconnect } = scene({ nowMs: () => nowMs });
  const unsent = stream.command('placeorder', {});
  nowMs = 60_000;
  socket().say(welcome);
  await expect(unsent).rejects.toThrow('this was not sent');
  const sent = stream.command('placeorder', {});
  socket().lose();
  nowMs = 120_000;
  reconnect();
  socket().say(welcome);
  await expect(sent).rejects.toThrow('the outcome is unknown');
  stream.close();
});

test('clients that were cut off together do not come back together', () => {
  const waits: number[] = [];
  for (const random of [0, 0.5, 1]) {
    const onWaiting = (delayMs: number) => waits.push(delayMs);
    const { stream, socket } = scene({ onWaiting, random: () => random });
    socket().say(welcome);
    socket().lose();
    stream.close();
  }
  expect(waits).toEqual([150, 200, 250]);
});

test('a waiting client reports the delay, and retry connects immediately, once', () => {
  const waits: number[] = [];
  const { stream, socket } = scene({ onWaiting: (delayMs: number) => waits.push(delayMs) });
  stream.retry();
  expect(FakeSocket.all).toHaveLength(1);
  socket().say(welcome);
  socket().lose();
  expect(waits).toEqual([200]);
  stream.retry();
  stream.retry();
  expect(FakeSocket.all).toHaveLength(2);
  socket().lose();
  expect(waits).toEqual([200, 400]);
  stream.close();
  stream.retry();
  expect(FakeSocket.all).toHaveLength(2);
});

test('an address that does not answer is named, and so is one whose connection is lost', () => {
  const { stream, socket, reconnect, troubles } = scene();
  socket().lose();
  reconnect();
  socket().say(welcome);
  socket().lose();
  expect(troubles).toEqual([
    'no connection to ws://localhost:1/v2/websocket',
    'the connection to ws://localhost:1/v2/websocket was lost',
  ]);
  stream.close();
});

test('a connection on which nothing comes any more is lost, although nobody has closed it', () => {
  const ready: boolean[] = [];
  const onReady = (isReady: boolean): number => ready.push(isReady);
  const { stream, socket, reconnect, ring, timers } = scene({ pingMs: 4_000, onReady });
  socket().say(welcome);
  for (let pings = 0; pings < 10; pings++) {
    ring();
    socket().say({ event: 'answers whatever it is' });
  }
  const silent = socket();
  for (let pings = 0; pings < 3; pings++) ring();
  expect(ready).toEqual([true]);
  // The fourth, after 12 s in which nothing was received.
  ring();
  expect([ready, silent.isClosed]).toEqual([[true, false], true]);
  reconnect();
  expect(FakeSocket.all).toHaveLength(2);
  // The new one is never greeted.
  expect(timers.at(-1)?.delayMs).toBe(15_000);
  ring();
  expect(socket().isClosed).toBe(true);
  reconnect();
  socket().say(welcome);
  expect(ready).toEqual([true, false, true]);
  stream.close();
});

test('a message looks at its own listeners, however many channels there are', () => {
  const { stream, socket } = scene();
  const heard: string[] = [];
  for (let at = 0; at < 100; at++) stream.subscribe(`trade:M${at}`, () => undefined);
  const leave = stream.subscribe('order:M1', () => heard.push('M1'));
  stream.subscribe('order:all', () => heard.push('all'));
  socket().say(welcome);
  socket().say({ event: 'resume', channel: 'order:all', resumed: false, seq: 1 });
  const named = vi.spyOn(String.prototype, 'startsWith');
  socket().say({ table: 'order', channel: 'order:all', seq: 2 });
  const compared = named.mock.calls.filter(([text]) => text === 'order:').length;
  named.mockRestore();
  expect(compared).toBeLessThan(5);
  leave();
  socket().say({ table: 'order', channel: 'order:all', seq: 3 });
  expect(heard).toEqual(['M1', 'all', 'all']);
  stream.close();
});
