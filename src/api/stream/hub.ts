import { type Refusal, refuse } from '../../domain/rejections.ts';
import type { Engine } from '../../engine/engine.ts';
import { type Batch, type BatchPart, partsOf } from './batch.ts';
import { type ChannelSpec, keyOf, readChannel } from './channel-spec.ts';
import type { Delivery } from './feed.ts';
import type { FeedAnswer, FeedRequest } from './feed-protocol.ts';
import type { StreamLimits } from './limits.ts';
import { done, failed } from './replies.ts';
import type { Session, SubscribeRequest } from './session.ts';
import { cutSlow } from './slow-consumer.ts';
import type { StreamChannels } from './stream.ts';

/** The thread that builds the messages, as this one sees it. */
export type FeedPort = {
  post(request: FeedRequest): void;
  stop(): Promise<void>;
};
/** Starts it. `onEnd` is called when it ends unexpectedly. */
export type OpenFeed = (handlers: {
  readonly onAnswer: (answer: FeedAnswer) => void;
  readonly onEnd: (reason: Error) => void;
}) => FeedPort;

export type HubOptions = {
  readonly engine: Engine;
  readonly limits: StreamLimits;
  readonly openFeed: OpenFeed;
  readonly every: (periodMs: number, run: () => void) => () => void;
  /** Runs a function soon, after what has already arrived. */
  readonly soon: (run: () => void) => void;
  readonly onTrouble: (reason: Error) => void;
};

type Subscription = {
  readonly id: number;
  readonly session: Session;
  readonly channel: HubChannel;
  readonly isCounted: boolean;
  /** As the client named it; order channels may have several names for the same messages. */
  readonly names: Set<string>;
  /** Messages were skipped because it lags: it gets a new snapshot when it has caught up. */
  isBehind: boolean;
  /** A new snapshot was requested and has not arrived yet. */
  isSnapshotRequested: boolean;
  /** Sent together with the first message: nothing that happens after the answer is missed. */
  answer: (() => void) | undefined;
};

type HubChannel = {
  readonly id: number;
  readonly spec: ChannelSpec;
  /** Listeners that have received their first message: plain ones, and those with numbered messages. */
  readonly plain: Set<Subscription>;
  readonly counted: Set<Subscription>;
  /** All of them, including those that wait for their first message. */
  listeners: number;
};

/** Sockets written to before other work on this thread gets its turn. */
const WRITES_PER_TURN = 256;
const CATCH_UP_MS = 250;
/** A thread that failed is restarted after a second, however often it fails. */
const REOPEN_AFTER_BEATS = 4;

/**
 * Which listeners have which channel, and the path from a batch of frames to sockets. It builds no messages:
 * a frame arrives ready to be written, and all recipients share the same memory.
 */
export class ChannelHub implements StreamChannels {
  readonly #options: HubOptions;
  readonly #channelByKey = new Map<string, HubChannel>();
  readonly #channels = new Map<number, HubChannel>();
  readonly #subscriptions = new Map<number, Subscription>();
  readonly #ofSession = new Map<Session, Map<HubChannel, Subscription>>();
  readonly #behind = new Set<Subscription>();
  readonly #stopTimer: () => void;
  #feed: FeedPort | undefined;
  #isLost = false;
  #isClosed = false;
  #lostBeats = 0;
  #nextId = 1;
  readonly #batches: Batch[] = [];
  /** Counts the batches that were begun. */
  #batchNumber = 0;
  #writing: Iterator<() => void> | undefined;
  cutSlow = 0;

  constructor(options: HubOptions) {
    this.#options = options;
    this.#stopTimer = options.every(CATCH_UP_MS, () => this.#catchUp());
  }

  /** How many channels somebody listens to. */
  get open(): number {
    return this.#channels.size;
  }

  /** How many listeners currently have messages skipped. */
  get lagging(): number {
    return this.#behind.size;
  }

