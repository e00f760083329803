import { REJECTIONS } from '../domain/rejections.ts';

export type ChannelParts = {
  readonly nowMs: () => number;
  readonly request: (channel: string) => void;
  /** Runs a function later; returns a function that cancels it. */
  readonly after: (delayMs: number, run: () => void) => () => void;
};

/** The venue takes 50 messages or channels a second of one connection, commands among them. */
const AT_ONCE = 20;
const PAUSE_MS = 600;

/** The channels that are requested on a connection: not faster than the venue takes them, and again if it was too fast. */
export class StreamChannels {
  readonly #parts: ChannelParts;
  /** Still to be requested, in their order. */
  readonly #queue = new Set<string>();
  readonly #unanswered = new Set<string>();
  #wasTooRapid = false;
  /** Requested since then. */
  #requested = 0;
  #sinceMs = 0;
  #stopTimer: (() => void) | undefined;

  constructor(parts: ChannelParts) {
    this.#parts = parts;
  }

  request(channel: string): void {
    this.#queue.add(channel);
    this.#requestQueue();
  }

  /** Whether the venue may know of it. */
  drop(channel: string): boolean {
    const isKnown = !this.#queue.delete(channel);
    return this.#unanswered.delete(channel) || isKnown;
  }

  /** A request that is refused as a whole does not say its channel. */
  answered({ channel, code }: { readonly channel?: string; readonly code?: string }): void {
    if (code === REJECTIONS.TOO_RAPID.code) {
      this.#wasTooRapid = true;
      this.#requestLater();
    } else if (channel !== undefined) this.#unanswered.delete(channel);
  }

  lost(): void {
    this.#queue.clear();
    this.#unanswered.clear();
    this.#wasTooRapid = false;
    this.#stopTimer?.();
    this.#stopTimer = undefined;
  }

  #requestQueue(): void {
    const now = this.#parts.nowMs();
    // A clock that was set back has not counted.
    if (Math.abs(now - this.#sinceMs) >= PAUSE_MS) {
      this.#sinceMs = now;
      this.#requested = 0;
    }
    for (const channel of this.#queue) {
      if (this.#requested >= AT_ONCE) {
        this.#requestLater();
        return;
      }
      this.#requested++;
      this.#queue.delete(channel);
      this.#unanswered.add(channel);
      this.#parts.request(channel);
    }
  }

  #requestLater(): void {
    this.#stopTimer ??= this.#parts.after(PAUSE_MS, () => {
      this.#stopTimer = undefined;
      this.#requested = 0;
      // What was taken has been answered by now.
      if (this.#wasTooRapid) for (const channel of this.#unanswered) this.#queue.add(channel);
      this.#wasTooRapid = false;
      this.#requestQueue();
    });
  }
}
