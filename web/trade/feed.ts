import { type ReplyOf, RialtoStream, type StreamMessage } from '../../src/client/index.ts';
import type { getMarkets } from '../../src/wire/market-data.ts';
import { notifyQuietly } from '../shared/messages.tsx';
import { endIfUnknown, publicClient, type Session, sessions } from '../shared/session.ts';
import { createFedStore, createStore, keptStore } from '../shared/store.ts';
import { venueNowMs } from '../shared/venue-clock.ts';
import { caughtUpWords, type RestartedChannel } from './caught-up.ts';
import { applyAll, EMPTY_STATE, type TapeTrade, withRead } from './live-state.ts';
import { keepBook } from './order-book/keep-book.ts';
import type { BookSides } from './order-book/levels.ts';

/** Feeds the stream into the stores that panels show. */

export type Market = ReplyOf<typeof getMarkets>[number];

export type Connection = {
  readonly isLive: boolean;
  readonly lostAtMs: number | undefined;
  /** When the next reconnect is due, while the connection is lost. */
  readonly retryAtMs: number | undefined;
  /** When anything was last received. */
  readonly receivedAtMs: number;
  /** The last message number of the book. */
  readonly bookSeq: number;
  /** The round trip of the last ping. */
  readonly roundTripMs: number | undefined;
};

export const live = createFedStore(EMPTY_STATE, applyAll);
/** Until the chosen market's book has come; one that came empty is another. */
export const NO_BOOK: BookSides = { asks: [], bids: [] };
export const book = createStore<BookSides>(NO_BOOK);
export const connection = createStore<Connection>({
  isLive: false,
  lostAtMs: undefined,
  retryAtMs: undefined,
  receivedAtMs: 0,
  bookSeq: 0,
  roundTripMs: undefined,
});
export const markets = createStore<readonly Market[]>([]);
export const failedToStart = createStore<string | undefined>(undefined);
const FIRST_MARKET = 'BTC-USD-SWAP-LIN';
export const chosen = keptStore('rialto-view', { marketCode: FIRST_MARKET, timeframe: '900s' });

export const TIMEFRAMES = [
  { name: '60s', label: '1m' },
  { name: '300s', label: '5m' },
  { name: '900s', label: '15m' },
  { name: '1800s', label: '30m' },
  { name: '3600s', label: '1h' },
  { name: '7200s', label: '2h' },
  { name: '14400s', label: '4h' },
  { name: '86400s', label: '1D' },
] as const;

export const marketOf = (all: readonly Market[], code: string): Market | undefined =>
  all.find(({ marketCode }) => marketCode === code);

const EXACT = '0.00000001';

/** The formatting terms of its orders; for an unlisted market as the venue sends them. */
export const termsOf = (code: string): Pick<Market, 'name' | 'base' | 'tickSize' | 'minSize'> =>
  marketOf(markets.get(), code) ?? { name: code, base: '', tickSize: EXACT, minSize: EXACT };

/** A quiet market is distinguished from a lost connection within three of them. */
const PING_MS = 1_000;

let stream: RialtoStream | undefined;
let leaveMarket: (() => void)[] = [];
let leaveCandles: (() => void) | undefined;

let onResumed = (): void => undefined;
/** Called when channels deliver again after the stream was lost: that may be a while after the reconnect. */
export function whenResumed(act: () => void): void {
  onResumed = act;
}
let isBack = false;

function noteReceived({ seq, table }: StreamMessage): void {
  const bookSeq = table?.startsWith('depthUpdate') === true ? { bookSeq: seq } : {};
  connection.update((before) => ({ ...before, receivedAtMs: Date.now(), ...bookSeq }));
  if (!isBack) return;
  isBack = false;
  onResumed();
}

const onMessage = (message: StreamMessage): void => {
  noteReceived(message);
  live.feed(message);
};

/** Channels answer one after the other; within this time all of them have. */
const RESUMED_MS = 1_000;
let restarted: readonly RestartedChannel[] = [];

/**
 * Reported once for all of them. Channels of events have no snapshot that would replace what was missed: it
 * is read by REST.
 */
function noteRestarted(one: RestartedChannel): void {
  readTapeOf(one.channel);
  if (one.channel.startsWith('wallet:')) {
    live.update((state) => ({ ...state, walletChanges: state.walletChanges + 1 }));
  }
  if (restarted.length === 0) {
    setTimeout(() => {
      const words = caughtUpWords(restarted);
      restarted = [];
      if (words !== undefined) notifyQuietly('info', words.title, words.text);
    }, RESUMED_MS);
  }
  restarted = [...restarted, one];
}

/** Of a channel that starts to deliver: a trade before that, and after the last read, would be in neither. */
function readTapeOf(channel: string): void {
  if (!channel.startsWith('trade:')) return;
  void readTape(channel.slice('trade:'.length)).catch(() => undefined);
}

