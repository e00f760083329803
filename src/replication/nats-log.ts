import {
  type ConsumerMessages,
  DeliverPolicy,
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
  jetstream,
  StorageType,
  type StreamInfo,
} from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import {
  type Appended,
  type LogEnd,
  type LogMessage,
  LogRefused,
  LogUnavailable,
  type ReplicatedLog,
  type Signals,
  type Transport,
} from './log.ts';
import { connectToServers, type NatsServers } from './nats-connection.ts';

/** The log on NATS JetStream. nats-safety.ts checks the servers' settings. */
export type NatsLogOptions = NatsServers & { readonly stream: string };

/**
 * After this time the outcome of an append is unknown, and it is repeated; the log's own elections take
 * seconds.
 */
const ANSWER_MS = 1_500;
const RETRY_MS = 100;
/** How often a reader that receives nothing checks whether there is something. */
const WATCH_MS = 2_000;
const WRONG_LAST_SEQUENCE = [10_071, 10_164];
const STREAM_NOT_FOUND = 10_059;
/** The servers have not elected who creates streams. */
const STARTING = 10_008;
const VENUE_KEY = 'rialto-venue';

export async function openNatsLog(options: NatsLogOptions): Promise<NatsLog> {
  const connection = await connectToServers(options);
  const client = jetstream(connection, { timeout: ANSWER_MS });
  const manager = await client.jetstreamManager(false);
  return new NatsLog(options.stream, { connection, client, manager });
}

/** What the servers report about the stream; undefined if there is none. */
export type Described = {
  readonly venueId: string | undefined;
  readonly info: StreamInfo;
};

export class NatsLog implements ReplicatedLog, Signals, Transport {
  readonly #stream: string;
  readonly #connection: NatsConnection;
  readonly #client: JetStreamClient;
  readonly #manager: JetStreamManager;
  readonly #readers = new Set<ConsumerMessages>();
  #isConnected = true;
  #isClosed = false;

  /** Use `openNatsLog`. */
  constructor(
    stream: string,
    parts: {
      readonly connection: NatsConnection;
      readonly client: JetStreamClient;
      readonly manager: JetStreamManager;
    },
  ) {
    this.#stream = stream;
    this.#connection = parts.connection;
    this.#client = parts.client;
    this.#manager = parts.manager;
    void this.#watchConnection();
  }

  get messageBytesMax(): number {
    return this.#connection.info?.max_payload ?? 0;
  }

  async append(bytes: Uint8Array, afterPlace: number): Promise<Appended> {
    // Otherwise the client would keep every retry in memory until it is connected again.
    if (!this.#isConnected) return { unknown: 'not connected to a log server' };
    try {
      await this.#client.publish(this.#subject('log'), bytes, {
        expect: { lastSequence: afterPlace, streamName: this.#stream },
        timeout: ANSWER_MS,
        retries: 1,
      });
      return 'stored';
    } catch (cause) {
      const isConflict =
        cause instanceof JetStreamApiError && WRONG_LAST_SEQUENCE.includes(codeOf(cause));
      return isConflict ? 'conflict' : { unknown: reasonOf(cause) };
    }
  }

  async read(
    fromPlace: number,
    onMessage: (message: LogMessage) => void | Promise<void>,
    isEnough: () => boolean = () => false,
  ): Promise<void> {
    let next = fromPlace;
    while (!this.#isClosed && !isEnough()) {
      const messages = await this.#consume(next);
      if (messages === undefined) continue;
      const stopWatch = this.#watchReader(messages, () => next);
      try {
        for await (const message of received(messages)) {
          // A recreated consumer may deliver a message twice; a gap ends this consumer.
          if (message.seq < next) continue;
          if (message.seq > next) {
            await this.#refusePurged(next);
            break;
          }
          next++;
          await onMessage({
            place: message.seq,
            timeMs: Math.floor(message.info.timestampNanos / 1_000_000),
            // The client reuses its buffer.
            bytes: new Uint8Array(message.data),
          });
          if (isEnough() || this.#isClosed) break;
        }
      } finally {
        stopWatch();
        messages.stop();
        this.#readers.delete(messages);
      }
    }
  }

  async at(place: number): Promise<LogMessage | undefined> {
    const found = await this.#ask(() =>
      this.#manager.streams.getMessage(this.#stream, { seq: place }),
    );
    if (found === null) return undefined;
    return { place: found.seq, timeMs: found.time.getTime(), bytes: new Uint8Array(found.data) };
  }

  async end(): Promise<LogEnd> {
    const startedMs = performance.now();
    const { state, ts } = await this.#ask(() => this.#manager.streams.info(this.#stream));
    return {
      firstPlace: Math.max(1, state.first_seq),
      lastPlace: state.last_seq,
      timeMs: Date.parse(ts ?? ''),
      tookMs: performance.now() - startedMs,
    };
  }

  /** Undefined if there is no such stream. */
  async describe(): Promise<Described | undefined> {
    try {
      const info = await this.#manager.streams.info(this.#stream);
      return { venueId: info.config.metadata?.[VENUE_KEY], info };
    } catch (cause) {
      if (cause instanceof JetStreamApiError && codeOf(cause) === STREAM_NOT_FOUND)
        return undefined;
      throw new LogUnavailable(`the log does not answer: ${reasonOf(cause)}`);
    }
  }

