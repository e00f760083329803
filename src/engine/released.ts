import { decodeOutcome } from '../domain/event-codec.ts';
import type { Outcome } from '../domain/events.ts';
import type { Submitted } from './engine.ts';

/**
 * The outcome of a command, as bytes that are decoded only when somebody reads it: a leader passes most
 * outcomes on to gateways undecoded.
 */
export class Released implements Submitted {
  readonly isRepeat: boolean;
  readonly encoded: NonNullable<Submitted['encoded']>;
  #outcome: Outcome | undefined;

  constructor(sequence: number, bytes: Uint8Array, isRepeat = false) {
    this.isRepeat = isRepeat;
    this.encoded = { sequence, bytes };
  }

  get outcome(): Outcome {
    const { sequence, bytes } = this.encoded;
    this.#outcome ??= decodeOutcome(sequence, bytes);
    return this.#outcome;
  }
}
