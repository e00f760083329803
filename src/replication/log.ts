/**
 * The contract of a replicated log: messages at places 1, 2, 3... without a gap, each stored on several
 * machines before it is acknowledged. Several nodes may have it open; the expected place of an append is the
 * fence between them.
 */
export type LogMessage = {
  readonly place: number;
  /** The clock of the log's servers. */
  readonly timeMs: number;
  readonly bytes: Uint8Array;
};

export type LogEnd = {
  /** The first message still there; 1 if the log is empty. */
  readonly firstPlace: number;
  /** 0 if the log is empty. */
  readonly lastPlace: number;
  /** The servers' clock, and how long the request took. */
  readonly timeMs: number;
  readonly tookMs: number;
};

/**
 * `conflict`: the last message is not the expected one, and THIS call stored nothing; an earlier call with
 * the same message may have. `unknown`: no answer, with the reason; it may be stored now, later, or never.
 */
export type Appended = 'stored' | 'conflict' | { readonly unknown: string };

export interface ReplicatedLog {
  /** The longest message that the servers accept. */
  readonly messageBytesMax: number;

  /** Stores a message directly after `afterPlace`, or not at all. Never rejects. */
  append(bytes: Uint8Array, afterPlace: number): Promise<Appended>;

  /**
   * Delivers messages from a place on, in order, each once, until `isEnough` returns true or the log is
   * closed; it waits for messages that do not exist yet. `onMessage` is awaited before the next one. Resolves
   * when it has ended; rejects with what `onMessage` throws.
   */
  read(
    fromPlace: number,
    onMessage: (message: LogMessage) => void | Promise<void>,
    isEnough?: () => boolean,
  ): Promise<void>;

  /** The message at one place as the log's leader has it; undefined if there is none (yet). */
  at(place: number): Promise<LogMessage | undefined>;

  /** The end of the log. Rejects with LogUnavailable if nobody answers. */
  end(): Promise<LogEnd>;

  close(): Promise<void>;
}

/** Short messages between the nodes that are not stored: they are hints, and may be lost. */
export interface Signals {
  send(topic: string, text: string): void;
  subscribe(topic: string, onText: (text: string) => void): void;
}

/** Messages between two nodes, each delivered at most once and in order; the sender must detect losses. */
export interface Transport {
  /** Whether a server is connected to carry them. */
  readonly isConnected: boolean;
  /** False if it is certain that nothing was sent. The caller may reuse the bytes as soon as it returns. */
  post(topic: string, bytes: Uint8Array): boolean;
  /** The bytes are valid during the call only. The returned function unsubscribes. */
  receive(topic: string, onBytes: (bytes: Uint8Array) => void): () => void;
}

/** The log does not answer at the moment; nothing is known about it. */
export class LogUnavailable extends Error {
  override readonly name = 'LogUnavailable';
}

/** The log cannot be this venue's log, or contradicts what this node has. */
export class LogRefused extends Error {
  override readonly name = 'LogRefused';
}
