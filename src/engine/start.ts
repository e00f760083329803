import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { State } from '../core/state.ts';
import type { Directory } from '../domain/views.ts';
import type { Journal } from '../journal/journal.ts';
import { peekSegments } from '../journal/peek.ts';
import { openSegments, type Segments } from '../journal/segments.ts';
import { newestSnapshot } from '../journal/snapshots.ts';
import type { Signals, Transport } from '../replication/log.ts';
import { CLOCKS_DIFFER_MS, type Clocks, EngineClock, realClocks } from './clock.ts';
import {
  advanceJournal,
  type Cursors,
  cursorAt,
  newCursors,
  requestStop,
  watchThread,
} from './cursors.ts';
import { DEFAULT_DISK_LIMITS, type DiskLimits, DiskWatch, freeBytesOf } from './disk-watch.ts';
import { type Engine, EngineStopped, type FollowerStatus } from './engine.ts';
import { openEventLog } from './event-log.ts';
import type { FollowerMessage, FollowerWork } from './follower-worker.ts';
import { layoutOf } from './layout.ts';
import { openPoison } from './poison.ts';
import { RecentOutcomes } from './recent-outcomes.ts';
import {
  RecoveryRefused,
  refuseAhead,
  refuseClockBehind,
  replay,
  startingState,
} from './recovery.ts';
import type { Retention, RetentionStatus } from './retention.ts';
import { Sequencer, type SequencerParts } from './sequencer.ts';
import { stampOf } from './stamp.ts';
import { SyncTimes } from './sync-times.ts';
import { type Older, takeOver } from './upgrade.ts';

export type EngineOptions = {
  readonly directory: string;
  /** The venue's identity: files of another one are refused. */
  readonly venueId: string;
  readonly clocks?: Clocks;
  /** Forward jumps of the wall clock are accepted whatever their size, once they have lasted long enough. */
  readonly takesAnyClockJump?: boolean;
  /** The clock may be behind the journal by any length; time then stands still until it has caught up. */
  readonly allowClockBehind?: boolean;
  readonly segmentBytes?: number;
  readonly snapshotEvery?: number | undefined;
  /** Also after this many bytes of the journal. */
  readonly snapshotEveryBytes?: number | undefined;
  /** Journal and event log of this directory begin after a snapshot; 0 if they are complete. */
  readonly beginsAfter?: number;
  /** The journal is a copy of a log that was checked while it was read. */
  readonly isCopy?: boolean;
  /** The longest the follower batches while nobody waits for it; tests set it. */
  readonly gatherMostMs?: number | undefined;
  /** The venue cannot continue: everything that waited has been answered "outcome unknown". */
  readonly onFailure: (reason: Error) => void;
  /** A problem that does not stop the venue: a full disk, no descriptor left. */
  readonly onTrouble?: (words: string) => void;
  /** The sequence that history has reached; it may not be ahead of the journal. */
  readonly historySequence?: number;
  readonly diskLimits?: DiskLimits;
  /** Nothing is archived or deleted unless set. */
  readonly retention?: Retention | undefined;
  /** How often the follower checks whether something may be retired; tests set it. */
  readonly retainEveryMs?: number | undefined;
};

