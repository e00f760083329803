import { assert } from '../../domain/assert.ts';
import type { Command } from '../../domain/commands.ts';
import { EVENT_KINDS, type EventKind } from '../../domain/event-codec.ts';
import type { Event } from '../../domain/events.ts';
import { EventWalk, matchOf, matchSideOf, storedOrderOf } from '../../domain/stored-events.ts';
import type { AccountIndex, KeyIndex, MarketIndex } from '../../domain/units.ts';
import { accountFeed, balanceFeed, positionFeed, walletFeed } from './account-feeds.ts';
import { type Batch, BatchWriter } from './batch.ts';
import { bestFeed, bookFeed, MarketBook } from './book-feeds.ts';
import { Channel } from './channel.ts';
import { type ChannelSpec, keyOf, nameOf } from './channel-spec.ts';
import type { Emit, Feed, StreamPast, StreamSource } from './feed.ts';
import type { FeedRequest } from './feed-protocol.ts';
import { candleFeed, liquidationFeed, marketFeed, tickerFeed, tradeFeed } from './market-feeds.ts';
import { orderFeed } from './order-feed.ts';

export type { Batch } from './batch.ts';
export type { StreamPast, StreamSource } from './feed.ts';
export { type FeedHub, FeedHubs, type OfChannel } from './feed-hubs.ts';
export type { FeedAnswer, FeedRequest } from './feed-protocol.ts';
export { RecentPast } from './recent-past.ts';

export type PublisherOptions = {
  readonly source: StreamSource;
  readonly past: StreamPast;
  /** How long a channel without listeners is kept for those that resume. */
  readonly lingerMs?: number;
  /** Drawn by each node of a cluster, so that a number of one is never valid at another. */
  readonly seqOffset?: number;
};

const LINGER_MS = 60_000;
/** No feed has a shorter period. */
const BEAT_LEAST_MS = 10;
const KEPT_CHARACTERS_MAX = 64 * 1_024 * 1_024;

const NO_CHANNEL = -1;

type Opened = { readonly spec: ChannelSpec; readonly channel: Channel };
/** The channels of an account; those of its orders and of its wallet are single. */
type OfAccount = { readonly channels: Set<Channel>; order?: Feed; wallet?: Feed };

/**
 * Builds the messages of all channels that have listeners, each once: it receives every durable command, and
 * a call when time has passed. It knows no sockets, threads or clocks.
 */
