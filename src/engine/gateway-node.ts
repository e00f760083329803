import { BEAT_MS, beatText } from './beat.ts';
import type { Clocks } from './clock.ts';
import { type ClusterOptions, compareClocks } from './cluster-node.ts';
import { GateReached } from './gate.ts';
import type { LogFollower } from './log-follower.ts';
import type { RemoteEngine } from './remote-engine.ts';

export type GatewayParts = Pick<ClusterOptions, 'log' | 'node' | 'url' | 'every' | 'onGate'> & {
  readonly engine: RemoteEngine;
  readonly follower: LogFollower;
  readonly clocks: Clocks;
  /** Connections to the stream. */
  readonly listeners: () => number;
  readonly onFailure: (reason: Error) => void;
  readonly onTrouble: (words: string) => void;
};

const CHECK_MS = 5_000;

/**
 * A gateway of a cluster: it follows the log like a standby, but never takes over. Its disk is a copy for its
 * stream, its history and its next start; nobody relies on it.
 */
export class GatewayNode {
  readonly #parts: GatewayParts;
  readonly #stops: (() => void)[];
  #isStopped = false;
  #clockMs: number | null = null;
  #clockTrouble: string | undefined;
  #logTrouble: string | undefined;
  #leaderTrouble: string | undefined;
  #isAskingLeader = false;
  /** The end of the log when it was last asked. */
  #logEnd = 0;

  constructor(parts: GatewayParts) {
    this.#parts = parts;
    const { every, follower } = parts;
    this.#stops = [
      every(BEAT_MS, () => this.#beat()),
      every(CHECK_MS, () => void this.#check()),
      every(CHECK_MS, () => void this.#askLeader()),
    ];
    follower.follow().catch((cause: unknown) => {
      if (this.#isStopped) return;
      if (cause instanceof GateReached) parts.onGate(cause);
      else parts.onFailure(cause instanceof Error ? cause : new Error(String(cause)));
    });
  }

  /** Refuses to start with a wrong clock: timestamps of signatures are checked against it. */
  async begin(): Promise<void> {
    await this.#check();
    if (this.#clockTrouble !== undefined) {
      throw new Error(`${this.#clockTrouble} for a gateway: set the clock`);
    }
  }

  /** Messages not yet read, as of the last time the log was asked for its end. */
  get lag(): number {
    return Math.max(0, this.#logEnd - this.#parts.follower.place);
  }

  /** Why clients should be sent to another gateway. */
  get troubles(): readonly string[] {
    return [this.#clockTrouble, this.#logTrouble, this.#leaderTrouble].filter(
      (words) => words !== undefined,
    );
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const stop of this.#stops) stop();
    const { follower } = this.#parts;
    follower.end();
    await follower.stored().catch(() => undefined);
  }

  async #check(): Promise<void> {
    const { log, clocks, onTrouble } = this.#parts;
    const end = await log.end().catch(() => undefined);
    const isAway = end === undefined;
    this.#logTrouble = isAway ? 'the log servers do not answer this gateway' : undefined;
    if (isAway) return;
    this.#logEnd = end.lastPlace;
    const { aheadMs, trouble } = compareClocks(clocks.wallMs(), end);
    this.#clockMs = aheadMs;
    if (trouble !== undefined && this.#clockTrouble === undefined) {
      onTrouble(`${trouble} for a gateway: set the clock`);
    }
    this.#clockTrouble = trouble;
  }

  /**
   * Asks what every read asks. It fails after as long as a request waits, so that a takeover takes no gateway
   * away. Log servers without a majority still say where the log ends: only this notices that nothing is served.
   * A question wakes an idle venue, so it is asked there only when requests wait.
   */
  async #askLeader(): Promise<void> {
    const { engine, listeners } = this.#parts;
    const isServing = !engine.isIdle() || listeners() > 0 || engine.unanswered > 0;
    if (this.#isAskingLeader || (!isServing && this.#leaderTrouble === undefined)) return;
    this.#isAskingLeader = true;
    try {
      await engine.refreshed();
      this.#leaderTrouble = undefined;
    } catch (cause) {
      this.#leaderTrouble = `no leading engine answers this gateway: ${(cause as Error).message}`;
    } finally {
      this.#isAskingLeader = false;
    }
  }

  #beat(): void {
    const { log, node, url, follower, engine, listeners } = this.#parts;
    log.send(
      'beat',
      beatText({
        ...{ node, url, role: 'gateway', place: follower.place, term: follower.term },
        sequence: engine.copySequence,
        clockMs: this.#clockMs,
        listeners: listeners(),
      }),
    );
  }
}