export type RunningEngine = {
  readonly engine: Engine;
  readonly cursors: Cursors;
  /** To be watched while the engine runs: see clock-watch.ts. */
  readonly clock: EngineClock;
  /** To be checked once a second. */
  readonly disk: DiskWatch;
  readonly recovered: Recovered;
  readonly retention: () => RetentionStatus;
  /** For a node of a cluster. */
  readonly cluster?: ClusterSide;
  /** Answers what was accepted, lets the follower catch up and take a snapshot, closes the files. */
  stop(): Promise<void>;
};
export type ClusterSide = {
  readonly role: 'leader' | 'gateway';
  /** To be called when the rest of the program is ready; `listeners` counts the connections to its stream. */
  open(engine: Engine, listeners: () => number): void;
  /** The node is about to stop: nothing may wait much longer for the log. */
  stopping(): void;
  /** Connections to the streams of other nodes. */
  listeners(): number;
  readonly node: string;
  /** Short messages to the other nodes. */
  readonly signals: Signals;
  /** Of the leader: where standbys send what operators ask of them. */
  readonly relay?: { readonly transport: Transport; readonly writer: string };
  reading(): ClusterReading;
  /** Why clients should be sent elsewhere. */
  readonly troubles: () => readonly string[];
};
/** For metrics. */
export type ClusterReading = {
  /** The place of the newest takeover in the log. */
  readonly term: number;
  readonly place: number;
  /** Messages of the log that this node has not read. */
  readonly lag: number;
  /** Takeovers seen since the start. */
  readonly takeovers: number;
  /** Batches of commands: received from gateways at a leader, sent to the leader at a gateway. */
  readonly batches: number;
  /** Commands that a gateway has sent more than once. */
  readonly resent: number;
};
export type Recovered = {
  readonly sequence: number;
  readonly fromSnapshot: number;
  readonly replayed: number;
  /** Findings of recovery: a torn tail that was cut, a damaged snapshot that was skipped. */
  readonly remarks: readonly string[];
};

/** A recovered engine. In a cluster it may take long until it leads. */
export type OpenEngine = {
  readonly cursors: Cursors;
  readonly recovered: Recovered;
  readonly directory: Directory;
  readonly leading: Promise<RunningEngine>;
  /** The current leader while this node does not lead. */
  leader():
    | { readonly node: string; readonly url: string | undefined; readonly writer: string }
    | undefined;
  /** Stops a node that does not lead yet. */
  stop(): Promise<void>;
};

const SNAPSHOT_EVERY = 500_000;

/** Recovers from what is on disk and starts the writer and its follower. Start-up IS recovery. */
export async function startEngine(options: EngineOptions): Promise<RunningEngine> {
  const { local, older } = await openJournal(options);
  try {
    return runWriter(recover(options, local, older), local);
  } catch (cause) {
    await local.close();
    throw cause;
  }
}

export async function openJournal(
  options: EngineOptions,
  { isCopy = false }: { readonly isCopy?: boolean } = {},
): Promise<{ readonly local: Segments; readonly older: Older }> {
  const { venueId, segmentBytes } = options;
  const older = await takeOver(options);
  const local = await openSegments({
    directory: layoutOf(options.directory).journal,
    stamp: stampOf(venueId),
    olderStamps: older.stamps,
    beginsAfter: options.beginsAfter,
    isCopy,
    ...(options.onTrouble === undefined ? {} : { onTrouble: options.onTrouble }),
    ...(segmentBytes === undefined ? {} : { segmentBytes }),
  });
  return { local, older };
}

/** A recovered node with its follower, but without a writer yet. */
export type Warm = {
  readonly options: EngineOptions;
  readonly state: State;
  readonly disk: DiskWatch;
  readonly cursors: Cursors;
  readonly recovered: Recovered;
  readonly follower: Follower;
};

export function recover(options: EngineOptions, local: Segments, older: Older): Warm {
  const paths = layoutOf(options.directory);
  const found = newestSnapshot(paths.snapshots, { stamps: [stampOf(options.venueId)] });
  const fromSnapshot = found.sequence;
  refuseAhead('a snapshot', fromSnapshot, local.lastSequence);
  refuseAhead('history', options.historySequence ?? 0, local.lastSequence);
  refuseArchivedBeginning(fromSnapshot, local.opened.firstSequence);
  refuseGapInEventLog(options, Math.max(older.boundary, local.opened.firstSequence - 1));
  const state = startingState(found);
  replay(state, local.read(fromSnapshot + 1));
  const clocks = options.clocks ?? realClocks;
  if (options.allowClockBehind !== true) {
    refuseClockBehind(state, clocks.wallMs(), CLOCKS_DIFFER_MS);
  }
  const disk = new DiskWatch({
    freeBytes: () => freeBytesOf(options.directory),
    spareFailure: () => local.spareFailure,
    limits: options.diskLimits ?? DEFAULT_DISK_LIMITS,
    onNotice: options.onTrouble ?? (() => undefined),
  });
  const cursors = newCursors();
  advanceJournal(cursors, local.lastSequence, local.lastSequence);
  return {
    options,
    state,
    disk,
    cursors,
    follower: startFollower(options, cursors),
    recovered: {
      sequence: local.lastSequence,
      fromSnapshot,
      replayed: local.lastSequence - fromSnapshot,
      remarks: [...older.remarks, ...remarksOf(local, found.skipped)],
    },
  };
}

