import { setTimeout } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';

/**
 * How far each thread has come, in shared memory: the writer, the follower's event log, history; the sequence
 * that somebody waits for; and the last one of the writer's that does more than place or cancel orders, so that
 * names, keys or prices may differ since. Advancing a cursor wakes its waiters on any thread, without messages or
 * polling.
 */
export type Cursors = { readonly memory: SharedArrayBuffer };

const PLACES = { journal: 0, eventLog: 1, history: 2, stop: 3, wanted: 4, names: 5 } as const;
export type CursorName = Exclude<keyof typeof PLACES, 'stop'>;
/** After the cursors: how many threads wait for each, so that nobody is woken unnecessarily. */
const SLEEPERS = Object.keys(PLACES).length;

export const newCursors = (): Cursors => ({
  memory: new SharedArrayBuffer(8 * 2 * SLEEPERS),
});

export const cursorAt = ({ memory }: Cursors, name: CursorName): number =>
  Number(Atomics.load(new BigInt64Array(memory), PLACES[name]));

export function advance({ memory }: Cursors, name: CursorName, sequence: number): void {
  const places = new BigInt64Array(memory);
  Atomics.store(places, PLACES[name], BigInt(sequence));
  // Waking costs a system call. A waiter registers before its last look at the cursor, so either it is seen
  // here or it sees what was stored.
  if (Atomics.load(places, SLEEPERS + PLACES[name]) > 0n) Atomics.notify(places, PLACES[name]);
}

/** The names first: whoever sees the journal's new end must see what has changed up to there. */
export function advanceJournal(cursors: Cursors, sequence: number, namesSequence: number): void {
  advance(cursors, 'names', namesSequence);
  advance(cursors, 'journal', sequence);
}

/** Asks every thread to finish what is durable and end. */
export function requestStop({ memory }: Cursors): void {
  const places = new BigInt64Array(memory);
  Atomics.store(places, PLACES.stop, 1n);
  for (const place of Object.values(PLACES)) Atomics.notify(places, place);
}

export const isStopRequested = ({ memory }: Cursors): boolean =>
  Atomics.load(new BigInt64Array(memory), PLACES.stop) === 1n;

/** A thread that ends without being asked has failed, whatever its exit code. Resolves when it has ended. */
export function watchThread(
  thread: Worker,
  name: string,
  cursors: Cursors,
  onFailure: (reason: Error) => void,
): Promise<void> {
  thread.on('error', (cause) => onFailure(cause as Error));
  return new Promise((resolve) => {
    thread.once('exit', (code) => {
      if (!isStopRequested(cursors)) onFailure(new Error(`the ${name} ended (code ${code})`));
      resolve();
    });
  });
}

/** Resolves when the cursor is beyond `sequence`, a stop is asked for, or a second has passed. */
export const beyond = (
  cursors: Cursors,
  name: CursorName,
  sequence: number,
  forMs = 1_000,
): Promise<void> => sleep(cursors, name, sequence, forMs);

/** Somebody waits for this sequence: threads that are batching continue now. */
export function want(cursors: Cursors, sequence: number): void {
  if (sequence > cursorAt(cursors, 'wanted')) advance(cursors, 'wanted', sequence);
}

/** How long a thread lets work accumulate; at least `leastMs`, so that all waiters share a round. */
export type Gathering = { readonly leastMs: number; readonly mostMs: number };

/**
 * How long a gateway batches what it derives from its copy of the journal while nobody waits for it: recent
 * outcomes are in memory.
 */
export const COPY_GATHER_MOST_MS = 1_000;

/**
 * The pause of a thread that has reached `sequence`: work that arrives meanwhile is done in one batch, at a
 * fraction of the cost. It ends early when somebody wants a later sequence, or a stop is requested.
 */
export async function gather(
  cursors: Cursors,
  sequence: number,
  { leastMs, mostMs }: Gathering,
): Promise<void> {
  if (isStopRequested(cursors)) return;
  await setTimeout(leastMs);
  const wanted = cursorAt(cursors, 'wanted');
  if (wanted <= sequence) await sleep(cursors, 'wanted', wanted, mostMs - leastMs);
}

/** Resolves when the cursor is not at `sequence`, a stop is asked for, or the time has passed. */
async function sleep(
  cursors: Cursors,
  name: CursorName,
  sequence: number,
  forMs: number,
): Promise<void> {
  if (isStopRequested(cursors)) return;
  const places = new BigInt64Array(cursors.memory);
  Atomics.add(places, SLEEPERS + PLACES[name], 1n);
  const waited = Atomics.waitAsync(places, PLACES[name], BigInt(sequence), forMs);
  if (waited.async) await wake(waited.value);
  Atomics.sub(places, SLEEPERS + PLACES[name], 1n);
}

async function wake(waited: Promise<unknown>): Promise<void> {
  // Atomics.waitAsync does not keep a thread alive: without this timer it would silently end here.
  const alive = setInterval(() => undefined, 60_000);
  await waited;
  clearInterval(alive);
}
