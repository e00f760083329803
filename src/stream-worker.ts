import { setTimeout } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import {
  type FeedAnswer,
  type FeedRequest,
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

/** Commands that are applied before timers and requests get their turn. */
const ROUND_COMMANDS = 2_000;
/** The shortest pause between two rounds: what comes meanwhile is told together. */
const PAUSE_MS = 2;
const BEAT_MS = 25;
/** Without a listener for this long the thread is not needed; starting it again takes a second. */
const IDLE_MS = 60_000;
/** Batches that may be on their way: a main thread that is busy gets fewer and larger ones. */
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

const post = (answer: FeedAnswer, transfer: ArrayBuffer[] = []): void =>
  parentPort?.postMessage(answer, transfer);

let isStopped = false;
let batchesOut = 0;
let busyAtMs = performance.now();
/** What must wait until the copy has come far enough. */
let opening: Extract<FeedRequest, { readonly kind: 'open' }>[] = [];
/** Ends the pause: somebody asks for something. */
let wake: (() => void) | undefined;

parentPort?.on('message', (request: FeedRequest) => {
  switch (request.kind) {
    case 'open':
      opening.push(request);
      break;
    case 'again':
      publisher.again(request);
      break;
    case 'leave':
      publisher.leave(request);
      break;
    case 'taken':
      batchesOut--;
      break;
    case 'stop':
      isStopped = true;
      break;
  }
  wake?.();
});

while (!isStopped && !isStopRequested(cursors)) {
  const hasMore = replica.follow(ROUND_COMMANDS, ({ command, outcome }) =>
    publisher.hear(command, outcome),
  );
  publisher.settle();
  // Behind the end of the journal nothing is told that is over already.
  if (!hasMore && batchesOut < BATCHES_MAX) {
    past.beat(performance.now());
    openDue();
    publisher.beat(performance.now());
    send();
  }
  if (!publisher.isIdle || opening.length > 0) busyAtMs = performance.now();
  else if (performance.now() - busyAtMs > IDLE_MS) post({ kind: 'idle' });
  await pause(hasMore);
}
replica.close();
await history.close();
parentPort?.close();

function openDue(): void {
  const isDue = ({ afterSequence, spec }: (typeof opening)[number]): boolean =>
    afterSequence <= replica.sequence && past.isReadyFor(spec);
  const due = opening.filter(isDue);
  if (due.length === 0) return;
  opening = opening.filter((request) => !due.includes(request));
  for (const request of due) publisher.open(request);
}

function send(): void {
  const batch = publisher.take();
  if (batch === undefined) return;
  batchesOut++;
  post({ kind: 'batch', batch }, [batch.bytes.buffer as ArrayBuffer]);
}

async function pause(hasMore: boolean): Promise<void> {
  await setTimeout(hasMore ? 0 : PAUSE_MS);
  if (hasMore || cursorAt(cursors, 'journal') > replica.sequence || opening.length > 0) return;
  const asked = new Promise<void>((resolve) => {
    wake = resolve;
  });
  await Promise.race([asked, beyond(cursors, 'journal', replica.sequence, BEAT_MS)]);
  wake = undefined;
}
