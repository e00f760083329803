import { type Batch, batchFor } from './batch.ts';
import { keyOf } from './channel-spec.ts';
import type { FeedAnswer, FeedRequest } from './feed-protocol.ts';

/** A request about a channel or a listener, with a hub's own numbers. */
export type OfChannel = Extract<FeedRequest, { readonly channel: number }>;
type Shared = { readonly id: number; readonly key: string; listeners: number };
type OfHub = { readonly shared: Shared; plain: number; counted: number };

/** A thread with sockets. */
export type FeedHub = {
  readonly index: number;
  readonly post: (answer: FeedAnswer, transfer: ArrayBuffer[]) => void;
  /** Batches in flight to it. */
  batchesOut: number;
  /** Channels by the hub's own numbers, and these by the shared ones. */
  readonly channels: Map<number, OfHub>;
  readonly numbers: Map<number, number>;
};

/** Numbers of listeners in one hub stay below this. */
const LISTENERS = 2 ** 32;

/**
 * Several threads with sockets share one publisher: each message is built once, and a listener that
 * reconnects to another thread can resume. Each thread numbers its channels and listeners by itself; here
 * they get shared numbers.
 */
export class FeedHubs {
  readonly #all = new Set<FeedHub>();
  readonly #sharedByKey = new Map<string, Shared>();
  #joined = 0;
  #lastShared = 0;

  get all(): ReadonlySet<FeedHub> {
    return this.#all;
  }

  /** Whether there were some, and all have left. */
  get areGone(): boolean {
    return this.#joined > 0 && this.#all.size === 0;
  }

  join(post: FeedHub['post']): FeedHub {
    const numbers = { channels: new Map(), numbers: new Map() };
    const hub = { index: this.#joined++, post, batchesOut: 0, ...numbers };
    this.#all.add(hub);
    return hub;
  }

  /** The unsubscribe requests of all its listeners, with shared numbers. */
  leave(hub: FeedHub): OfChannel[] {
    if (!this.#all.delete(hub)) return [];
    return [...hub.channels].flatMap(([channel, { plain, counted }]) =>
      [...Array(plain + counted)].flatMap((_, at) => {
        const left = this.shared(hub, { kind: 'leave', channel, isCounted: at >= plain });
        return left === undefined ? [] : [left];
      }),
    );
  }

  /** The request with shared numbers; undefined if the channel is not known. */
  shared(hub: FeedHub, request: OfChannel): OfChannel | undefined {
    const of =
      request.kind === 'open' ? this.#opened(hub, request) : hub.channels.get(request.channel);
    if (of === undefined) return undefined;
    if (request.kind === 'leave') this.#left(hub, request, of);
    const channel = of.shared.id;
    if (request.kind === 'leave') return { ...request, channel };
    return { ...request, channel, listener: hub.index * LISTENERS + request.listener };
  }

  /** Sends each hub its part. */
  send(batch: Batch): void {
    for (const hub of this.#all) {
      const firstListener = hub.index * LISTENERS;
      const own = batchFor(batch, (kind, id) => {
        if (kind !== 'first') return hub.numbers.get(id);
        const listener = id - firstListener;
        return listener >= 0 && listener < LISTENERS ? listener : undefined;
      });
      if (own === undefined) continue;
      hub.batchesOut++;
      // A single hub gets the bytes themselves, without a copy.
      const isAlone = this.#all.size === 1;
      const bytes = isAlone ? own.bytes : new Uint8Array(own.bytes);
      hub.post({ kind: 'batch', batch: { ...own, bytes } }, [bytes.buffer as ArrayBuffer]);
    }
  }

  #opened(
    hub: FeedHub,
    { channel, spec, isCounted }: Extract<FeedRequest, { kind: 'open' }>,
  ): OfHub {
    const key = keyOf(spec);
    const shared = this.#sharedByKey.get(key) ?? { id: ++this.#lastShared, key, listeners: 0 };
    this.#sharedByKey.set(key, shared);
    const of = hub.channels.get(channel) ?? { shared, plain: 0, counted: 0 };
    hub.channels.set(channel, of);
    hub.numbers.set(shared.id, channel);
    of[isCounted ? 'counted' : 'plain']++;
    shared.listeners++;
    return of;
  }

  #left(hub: FeedHub, { channel, isCounted }: OfChannel, of: OfHub): void {
    const { shared } = of;
    of[isCounted ? 'counted' : 'plain']--;
    if (of.plain + of.counted === 0) {
      hub.channels.delete(channel);
      hub.numbers.delete(shared.id);
    }
    if (--shared.listeners === 0) this.#sharedByKey.delete(shared.key);
  }
}