export class Publisher {
  readonly #source: StreamSource;
  readonly #past: StreamPast;
  readonly #lingerMs: number;
  readonly #seqOffset: number;
  /** Channels with something to send, and accounts that have changed: few of many. */
  readonly #pending = new Set<Channel>();
  readonly #touched = new Set<OfAccount>();
  readonly #channelParts = {
    kept: { characters: 0, charactersMax: KEPT_CHARACTERS_MAX },
    onPending: (channel: Channel) => void this.#pending.add(channel),
  };
  readonly #opened = new Map<number, Opened>();
  readonly #idByKey = new Map<string, number>();
  readonly #books = new Map<MarketIndex, { readonly book: MarketBook; feeds: number }>();
  readonly #trades = new Map<MarketIndex, Feed>();
  readonly #ofAccount = new Map<AccountIndex, OfAccount>();
  #liquidations: Feed | undefined;
  readonly #walk = new EventWalk();
  readonly #batch = new BatchWriter();
  #nowMs = 0;

  constructor({ source, past, lingerMs = LINGER_MS, seqOffset = 0 }: PublisherOptions) {
    this.#seqOffset = seqOffset;
    this.#source = source;
    this.#past = past;
    this.#lingerMs = lingerMs;
  }

  /** No channel is open, or kept for listeners that may resume. */
  get isIdle(): boolean {
    return this.#opened.size === 0;
  }

  open(request: Extract<FeedRequest, { readonly kind: 'open' }>): void {
    const { listener, isCounted, fromSeq } = request;
    const channel = this.#channelOf(request.channel, request.spec);
    channel.flush(this.#batch);
    channel.leftAtMs = undefined;
    if (isCounted) channel.counted++;
    else channel.plain++;
    if (isCounted) channel.isCounted = true;
    const missed = fromSeq === undefined ? undefined : channel.since(fromSeq);
    const texts = missed ?? this.#firstOf(channel, isCounted);
    // A channel of events has no first message: a listener with numbered messages gets the number from which
    // they count.
    const isNumbered = isCounted && texts.length === 0;
    const messages =
      fromSeq === undefined && !isNumbered
        ? texts
        : [resumeText(request, channel, missed), ...texts];
    this.#batch.add('first', listener, 'event', messages);
  }

  again({
    channel: id,
    listener,
    isCounted,
  }: Extract<FeedRequest, { readonly kind: 'again' }>): void {
    const channel = this.#opened.get(id)?.channel;
    if (channel === undefined) return;
    channel.flush(this.#batch);
    this.#batch.add('first', listener, 'event', this.#firstOf(channel, isCounted));
  }

  leave({ channel: id, isCounted }: Extract<FeedRequest, { readonly kind: 'leave' }>): void {
    const channel = this.#opened.get(id)?.channel;
    if (channel === undefined) return;
    if (isCounted) channel.counted--;
    else channel.plain--;
    if (channel.hasListeners) return;
    if (channel.isCounted) channel.leftAtMs = this.#nowMs;
    else this.#drop(id);
  }

  /** A durable command and its encoded outcome. */
  receive(command: Command, outcome: Uint8Array): void {
    const isOfNobody = this.#ofAccount.size === 0;
    if (isOfNobody && this.#trades.size === 0 && this.#liquidations === undefined) return;
    const walk = this.#walk;
    walk.open(outcome);
    const eventsByFeed = new Map<Feed, Event[]>();
    const note = (feed: Feed | undefined, event: Event): void => {
      if (feed?.onEvents === undefined) return;
      const events = eventsByFeed.get(feed);
      if (events === undefined) eventsByFeed.set(feed, [event]);
      else events.push(event);
    };
    while (walk.next()) this.#dispatch(EVENT_KINDS[walk.kind] as EventKind, note);
    const key = command.kind === 'cancel-all' ? command.by.key : undefined;
    const cancelled = key === undefined ? undefined : this.#ofKey(key)?.order;
    if (cancelled !== undefined && !eventsByFeed.has(cancelled)) eventsByFeed.set(cancelled, []);
    for (const [feed, events] of eventsByFeed) {
      feed.onEvents?.({ timeMs: walk.timeMs, events, isCancelAll: feed === cancelled });
    }
  }

  /** After some commands: emits what listeners get at once. */
  settle(): void {
    for (const { channels } of this.#touched) {
      for (const { feed } of channels) feed.settle?.();
    }
    this.#touched.clear();
  }

  /** Time has passed, by a monotonic clock. */
  beat(nowMs: number): void {
    if (nowMs - this.#nowMs < BEAT_LEAST_MS) return;
    this.#nowMs = nowMs;
    for (const { book } of this.#books.values()) book.beat(nowMs);
    for (const [id, { channel }] of this.#opened) {
      channel.feed.beat?.(nowMs);
      if (channel.leftAtMs !== undefined && nowMs - channel.leftAtMs > this.#lingerMs)
        this.#drop(id);
    }
  }

  /** Everything to be sent since the last call, if anything. */
  take(): Batch | undefined {
    for (const channel of this.#pending) channel.flush(this.#batch);
    this.#pending.clear();
    return this.#batch.isEmpty ? undefined : this.#batch.take();
  }

  /** All first messages carry the number from which the next ones count. */
  #firstOf(channel: Channel, isCounted: boolean): readonly string[] {
    const texts = channel.feed.first(isCounted);
    return isCounted ? texts.map((text) => channel.asSnapshot(text)) : texts;
  }

  #dispatch(kind: EventKind, note: (feed: Feed | undefined, event: Event) => void): void {
    const walk = this.#walk;
    if (kind === 'order-matched') {
      const taker = matchSideOf.account(walk, matchOf.taker(walk));
      const maker = matchSideOf.account(walk, matchOf.maker(walk));
      const trades = this.#trades.get(matchOf.market(walk));
      const isOfInterest = this.#touch(taker, maker) || trades !== undefined;
      if (!isOfInterest) return;
      const event = walk.decode();
      note(trades, event);
      note(this.#ofAccount.get(taker)?.order, event);
      if (maker !== taker) note(this.#ofAccount.get(maker)?.order, event);
    } else if (ORDER_KINDS.has(kind)) {
      const account = storedOrderOf.account(walk);
      if (!this.#touch(account)) return;
      note(this.#ofAccount.get(account)?.order, walk.decode());
    } else if (!SILENT_KINDS.has(kind)) this.#dispatchOther(walk.decode(), note);
  }

  #dispatchOther(event: Event, note: (feed: Feed | undefined, event: Event) => void): void {
    if (event.kind === 'liquidation-started') note(this.#liquidations, event);
    const accounts = accountsIn(event);
    if (!this.#touch(...accounts)) return;
    for (const account of accounts) note(this.#ofAccount.get(account)?.wallet, event);
  }

  /** Whether one of the accounts has listeners. Costs nothing for each of its channels: events are many. */
  #touch(...accounts: readonly AccountIndex[]): boolean {
    let isAny = false;
    for (const account of accounts) {
      const of = this.#ofAccount.get(account);
      if (of === undefined) continue;
      isAny = true;
      this.#touched.add(of);
    }
    return isAny;
  }

  #ofKey(key: KeyIndex): OfAccount | undefined {
    if (this.#ofAccount.size === 0) return undefined;
    const account = this.#source.directory.key(key)?.account;
    return account === undefined ? undefined : this.#ofAccount.get(account);
  }

  #channelOf(id: number, spec: ChannelSpec): Channel {
    const known = this.#opened.get(this.#idByKey.get(keyOf(spec)) ?? NO_CHANNEL);
    if (known !== undefined) return this.#renumber(known, id);
    // Numbers of a channel only grow, even when it is reopened, because time does.
    const name = nameOf(this.#source.directory, spec);
    const channel = new Channel(
      id,
      name,
      this.#source.timeMs * 1_000 + this.#seqOffset,
      this.#channelParts,
    );
    channel.feed = this.#feedFor(spec, channel.emit);
    this.#opened.set(id, { spec, channel });
    this.#idByKey.set(keyOf(spec), id);
    if ('account' in spec) {
      const of = this.#ofAccount.get(spec.account) ?? { channels: new Set() };
      this.#ofAccount.set(spec.account, of);
      of.channels.add(channel);
      if (spec.kind === 'order' || spec.kind === 'wallet') of[spec.kind] = channel.feed;
    } else if (spec.kind === 'trade') this.#trades.set(spec.market, channel.feed);
    else if (spec.kind === 'liquidationRFQ') this.#liquidations = channel.feed;
    return channel;
  }

  /** The hub gives a channel that had no listeners for a while another number. */
  #renumber(opened: Opened, id: number): Channel {
    const { spec, channel } = opened;
    this.#opened.delete(channel.id);
    channel.id = id;
    this.#opened.set(id, opened);
    this.#idByKey.set(keyOf(spec), id);
    return channel;
  }

  #drop(id: number): void {
    const { spec, channel } = this.#opened.get(id) as Opened;
    this.#opened.delete(id);
    this.#idByKey.delete(keyOf(spec));
    this.#pending.delete(channel);
    channel.forget();
    if ('account' in spec) {
      const of = this.#ofAccount.get(spec.account);
      of?.channels.delete(channel);
      if (spec.kind === 'order' || spec.kind === 'wallet') delete of?.[spec.kind];
      if (of?.channels.size === 0) this.#ofAccount.delete(spec.account);
    } else if (spec.kind === 'trade') this.#trades.delete(spec.market);
    else if (spec.kind === 'liquidationRFQ') this.#liquidations = undefined;
    else if (isBook(spec)) this.#closeBook(spec.market);
  }

  #feedFor(spec: ChannelSpec, emit: Emit): Feed {
    const source = this.#source;
    const parts = { source, past: this.#past, emit };
    switch (spec.kind) {
      case 'depth':
      case 'depthL5':
      case 'depthL10':
      case 'depthL25':
      case 'depthUpdate':
        return bookFeed(spec.kind, this.#openBook(spec.market), emit);
      case 'bestBidAsk':
        return bestFeed(source, spec.market, emit);
      case 'trade':
        return tradeFeed(parts, spec.market);
      case 'ticker':
        return tickerFeed(parts, spec.market);
      case 'market':
        return marketFeed(parts, spec.market);
      case 'candles':
        return candleFeed(parts, spec.market, spec.seconds);
      case 'liquidationRFQ':
        return liquidationFeed(parts);
      case 'balance':
        return balanceFeed(parts, spec.account, spec.asset);
      case 'position':
        return positionFeed(parts, spec.account, spec.market);
      case 'order':
        return orderFeed(parts, spec.account);
      case 'account':
        return accountFeed(parts, spec.account);
      case 'wallet':
        return walletFeed(parts, spec.account);
    }
  }

  #openBook(market: MarketIndex): MarketBook {
    const known = this.#books.get(market);
    const opened = known ?? { book: new MarketBook(this.#source, market), feeds: 0 };
    opened.feeds++;
    this.#books.set(market, opened);
    return opened.book;
  }

  #closeBook(market: MarketIndex): void {
    const opened = this.#books.get(market);
    assert(opened !== undefined, 'a channel of a book has opened it');
    if (--opened.feeds === 0) this.#books.delete(market);
  }
}

const ORDER_KINDS: ReadonlySet<EventKind> = new Set([
  'order-opened',
  'order-modified',
  'order-triggered',
  'order-closed',
]);
/** Frequent events that name no account. */
const SILENT_KINDS: ReadonlySet<EventKind> = new Set([
  'refused',
  'order-refused',
  'index-prices-set',
  'index-price-refused',
]);

const isBook = (
  spec: ChannelSpec,
): spec is Extract<ChannelSpec, { readonly market: MarketIndex }> => spec.kind.startsWith('depth');

/** Accounts whose money or figures the event changes; a sweep once a second finds what is not named here. */
function accountsIn(event: Event): readonly AccountIndex[] {
  switch (event.kind) {
    case 'transferred':
      return [event.from, event.to];
    case 'funds-moved':
      return [event.from, event.to].filter((holder) => typeof holder === 'number');
    case 'withdrawal-changed':
      return [event.withdrawal.account];
    case 'deposit-changed':
      return [event.deposit.account];
    case 'funding-paid':
    case 'liquidation-started':
    case 'liquidation-step':
    case 'collateral-sold':
    case 'liquidation-ended':
    case 'genesis-credited':
      return [event.account];
    default:
      return [];
  }
}

/** If missed messages are not sent, the resuming client gets their count, if that is known. */
function resumeText(
  { name, fromSeq }: Pick<Extract<FeedRequest, { readonly kind: 'open' }>, 'name' | 'fromSeq'>,
  channel: Channel,
  missed: readonly string[] | undefined,
): string {
  const count =
    fromSeq === undefined || missed !== undefined ? undefined : channel.countSince(fromSeq);
  return JSON.stringify({
    ...{ event: 'resume', channel: name, resumed: missed !== undefined, seq: channel.seq },
    ...(count === undefined ? {} : { missed: count }),
  });
}
