import type { Worker } from 'node:worker_threads';

/**
 * How far each thread has come, in shared memory: the writer, the follower's event log, history.
 * Advancing wakes whoever waits, on any thread; no messages, no polling.
 */
export type Cursors = { readonly memory: SharedArrayBuffer };

const PLACES = { journal: 0, eventLog: 1, history: 2, stop: 3 } as const;
export type CursorName = Exclude<keyof typeof PLACES, 'stop'>;
/** Behind the cursors: how many wait for each, so that nobody is woken who does not sleep. */
const SLEEPERS = Object.keys(PLACES).length;

export const newCursors = (): Cursors => ({
  memory: new SharedArrayBuffer(8 * 2 * SLEEPERS),
});

export const cursorAt = ({ memory }: Cursors, name: CursorName): number =>
  Number(Atomics.load(new BigInt64Array(memory), PLACES[name]));

export function advance({ memory }: Cursors, name: CursorName, sequence: number): void {
  const places = new BigInt64Array(memory);
  Atomics.store(places, PLACES[name], BigInt(sequence));
  // Waking costs a system call. A sleeper says so before it looks at the cursor for the last time, so
  // either it is seen here or it sees what was stored.
  if (Atomics.load(places, SLEEPERS + PLACES[name]) > 0n) Atomics.notify(places, PLACES[name]);
}

/** Tells every thread to finish what is durable and end. */
export function requestStop({ memory }: Cursors): void {
  const places = new BigInt64Array(memory);
  Atomics.store(places, PLACES.stop, 1n);
  for (const place of Object.values(PLACES)) Atomics.notify(places, place);
}

export const isStopRequested = ({ memory }: Cursors): boolean =>
  Atomics.load(new BigInt64Array(memory), PLACES.stop) === 1n;

/**
 * A thread that ends although nobody asked for it has failed, whatever it says. Resolves when the
 * thread has ended.
 */
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
export async function beyond(cursors: Cursors, name: CursorName, sequence: number): Promise<void> {
  if (isStopRequested(cursors)) return;
  const places = new BigInt64Array(cursors.memory);
  Atomics.add(places, SLEEPERS + PLACES[name], 1n);
  const waited = Atomics.waitAsync(places, PLACES[name], BigInt(sequence), 1_000);
  if (waited.async) await wake(waited.value);
  Atomics.sub(places, SLEEPERS + PLACES[name], 1n);
}

async function wake(waited: Promise<unknown>): Promise<void> {
  // Such a wait alone does not keep a thread alive: without this it would quietly end here.
  const alive = setInterval(() => undefined, 60_000);
  await waited;
  clearInterval(alive);
}