  subscribe(session: Session, { channel: name, tag, withSeq, fromSeq }: SubscribeRequest): void {
    const { engine, limits } = this.#options;
    const answered = { tag, timeMs: engine.nowMs() };
    const spec = readChannel(engine.directory, name, session.caller?.account);
    const mine = this.#ofSession.get(session) ?? new Map<HubChannel, Subscription>();
    if ('rejected' in spec) {
      session.reply(failed('subscribe', spec, answered, name));
      return;
    }
    const known = this.#channelByKey.get(keyOf(spec));
    const before = known === undefined ? undefined : mine.get(known);
    // Names of one channel are bounded like channels: made-up ones ("order::1") would fill memory.
    const taken = before === undefined ? mine.size : before.names.size;
    if (taken >= limits.subscriptionsMax && before?.names.has(name) !== true) {
      const words = `at most ${limits.subscriptionsMax} channels a connection`;
      session.reply(failed('subscribe', refuse('LIMIT_REACHED', words), answered, name));
      return;
    }
    this.#ofSession.set(session, mine);
    const channel = this.#channelOf(spec);
    if (before !== undefined) this.#end(before);
    const subscription: Subscription = {
      id: this.#nextId++,
      session,
      channel,
      isCounted: withSeq,
      names: (before?.names ?? new Set()).add(name),
      isBehind: false,
      isSnapshotRequested: false,
      answer: () => session.reply(done('subscribe', { tag, timeMs: engine.nowMs() }, name)),
    };
    mine.set(channel, subscription);
    this.#enter(subscription, name, fromSeq);
  }

  unsubscribe(session: Session, name: string): Refusal | undefined {
    for (const subscription of this.#ofSession.get(session)?.values() ?? []) {
      if (!subscription.names.delete(name)) continue;
      if (subscription.names.size === 0) this.#leave(subscription);
      return undefined;
    }
    return refuse('PARAMETER_INVALID', `${name} is not subscribed`);
  }

