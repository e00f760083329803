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
import { openPatiently } from './history/patient.ts';

/**
 * The stream's thread: follows the journal with a copy of the venue and makes the messages of all channels
 * that somebody listens to. It runs only while somebody does.
 */
export type StreamWork = {
  readonly directory: string;
  readonly venueId: string;
  readonly historyPlace: Place;
  readonly cursors: Cursors;
  readonly seqOffset: number;
};
/** Each thread with sockets sends a port to join with. */
export type JoinFeed = { readonly kind: 'join'; readonly port: MessagePort };

/** Commands that are applied before timers and requests get their turn. */
const ROUND_COMMANDS = 2_000;
/** The shortest pause between two rounds: what comes meanwhile is told together. */
const PAUSE_MS = 2;
const BEAT_MS = 25;
/** Without a listener for this long the thread is not needed; starting it again takes a second. */
const IDLE_MS = 60_000;
/** Batches that may be on their way to a thread: one that is busy gets fewer and larger ones. */
const BATCHES_MAX = 2;

const { directory, venueId, historyPlace, cursors, seqOffset } = workerData as StreamWork;
const replica = openReplica({ directory, venueId, cursors });
const history = await openPatiently({
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

/** Where each of them asks. */
const lines = new Map<MessagePort, FeedHub>();

let isStopped = false;
let busyAtMs = performance.now();
/** What was asked about channels, in order; a beginning waits until the copy has come far enough. */
let asked: OfChannel[] = [];
/** Ends the pause: somebody asks for something. */
let wake: (() => void) | undefined;

const parent = parentPort as MessagePort;
parent.on('message', ({ port }: JoinFeed) => join(port));

function join(port: MessagePort): void {
  lines.set(
    port,
    hubs.join((answer, transfer) => port.postMessage(answer, transfer)),
  );
  port.on('message', (request: FeedRequest) => hear(port, request));
  port.once('close', () => leave(port));
}

function hear(port: MessagePort, request: FeedRequest): void {
  const hub = lines.get(port) as FeedHub;
  if (request.kind === 'taken') hub.batchesOut--;
  else if (request.kind === 'stop') port.close();
  else {
    const shared = hubs.shared(hub, request);
    if (shared !== undefined) asked.push(shared);
  }
  wake?.();
}

/** What was asked until now; it would otherwise be heard after what happens in this turn. */
function hearAll(): void {
  for (const { port } of waitingAt<JoinFeed>(parent)) join(port);
  for (const port of lines.keys())
    for (const request of waitingAt<FeedRequest>(port)) hear(port, request);
}

function* waitingAt<Sent>(port: MessagePort): Generator<Sent> {
  for (;;) {
    const sent = receiveMessageOnPort(port);
    if (sent === undefined) return;
    yield sent.message as Sent;
  }
}

/** The thread with the sockets has ended, or needs none of this any more. */
function leave(port: MessagePort): void {
  const hub = lines.get(port) as FeedHub;
  lines.delete(port);
  asked.push(...hubs.leave(hub));
  isStopped ||= hubs.areGone;
  wake?.();
}

const isGoingOn = (): boolean => !isStopped && !isStopRequested(cursors);

// Somebody asks, or the thread would not run: what happened after the first question is told, not only shown.
while (isGoingOn() && asked.length === 0) await setTimeout(PAUSE_MS);
while (isGoingOn()) {
  const hasMore = follow();
  publisher.settle();
  // Behind the end of the journal nothing is told that is over already.
  if (!hasMore && [...hubs.all].every(({ batchesOut }) => batchesOut < BATCHES_MAX)) {
    past.beat(performance.now());
    answerDue();
    publisher.beat(performance.now());
    send();
  }
  if (!publisher.isIdle || asked.length > 0) busyAtMs = performance.now();
  else if (performance.now() - busyAtMs > IDLE_MS) {
    for (const { post } of hubs.all) post({ kind: 'idle' }, []);
  }
  await pause(hasMore);
}
replica.close();
await history.close();
parentPort?.close();

/**
 * A connection may ask for a channel and send an order without waiting: who asked before a command hears what it did. So what was
 * asked is read after the end of the journal is known, and nothing is followed beyond a sequence at which somebody asked.
 */
function follow(): boolean {
  const durable = cursorAt(cursors, 'journal');
  hearAll();
  answerDue();
  const most = Math.min(ROUND_COMMANDS, durable - replica.sequence, untilAsked());
  return replica.follow(most, ({ command, outcome }) => publisher.hear(command, outcome));
}

/** Commands to the next sequence at which a beginning was asked for. */
function untilAsked(): number {
  let least = Number.POSITIVE_INFINITY;
  for (const request of asked) {
    if (request.kind !== 'open' || request.afterSequence <= replica.sequence) continue;
    least = Math.min(least, request.afterSequence - replica.sequence);
  }
  return least;
}

/** What is asked about one channel is done in the order in which it was asked. */
function answerDue(): void {
  const held = new Set<number>();
  asked = asked.filter((request) => {
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
  if (hasMore || cursorAt(cursors, 'journal') > replica.sequence || asked.length > 0) return;
  const called = new Promise<void>((resolve) => {
    wake = resolve;
  });
  await Promise.race([called, beyond(cursors, 'journal', replica.sequence, BEAT_MS)]);
  wake = undefined;
}
