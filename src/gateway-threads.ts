import { Worker } from 'node:worker_threads';
import { watchAnswers } from './answer-watch.ts';
import { SharedConnections, sharedConnectionBytes } from './api/edge.ts';
import type { EdgeOptions, Gateways } from './api/server.ts';
import type { VenueConfig } from './config.ts';
import type { KeyIndex } from './domain/units.ts';
import type { Engine } from './engine/engine.ts';
import { cancelFor } from './engine/guarded-keys.ts';
import { clockMemory, shareClock } from './engine/thread-clock.ts';
import { ThreadIntake } from './engine/thread-intake.ts';
import type { Every } from './engine/ticker.ts';
import { workerUrl } from './feed.ts';
import type {
  EngineCalls,
  FromGateway,
  GatewayCalls,
  GatewayWork,
  ToGateway,
} from './gateway-messages.ts';
import type { VenueLog } from './log.ts';
import type { Rooms } from './rooms.ts';
import { type ThreadCalls, threadCalls } from './thread-calls.ts';
import type { TlsPair } from './tls.ts';

export type GatewayThreadsOptions = {
  readonly rooms: Pick<Rooms, 'identity' | 'history' | 'threads' | 'feed'>;
  readonly config: VenueConfig;
  /** As the edge sees it: an idle venue is brought up to the current second. */
  readonly engine: Engine;
  readonly tls: TlsPair | undefined;
  readonly outside: Pick<EdgeOptions, 'depositAddress' | 'readHeight' | 'sandbox'>;
  readonly venueLog: Pick<VenueLog, 'log' | 'sink'>;
  readonly every: Every;
  readonly after: (delayMs: number, call: () => void) => unknown;
  /** Called with each thread that was started; tests end them. */
  readonly onThread?: ((thread: Worker) => void) | undefined;
};

/**
 * Small: buffers of sockets and messages are outside of the heap, count towards it, and are freed only when
 * the young generation is collected.
 */
const YOUNG_MB = 12;
const SHARE_CLOCK_MS = 100;
/** A thread that has died is restarted after this delay; it may die at once each time. */
const RESTART_MS = 500;
/**
 * A thread that accepts connections but answers nothing for this long is replaced: it slows the stream of
 * all. No request takes a hundredth of it.
 */
const PING_MS = 1_000;
const SILENT_PINGS = 30;

/** Threads that serve traders, as one edge. */
export class GatewayThreads implements Gateways {
  readonly #options: GatewayThreadsOptions;
  readonly #slots: Slot[];
  readonly #listeners: Int32Array;
  readonly #stops: (() => void)[];
  #tls: TlsPair | undefined;
  #port: number;
  #isClosing = false;
  #deaths = 0;

