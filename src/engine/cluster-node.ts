import { VERSION } from '../domain/version.ts';
import type { Journal } from '../journal/journal.ts';
import type { LogEnd, ReplicatedLog, Signals, Transport } from '../replication/log.ts';
import { LogCursor } from '../replication/log-cursor.ts';
import { ReplicatedJournal, takeOver } from '../replication/replicated-journal.ts';
import { BEAT_MS, type Beat, beatFrom, beatText, clockWords } from './beat.ts';
import type { Clocks } from './clock.ts';
import { GateReached } from './gate.ts';
import type { LogFollower } from './log-follower.ts';
import { LAYOUT, ONE_LAYOUT } from './stamp.ts';
import type { Every } from './ticker.ts';

export type ClusterOptions = {
  readonly log: ReplicatedLog & Signals & Transport;
  readonly role: 'engine' | 'gateway';
  /** The name of this node; each has its own. */
  readonly node: string;
  /** Where clients reach it while it leads. */
  readonly url: string;
  readonly every: Every;
  /** Calls once, later; the returned function cancels it. */
  readonly after: (delayMs: number, call: () => void) => () => void;
  /** The leader was asked to hand over to another node. */
  readonly onHandOver: () => void;
  /** The log is closed for this program: the node must end as if it was asked to stop. */
  readonly onGate: (reason: GateReached) => void;
};

export type NodeParts<Leading> = Omit<ClusterOptions, 'role'> & {
  readonly local: Journal;
  readonly follower: LogFollower;
  readonly clocks: Clocks;
  /** Creates the writer on the state that the follower has brought to the log's end. */
  readonly promote: (journal: ReplicatedJournal) => Leading;
  /** The node cannot continue, or another one leads: all of it must end. */
  readonly onFailure: (reason: Error) => void;
  readonly onTrouble: (words: string) => void;
};

/** How long a node that stops waits for the log: many times as long as a hand-over takes. */
export const STOP_WAIT_MS = 3_000;
/** A leader is given up after this much silence; longer than any lease (leased-engine.ts). */
const TAKEOVER_MS = 1_500;
const CHECK_MS = 50;
/**
 * A leader that misses this many of its own beats receives nothing, the log's answers included. It stops
 * announcing that it leads: nodes that receive the announcement would wait for it.
 */
const MISSED_BEATS_MAX = 2;
/** A gateway that sends nothing for this long is gone. */
const GATEWAY_SILENT_MS = 5_000;
/** Bounds memory: anybody may send to the servers. */
const GATEWAYS_MAX = 1_000;
/** A node whose clock is further from the log's than this must not lead, nor serve as a gateway. */
const CLOCK_MS = 250;
/** How often it is compared: whoever is to take over must not first find out then that it may not. */
const CLOCK_CHECK_MS = 5_000;
/** The pause after an attempt without an answer. */
const PAUSE_MS = 50;

/** A standby that was asked to stop before it led. */
export class StandbyStopped extends Error {
  override readonly name = 'StandbyStopped';
}

/**
 * One engine of a cluster: a standby that takes over when it receives nothing from a leader, and a leader until
 * another one has taken over. The append of the takeover decides, not this file: beats, clocks and silence
 * only say when an attempt is worthwhile. A leader that was replaced ends, because its state holds commands
 * that the log will never have.
 */
export class ClusterNode<Leading> {
  /** Resolves when this node leads; rejects when it cannot go on, or was stopped before. */
  readonly leading: Promise<Leading>;
  readonly #parts: NodeParts<Leading>;
  readonly #urls = new Map<string, string>();
  readonly #gateways = new Map<
    string,
    { readonly listeners: number; readonly lastSeenMs: number }
  >();
  readonly #stops: (() => void)[];
  #resolve: (leading: Leading) => void = () => undefined;
  #reject: (reason: Error) => void = () => undefined;
  #isTrying = false;
  #isStopped = false;
  #journal: ReplicatedJournal | undefined;
  #missedBeats = 0;
  #clockMs: number | null = null;
  #clockTrouble: string | undefined;
  #isToGate = false;
  #hasDuplicate = false;

