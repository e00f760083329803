/**
 * What many requests need at the same time is done kind by kind: first every socket that has something is read,
 * then all requests are parsed and their signatures checked, then all are handled, and at the end all responses
 * are written. One request after the other through all of that would find little of the code in the processor's
 * caches, and each response would wake its client while the next request is still being handled.
 *
 * Order is kept: within each kind, everything runs in the order in which it was reported.
 */
export type Turn = {
  /** Parses what has arrived on a connection, when no more arrives or after three looks at the sockets. */
  read(reader: Reader): void;
  /** Handles a request that may be handled. */
  handle(run: () => void): void;
  /** Writes the responses that are ready. */
  write(writer: Writer): void;
};
export type Reader = { readNow(): void };
export type Writer = { writeNow(): void };

export type TurnOptions = {
  /** Runs a function after the sockets were looked at once more (setImmediate). */
  readonly soon: (run: () => void) => void;
  /** Runs a function after what runs now, and after what that has already caused (a microtask). */
  readonly afterwards: (run: () => void) => void;
};

/**
 * Requests that come from different connections at the same time do not arrive in one look at the sockets: the
 * first of them wakes this thread. So they are looked at until nothing has arrived, at most so many times.
 */
const LOOKS_MAX = 3;

export function createTurn({ soon, afterwards }: TurnOptions): Turn {
  let looks = 0;
  let seen = 0;
  const readers = inBatches<Reader>(
    (reader) => reader.readNow(),
    () => soon(look),
  );
  const look = (): void => {
    if (readers.count > seen && looks < LOOKS_MAX) {
      looks++;
      seen = readers.count;
      soon(look);
      return;
    }
    looks = 0;
    seen = 0;
    readers.run();
  };
  const handlers = inBatches<() => void>(
    (run) => run(),
    () => afterwards(() => handlers.run()),
  );
  const writers = inBatches<Writer>(
    (writer) => writer.writeNow(),
    () => afterwards(() => writers.run()),
  );
  return { read: readers.add, handle: handlers.add, write: writers.add };
}

type Batches<Item> = {
  readonly count: number;
  add(item: Item): void;
  run(): void;
};

/** Collects items; the first of a batch schedules its run. What is added during a run belongs to the next. */
function inBatches<Item>(runOne: (item: Item) => void, schedule: () => void): Batches<Item> {
  let waiting: Item[] = [];
  return {
    get count() {
      return waiting.length;
    },
    add(item) {
      waiting.push(item);
      if (waiting.length === 1) schedule();
    },
    run() {
      const batch = waiting;
      waiting = [];
      for (let at = 0; at < batch.length; at++) runOne(batch[at] as Item);
    },
  };
}