async function readTape(marketCode: string): Promise<void> {
  const rows = await publicClient.exchangeTrades({ marketCode, ids: 'true', limit: '100' });
  if (chosen.get().marketCode !== marketCode) return;
  const read = rows.map(
    (row): TapeTrade => ({
      id: row.matchId ?? '',
      side: row.side,
      price: row.matchPrice,
      quantity: row.matchQuantity,
      atMs: Number(row.matchedAt),
    }),
  );
  live.update((state) => ({ ...state, tape: withRead(state.tape, read) }));
}

function followMarket(marketCode: string): void {
  for (const leave of leaveMarket) leave();
  book.set(NO_BOOK);
  live.update((state) => ({ ...state, tape: [] }));
  if (stream === undefined) return;
  const leaveBook = keepBook({
    ...{ stream, marketCode, nowMs: () => performance.now() },
    ...{ onMessage: noteReceived, onBook: book.set },
  });
  leaveMarket = [leaveBook, stream.subscribe(`trade:${marketCode}`, onMessage)];
  void readTape(marketCode).catch(() => undefined);
}

function followCandles(marketCode: string, timeframe: string): void {
  leaveCandles?.();
  live.update((state) => ({ ...state, candle: undefined }));
  leaveCandles = stream?.subscribe(`candles${timeframe}:${marketCode}`, onMessage);
}

function connect(session: Session | undefined): void {
  stream?.close();
  const { tickers, statuses, tape } = live.get();
  live.set({ ...EMPTY_STATE, tickers, statuses, tape });
  const key =
    session === undefined ? {} : { accessKey: session.accessKey, signingKey: session.key };
  stream = new RialtoStream({
    baseUrl: location.origin,
    ...key,
    nowMs: () => Math.round(venueNowMs()),
    onBegun: readTapeOf,
    onReady: (isLive) => {
      const before = connection.get();
      // It may have been silent for a while before it was given up.
      const lostAtMs = isLive ? undefined : before.receivedAtMs;
      if (isLive && before.lostAtMs !== undefined) isBack = true;
      connection.set({
        ...before,
        ...{ isLive, lostAtMs },
        retryAtMs: undefined,
        receivedAtMs: isLive ? Date.now() : before.receivedAtMs,
      });
    },
    onLoginRefused: () => {
      if (session !== undefined) void endIfUnknown(session);
    },
    pingMs: PING_MS,
    onPong: (roundTripMs) =>
      connection.update((before) => ({ ...before, receivedAtMs: Date.now(), roundTripMs })),
    onWaiting: (delayMs) => {
      const retryAtMs = Date.now() + delayMs;
      connection.update((before) => ({
        ...before,
        lostAtMs: before.lostAtMs ?? Date.now(),
        retryAtMs,
      }));
    },
    onAnew: (channel, missed) => noteRestarted({ channel, missed }),
  });
  stream.subscribe('ticker:all', onMessage);
  stream.subscribe('market:all', onMessage);
  stream.subscribe('liquidationRFQ', onMessage);
  if (session !== undefined) {
    for (const name of ['order', 'position', 'balance', 'account', 'wallet']) {
      stream.subscribe(`${name}:all`, onMessage);
    }
  }
  leaveMarket = [];
  leaveCandles = undefined;
  const { marketCode, timeframe } = chosen.get();
  followMarket(marketCode);
  followCandles(marketCode, timeframe);
}

export function chooseMarket(marketCode: string): void {
  if (chosen.get().marketCode === marketCode) return;
  chosen.update((before) => ({ ...before, marketCode }));
  followMarket(marketCode);
  followCandles(marketCode, chosen.get().timeframe);
}

export function chooseTimeframe(timeframe: string): void {
  chosen.update((before) => ({ ...before, timeframe }));
  followCandles(chosen.get().marketCode, timeframe);
}

/** Reconnects without waiting for the next attempt. */
export const tryNow = (): void => stream?.retry();

async function readMarkets(): Promise<void> {
  const all = await publicClient.markets();
  markets.set(all);
  const [first] = all;
  if (first !== undefined && marketOf(all, chosen.get().marketCode) === undefined) {
    chooseMarket(first.marketCode);
  }
}

export async function startFeed(): Promise<void> {
  let before: string | undefined | null = null;
  const follow = (): void => {
    const { session, isKnown } = sessions.get();
    if (!isKnown || before === session?.accessKey) return;
    before = session?.accessKey;
    connect(session);
  };
  sessions.subscribe(follow);
  follow();
  try {
    await readMarkets();
    failedToStart.set(undefined);
  } catch (cause) {
    failedToStart.set((cause as Error).message);
    setTimeout(() => void startFeed(), 2_000);
    return;
  }
  // Terms change rarely, funding each hour: the rest is in the stream.
  setInterval(() => void readMarkets().catch(() => undefined), 20_000);
}
