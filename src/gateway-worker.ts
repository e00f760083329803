import { setTimeout as pause } from 'node:timers/promises';
import { parentPort, type Transferable, workerData } from 'node:worker_threads';
import { Registry } from 'prom-client';
import { createEdge, type EdgeOptions, observeRequests, SharedConnections } from './api/edge.ts';
import { docsFiles } from './docs-files.ts';
import { apiConfig } from './edge-config.ts';
import { want } from './engine/cursors.ts';
import { openThreadGateway } from './engine/thread-gateway.ts';
import { feedOpener } from './feed.ts';
import type {
  EngineCalls,
  FromGateway,
  GatewayCalls,
  GatewayWork,
  ToGateway,
} from './gateway-messages.ts';
import { openWithRetry } from './history/open-with-retry.ts';
import type { HistoryMessage } from './history-worker.ts';
import { openLog } from './log.ts';
import { createPasswords } from './passwords.ts';
import { afterRealTime, everyRealTime } from './real-time.ts';
import { keyMaker, sealWith } from './seal.ts';
import { openSite } from './site.ts';
import { threadCalls } from './thread-calls.ts';
import type { TlsPair } from './tls.ts';

const LISTENERS_MS = 100;

const work = workerData as GatewayWork;
const post = (message: FromGateway, transfer: Transferable[] = []): void =>
  parentPort?.postMessage(message, transfer);

const { log } = openLog(work.config.logLevel, {
  write: (line) => post({ kind: 'log', line }),
  dropped: 0,
  flush: () => Promise.resolve(),
});
let receiveAnswers = (_bytes: Uint8Array): void => undefined;
let onLimits = (_text: string): void => undefined;
const opened = open();
// The first caller gets the reason why it did not open.
opened.catch(() => undefined);
const mine: GatewayCalls = {
  listen: async (input) => (await opened).listen(input),
  setTls: async (tls) => (await opened).setTls(tls),
  metrics: async () => (await opened).metrics.getMetricsAsJSON(),
  close: async () => (await opened).close(),
  ping: () => undefined,
};
const engineCalls = threadCalls<EngineCalls>(post, mine);

parentPort?.on('message', (message: ToGateway) => {
  if (message.kind === 'answers') receiveAnswers(message.bytes);
  else if (message.kind === 'limits') onLimits(message.text);
  else if (message.kind === 'history') {
    void opened.then((serving) => serving.onHistory(message.message));
  } else engineCalls.receive(message);
});

/** Everything but the socket. */
async function open() {
  const { config, venueId, cursors, historyPlace, slot, node } = work;
  const { engine, receive, stop } = openThreadGateway({
    ...{ directory: config.data, venueId, cursors, clock: work.clock },
    ...{ every: everyRealTime, pause },
    post: (bytes) => post({ kind: 'calls', bytes }, [bytes.buffer]),
    // The copy is wrong: this thread ends, and another one starts with a new copy.
    onFailure: (reason) => {
      setImmediate(() => {
        throw reason;
      });
    },
  });
  receiveAnswers = receive;
  const history = await openWithRetry({
    ...historyPlace,
    ...{ stamp: venueId, after: afterRealTime },
    want: (sequence) => want(cursors, sequence),
  });
  const metrics = new Registry();
  const site = openSite((words) => log.warn(words));
  const options: Omit<EdgeOptions, 'config'> = {
    ...{ engine, history, log, metrics, site, docs: docsFiles, isGateway: true },
    keys: keyMaker(sealWith(work.masterKey)),
    passwords: createPasswords(),
    otherConnections: new SharedConnections(work.connections, slot),
    limitChannel: {
      node,
      send: (text) => post({ kind: 'limits', text }),
      receive: (onText) => {
        onLimits = onText;
      },
    },
    openFeed: feedOpener((port) => post({ kind: 'feed', port }, [port])),
    ...engineServices(),
  };
  return new Serving({ options, stop, history, site });
}

/** What only the engine's thread knows. */
const engineServices = (): Pick<EdgeOptions, 'depositAddress' | 'readHeight' | 'sandbox'> => ({
  depositAddress: (network, account) => engineCalls.call('depositAddress', { network, account }),
  readHeight: (network) => engineCalls.call('readHeight', network),
  sandbox:
    work.sandboxToken === undefined
      ? undefined
      : {
          token: work.sandboxToken,
          marketSeed: work.marketSeed,
          chains: {
            pay: (payment) => engineCalls.call('pay', payment),
            control: (network, what) => engineCalls.call('control', { network, what }),
          },
        },
});

type ServingParts = {
  readonly options: Omit<EdgeOptions, 'config'>;
  readonly history: Awaited<ReturnType<typeof openWithRetry>>;
  readonly site: ReturnType<typeof openSite>;
  readonly stop: () => void;
};

class Serving {
  readonly #parts: ServingParts;
  readonly metrics: Registry;
  readonly #edge: ReturnType<typeof createEdge>;
  #stopCounting = (): void => undefined;

  constructor(parts: ServingParts) {
    this.#parts = parts;
    this.metrics = parts.options.metrics;
    const config = apiConfig(work.config, work.tls, () => undefined);
    this.#edge = createEdge({ ...parts.options, config }, observeRequests(this.metrics));
  }

  /** The first of the threads may take any port; the others use the same. */
  async listen({ port }: { readonly port: number }): Promise<{ readonly port: number }> {
    const counts = new Int32Array(work.listeners);
    let guarded = '';
    this.#stopCounting = everyRealTime(LISTENERS_MS, () => {
      Atomics.store(counts, work.slot, this.#edge.listeners);
      const keys = this.#edge.guarded;
      if (keys.join() === guarded) return;
      guarded = keys.join();
      post({ kind: 'guarded', keys });
    });
    return this.#edge.listen(port);
  }

  /** Also before it listens. */
  setTls(tls: TlsPair): void {
    void this.#edge.setTls(tls);
  }

  onHistory(message: HistoryMessage): void {
    const { history } = this.#parts;
    if (typeof message === 'number') history.advanced(message);
    else history.halted(message.trouble, message.sequence);
  }

  async close(): Promise<void> {
    await this.#edge.close();
    this.#stopCounting();
    this.#parts.site.close();
    this.#parts.stop();
    await this.#parts.history.close();
  }
}