  leave(session: Session): void {
    for (const subscription of this.#ofSession.get(session)?.values() ?? [])
      this.#leave(subscription);
    this.#ofSession.delete(session);
  }

  async close(): Promise<void> {
    // Connections that end from now on must not start the thread again to unsubscribe.
    this.#isClosed = true;
    this.#stopTimer();
    await this.#feed?.stop();
    this.#feed = undefined;
  }

  #channelOf(spec: ChannelSpec): HubChannel {
    const key = keyOf(spec);
    const known = this.#channelByKey.get(key);
    if (known !== undefined) return known;
    const channel = {
      ...{ id: this.#nextId++, spec, listeners: 0 },
      ...{ plain: new Set<Subscription>(), counted: new Set<Subscription>() },
    };
    this.#channelByKey.set(key, channel);
    this.#channels.set(channel.id, channel);
    return channel;
  }

  #enter(subscription: Subscription, name: string, fromSeq: number | undefined): void {
    const { channel, isCounted } = subscription;
    // A gateway may have answered with outcomes that its copy does not have yet.
    const { sequence, releasedSequence } = this.#options.engine.status();
    channel.listeners++;
    this.#subscriptions.set(subscription.id, subscription);
    this.#post({
      kind: 'open',
      channel: channel.id,
      spec: channel.spec,
      name,
      listener: subscription.id,
      isCounted,
      fromSeq,
      afterSequence: Math.max(sequence, releasedSequence),
    });
  }

  #leave(subscription: Subscription): void {
    const { session, channel } = subscription;
    this.#end(subscription);
    this.#ofSession.get(session)?.delete(channel);
    if (channel.listeners > 0) return;
    this.#channels.delete(channel.id);
    this.#channelByKey.delete(keyOf(channel.spec));
  }

  #end(subscription: Subscription): void {
    const { id, channel, isCounted } = subscription;
    subscription.answer?.();
    subscription.answer = undefined;
    this.#subscriptions.delete(id);
    this.#behind.delete(subscription);
    setOf(subscription).delete(subscription);
    channel.listeners--;
    this.#post({ kind: 'leave', channel: channel.id, isCounted });
  }

  #post(request: FeedRequest): void {
    if (this.#isLost || this.#isClosed) return;
    this.#feed ??= this.#options.openFeed({
      onAnswer: (answer) => this.#receive(answer),
      onEnd: (reason) => this.#lose(reason),
    });
    this.#feed.post(request);
  }

  #receive(answer: FeedAnswer): void {
    if (answer.kind === 'batch') {
      this.#batches.push(answer.batch);
      if (this.#writing === undefined) this.#write();
    } else if (this.#subscriptions.size === 0) {
      // There are no listeners: the thread ends, and with it its copy of the venue.
      const feed = this.#feed;
      this.#feed = undefined;
      void feed?.stop();
    }
  }

  /** It failed: all listeners start from a snapshot of the next one. */
  #lose(reason: Error): void {
    this.#options.onTrouble(reason);
    this.#feed = undefined;
    this.#isLost = true;
    this.#batches.length = 0;
  }

  /** Writes to a limited number of sockets, then yields to other work. */
  #write(): void {
    for (let writes = 0; writes < WRITES_PER_TURN; ) {
      this.#writing ??= this.#writesOf(this.#batches.shift());
      if (this.#writing === undefined) return;
      const next = this.#writing.next();
      if (next.done === true) {
        this.#writing = undefined;
        this.#post({ kind: 'taken' });
      } else {
        next.value();
        writes++;
      }
    }
    this.#options.soon(() => this.#write());
  }

  #writesOf(batch: Batch | undefined): Iterator<() => void> | undefined {
    return batch === undefined ? undefined : this.#writesIn(batch);
  }

  *#writesIn(batch: Batch): Generator<() => void> {
    this.#batchNumber++;
    for (const part of partsOf(batch)) {
      if (part.kind === 'first') yield () => this.#begin(part);
      else {
        const listeners = this.#channels.get(part.id)?.[part.kind] ?? [];
        for (const subscription of listeners)
          yield () => this.#deliver(subscription, part.frames, part.delivery);
      }
    }
  }

  /** The first message has arrived: from here on the listener gets what all others get. */
  #begin({ id, frames }: BatchPart): void {
    const subscription = this.#subscriptions.get(id);
    if (subscription === undefined) return;
    subscription.isBehind = false;
    subscription.isSnapshotRequested = false;
    this.#behind.delete(subscription);
    setOf(subscription).add(subscription);
    subscription.answer?.();
    subscription.answer = undefined;
    if (frames.length > 0) this.#send(subscription, frames);
  }

  #deliver(subscription: Subscription, frames: Uint8Array, delivery: Delivery): void {
    const { unreadBytes } = subscription.session.socket;
    if (delivery !== 'event') {
      if (subscription.isBehind) return;
      if (unreadBytes > this.#options.limits.lagBytes) {
        subscription.isBehind = true;
        this.#behind.add(subscription);
        return;
      }
    }
    this.#send(subscription, frames);
  }

  #send({ session }: Subscription, frames: Uint8Array): void {
    const { unreadMaxBytes, lagBytes } = this.#options.limits;
    const waitingBytes = session.socket.unreadBytes;
    session.burst.left(waitingBytes);
    // If it has to wait it is copied: a few bytes would otherwise keep the whole batch in memory.
    session.socket.sendFrames(waitingBytes > 0 ? frames.slice() : frames);
    session.isSentTo = true;
    session.burst.add(this.#batchNumber, frames.length, waitingBytes <= lagBytes);
    if (!session.isSlow || !session.socket.isOpen) return;
    this.cutSlow++;
    cutSlow(session, unreadMaxBytes);
  }

  /** A listener that has read enough of its backlog gets a new snapshot. */
  #catchUp(): void {
    if (this.#isLost && ++this.#lostBeats >= REOPEN_AFTER_BEATS) this.#reopen();
    for (const subscription of this.#behind) {
      const { session, channel, isCounted, id } = subscription;
      if (
        subscription.isSnapshotRequested ||
        session.socket.unreadBytes * 2 > this.#options.limits.lagBytes
      )
        continue;
      subscription.isSnapshotRequested = true;
      this.#post({ kind: 'again', channel: channel.id, listener: id, isCounted });
    }
  }

  #reopen(): void {
    this.#isLost = false;
    this.#lostBeats = 0;
    for (const subscription of this.#subscriptions.values()) {
      setOf(subscription).delete(subscription);
      subscription.channel.listeners--;
      const [name = ''] = subscription.names;
      this.#enter(subscription, name, undefined);
    }
  }
}

const setOf = ({ channel, isCounted }: Subscription): Set<Subscription> =>
  isCounted ? channel.counted : channel.plain;
