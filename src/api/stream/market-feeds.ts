import { textFromParts } from '../../domain/decimal.ts';
import type { Event, OrderMatched } from '../../domain/events.ts';
import { quantityText } from '../../domain/market.ts';
import { matchIdText } from '../../domain/orders.ts';
import { NATIVE_ASSET } from '../../domain/terms.ts';
import { type MarketIndex, USD_SCALE } from '../../domain/units.ts';
import type { Directory, MarketView } from '../../domain/views.ts';
import { DAY_MS } from '../../wire/periods.ts';
import { candleShape, marketShape, tickerShape } from '../market-data/shapes.ts';
import { enginePrice } from '../orders/shapes.ts';
import { type EventBatch, type Feed, type FeedParts, HEARTBEAT_MS, Pace } from './feed.ts';

/** Channels about a market that are not its book: matches, tickers, reference data, liquidations. */

const TICKER_MS = 500;
const MARKET_MS = 1_000;

/** One message per match; the side is the taker's. */
export function tradeFeed({ source, emit }: FeedParts, market: MarketIndex): Feed {
  const spec = source.directory.market(market);
  const print = (match: OrderMatched, timeMs: number): string =>
    `{"table":"trade","data":[{"side":"${match.takerSide}",` +
    `"quantity":"${quantityText(spec, match.lots, spec.quantityScale)}","matchType":"TAKER",` +
    `"price":"${enginePrice(spec, match.priceTicks)}","marketCode":"${spec.code}",` +
    `"tradeId":"${matchIdText(market, match.match)}","timestamp":"${timeMs}"}]}`;
  return {
    first: () => [],
    onEvents: ({ events, timeMs }) => {
      for (const event of events) if (isMatch(event)) emit(print(event, timeMs), 'event');
    },
  };
}

const isMatch = (event: Event): event is OrderMatched => event.kind === 'order-matched';

/** All markets in one message, or one market. */
export function tickerFeed({ source, past, emit }: FeedParts, market?: MarketIndex): Feed {
  const { directory } = source;
  const lastMark = new Map<MarketIndex, string>();
  const shapes = (): object[] =>
    source.view('markets', market === undefined ? {} : { market }).map((view) => {
      const { timeMs: nowMs } = source;
      const day = past.day(view.market, nowMs - DAY_MS);
      return tickerOf(directory, view, tickerShape(directory, view, { day, nowMs }), lastMark);
    });
  const wrap = (list: readonly object[]): string =>
    JSON.stringify({
      table: 'ticker',
      data: list.map((shape) => ({ ...shape, timestamp: String(source.timeMs) })),
    });
  return whenChanged({ periodMs: TICKER_MS, read: shapes, wrap, emit, source });
}

function tickerOf(
  directory: Directory,
  view: MarketView,
  shape: ReturnType<typeof tickerShape>,
  lastMark: Map<MarketIndex, string>,
): object {
  const spec = directory.market(view.market);
  const before = lastMark.get(view.market) ?? shape.markPrice;
  lastMark.set(view.market, shape.markPrice);
  return {
    last: shape.lastTradedPrice,
    open24h: shape.open24h,
    high24h: shape.high24h,
    low24h: shape.low24h,
    volume24h: shape.volume24h,
    currencyVolume24h: shape.currencyVolume24h,
    openInterest: shape.openInterest,
    marketCode: spec.code,
    lastQty: quantityText(spec, view.lastLots),
    markPrice: shape.markPrice,
    lastMarkPrice: before,
    indexPrice: textFromParts(view.index, USD_SCALE),
  };
}

