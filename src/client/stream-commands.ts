import { REJECTIONS } from '../domain/rejections.ts';
import { ORDER_OPS, type OrderOp } from '../wire/stream.ts';

/** The answer to one element of a command. */
export type StreamAnswer = {
  readonly event: string;
  readonly submitted: boolean;
  /** It had taken effect before; this is the first answer, repeated. */
  readonly replayed?: boolean;
  readonly code?: string;
  readonly message?: string;
  readonly data?: Readonly<Record<string, unknown>>;
};

type Pending = {
  readonly tag: string;
  readonly message: object;
  readonly expected: number;
  readonly answers: StreamAnswer[];
  readonly createdAtMs: number;
  wasSent: boolean;
  /** By an attempt that was not answered, so a refusal at the door is not its outcome. */
  mayHaveTakenEffect: boolean;
  readonly resolve: (answers: readonly StreamAnswer[]) => void;
  readonly reject: (reason: Error) => void;
};

export type CommandParts = {
  readonly nowMs: () => number;
  readonly send: (message: object) => void;
  /** Runs a function later; returns a function that cancels it. */
  readonly after: (delayMs: number, run: () => void) => () => void;
};

/** For this long the venue certainly remembers a named command. */
const REMEMBERED_MS = 50_000;
/** The venue takes 50 commands a second of one key. */
const AT_ONCE = 25;
const PAUSE_MS = 600;

/**
 * The commands of a stream that are not answered yet. Each has a name, so it takes effect once, however often
 * it is sent.
 */
export class StreamCommands {
  readonly #parts: CommandParts;
  readonly #pending = new Map<string, Pending>();
  /** Still to be sent on this connection, in their order. */
  #queue: Pending[] = [];
  #isOpen = false;
  #stopTimer: (() => void) | undefined;
  #nextTag = 1;

  constructor(parts: CommandParts) {
    this.#parts = parts;
  }

  /** Resolves with an answer for each element. */
  command(op: OrderOp, data: object | readonly object[]): Promise<readonly StreamAnswer[]> {
    const tag = String(this.#nextTag++);
    const elements = Array.isArray(data) ? (data as readonly object[]) : [data];
    const content = ORDER_OPS[op].isBatch ? { dataArray: elements } : { data: elements[0] };
    const message = { op, tag, requestId: crypto.randomUUID(), ...content };
    return new Promise((resolve, reject) => {
      const pending: Pending = {
        ...{ tag, message, expected: elements.length, answers: [], resolve, reject },
        ...{ createdAtMs: this.#parts.nowMs(), wasSent: false, mayHaveTakenEffect: false },
      };
      this.#pending.set(tag, pending);
      if (!this.#isOpen) return;
      // Not before those that were given earlier: a cancel would miss its order.
      if (this.#queue.length > 0) this.#queue.push(pending);
      else this.#send(pending);
    });
  }

  /** There is a connection: whatever has no answer is sent on it. */
  begin(): void {
    this.#isOpen = true;
    for (const pending of this.#pending.values()) {
      // What a lost connection has answered of a batch comes again with the rest.
      pending.answers.length = 0;
      pending.mayHaveTakenEffect = pending.wasSent;
    }
    this.#queue = [...this.#pending.values()];
    this.#sendQueue();
  }

  lost(): void {
    this.#isOpen = false;
    this.#queue = [];
    this.#stop();
  }

  close(): void {
    this.lost();
    for (const { reject } of this.#pending.values()) reject(new Error('the stream was closed'));
    this.#pending.clear();
  }

  answered(answer: StreamAnswer & { readonly tag: string }): void {
    const pending = this.#pending.get(answer.tag);
    if (pending === undefined) return;
    if (answer.code === REJECTIONS.TOO_RAPID.code && pending.mayHaveTakenEffect) {
      this.#again(pending);
      return;
    }
    pending.answers.push(answer);
    // A batch that was refused as a whole has one answer.
    const isWhole = !answer.submitted && answer.data === undefined;
    if (pending.answers.length < pending.expected && !isWhole) return;
    if (pending.answers.some(isUnknown)) {
      pending.mayHaveTakenEffect = true;
      this.#again(pending);
      return;
    }
    this.#pending.delete(answer.tag);
    pending.resolve(pending.answers);
  }

  /** The last answer says nothing about what an earlier attempt has done. Before what was given later: a cancel, say. */
  #again(pending: Pending): void {
    pending.answers.length = 0;
    const at = this.#queue.findIndex(({ tag }) => Number(tag) > Number(pending.tag));
    this.#queue.splice(at < 0 ? this.#queue.length : at, 0, pending);
    this.#sendLater();
  }

  #sendQueue(): void {
    for (const pending of this.#queue.splice(0, AT_ONCE)) {
      if (this.#parts.nowMs() - pending.createdAtMs < REMEMBERED_MS) this.#send(pending);
      else this.#giveUp(pending);
    }
    if (this.#queue.length > 0) this.#sendLater();
  }

  #sendLater(): void {
    this.#stopTimer ??= this.#parts.after(PAUSE_MS, () => {
      this.#stopTimer = undefined;
      this.#sendQueue();
    });
  }

  #send(pending: Pending): void {
    pending.wasSent = true;
    this.#parts.send(pending.message);
  }

  #giveUp({ tag, wasSent, reject }: Pending): void {
    this.#pending.delete(tag);
    const outcome = wasSent ? 'the outcome is unknown' : 'this was not sent';
    reject(new Error(`the connection was lost too long; ${outcome}`));
  }

  #stop(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
  }
}

const isUnknown = ({ code, message }: StreamAnswer): boolean =>
  code === REJECTIONS.OUTCOME_UNKNOWN.code &&
  message?.startsWith(REJECTIONS.OUTCOME_UNKNOWN.message) === true;
