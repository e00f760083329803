import { type LogMessage, LogRefused, type ReplicatedLog } from './log.ts';
import { decodeMessage, type Message } from './message.ts';

export type CursorStart = {
  readonly place: number;
  readonly nextSequence: number;
  /** Undefined before the first takeover. */
  readonly leader: Leader | undefined;
  /** Where it is known. */
  readonly term?: number;
};
export type Leader = { readonly node: string; readonly writer: string };

/**
 * A node's position in the log. Every message is checked: places and sequences without a gap, and only the
 * writer of the newest takeover appends. A message of anybody else proves that the log's fence did not hold,
 * and nothing after it can be trusted.
 */
export class LogCursor {
  #place: number;
  #nextSequence: number;
  #leader: Leader | undefined;
  #isHandedOver = false;
  #isGated = false;
  #term: number;
  #takeovers = 0;

  constructor({ place, nextSequence, leader, term = 0 }: CursorStart) {
    this.#term = term;
    this.#place = place;
    this.#nextSequence = nextSequence;
    this.#leader = leader;
  }

  get place(): number {
    return this.#place;
  }

  /** The sequence that the next entry will have. */
  get nextSequence(): number {
    return this.#nextSequence;
  }

  /** The node that took over last. */
  get leader(): Leader | undefined {
    return this.#leader;
  }

  /** The place of the newest takeover that was read; 0 before the first. */
  get term(): number {
    return this.#term;
  }

  /** How many takeovers were read. */
  get takeovers(): number {
    return this.#takeovers;
  }

  /** The leader has announced that it appends nothing more. */
  get isHandedOver(): boolean {
    return this.#isHandedOver;
  }

  /** A gate follows the newest entries. */
  get isGated(): boolean {
    return this.#isGated;
  }

