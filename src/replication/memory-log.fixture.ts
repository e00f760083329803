import type { Appended, LogEnd, LogMessage, ReplicatedLog, Signals, Transport } from './log.ts';
import { LogUnavailable } from './log.ts';

/** What happens to one append on its way; see MemoryStream. */
export type Fault = 'none' | 'lost' | 'answer lost' | 'late';

/**
 * The stream that several logs in memory share: what the servers would hold. Each append asks `faultOf`
 * what happens to it: it is lost on the way, stored without an answer, or stored only after `deliverLate`.
 */
export class MemoryStream {
  readonly messages: LogMessage[] = [];
  readonly #late: { readonly bytes: Uint8Array; readonly afterPlace: number }[] = [];
  readonly #listeners = new Set<() => void>();
  readonly #subscribers = new Map<string, Set<(text: string) => void>>();
  readonly #receivers = new Map<string, Set<(bytes: Uint8Array) => void>>();
  faultOf: (bytes: Uint8Array, afterPlace: number) => Fault = () => 'none';
  /** Runs before an append is processed: another writer may come in between. */
  beforeAppend: () => void = () => undefined;
  nowMs: () => number = () => 0;
  isAway = false;

  append(bytes: Uint8Array, afterPlace: number): Appended {
    if (this.isAway) return { unknown: 'the servers are away' };
    this.beforeAppend();
    const fault = this.faultOf(bytes, afterPlace);
    if (fault === 'lost') return { unknown: 'no answer' };
    if (fault === 'late') {
      this.#late.push({ bytes: bytes.slice(), afterPlace });
      return { unknown: 'no answer' };
    }
    const answer = this.#store(bytes, afterPlace);
    return fault === 'answer lost' ? { unknown: 'no answer' } : answer;
  }

  /** Delivers what was delayed; returns how many messages that were. */
  deliverLate(): number {
    const late = this.#late.splice(0);
    for (const { bytes, afterPlace } of late) this.#store(bytes, afterPlace);
    return late.length;
  }

  /** Stored unconditionally: what a log that lost its fence would do. */
  force(bytes: Uint8Array): void {
    this.#store(bytes, this.messages.length);
  }

  whenMore(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  send(topic: string, text: string): void {
    if (this.isAway) return;
    for (const onText of this.#subscribers.get(topic) ?? []) queueMicrotask(() => onText(text));
  }

  subscribe(topic: string, onText: (text: string) => void): void {
    const subscribers = this.#subscribers.get(topic) ?? new Set();
    this.#subscribers.set(topic, subscribers.add(onText));
  }

  /** Whether messages to a topic get lost; sending them succeeds in any case. */
  isMessageLost: (topic: string) => boolean = () => false;

  post(topic: string, bytes: Uint8Array): void {
    if (this.isMessageLost(topic)) return;
    const copy = new Uint8Array(bytes);
    for (const onBytes of this.#receivers.get(topic) ?? []) queueMicrotask(() => onBytes(copy));
  }

  receive(topic: string, onBytes: (bytes: Uint8Array) => void): () => void {
    const receivers = this.#receivers.get(topic) ?? new Set();
    this.#receivers.set(topic, receivers.add(onBytes));
    return () => receivers.delete(onBytes);
  }

  #store(bytes: Uint8Array, afterPlace: number): Appended {
    if (afterPlace !== this.messages.length) return 'conflict';
    this.messages.push({ place: afterPlace + 1, timeMs: this.nowMs(), bytes: bytes.slice() });
    for (const listener of [...this.#listeners]) listener();
    return 'stored';
  }
}

/** One node's connection to the stream. */
export class MemoryLog implements ReplicatedLog, Signals, Transport {
  readonly messageBytesMax = 1_048_576;
  readonly #stream: MemoryStream;
  readonly #ends = new Set<() => void>();
  #isCutOff = false;
  #isClosed = false;
  /** What is sent from here arrives, but nothing comes back. */
  isSendOnly = false;

  constructor(stream: MemoryStream) {
    this.#stream = stream;
  }

  /** The servers cannot be reached from here while this is set. */
  set isCutOff(isCutOff: boolean) {
    this.#isCutOff = isCutOff;
    for (const wake of [...this.#ends]) wake();
  }

  async append(bytes: Uint8Array, afterPlace: number): Promise<Appended> {
    await Promise.resolve();
    if (this.#isGone()) return { unknown: 'not connected' };
    const answer = this.#stream.append(bytes, afterPlace);
    await Promise.resolve();
    return this.isSendOnly ? { unknown: 'no answer' } : answer;
  }

  async read(
    fromPlace: number,
    onMessage: (message: LogMessage) => void | Promise<void>,
    isEnough: () => boolean = () => false,
  ): Promise<void> {
    let place = fromPlace;
    while (!this.#isClosed && !isEnough()) {
      const message = this.#receivesNothing() ? undefined : this.#stream.messages[place - 1];
      if (message === undefined) await this.#more();
      else {
        place++;
        await onMessage(message);
      }
    }
  }

  async at(place: number): Promise<LogMessage | undefined> {
    await Promise.resolve();
    if (this.#receivesNothing()) throw new LogUnavailable('the log is away');
    return this.#stream.messages[place - 1];
  }

  async end(): Promise<LogEnd> {
    await Promise.resolve();
    if (this.#receivesNothing()) throw new LogUnavailable('the log is away');
    const lastPlace = this.#stream.messages.length;
    return { firstPlace: 1, lastPlace, timeMs: this.#stream.nowMs(), tookMs: 0 };
  }

  send(topic: string, text: string): void {
    if (!this.#isGone()) this.#stream.send(topic, text);
  }

  subscribe(topic: string, onText: (text: string) => void): void {
    this.#stream.subscribe(topic, (text) => {
      if (!this.#receivesNothing()) onText(text);
    });
  }

  get isConnected(): boolean {
    return !this.#isGone();
  }

  post(topic: string, bytes: Uint8Array): boolean {
    if (this.#isGone()) return false;
    this.#stream.post(topic, bytes);
    return true;
  }

  receive(topic: string, onBytes: (bytes: Uint8Array) => void): () => void {
    return this.#stream.receive(topic, (bytes) => {
      if (!this.#receivesNothing()) onBytes(bytes);
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const end of [...this.#ends]) end();
  }

  #isGone(): boolean {
    return this.#isClosed || this.#isCutOff || this.#stream.isAway;
  }

  #receivesNothing(): boolean {
    return this.isSendOnly || this.#isGone();
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        stop();
        this.#ends.delete(end);
        resolve();
      };
      const stop = this.#stream.whenMore(end);
      this.#ends.add(end);
    });
  }
}
