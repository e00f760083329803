import { setTimeout } from 'node:timers/promises';
import {
  type MessagePort,
  parentPort,
  receiveMessageOnPort,
  workerData,
} from 'node:worker_threads';
import {
  type FeedHub,
  FeedHubs,
  type FeedRequest,
  type OfChannel,
  Publisher,
  RecentPast,
} from './api/stream/publisher.ts';
import { beyond, type Cursors, cursorAt, isStopRequested } from './engine/cursors.ts';
import { openReplica } from './engine/replica.ts';
import type { Place } from './history/history.ts';
import { openWithRetry } from './history/open-with-retry.ts';

/**
 * The stream's thread: follows the journal with a copy of the venue and builds the messages of all channels
 * that have listeners. It runs only while there are any.
 */
export type StreamWork = {
  readonly directory: string;
  readonly venueId: string;
  readonly historyPlace: Place;
  readonly cursors: Cursors;
  readonly seqOffset: number;
};
/** Each thread with sockets sends a port to connect with. */
export type JoinFeed = { readonly kind: 'join'; readonly port: MessagePort };

/** Commands that are applied before timers and requests get their turn. */
const ROUND_COMMANDS = 2_000;
/** The shortest pause between two rounds: what arrives meanwhile is published together. */
const PAUSE_MS = 2;
const BEAT_MS = 25;
/** Without a listener for this long the thread ends; starting it again takes a second. */
const IDLE_MS = 60_000;
/** The most batches in flight to a thread: a busy one gets fewer and larger ones. */
const BATCHES_MAX = 2;

const { directory, venueId, historyPlace, cursors, seqOffset } = workerData as StreamWork;
const replica = openReplica({ directory, venueId, cursors });
const history = await openWithRetry({
  ...historyPlace,
  stamp: venueId,
  after: () => () => undefined,
});
const past = new RecentPast(
  {
    day: async (market, fromMs) =>
      (await history.dayStats({ market, fromMs })) ?? history.dayMarks({ market, fromMs }),
    candle: async (market, lengthMs, toMs) =>
      (await history.candles({ market, lengthMs, fromMs: 0, toMs, limit: 1 }))[0],
  },
  replica,
  () => wake?.(),
);
const publisher = new Publisher({ source: replica, past, seqOffset });

const hubs = new FeedHubs();

/** The port of each thread with sockets. */
const hubByPort = new Map<MessagePort, FeedHub>();

let isStopped = false;
let busyAtMs = performance.now();
/** Requests about channels, in order; a first message waits until the copy has come far enough. */
let requests: OfChannel[] = [];
/** Ends the pause: a request has arrived. */
let wake: (() => void) | undefined;

const parent = parentPort as MessagePort;
parent.on('message', ({ port }: JoinFeed) => join(port));

function join(port: MessagePort): void {
  hubByPort.set(
    port,
    hubs.join((answer, transfer) => port.postMessage(answer, transfer)),
  );
  port.on('message', (request: FeedRequest) => receive(port, request));
  port.once('close', () => leave(port));
}

function receive(port: MessagePort, request: FeedRequest): void {
  const hub = hubByPort.get(port) as FeedHub;
  if (request.kind === 'taken') hub.batchesOut--;
  else if (request.kind === 'stop') port.close();
  else {
    const shared = hubs.shared(hub, request);
    if (shared !== undefined) requests.push(shared);
  }
  wake?.();
}

/** Reads the requests so far; otherwise they would be read only after what happens in this turn. */
function receiveWaiting(): void {
  for (const { port } of waitingAt<JoinFeed>(parent)) join(port);
  for (const port of hubByPort.keys())
    for (const request of waitingAt<FeedRequest>(port)) receive(port, request);
}

function* waitingAt<Sent>(port: MessagePort): Generator<Sent> {
  for (;;) {
    const sent = receiveMessageOnPort(port);
    if (sent === undefined) return;
    yield sent.message as Sent;
  }
}

/** The thread with the sockets has ended, or needs this thread no longer. */
function leave(port: MessagePort): void {
  const hub = hubByPort.get(port) as FeedHub;
  hubByPort.delete(port);
  requests.push(...hubs.leave(hub));
  isStopped ||= hubs.areGone;
  wake?.();
}

const isGoingOn = (): boolean => !isStopped && !isStopRequested(cursors);

// The thread was started by a request: what happened after the first one is published as messages, not only
// contained in a snapshot.
while (isGoingOn() && requests.length === 0) await setTimeout(PAUSE_MS);
while (isGoingOn()) {
  const hasMore = follow();
  publisher.settle();
  // Until the end of the journal nothing is published that is already out of date.
  if (!hasMore && [...hubs.all].every(({ batchesOut }) => batchesOut < BATCHES_MAX)) {
    past.beat(performance.now());
    answerDue();
    publisher.beat(performance.now());
    send();
  }
  if (!publisher.isIdle || requests.length > 0) busyAtMs = performance.now();
  else if (performance.now() - busyAtMs > IDLE_MS) {
    for (const { post } of hubs.all) post({ kind: 'idle' }, []);
  }
  await pause(hasMore);
}
replica.close();
await history.close();
parentPort?.close();

/**
 * A connection may subscribe to a channel and send an order without waiting: whoever subscribed before a
 * command must see what it did. So requests are read after the end of the journal is known, and nothing is
 * followed beyond a sequence at which somebody subscribed.
 */
function follow(): boolean {
  const durable = cursorAt(cursors, 'journal');
  receiveWaiting();
  answerDue();
  const most = Math.min(ROUND_COMMANDS, durable - replica.sequence, commandsUntilOpen());
  return replica.follow(most, ({ command, outcome }) => publisher.receive(command, outcome));
}

/** Commands up to the next sequence at which a first message was requested. */
function commandsUntilOpen(): number {
  let least = Number.POSITIVE_INFINITY;
  for (const request of requests) {
    if (request.kind !== 'open' || request.afterSequence <= replica.sequence) continue;
    least = Math.min(least, request.afterSequence - replica.sequence);
  }
  return least;
}

/** Requests about one channel are handled in the order in which they arrived. */
function answerDue(): void {
  const held = new Set<number>();
  requests = requests.filter((request) => {
    if (held.has(request.channel) || !isDue(request)) {
      held.add(request.channel);
      return true;
    }
    if (request.kind === 'open') publisher.open(request);
    else if (request.kind === 'again') publisher.again(request);
    else publisher.leave(request);
    return false;
  });
}

function isDue(request: OfChannel): boolean {
  if (request.kind !== 'open') return true;
  return request.afterSequence <= replica.sequence && past.isReadyFor(request.spec);
}

function send(): void {
  const batch = publisher.take();
  if (batch !== undefined) hubs.send(batch);
}

async function pause(hasMore: boolean): Promise<void> {
  await setTimeout(hasMore ? 0 : PAUSE_MS);
  if (hasMore || cursorAt(cursors, 'journal') > replica.sequence || requests.length > 0) return;
  const called = new Promise<void>((resolve) => {
    wake = resolve;
  });
  await Promise.race([called, beyond(cursors, 'journal', replica.sequence, BEAT_MS)]);
  wake = undefined;
}
