import { LogRefused } from '../replication/log.ts';
import type { Message } from '../replication/message.ts';
import { LAYOUT } from './stamp.ts';

/**
 * The log is closed for the layout of data that this program has: nothing more of it comes. The node has everything up to there,
 * ends with a snapshot, and its directory is for the version that follows.
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
 * What a node makes of the gates that it reads: its own end, or, where the version before ended, its own beginning. That is where its
 * data was taken over, or where the snapshot is from with which it began; what comes before, it cannot read.
 */
export class GateWatch {
  readonly #beganAt: number;
  #reached: GateReached | undefined;

  /** With the last sequence that the node has before it reads on. */
  constructor(beganAt: number) {
    this.#beganAt = beganAt;
  }

  /** Nothing but a `lift` may follow where this is true. */
  get isReached(): boolean {
    return this.#reached !== undefined;
  }

  /** Every message in order, before its entries are used. Throws where this node may not go on. */
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

  /** At the end of what there is to read: a gate that nobody has lifted ends this node. */
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
