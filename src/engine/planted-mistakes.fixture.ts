import type { Appended } from '../replication/log.ts';
import { MemoryLog, type MemoryStream } from '../replication/memory-log.fixture.ts';
import { RemoteEngine } from './remote-engine.ts';

/** Deliberate mistakes, which the checks of a run must find. */
export type Planted =
  | 'append without expectation'
  | 'resend without expectation'
  | 'release before acknowledgement'
  | 'view without lease'
  | 'gateway listening early'
  | 'gateway view without asking'
  | 'gateway resends anything';

/** A node's connection, with a mistake in it. */
export class WrongLog extends MemoryLog {
  readonly #planted: Planted;
  readonly #stream: MemoryStream;
  readonly #sent = new Set<string>();

  constructor(stream: MemoryStream, planted: Planted) {
    super(stream);
    this.#stream = stream;
    this.#planted = planted;
  }

  override async append(bytes: Uint8Array, afterPlace: number): Promise<Appended> {
    const name = Buffer.from(bytes).toString('base64');
    const isAgain = this.#sent.has(name);
    this.#sent.add(name);
    const isBlind =
      this.#planted === 'append without expectation' ||
      (this.#planted === 'resend without expectation' && isAgain);
    const place = isBlind ? this.#stream.messages.length : afterPlace;
    const answer = await super.append(bytes, place);
    return this.#planted === 'release before acknowledgement' ? 'stored' : answer;
  }
}

/** A gateway that answers from what it has. */
export class BlindEngine extends RemoteEngine {
  override async refreshed(): Promise<void> {
    await Promise.resolve();
  }
}