  constructor(parts: NodeParts<Leading>) {
    this.#parts = parts;
    this.leading = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.leading.catch(() => undefined);
    const { log, every, follower } = parts;
    log.subscribe('beat', (text) => this.#onBeat(beatFrom(text)));
    log.subscribe('hand-over', (node) => this.#onHandOverRequest(node, false));
    log.subscribe('gate', (node) => this.#onHandOverRequest(node, true));
    this.#stops = [
      every(BEAT_MS, () => this.#beat()),
      every(CHECK_MS, () => void this.takeOverIfDue()),
      every(CLOCK_CHECK_MS, () => void this.#checkClock()),
    ];
    follower.follow().catch((cause: unknown) => this.#fail(cause));
  }

  /** The current leader, as far as this node knows. */
  leader():
    | { readonly node: string; readonly url: string | undefined; readonly writer: string }
    | undefined {
    const { leader } = this.#parts.follower;
    return leader && { ...leader, url: this.#urls.get(leader.node) };
  }

  /** The random writer id of this node's takeover while it leads; part of each message. */
  get writer(): string | undefined {
    return this.#journal?.writer;
  }

  /** Stops beats and takeovers. What a standby has read is stored. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const stop of this.#stops) stop();
    const { follower } = this.#parts;
    follower.end();
    await follower.stored().catch(() => undefined);
    this.#reject(new StandbyStopped('this standby was stopped'));
  }

  /** Whether it is time to take over; at most one attempt at a time. Called by a timer. */
  async takeOverIfDue(): Promise<void> {
    if (this.#isTrying || this.#isStopped || this.#journal !== undefined) return;
    if (!this.#isDue()) return;
    this.#isTrying = true;
    try {
      await this.#tryToLead();
    } catch (cause) {
      this.#fail(cause);
    } finally {
      this.#isTrying = false;
    }
  }

  #isDue(): boolean {
    const { follower } = this.#parts;
    if (follower.isAtGate) return false;
    return follower.silentMs >= TAKEOVER_MS || follower.isHandedOver;
  }

  async #tryToLead(): Promise<void> {
    const { log, follower, local, node, clocks, onFailure, onTrouble } = this.#parts;
    const end = await log.end().catch(() => undefined);
    if (end === undefined || !this.#isClockRight(end)) return;
    // A leader wrote what we have not read yet.
    if (end.lastPlace > follower.place) return;
    await follower.stored();
    const position = follower.position();
    const isStored = local.lastSequence === position.nextSequence - 1;
    if (!isStored || !this.#isDue()) return;
    const cursor = new LogCursor(position);
    const pause = (): Promise<void> => this.#pause();
    const isGivenUp = (): boolean => this.#isStopped;
    if (!(await takeOver({ log, pause, isGivenUp }, cursor, node)) || this.#isStopped) return;
    follower.end();
    const journal = new ReplicatedJournal({
      ...{ log, local, cursor, pause, clocks, onTrouble },
      onFenced: onFailure,
    });
    // If this fails the node ends; it counts as a leader only after it.
    const leading = this.#parts.promote(journal);
    this.#journal = journal;
    this.#missedBeats = 0;
    this.#resolve(leading);
    this.#beat();
  }

  #fail(cause: unknown): void {
    if (this.#isStopped || this.#journal !== undefined) return;
    if (cause instanceof GateReached) {
      this.#parts.onGate(cause);
      return;
    }
    this.#isStopped = true;
    const reason = cause instanceof Error ? cause : new Error(String(cause));
    this.#reject(reason);
    this.#parts.onFailure(reason);
  }

  /** Connections to the stream that gateways have now. */
  get listeners(): number {
    const nowMs = this.#parts.clocks.monotonicMs();
    let listeners = 0;
    for (const [node, one] of this.#gateways) {
      if (nowMs - one.lastSeenMs > GATEWAY_SILENT_MS) this.#gateways.delete(node);
      else listeners += one.listeners;
    }
    return listeners;
  }

  #onBeat(beat: Beat | undefined): void {
    const { node, follower, clocks } = this.#parts;
    if (beat?.role === 'gateway' && this.#gateways.size < GATEWAYS_MAX) {
      const { listeners } = beat;
      this.#gateways.set(beat.node, { listeners, lastSeenMs: clocks.monotonicMs() });
    }
    if (beat?.node === node && !this.#isOfDuplicate(beat)) this.#missedBeats = 0;
    if (beat === undefined || beat.role !== 'leader' || beat.node === node) return;
    this.#urls.set(beat.node, beat.url);
    if (this.#journal === undefined) {
      if (beat.layout !== '' && beat.layout !== LAYOUT.name) this.#fail(otherLayout(node, beat));
      // A beat of a replaced leader must not delay a takeover.
      if (beat.place >= follower.place) follower.leaderSeen();
    } else if (beat.place > this.#place()) {
      // Somebody else leads. An append finds out, and its failure ends this node.
      this.#journal.prove().catch(() => undefined);
    }
  }

  #onHandOverRequest(node: string, isToGate: boolean): void {
    const isAddressed = node === '' || node === this.#parts.node;
    if (!isAddressed || this.#journal === undefined || this.#isStopped) return;
    this.#isToGate = isToGate;
    this.#parts.onHandOver();
  }

  /** The leader's last message: another engine may lead; at a gate, only one with another layout. */
  async handOver(): Promise<void> {
    await this.#journal?.handOver(this.#isToGate ? { layout: LAYOUT.name } : undefined);
  }

  #place(): number {
    return this.#journal?.place ?? this.#parts.follower.place;
  }

  #beat(): void {
    const { log, node, url, local, follower } = this.#parts;
    const isReceiving = this.#missedBeats < MISSED_BEATS_MAX;
    const role = this.#journal !== undefined && isReceiving ? 'leader' : 'standby';
    this.#missedBeats++;
    log.send(
      'beat',
      beatText({
        ...{ node, url, role, listeners: 0 },
        place: this.#place(),
        sequence: local.lastSequence,
        clockMs: this.#clockMs,
        term: this.#journal?.term ?? follower.term,
      }),
    );
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      this.#parts.after(PAUSE_MS, resolve);
    });
  }

  /** Another node with the name of this one; its beats are not this node's. */
  #isOfDuplicate({ node, url }: Beat): boolean {
    if (url === this.#parts.url) return false;
    if (!this.#hasDuplicate) {
      this.#parts.onTrouble(
        `another node calls itself ${node}, too, at ${url}: give each a cluster.node of its own`,
      );
    }
    this.#hasDuplicate = true;
    return true;
  }

  /** Of a leader only how far it is off is of interest: it leads. */
  async #checkClock(): Promise<void> {
    const { log, clocks } = this.#parts;
    const end = await log.end().catch(() => undefined);
    if (end === undefined || this.#isStopped) return;
    if (this.#journal === undefined) this.#isClockRight(end);
    else this.#clockMs = compareClocks(clocks.wallMs(), end).aheadMs;
  }

  #isClockRight(end: LogEnd): boolean {
    const { clocks, onTrouble } = this.#parts;
    const { aheadMs, trouble } = compareClocks(clocks.wallMs(), end);
    this.#clockMs = aheadMs;
    if (trouble !== undefined && this.#clockTrouble === undefined) {
      onTrouble(`${trouble}; it does not lead until the clock is set`);
    }
    this.#clockTrouble = trouble;
    return trouble === undefined;
  }
}

/** It could misread the leader's entries, or lead and write what the others cannot read. */
const otherLayout = (node: string, leader: Beat): Error =>
  new Error(
    `engine ${node} is version ${VERSION} (${LAYOUT.name}), and ${leader.node}, which leads, is ` +
      `${leader.version} (${leader.layout}): ${ONE_LAYOUT}`,
  );

/** How far a node's clock is ahead of the log's. The error is at most half of the round trip. */
export function compareClocks(
  wallMs: number,
  { timeMs, tookMs }: LogEnd,
): { readonly aheadMs: number; readonly trouble: string | undefined } {
  const aheadMs = Math.round(wallMs - tookMs / 2 - timeMs);
  const isRight = Math.abs(aheadMs) <= CLOCK_MS + tookMs / 2;
  const words =
    `the clock of this node is ${clockWords(aheadMs)}, and more than ${CLOCK_MS} ms ` +
    'are too much';
  return { aheadMs, trouble: isRight ? undefined : words };
}
