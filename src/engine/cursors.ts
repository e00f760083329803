import type { Worker } from 'node:worker_threads';

/**
 * How far each thread has come, in shared memory: the writer, the follower's event log, history.
 * Advancing wakes whoever waits, on any thread; no messages, no polling.
 */
export type Cursors = { readonly memory: SharedArrayBuffer };

const PLACES = { journal: 0, eventLog: 1, history: 2, stop: 3 } as const;
export type CursorName = Exclude<keyof typeof PLACES, 'stop'>;

export const newCursors = (): Cursors => ({
  memory: new SharedArrayBuffer(8 * Object.keys(PLACES).length),
});

export const cursorAt = ({ memory }: Cursors, name: CursorName): number =>
  Number(Atomics.load(new BigInt64Array(memory), PLACES[name]));

export function advance({ memory }: Cursors, name: CursorName, sequence: number): void {
  const places = new BigInt64Array(memory);
  Atomics.store(places, PLACES[name], BigInt(sequence));
  Atomics.notify(places, PLACES[name]);
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
  const waited = Atomics.waitAsync(places, PLACES[name], BigInt(sequence), 1_000);
  if (!waited.async) return;
  // Such a wait alone does not keep a thread alive: without this it would quietly end here.
  const alive = setInterval(() => undefined, 60_000);
  await waited.value;
  clearInterval(alive);
}