  constructor(options: GatewayThreadsOptions) {
    const { config, rooms, engine, every } = options;
    const { gateways: count } = config;
    const { cursors, historyPlace, masterKey, subscribeHistory } = rooms.threads;
    this.#options = options;
    this.#tls = options.tls;
    this.#port = config.port;
    const clock = clockMemory();
    const shareTime = (): void => shareClock(clock, engine.nowMs());
    shareTime();
    const connections = new SharedArrayBuffer(sharedConnectionBytes(count));
    const listeners = new SharedArrayBuffer(4 * count);
    this.#listeners = new Int32Array(listeners);
    const { sandbox } = options.outside;
    const shared = {
      ...{ config, venueId: rooms.identity.venueId, cursors, historyPlace, masterKey },
      ...{ clock, connections, listeners, sandboxToken: sandbox?.token },
      marketSeed: sandbox?.marketSeed,
    };
    this.#slots = Array.from({ length: count }, (_, slot) => ({
      starts: 0,
      work: { ...shared, slot },
      running: undefined,
      guarded: [],
    }));
    this.#stops = [
      every(SHARE_CLOCK_MS, shareTime),
      subscribeHistory((message) => this.#broadcast({ kind: 'history', message })),
    ];
  }

  /** All of them, or none: the first finds the port that the others share. */
  async listen(): Promise<{ readonly port: number }> {
    try {
      const [first, ...others] = this.#slots.map((slot) => this.#start(slot));
      const { port } = await (first as Running).calls.call('listen', { port: this.#port });
      this.#isServing(first as Running);
      this.#port = port;
      await Promise.all(others.map((one) => this.#serve(one)));
      return { port };
    } catch (cause) {
      await this.close();
      throw cause;
    }
  }

  get serving(): number {
    return this.#slots.filter(({ running }) => running?.isServing === true).length;
  }

  /** Since the start. */
  get deaths(): number {
    return this.#deaths;
  }

  get listeners(): number {
    let sum = 0;
    for (let slot = 0; slot < this.#slots.length; slot++) {
      sum += Atomics.load(this.#listeners, slot);
    }
    return sum;
  }

  get guarded(): readonly KeyIndex[] {
    return this.#slots.flatMap(({ guarded }) => guarded);
  }

  /** The pair was already checked; a thread that starts later uses it from the start. */
  async setTls(tls: TlsPair): Promise<void> {
    this.#tls = tls;
    await Promise.allSettled(this.#slots.map(({ running }) => running?.calls.call('setTls', tls)));
  }

  /** Of the threads that answer: one that ends meanwhile reports none. */
  readonly metrics: Gateways['metrics'] = async () => {
    const requests = this.#slots.map(({ running }) => running?.calls.call('metrics', null));
    const results = await Promise.allSettled(requests);
    return results.flatMap((one) =>
      one.status === 'fulfilled' && one.value !== undefined ? [one.value] : [],
    );
  };

  async close(): Promise<void> {
    this.#isClosing = true;
    const closing = this.#slots.map(async ({ running }) => {
      if (running === undefined) return;
      running.isServing = false;
      running.stopWatch();
      await running.calls.call('close', null).catch(() => undefined);
      await running.thread.terminate();
    });
    await Promise.all(closing);
    for (const stop of this.#stops.splice(0)) stop();
  }

  #start(slot: Slot): Running {
    const { engine, rooms, venueLog, onThread } = this.#options;
    slot.starts++;
    const work: GatewayWork = {
      ...slot.work,
      node: `thread-${slot.work.slot + 1}-${slot.starts}`,
      tls: this.#tls,
    };
    const thread = new Worker(workerUrl('gateway-worker'), {
      workerData: work,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    });
    const post = (message: ToGateway, transfer: ArrayBuffer[] = []): void =>
      thread.postMessage(message, transfer);
    const intake = new ThreadIntake({
      ...{ engine, soon: setImmediate },
      post: (bytes) => post({ kind: 'answers', bytes }, [bytes.buffer]),
    });
    const calls = threadCalls<GatewayCalls>(post, this.#answers());
    const running: Running = { thread, calls, isServing: false, stopWatch: () => undefined };
    slot.running = running;
    thread.on('message', (message: FromGateway) => {
      if (message.kind === 'calls') intake.receive(message.bytes);
      else if (message.kind === 'limits') this.#broadcast(message, running);
      else if (message.kind === 'feed') rooms.feed.join(message.port);
      else if (message.kind === 'log') venueLog.sink.write(message.line);
      else if (message.kind === 'guarded') slot.guarded = message.keys;
      else calls.receive(message);
    });
    let reason: Error | undefined;
    thread.on('error', (cause) => {
      reason = cause as Error;
    });
    thread.once('exit', (code) => {
      running.stopWatch();
      intake.end();
      calls.end(reason ?? new Error(`a gateway thread ended (code ${code})`));
      this.#gone(slot, running, reason);
    });
    const { trouble, sequence } = rooms.history;
    const message = trouble === undefined ? sequence : { trouble, sequence };
    post({ kind: 'history', message });
    onThread?.(thread);
    return running;
  }

  async #serve(running: Running): Promise<void> {
    await running.calls.call('listen', { port: this.#port });
    this.#isServing(running);
  }

  /** Not earlier: building its copy may block it for long. */
  #isServing(running: Running): void {
    const { every, venueLog } = this.#options;
    running.isServing = true;
    running.stopWatch = watchAnswers({
      ...{ every, periodMs: PING_MS, silentMax: SILENT_PINGS },
      ask: () => running.calls.call('ping', null),
      onSilent: () => {
        const silentMs = PING_MS * SILENT_PINGS;
        venueLog.log.error({ silentMs }, 'a gateway thread does not answer; it is ended');
        void running.thread.terminate();
      },
    });
  }

  /**
   * Its connections are closed; their clients reconnect to the other threads, and soon to its replacement.
   */
  #gone(slot: Slot, running: Running, reason: Error | undefined): void {
    const { log } = this.#options.venueLog;
    const wasServing = running.isServing;
    running.isServing = false;
    slot.running = undefined;
    new SharedConnections(slot.work.connections, slot.work.slot).wipe();
    Atomics.store(this.#listeners, slot.work.slot, 0);
    // A thread that was asked to close has done this itself.
    const guarded = slot.guarded;
    slot.guarded = [];
    if (!this.#isClosing) cancelFor(this.#options.engine, guarded);
    // If the first start of a thread fails, the venue's start fails: see `listen`.
    if (this.#isClosing || (!wasServing && slot.starts === 1)) return;
    this.#deaths++;
    const details = reason === undefined ? {} : { err: reason };
    log.error(details, 'a gateway thread has ended; another one takes its place');
    this.#options.after(RESTART_MS, () => this.#restart(slot));
  }

  #restart(slot: Slot): void {
    if (this.#isClosing) return;
    const running = this.#start(slot);
    this.#serve(running).catch((cause: unknown) => {
      // If it has ended, its replacement is being started; one that cannot listen is ended.
      this.#options.venueLog.log.error({ err: cause }, 'a gateway thread did not start');
      void running.thread.terminate();
    });
  }

  #broadcast(message: ToGateway, except?: Running): void {
    for (const { running } of this.#slots) {
      if (running !== undefined && running !== except) running.thread.postMessage(message);
    }
  }

  #answers(): EngineCalls {
    const { depositAddress, readHeight, sandbox } = this.#options.outside;
    return {
      depositAddress: ({ network, account }) => depositAddress?.(network, account),
      readHeight: (network) => readHeight?.(network),
      pay: async (payment) => sandbox?.chains.pay(payment),
      control: async ({ network, what }) => sandbox?.chains.control(network, what),
    };
  }
}

type Running = {
  readonly thread: Worker;
  readonly calls: ThreadCalls<GatewayCalls>;
  isServing: boolean;
  stopWatch: () => void;
};

/** One of the threads, across restarts. */
type Slot = {
  starts: number;
  readonly work: Omit<GatewayWork, 'node' | 'tls'>;
  running: Running | undefined;
  guarded: readonly KeyIndex[];
};