/** Starts the writer on a state that is at the journal's end. */
export function runWriter(
  warm: Warm,
  journal: Journal,
  more: Pick<SequencerParts, 'waitingMax'> = {},
): RunningEngine & { readonly drain: () => Promise<void> } {
  const { options, state, disk, cursors, follower, recovered } = warm;
  const clocks = options.clocks ?? realClocks;
  const clock = new EngineClock({
    clocks,
    notBeforeMs: state.timeMs,
    takesAnyJump: options.takesAnyClockJump ?? false,
  });
  const recent = new RecentOutcomes({
    nextSequence: journal.lastSequence + 1,
    readOlder: outcomeReader(options, cursors),
  });
  follower.attach({ stored: (at) => recent.stored(at), nowMs: () => clock.nowMs() });
  const sequencer = new Sequencer({
    state,
    journal,
    clock,
    disk,
    recent,
    poison: openPoison(layoutOf(options.directory).poison),
    syncTimes: new SyncTimes(() => clocks.monotonicMs()),
    follower: follower.status,
    soon: setImmediate,
    onDurable: (sequence, names) => advanceJournal(cursors, sequence, names),
    onFailure: options.onFailure,
    ...more,
  });
  return {
    drain: () => sequencer.drain(),
    engine: sequencer,
    cursors,
    clock,
    disk,
    retention: follower.retention,
    recovered,
    stop: async () => {
      await sequencer.drain();
      requestStop(cursors);
      await follower.ended;
      await journal.close();
    },
  };
}

/**
 * The follower fills gaps of the event log by replaying the journal. If the beginning of the gap was
 * archived, or written by an earlier version, the event log must reach to where replay can begin.
 */
function refuseGapInEventLog(options: EngineOptions, replayableFrom: number): void {
  if (replayableFrom <= 0) return;
  const { directory, venueId, beginsAfter = 0 } = options;
  const { events, snapshots } = layoutOf(directory);
  const logged = peekSegments({ directory: events }).lastSequence() || beginsAfter;
  const found = newestSnapshot(snapshots, { stamps: [stampOf(venueId)], atMost: logged });
  if (found.sequence >= replayableFrom) return;
  throw new RecoveryRefused(
    `the event log ends at ${logged}, and what follows cannot be replayed from before ` +
      `${replayableFrom}: bring back ${events} from a copy`,
  );
}

/** Replay begins after a snapshot, and the entries that follow it must not have been archived. */
function refuseArchivedBeginning(fromSnapshot: number, firstSequence: number): void {
  if (fromSnapshot >= firstSequence - 1) return;
  throw new RecoveryRefused(
    `the journal begins at ${firstSequence} and the newest snapshot that checks is at ` +
      `${fromSnapshot}: bring back snapshots/ from a copy, or decompress what was archived into ` +
      'journal/',
  );
}