/** The current interval; without a match in it, it shows the mark. */
export function candleFeed(
  { source, past, emit }: FeedParts,
  market: MarketIndex,
  seconds: number,
): Feed {
  const { directory } = source;
  const { code: marketCode } = directory.market(market);
  const read = (): readonly string[] => {
    const row = past.candle(market, seconds * 1_000, source.timeMs);
    if (row === undefined) return [];
    const candle = candleShape(directory, market, row);
    const { open, high, low, close, volume, currencyVolume } = candle;
    return [candle.openedAt, open, high, low, close, volume, currencyVolume];
  };
  const wrap = (candle: readonly string[]): string =>
    JSON.stringify({ table: `candles${seconds}s`, data: [{ marketCode, candle }] });
  return whenChanged({ periodMs: TICKER_MS, read, wrap, emit, source });
}

/** Reference data and price bounds; the state of a market with its reason (extension) at once. */
export function marketFeed({ source, emit }: FeedParts, market?: MarketIndex): Feed {
  const { directory } = source;
  const read = (): object[] =>
    source
      .view('markets', market === undefined ? {} : { market })
      .map((view) => referenceOf(directory, view, source.timeMs));
  const wrap = (list: readonly object[]): string => JSON.stringify({ table: 'market', data: list });
  return whenChanged({ periodMs: MARKET_MS, read, wrap, emit, source });
}

function referenceOf(directory: Directory, view: MarketView, nowMs: number): object {
  const spec = directory.market(view.market);
  const shape = marketShape(spec, view, nowMs);
  return {
    marketId: String((view.market + 1) * MARKET_ID_SPAN),
    marketCode: spec.code,
    name: spec.name,
    referencePair: spec.referencePair,
    base: spec.base,
    counter: spec.counter,
    type: spec.type,
    exclusive: 'false',
    tickSize: shape.tickSize,
    qtyIncrement: shape.minSize,
    marginCurrency: spec.type === 'FUTURE' ? NATIVE_ASSET : spec.counter,
    contractValCurrency: spec.base,
    upperPriceBound: shape.upperPriceBound,
    lowerPriceBound: shape.lowerPriceBound,
    marketPrice: shape.markPrice,
    marketPriceLastUpdated: shape.lastUpdatedAt,
    state: shape.state,
    stateReason: shape.stateReason,
    operational: view.isOperational,
  };
}
const MARKET_ID_SPAN = 1_000_000_000_000;

/** Every market that an account has positions in when its liquidation starts. */
export function liquidationFeed({ source, emit }: FeedParts): Feed {
  return {
    first: () => [],
    onEvents: ({ events, timeMs }: EventBatch) => {
      for (const event of events) {
        if (event.kind !== 'liquidation-started') continue;
        const [found] = source.view('positions', { accounts: [event.account] });
        const data = (found?.positions ?? []).map(({ market }) => ({
          marketCode: source.directory.market(market).code,
          timestamp: String(timeMs),
        }));
        if (data.length > 0) emit(JSON.stringify({ table: 'liquidationRFQ', data }), 'event');
      }
    },
  };
}

type Watched<Content> = {
  readonly periodMs: number;
  readonly read: () => Content;
  /** Adds what changes with every message, such as its time. */
  readonly wrap: (content: Content) => string;
  readonly emit: FeedParts['emit'];
  readonly source: FeedParts['source'];
};

/** Read once per period; sent when it has changed, and as a heartbeat. */
export function whenChanged<Content>(watched: Watched<Content>): Feed {
  const { read, wrap, emit, source } = watched;
  const pace = new Pace(watched.periodMs);
  const heartbeat = new Pace(HEARTBEAT_MS);
  let lastSent = JSON.stringify(read());
  let sequence = source.sequence;
  return {
    first: () => [wrap(read())],
    beat: (nowMs) => {
      if (!pace.isDue(nowMs)) return;
      const isQuiet = heartbeat.isDue(nowMs);
      if (source.sequence === sequence && !isQuiet) return;
      sequence = source.sequence;
      const content = read();
      const now = JSON.stringify(content);
      if (now === lastSent && !isQuiet) return;
      lastSent = now;
      emit(wrap(content), 'state');
    },
  };
}
