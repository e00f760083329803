/**
 * The contract of a replicated log: messages at places 1, 2, 3... without a gap, each stored on several
 * machines before it is acknowledged. Several nodes may have it open; the expected place of an append
 * is the fence between them.
 */
export type LogMessage = {
  readonly place: number;
  /** The clock of the log's servers. */
  readonly timeMs: number;
  readonly bytes: Uint8Array;
};

export type LogEnd = {
  /** The first message still there; 1 where the log is empty. */
  readonly firstPlace: number;
  /** 0 where the log is empty. */
  readonly lastPlace: number;
  /** What the servers' clock said, and how long asking took. */
  readonly timeMs: number;
  readonly tookMs: number;
};

/**
 * `conflict`: another message than was expected is the last one, and nothing was stored by THIS call;
 * an earlier call with the same message may have been. `unknown`: no answer, with the reason; it may
 * be stored now, later, or never.
 */
export type Appended = 'stored' | 'conflict' | { readonly unknown: string };

export interface ReplicatedLog {
  /** The longest message that the servers take. */
  readonly messageBytesMax: number;

  /** Stores a message right after `afterPlace`, or not at all. Never rejects. */
  append(bytes: Uint8Array, afterPlace: number): Promise<Appended>;

  /**
   * Messages from a place on, in order, each once, until `isEnough` returns true or the log is closed;
   * it waits for those that are still to come. `onMessage` is awaited before the next one. Resolves
   * when it has ended; rejects with what `onMessage` throws.
   */
  read(
    fromPlace: number,
    onMessage: (message: LogMessage) => void | Promise<void>,
    isEnough?: () => boolean,
  ): Promise<void>;

  /** The message at one place as the log's leader has it; undefined where there is none (yet). */
  at(place: number): Promise<LogMessage | undefined>;

  /** Where the log ends. Rejects with LogUnavailable where nobody answers. */
  end(): Promise<LogEnd>;

  close(): Promise<void>;
}

/** Short messages between the nodes that nobody stores: they are hints, and may be lost. */
export interface Signals {
  send(topic: string, text: string): void;
  hear(topic: string, onText: (text: string) => void): void;
}

/** Bytes between two nodes, each at most once and in order; what is lost is for the sender to notice. */
export interface Letters {
  /** Whether a server is there to carry them. */
  readonly isConnected: boolean;
  /** False where it is certain that nothing left. The bytes may be changed as soon as it returns. */
  post(topic: string, bytes: Uint8Array): boolean;
  /** The bytes are valid during the call only. The returned function ends it. */
  receive(topic: string, onBytes: (bytes: Uint8Array) => void): () => void;
}

/** The log does not answer for now; nothing is known about it. */
export class LogUnavailable extends Error {
  override readonly name = 'LogUnavailable';
}

/** What the log holds cannot be this venue's log, or contradicts what this node has. */
export class LogRefused extends Error {
  override readonly name = 'LogRefused';
}