/** Right after a crash the event log may be short: the follower is about to complete it. */
export function outcomeReader(
  {
    directory,
    retention,
    beginsAfter = 0,
  }: Pick<EngineOptions, 'directory' | 'retention' | 'beginsAfter'>,
  cursors: Cursors,
) {
  const eventLog = openEventLog(directory, cursors, retention?.folder);
  return async (sequence: number): Promise<Uint8Array | undefined> => {
    // For a node that started from a snapshot of the cluster.
    if (sequence <= beginsAfter) return undefined;
    for (;;) {
      for (const { bytes } of eventLog.read(sequence, sequence)) return bytes.slice();
      if (eventLog.isStopped()) throw new EngineStopped('the venue is closing');
      await eventLog.waitForMore(cursorAt(cursors, 'eventLog'));
    }
  };
}

function remarksOf(
  journal: Segments,
  skipped: readonly { readonly file: string; readonly reason: string }[],
): string[] {
  const remarks = skipped.map(({ file, reason }) => `snapshot ${file} was skipped: ${reason}`);
  const { cut } = journal.opened;
  if (cut !== undefined) {
    remarks.push(`an unfinished write of ${cut.bytes} bytes was cut off ${cut.file}`);
  }
  return remarks;
}

type Follower = {
  readonly ended: Promise<void>;
  readonly retention: () => RetentionStatus;
  readonly status: () => FollowerStatus;
  /** Reports to a writer up to where the event log is stored, and uses its clock from now on. */
  attach(writer: FollowedWriter): void;
};
type FollowedWriter = {
  readonly stored: (sequence: number) => void;
  readonly nowMs: () => number;
};

/** Reports the same problem once, not every minute. */
function reportTrouble(
  { onTrouble }: EngineOptions,
  before: RetentionStatus,
  { trouble }: RetentionStatus,
): void {
  if (trouble === before.trouble) return;
  onTrouble?.(
    trouble === undefined
      ? 'old segments are retired again'
      : `old segments could not be retired and stay, trading goes on: ${trouble}`,
  );
}

function startFollower(options: EngineOptions, cursors: Cursors): Follower {
  const { wallMs } = options.clocks ?? realClocks;
  let writer: FollowedWriter = { stored: () => undefined, nowMs: wallMs };
  /** By the machine's clock: the venue's clock is in the past while a demo venue plays its past. */
  let audited: { readonly sequence: number; readonly monotonicMs: number } | undefined;
  let retention: RetentionStatus = { retired: 0, failures: 0, trouble: undefined };
  const work: FollowerWork = {
    directory: options.directory,
    venueId: options.venueId,
    cursors,
    snapshotEvery: options.snapshotEvery ?? SNAPSHOT_EVERY,
    isTimed: options.snapshotEvery === undefined,
    segmentBytes: options.segmentBytes,
    gatherMostMs: options.gatherMostMs,
    isCopy: options.isCopy === true,
    snapshotEveryBytes: options.snapshotEveryBytes,
    beginsAfter: options.beginsAfter,
    retention: options.retention,
    retainEveryMs: options.retainEveryMs,
  };
  const worker = new Worker(workerUrl('follower-worker'), { workerData: work });
  worker.on('message', (message: FollowerMessage) => {
    if (typeof message === 'number') writer.stored(message);
    else if ('trouble' in message) options.onTrouble?.(message.trouble);
    else if ('audited' in message) {
      audited = { sequence: message.audited, monotonicMs: realClocks.monotonicMs() };
    } else {
      reportTrouble(options, retention, message.retention);
      retention = message.retention;
    }
  });
  return {
    ended: watchThread(worker, 'follower', cursors, options.onFailure),
    retention: () => retention,
    attach: (attached) => {
      writer = attached;
    },
    status: () => {
      const sequence = cursorAt(cursors, 'eventLog');
      if (audited === undefined) return { sequence };
      const agoMs = realClocks.monotonicMs() - audited.monotonicMs;
      return { sequence, audit: { sequence: audited.sequence, atMs: writer.nowMs() - agoMs } };
    },
  };
}

/** Source or built: a worker's file is beside this one and has the same extension. */
const workerUrl = (name: string): URL =>
  new URL(`./${name}${extname(import.meta.url)}`, import.meta.url);
