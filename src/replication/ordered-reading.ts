import type { JsMsg } from '@nats-io/jetstream';
import type { LogMessage } from './log.ts';

/**
 * The messages of one consumer, handed on in the turn in which they come, in order and one at a time. Where the one before is not
 * done yet they wait. Not the client's own iteration: that takes several turns of promises for each message.
 */
export class OrderedReading {
  /** Resolves at a gap, or when enough was read; rejects with what the handler throws. */
  readonly ended: Promise<void>;
  readonly #onMessage: (message: LogMessage) => void | Promise<void>;
  readonly #isEnough: () => boolean;
  readonly #resolve: () => void;
  readonly #reject: (reason: unknown) => void;
  #waiting: LogMessage[] = [];
  #working: Promise<void> | undefined;
  #isEnded = false;
  #next: number;
  #isGapAhead = false;
  #failure: { readonly cause: unknown } | undefined;

  constructor(
    fromPlace: number,
    onMessage: (message: LogMessage) => void | Promise<void>,
    isEnough: () => boolean,
  ) {
    this.#next = fromPlace;
    this.#onMessage = onMessage;
    this.#isEnough = isEnough;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.ended = promise;
    this.#resolve = resolve;
    this.#reject = reject;
    // It may fail while nobody waits for it yet.
    promise.catch(() => undefined);
  }

  /** The place of the message that is handed on next. */
  get next(): number {
    return this.#next;
  }

  /** A later one came instead. */
  get isGapAhead(): boolean {
    return this.#isGapAhead;
  }

  take(message: JsMsg): void {
    if (this.#isEnded) return;
    const one: LogMessage = {
      place: message.seq,
      timeMs: Math.floor(message.info.timestampNanos / 1_000_000),
      // The client uses its buffer again.
      bytes: new Uint8Array(message.data),
    };
    if (this.#working === undefined) this.#handle(one);
    else this.#waiting.push(one);
  }

  /** Nothing more is handed on; resolves when the last one is done, and rejects where one has failed. */
  async end(): Promise<void> {
    this.#isEnded = true;
    this.#waiting = [];
    await this.#working;
    if (this.#failure !== undefined) throw this.#failure.cause;
  }

  #handle(message: LogMessage): void {
    // A message of a consumer that was made anew may come twice; a gap ends this consumer.
    if (message.place < this.#next) return;
    if (message.place > this.#next) {
      this.#isGapAhead = true;
      this.#end();
      return;
    }
    this.#next++;
    try {
      const working = this.#onMessage(message);
      if (working !== undefined) this.#working = this.#finish(working);
      else if (this.#isEnough()) this.#end();
    } catch (cause) {
      this.#fail(cause);
    }
  }

  /** Never rejects. */
  async #finish(working: Promise<void>): Promise<void> {
    try {
      await working;
    } catch (cause) {
      this.#fail(cause);
    }
    this.#working = undefined;
    if (!this.#isEnded && this.#isEnough()) this.#end();
    while (!this.#isEnded && this.#working === undefined) {
      const message = this.#waiting.shift();
      if (message === undefined) return;
      this.#handle(message);
    }
  }

  #end(): void {
    this.#isEnded = true;
    this.#resolve();
  }

  #fail(cause: unknown): void {
    this.#isEnded = true;
    this.#failure = { cause };
    this.#reject(cause);
  }
}