  /** Creates the stream of a venue; again, for the same venue, it changes nothing. So it may be repeated without an answer. */
  async create(venueId: string, replicas: number): Promise<void> {
    const config = {
      name: this.#stream,
      subjects: [this.#subject('log')],
      storage: StorageType.File,
      num_replicas: replicas,
      deny_delete: true,
      deny_purge: false,
      allow_direct: false,
      // Short: the same bytes again must not be dropped as a duplicate. Only the expected place decides.
      duplicate_window: 100_000_000,
      metadata: { [VENUE_KEY]: venueId },
    };
    try {
      await this.#manager.streams.add(config);
    } catch (cause) {
      const isRefused = cause instanceof JetStreamApiError && codeOf(cause) !== STARTING;
      if (isRefused) throw cause;
      throw new LogUnavailable(`the log does not answer: ${reasonOf(cause)}`);
    }
  }

  /** Removes every message before a place, for good. */
  async purgeBefore(place: number): Promise<void> {
    await this.#ask(() => this.#manager.streams.purge(this.#stream, { seq: place }));
  }

  send(topic: string, text: string): void {
    if (this.#isConnected && !this.#isClosed) this.#connection.publish(this.#subject(topic), text);
  }

  subscribe(topic: string, onText: (text: string) => void): void {
    this.#connection.subscribe(this.#subject(topic), {
      callback: (error, message) => {
        if (error === null) onText(message.string());
      },
    });
  }

  get isConnected(): boolean {
    return this.#isConnected && !this.#isClosed;
  }

  post(topic: string, bytes: Uint8Array): boolean {
    // Otherwise the client would keep it in memory and send it when nobody waits for it any more.
    if (!this.isConnected) return false;
    // A copy: the client sends at the end of the turn, and the caller reuses its buffer.
    this.#connection.publish(this.#subject(topic), new Uint8Array(bytes));
    return true;
  }

  receive(topic: string, onBytes: (bytes: Uint8Array) => void): () => void {
    const subscription = this.#connection.subscribe(this.#subject(topic), {
      callback: (error, message) => {
        if (error === null) onBytes(message.data);
      },
    });
    return () => subscription.unsubscribe();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const messages of this.#readers) messages.stop();
    await this.#connection.close();
  }

  #subject(topic: string): string {
    return `rialto.${this.#stream}.${topic}`;
  }

  async #consume(fromPlace: number): Promise<ConsumerMessages | undefined> {
    try {
      const consumer = await this.#client.consumers.get(this.#stream, {
        deliver_policy: DeliverPolicy.StartSequence,
        opt_start_seq: fromPlace,
      });
      const messages = await consumer.consume({ max_bytes: READ_AHEAD_BYTES, expires: 5_000 });
      this.#readers.add(messages);
      if (this.#isClosed) messages.stop();
      return messages;
    } catch (cause) {
      if (cause instanceof JetStreamApiError && codeOf(cause) === STREAM_NOT_FOUND) {
        throw new LogRefused(`there is no stream ${this.#stream} any more`);
      }
      await pause(RETRY_MS);
      return undefined;
    }
  }

  /** A node that was suspended while the log was purged starts from a snapshot when it is started again. */
  async #refusePurged(next: number): Promise<void> {
    const end = await this.end().catch(() => undefined);
    if (end === undefined || end.firstPlace <= next) return;
    throw new LogRefused(
      `the log begins at message ${end.firstPlace}, and ${next} is next for this node: it was purged ` +
        'meanwhile; started again this node begins with a snapshot',
    );
  }

  /** A consumer may stop silently when its server dies: then it is recreated. */
  #watchReader(messages: ConsumerMessages, next: () => number): () => void {
    let before = next();
    const timer = setInterval(async () => {
      const since = next();
      const end = since === before ? await this.end().catch(() => undefined) : undefined;
      if (end !== undefined && end.lastPlace >= since && next() === before) messages.stop();
      before = next();
    }, WATCH_MS);
    return () => clearInterval(timer);
  }

  async #ask<Answer>(call: () => Promise<Answer>): Promise<Answer> {
    if (!this.#isConnected) throw new LogUnavailable('not connected to a log server');
    try {
      return await call();
    } catch (cause) {
      throw new LogUnavailable(`the log does not answer: ${reasonOf(cause)}`);
    }
  }

  async #watchConnection(): Promise<void> {
    for await (const { type } of this.#connection.status()) {
      if (type === 'disconnect' || type === 'staleConnection') this.#isConnected = false;
      else if (type === 'reconnect') {
        this.#isConnected = true;
        // Their server may be the one that is gone: recreated, they continue where they were.
        for (const messages of this.#readers) messages.stop();
      }
    }
  }
}

const READ_AHEAD_BYTES = 16 * 1_024 * 1_024;

/** The messages of a consumer, until it ends or fails, for example with its server. */
async function* received(
  messages: ConsumerMessages,
): AsyncGenerator<ConsumerMessages extends AsyncIterable<infer Message> ? Message : never> {
  try {
    yield* messages;
  } catch {
    await pause(RETRY_MS);
  }
}

const codeOf = (error: JetStreamApiError): number => error.code;

const pause = (delayMs: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, delayMs);
  });

/** What a server says, and what it means where its own words do not say what to do. */
export function reasonOf(cause: unknown): string {
  const words = cause instanceof Error ? cause.message : String(cause);
  return /^insufficient (storage )?resources/.test(words)
    ? `${words}: the disk or max_file_store of the log servers is full`
    : words;
}
