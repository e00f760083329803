import { LogRefused } from '../replication/log.ts';
import type { Message } from '../replication/message.ts';
import { LAYOUT } from './stamp.ts';

/**
 * The log is closed for this program's data layout: no more entries of it follow. The node has everything up
 * to there, ends with a snapshot, and its directory is for the next version.
 */
export class GateReached extends Error {
  override readonly name = 'GateReached';

  constructor(sequence: number) {
    super(
      `the log is closed for ${LAYOUT.name} behind sequence ${sequence}, as rialto cluster gate has asked: start the ` +
        'version that follows on this directory; to stay with this one, run rialto cluster gate --lift',
    );
  }
}

/**
 * Handles the gates that a node reads. A gate of its own layout is its end. A gate of the previous layout may
 * be its beginning: where its data was upgraded, or where the snapshot that it started from was taken. It
 * cannot read what comes before.
 */
export class GateWatch {
  readonly #beganAt: number;
  #reached: GateReached | undefined;

  /** Takes the last sequence that the node has before it reads on. */
  constructor(beganAt: number) {
    this.#beganAt = beganAt;
  }

  /** While this is true only a `lift` may follow. */
  get isReached(): boolean {
    return this.#reached !== undefined;
  }

  /** Called for every message in order, before its entries are used. Throws if this node may not continue. */
  pass({ kind, layout, firstSequence }: Message): void {
    const behind = firstSequence - 1;
    if (kind === 'lift') {
      if (this.#reached === undefined) throw lifted(behind);
      this.#reached = undefined;
      return;
    }
    this.check();
    if (kind !== 'gate') return;
    if (layout === LAYOUT.name) this.#reached = new GateReached(behind);
    else if (behind !== this.#beganAt) throw foreign(behind, layout);
  }

  /** At the end of the log: a gate that nobody has lifted ends this node. */
  check(): void {
    if (this.#reached !== undefined) throw this.#reached;
  }
}

const lifted = (sequence: number): LogRefused =>
  new LogRefused(
    `the gate of the log behind sequence ${sequence} was lifted, and this node had passed it: install the version of the other ` +
      'nodes, empty the data directory but for master.key and operators.json, and start it again',
  );

const foreign = (sequence: number, layout = ''): LogRefused =>
  new LogRefused(
    `the log has entries in ${layout} up to sequence ${sequence}, and this program has ${LAYOUT.name}: empty the data directory ` +
      'but for master.key and operators.json, and start it when another node has put a snapshot there',
  );
