import type { Command } from '../domain/commands.ts';
import { EngineStopped, type Submitted } from './engine.ts';
import { type Answer, type Call, CallWriter, readAnswers } from './thread-messages.ts';
import type { Every } from './ticker.ts';

export type ThreadLinkParts = {
  /** Posts a message to the engine's thread. */
  readonly post: (bytes: Uint8Array<ArrayBuffer>) => void;
  /** Runs a function soon, after what has already arrived (setImmediate): this forms the messages. */
  readonly soon: (run: () => void) => void;
  /** A monotonic clock. */
  readonly nowMs: () => number;
  readonly every: Every;
};

type Pending = {
  readonly untilMs: number;
  readonly bytes: number;
  readonly resolve: (answer: Submitted | 'refreshed') => void;
  readonly reject: (reason: Error) => void;
};

/** How long a call may wait. The engine's thread answers, or the process ends. */
const KEEP_MS = 60_000;
const CHECK_MS = 250;
/** A message does not wait for the end of a turn once it has so many calls: the engine begins with them. */
export const CALLS_MAX = 32;
/** The most that may wait for the engine; more is refused. */
const PENDING_MAX = 20_000;
const PENDING_BYTES_MAX = 32 * 1_024 * 1_024;
const TICKETS = 2 ** 32;

/**
 * A gateway thread's side of the connection to the engine's thread. The calls of a turn of its event loop go in
 * one message, or in several if there are many: otherwise one thread waits while the other works.
 */
export class ThreadLink {
  readonly #parts: ThreadLinkParts;
  readonly #calls = new CallWriter();
  readonly #pending = new Map<number, Pending>();
  readonly #stopChecking: () => void;
  #pendingBytes = 0;
  #ticket = 0;
  /** Calls of the message that is not posted yet. */
  #collected = 0;
  #isTurnScheduled = false;
  #stopped: EngineStopped | undefined;

  constructor(parts: ThreadLinkParts) {
    this.#parts = parts;
    this.#stopChecking = parts.every(CHECK_MS, () => this.#check());
  }

  /** Calls without an answer. */
  get waiting(): number {
    return this.#pending.size;
  }

  /** Why no more commands are accepted; undefined while there is room. */
  get fullWords(): string | undefined {
    const isFull = this.#pending.size >= PENDING_MAX || this.#pendingBytes >= PENDING_BYTES_MAX;
    return isFull ? `${this.#pending.size} commands wait for the engine` : undefined;
  }

  /** Rejects with EngineStopped if the outcome is not known. */
  submit(command: Command): Promise<Submitted> {
    return this.#call(command) as Promise<Submitted>;
  }

  /** Resolves when the engine has brought an idle venue up to the current second. */
  async refresh(): Promise<void> {
    await this.#call('refresh');
  }

  /** A message of the engine's thread. */
  receive(bytes: Uint8Array): void {
    readAnswers(bytes, (ticket, answer) => this.#settle(ticket, answer));
  }

  stop(reason: EngineStopped): void {
    this.#stopped = reason;
    this.#stopChecking();
    for (const ticket of [...this.#pending.keys()]) this.#forget(ticket)?.reject(reason);
  }

  #call(call: Call): Promise<Submitted | 'refreshed'> {
    if (this.#stopped !== undefined) return Promise.reject(this.#stopped);
    return new Promise((resolve, reject) => {
      this.#ticket = (this.#ticket + 1) % TICKETS;
      const bytes = this.#calls.add(this.#ticket, call);
      const untilMs = this.#parts.nowMs() + KEEP_MS;
      this.#pending.set(this.#ticket, { untilMs, bytes, resolve, reject });
      this.#pendingBytes += bytes;
      this.#collected++;
      if (this.#collected === CALLS_MAX) this.#post();
      else this.#scheduleTurn();
    });
  }

  #scheduleTurn(): void {
    if (this.#isTurnScheduled) return;
    this.#isTurnScheduled = true;
    this.#parts.soon(() => {
      this.#isTurnScheduled = false;
      if (this.#collected > 0) this.#post();
    });
  }

  #post(): void {
    this.#collected = 0;
    this.#parts.post(this.#calls.take());
  }

  #settle(ticket: number, answer: Answer): void {
    const pending = this.#forget(ticket);
    if (answer === 'unknown') pending?.reject(new EngineStopped('the venue is closing'));
    else pending?.resolve(answer);
  }

  #forget(ticket: number): Pending | undefined {
    const pending = this.#pending.get(ticket);
    if (pending === undefined) return undefined;
    this.#pending.delete(ticket);
    this.#pendingBytes -= pending.bytes;
    return pending;
  }

  /** The oldest come first. */
  #check(): void {
    const nowMs = this.#parts.nowMs();
    const reason = new EngineStopped(`no engine has answered for ${KEEP_MS / 1_000} s`);
    for (const [ticket, { untilMs }] of this.#pending) {
      if (untilMs > nowMs) return;
      this.#forget(ticket)?.reject(reason);
    }
  }
}
