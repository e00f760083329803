import type { State } from '../core/state.ts';
import { directoryOf } from '../core/views/views.ts';
import type { Directory } from '../domain/views.ts';
import type { JournalReader } from '../journal/journal.ts';
import { openSegmentReader } from '../journal/segment-reader.ts';
import { newestSnapshot } from '../journal/snapshots.ts';
import { beyond, type Cursors, cursorAt, isStopRequested } from './cursors.ts';
import type { EngineStatus } from './engine.ts';
import { layoutOf } from './layout.ts';
import { type CommandAnswer, LeaderConnection } from './leader-connection.ts';
import { RecentOutcomes } from './recent-outcomes.ts';
import { replay, startingState } from './recovery.ts';
import { RemoteEngine, type RemoteEngineParts } from './remote-engine.ts';
import type { Retention } from './retention.ts';
import { stampOf } from './stamp.ts';
import { outcomeReader } from './start.ts';
import { ThreadClock } from './thread-clock.ts';
import { ONLY_WRITER, type ThreadTransport } from './thread-transport.ts';
import { type Every, secondOf } from './ticker.ts';

export type ThreadGatewayOptions = {
  readonly directory: string;
  readonly venueId: string;
  readonly cursors: Cursors;
  readonly retention: Retention | undefined;
  readonly clock: SharedArrayBuffer;
  readonly transport: ThreadTransport;
  /** The name of this thread. */
  readonly node: string;
  readonly every: Every;
  /** Waits a moment. */
  readonly pause: (ms: number) => Promise<unknown>;
  /** The copy cannot go on. */
  readonly onFailure: (reason: unknown) => void;
};

export type ThreadGateway = {
  readonly engine: RemoteEngine;
  stop(): void;
};

/** The longest that the copy is behind while nobody reads from this thread. */
const PAUSE_MS = 20;

/**
 * The engine of a gateway thread: commands go to the engine's thread, everything else comes from a copy of
 * the venue that follows the journal on disk.
 *
 * Shared memory says up to where the journal is durable, and nothing is answered anywhere before it is. So a
 * read first brings the copy to that point, synchronously and by itself, and then shows what any thread has
 * answered. Once a second it asks the engine instead, because in an idle venue time advances only when
 * somebody asks.
 */
export function openThreadGateway(options: ThreadGatewayOptions): ThreadGateway {
  const { cursors, transport, every } = options;
  const { journal: directory, snapshots } = layoutOf(options.directory);
  const found = newestSnapshot(snapshots, { stamps: [stampOf(options.venueId)] });
  const journal = openSegmentReader({ directory, checks: 'checksum', isReused: true });
  const state = startingState(found);
  const durable = cursorAt(cursors, 'journal');
  replay(state, journal.read(state.sequence + 1, durable));
  const recent = new RecentOutcomes({
    nextSequence: state.sequence + 1,
    readOlder: outcomeReader(options, cursors),
    limits: { lagMax: Number.POSITIVE_INFINITY },
  });
  const connection = new LeaderConnection({
    ...{ transport, node: options.node, every, soon: setImmediate, isOnlyLeader: true },
    nowMs: () => performance.now(),
    inbox: options.node,
    stamp: stampOf(options.venueId),
    onRefused: (words) => options.onFailure(new Error(words)),
  });
  connection.setLeader(ONLY_WRITER);
  const clock = new ThreadClock(options.clock);
  const copy = new JournalCopy({ state, journal, recent, cursors, onFailure: options.onFailure });
  const engine = new ThreadEngine(
    {
      ...{ state, recent, clock, every },
      connection: new CopyFirst(connection, copy, () => clock.nowMs()),
      nowMs: () => performance.now(),
    },
    copy,
  );
  copy.onEntry = engine.onEntry;
  void copy.keepUp(options.pause);
  return {
    engine,
    stop: () => {
      copy.stop();
      engine.stop();
      journal.close();
    },
  };
}

type CopyParts = {
  readonly state: State;
  readonly journal: JournalReader;
  readonly recent: RecentOutcomes;
  readonly cursors: Cursors;
  readonly onFailure: (reason: unknown) => void;
};

/** Brings the state to the durable end of the journal. */
class JournalCopy {
  readonly #parts: CopyParts;
  onEntry: RemoteEngine['onEntry'] = () => undefined;
  #isStopped = false;