  accept({ place, bytes }: LogMessage): Message {
    const message = decodeMessage(place, bytes);
    const { kind, node, writer, firstSequence, entries } = message;
    if (place !== this.#place + 1) {
      throw new LogRefused(`message ${place} of the log follows ${this.#place}: one is missing`);
    }
    if (firstSequence !== this.#nextSequence) {
      throw new LogRefused(
        `message ${place} of the log begins at sequence ${firstSequence}, ` +
          `${this.#nextSequence} is next`,
      );
    }
    const isLeaders = writer === this.#leader?.writer && !this.#isHandedOver;
    if (kind !== 'takeover' && !isLeaders && !(kind === 'lift' && this.#isGated)) {
      throw new LogRefused(
        `message ${place} of the log is of ${node}, which did not lead any more: the fence of the ` +
          'log did not hold; stop all nodes and compare their journals (rialto verify)',
      );
    }
    this.#place = place;
    this.#nextSequence += entries.length;
    this.#leader = { node, writer };
    this.#isHandedOver = kind === 'hand-over' || kind === 'gate' || kind === 'lift';
    // Until the first entry after it the gate can be lifted, whoever has tried to lead meanwhile.
    this.#isGated = kind === 'gate' || (this.#isGated && kind !== 'lift' && entries.length === 0);
    if (kind === 'takeover') {
      this.#term = place;
      this.#takeovers++;
    }
    return message;
  }
}

/** What a node has itself: its local journal. */
export type Own = {
  readonly lastSequence: number;
  /** Whether its last entry is this one. */
  readonly isLast: (entry: Uint8Array) => boolean;
};

export type Place = {
  readonly cursor: LogCursor;
  /** Entries of the message at the cursor that the local journal lacks. */
  readonly rest: readonly Uint8Array[];
};

/**
 * Finds the place in the log up to which a node has everything, in a logarithmic number of reads, and checks
 * that the last entry is the same in both: it holds a digest of everything before it.
 *
 * A journal ahead of the log is refused: entries reach it only after the log has acknowledged them, so the
 * log has lost something.
 */
export async function findPlace(log: ReplicatedLog, own: Own): Promise<Place> {
  const { firstPlace, lastPlace } = await log.end();
  const { lastSequence } = own;
  const low = await placeOf(log, lastSequence);
  if (low < firstPlace) {
    return atBeginning(lastSequence, lastPlace, () => messageAt(log, firstPlace), low);
  }
  const message = await messageAt(log, low);
  const { firstSequence, entries, node, writer } = message;
  const logged = firstSequence + entries.length - 1;
  if (logged < lastSequence) throw ahead(lastSequence, logged);
  const stored = entries[lastSequence - firstSequence];
  if (stored === undefined || !own.isLast(stored)) {
    throw new LogRefused(
      `entry ${lastSequence} of this node's journal is not the one of the log: it is of another venue or was ` +
        'written without the log, or the log had lost it and another engine has gone on since; keep the data ' +
        'directory aside, and start from a snapshot or a backup of a node that belongs to the log',
    );
  }
  const cursor = new LogCursor({
    place: low,
    nextSequence: logged + 1,
    leader: { node, writer },
  });
  return { cursor, rest: entries.slice(lastSequence - firstSequence + 1) };
}

async function messageAt(log: ReplicatedLog, place: number): Promise<Message> {
  const found = await log.at(place);
  if (found === undefined) throw new LogRefused(`the log has no message ${place} any more`);
  return decodeMessage(place, found.bytes);
}

/**
 * The last place whose message begins at or before a sequence; the place before the first one if there is
 * none.
 */
export async function placeOf(log: ReplicatedLog, sequence: number): Promise<number> {
  const { firstPlace, lastPlace } = await log.end();
  let [low, high] = [firstPlace - 1, lastPlace];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((await messageAt(log, middle)).firstSequence <= sequence) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The entry at a sequence; undefined if the log does not have it, or no longer has it. */
export async function entryIn(
  log: ReplicatedLog,
  sequence: number,
): Promise<Uint8Array | undefined> {
  const place = await placeOf(log, sequence);
  const { firstPlace } = await log.end();
  if (place < firstPlace) return undefined;
  const { firstSequence, entries } = await messageAt(log, place);
  return entries[sequence - firstSequence];
}

/** The gate directly after a sequence, unless it was lifted. */
export async function gateBehind(
  log: ReplicatedLog,
  sequence: number,
): Promise<{ readonly layout: string; readonly place: number } | undefined> {
  const { lastPlace } = await log.end();
  const from = (await placeOf(log, sequence)) + 1;
  if (from > lastPlace) return undefined;
  let gate: { readonly layout: string; readonly place: number } | undefined;
  let isBeyond = false;
  let at = from - 1;
  await log.read(
    from,
    ({ place, bytes }) => {
      at = place;
      const { kind, layout, entries } = decodeMessage(place, bytes);
      isBeyond ||= entries.length > 0;
      if (isBeyond) return;
      if (layout !== undefined) gate = { layout, place };
      else if (kind === 'lift') gate = undefined;
    },
    () => isBeyond || at >= lastPlace,
  );
  return gate;
}

/** The first sequence that the log still has; the next one if it has none. */
export async function firstSequenceIn(log: ReplicatedLog): Promise<number> {
  const { firstPlace, lastPlace } = await log.end();
  return lastPlace < firstPlace ? 1 : (await messageAt(log, firstPlace)).firstSequence;
}

/**
 * The journal has nothing of the log yet: then either one is empty, or the log begins directly after the
 * journal.
 */
async function atBeginning(
  lastSequence: number,
  lastPlace: number,
  first: () => Promise<Message>,
  place: number,
): Promise<Place> {
  const nextSequence = lastPlace <= place ? 1 : (await first()).firstSequence;
  if (nextSequence <= lastSequence) throw ahead(lastSequence, nextSequence - 1);
  if (nextSequence !== lastSequence + 1) {
    throw new LogRefused(
      `the log begins at sequence ${nextSequence}, this node's journal ends at ${lastSequence}: ` +
        'start this node from a backup of another one',
    );
  }
  return { cursor: new LogCursor({ place, nextSequence, leader: undefined }), rest: [] };
}

const ahead = (lastSequence: number, logged: number): LogRefused =>
  new LogRefused(
    `this node's journal ends at sequence ${lastSequence}, the log at ${logged}: the log has lost ` +
      `${lastSequence - logged} entries. Do not start other nodes; find the node with the longest ` +
      'journal and run there: rialto cluster repair',
  );
