import { digestText } from '../bytes/digest.ts';
import type { State } from '../core/state.ts';
import { directoryOf } from '../core/views/views.ts';
import type { Command } from '../domain/commands.ts';
import { refuse } from '../domain/rejections.ts';
import type { Directory, Views } from '../domain/views.ts';
import { openSegmentReader } from '../journal/segment-reader.ts';
import { newestSnapshot } from '../journal/snapshots.ts';
import { CopyEngine } from './copy-engine.ts';
import { type Cursors, cursorAt } from './cursors.ts';
import { type Engine, type EngineStatus, EngineStopped, type Submitted } from './engine.ts';
import { JournalCopy } from './journal-copy.ts';
import { layoutOf } from './layout.ts';
import { replay, startingState } from './recovery.ts';
import { stampOf } from './stamp.ts';
import { ThreadClock } from './thread-clock.ts';
import { ThreadLink } from './thread-link.ts';
import { type Every, secondOf } from './ticker.ts';

export type ThreadGatewayOptions = {
  readonly directory: string;
  readonly venueId: string;
  readonly cursors: Cursors;
  readonly clock: SharedArrayBuffer;
  /** Posts a message to the engine's thread. */
  readonly post: (bytes: Uint8Array<ArrayBuffer>) => void;
  readonly every: Every;
  /** Waits a moment. */
  readonly pause: (ms: number) => Promise<unknown>;
  /** The copy cannot go on. */
  readonly onFailure: (reason: unknown) => void;
};

export type ThreadGateway = {
  readonly engine: Engine;
  /** A message of the engine's thread. */
  receive(bytes: Uint8Array): void;
  stop(): void;
};

/**
 * The engine of a gateway thread: commands go to the engine's thread and are answered with the outcome that it
 * sends; everything else comes from a copy of the venue that follows the journal on disk.
 *
 * Shared memory says up to where the journal is durable, and nothing is answered anywhere before it is. So a
 * read first brings the copy to that point, synchronously and by itself, and then shows what any thread has
 * answered. Names and keys need less: only what is not an order changes them, and shared memory says where the
 * last of that is. So a stream of orders is applied in larger steps, which cost a fraction.
 */
export function openThreadGateway(options: ThreadGatewayOptions): ThreadGateway {
  const { cursors, every } = options;
  const { journal: directory, snapshots } = layoutOf(options.directory);
  const found = newestSnapshot(snapshots, { stamps: [stampOf(options.venueId)] });
  const journal = openSegmentReader({ directory, checks: 'checksum', isReused: true });
  const state = startingState(found);
  replay(state, journal.read(state.sequence + 1, cursorAt(cursors, 'journal')));
  const copy = new JournalCopy({ state, journal, cursors, onFailure: options.onFailure });
  const link = new ThreadLink({
    ...{ post: options.post, every, soon: setImmediate },
    nowMs: () => performance.now(),
  });
  const engine = new ThreadEngine({ state, copy, link, clock: new ThreadClock(options.clock) });
  void copy.keepUp(options.pause);
  return {
    engine,
    receive: (bytes) => {
      // Whoever reads the answer may look up the key or the name that its command has created.
      copy.followNames();
      link.receive(bytes);
    },
    stop: () => {
      copy.stop();
      link.stop(new EngineStopped('the gateway is closing'));
      journal.close();
    },
  };
}

type ThreadEngineParts = {
  readonly state: State;
  readonly copy: JournalCopy;
  readonly link: ThreadLink;
  readonly clock: ThreadClock;
};

class ThreadEngine extends CopyEngine {
  readonly directory: Directory;
  readonly #parts: ThreadEngineParts;
  #refreshedSecond = -1;
  #refresh: Promise<void> | undefined;

  constructor(parts: ThreadEngineParts) {
    super(parts);
    this.#parts = parts;
    this.directory = followed(directoryOf(parts.state), parts.copy);
  }

  submit(command: Command): Promise<Submitted> {
    const { link } = this.#parts;
    const full = link.fullWords;
    return full === undefined
      ? link.submit(command)
      : Promise.resolve(this.refused(refuse('BUSY', full)));
  }

  /**
   * Once a second it asks the engine, because in an idle venue time advances only when somebody asks. Callers
   * that come meanwhile wait for the same answer.
   */
  async refreshed(): Promise<void> {
    const second = secondOf(this.#parts.clock.nowMs());
    if (second !== this.#refreshedSecond) {
      this.#refreshedSecond = second;
      const refresh: Promise<void> = this.#parts.link.refresh().finally(() => {
        if (this.#refresh === refresh) this.#refresh = undefined;
      });
      this.#refresh = refresh;
    }
    await this.#refresh;
    this.#parts.copy.follow();
  }

  get releasedSequence(): number {
    return this.#parts.copy.durableSequence;
  }

  override indexPrices(): Views['indexPrices']['result'] {
    this.#parts.copy.followNames();
    return super.indexPrices();
  }

  status(): EngineStatus {
    const { state, copy, link, clock } = this.#parts;
    copy.follow();
    return {
      sequence: state.sequence,
      releasedSequence: this.releasedSequence,
      digest: digestText(state.digest),
      waiting: link.waiting,
      isStopped: copy.isStopped,
      clock: clock.reading(),
      disk: { freeBytes: undefined, refusing: undefined },
    };
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

/** Keys that were revoked through another thread are revoked here. */
function followed(plain: Directory, copy: JournalCopy): Directory {
  const lookups = LOOKUPS.map((name) => {
    const lookUp = plain[name] as (...args: unknown[]) => unknown;
    return [
      name,
      (...args: unknown[]) => {
        copy.followNames();
        return lookUp(...args);
      },
    ];
  });
  return { ...plain, ...Object.fromEntries(lookups) };
}