  constructor(parts: CopyParts) {
    this.#parts = parts;
  }

  /** Returns the sequence it has reached: at least the one that was durable when this was called. */
  follow(): number {
    const { state, journal, recent, cursors, onFailure } = this.#parts;
    const durable = cursorAt(cursors, 'journal');
    if (durable <= state.sequence || this.#isStopped) return state.sequence;
    try {
      replay(state, journal.read(state.sequence + 1, durable), this.onEntry);
    } catch (cause) {
      // It may be half applied: nothing of it may be shown any more.
      this.#isStopped = true;
      onFailure(cause);
      throw cause;
    }
    // Outcomes that are no longer in memory come from the event log, for which one may have to wait.
    recent.stored(state.sequence);
    return state.sequence;
  }

  /** While nobody reads, it follows in larger steps. */
  async keepUp(pause: ThreadGatewayOptions['pause']): Promise<void> {
    const { cursors, state } = this.#parts;
    while (!this.#isStopped && !isStopRequested(cursors)) {
      await beyond(cursors, 'journal', state.sequence);
      await pause(PAUSE_MS);
      try {
        this.follow();
      } catch {
        return; // It was reported.
      }
    }
  }

  stop(): void {
    this.#isStopped = true;
  }
}

/** The connection to the engine's thread. It brings the copy up to date before anybody is answered. */
class CopyFirst implements Pick<LeaderConnection, keyof RemoteEngineParts['connection']> {
  readonly #connection: LeaderConnection;
  readonly #copy: JournalCopy;
  readonly #nowMs: () => number;
  #requestedSecond = -1;
  #request: Promise<number> | undefined;

  constructor(connection: LeaderConnection, copy: JournalCopy, nowMs: () => number) {
    this.#connection = connection;
    this.#copy = copy;
    this.#nowMs = nowMs;
  }

  get waiting(): number {
    return this.#connection.waiting;
  }

  get fullWords(): string | undefined {
    return this.#connection.fullWords;
  }

  async submit(bytes: Uint8Array, isSigned: boolean): Promise<CommandAnswer> {
    const answer = await this.#connection.submit(bytes, isSigned);
    this.#copy.follow();
    return answer;
  }

  async newest(): Promise<number> {
    const second = secondOf(this.#nowMs());
    if (second !== this.#requestedSecond) {
      this.#requestedSecond = second;
      const request: Promise<number> = this.#connection.newest().finally(() => {
        if (this.#request === request) this.#request = undefined;
      });
      this.#request = request;
    }
    // Callers that arrive during a request wait for the same answer.
    await this.#request;
    return this.#copy.follow();
  }

  setLeader(): void {}

  onLogged(): void {}

  stop(reason: Parameters<LeaderConnection['stop']>[0]): void {
    this.#connection.stop(reason);
  }
}

/**
 * Reads that do not wait are brought up to date as well: keys that were revoked elsewhere, and the start of
 * the stream.
 */
class ThreadEngine extends RemoteEngine {
  override readonly directory: Directory;
  readonly #copy: JournalCopy;

  constructor(parts: RemoteEngineParts, copy: JournalCopy) {
    super(parts);
    this.#copy = copy;
    this.directory = followed(directoryOf(parts.state), copy);
  }

  override get releasedSequence(): number {
    return this.#copy.follow();
  }

  override status(): EngineStatus {
    this.#copy.follow();
    return super.status();
  }
}

/** Where requests begin a lookup. What they then look up by the index they got exists in the copy. */
const LOOKUPS = [
  'keyByAccess',
  'keysOf',
  'families',
  'familyByName',
  'assets',
  'assetByCode',
  'markets',
  'marketByCode',
  'networks',
  'networkByName',
] as const satisfies readonly (keyof Directory)[];

function followed(plain: Directory, copy: JournalCopy): Directory {
  const lookups = LOOKUPS.map((name) => {
    const lookUp = plain[name] as (...args: unknown[]) => unknown;
    return [
      name,
      (...args: unknown[]) => {
        copy.follow();
        return lookUp(...args);
      },
    ];
  });
  return { ...plain, ...Object.fromEntries(lookups) };
}
