import { Type } from 'typebox';
import { MARKET_STATES, MARKET_TYPES, MATCH_TYPES, SIDES } from '../domain/terms.ts';
import { endpoint } from './endpoint.ts';
import {
  CountText,
  DecimalText,
  FlagWordSent,
  IdText,
  LIMIT_PATTERN,
  PAGE,
  TimeText,
  WINDOW,
  WordSent,
} from './scalars.ts';

/** Public data: the catalogue, prices, books and matches. */

const MARKET_ASKED = Type.Object({ marketCode: Type.Optional(WordSent) });

/** Extensions: whether it accepts orders, and why not; perpetuals: the funding of the current hour. */
const RUNNING = {
  state: Type.Enum([...MARKET_STATES]),
  stateReason: Type.Optional(Type.String()),
  estFundingRate: Type.Optional(DecimalText),
  fundingAt: Type.Optional(TimeText),
};

export const getMarkets = endpoint({
  method: 'GET',
  path: '/v3/markets',
  access: 'public',
  summary: 'The markets, their terms and their prices now',
  request: MARKET_ASKED,
  reply: Type.Array(
    Type.Object({
      marketCode: Type.String(),
      name: Type.String(),
      referencePair: Type.String(),
      base: Type.String(),
      counter: Type.String(),
      type: Type.Enum([...MARKET_TYPES]),
      tickSize: DecimalText,
      minSize: DecimalText,
      listedAt: TimeText,
      upperPriceBound: DecimalText,
      lowerPriceBound: DecimalText,
      markPrice: DecimalText,
      indexPrice: DecimalText,
      lastUpdatedAt: TimeText,
      ...RUNNING,
    }),
  ),
});

export const getAssets = endpoint({
  method: 'GET',
  path: '/v3/assets',
  access: 'public',
  summary: 'The assets and the networks they come and go by',
  request: Type.Object({ asset: Type.Optional(WordSent) }),
  reply: Type.Array(
    Type.Object({
      asset: Type.String(),
      isCollateral: Type.Boolean(),
      loanToValue: Type.Optional(DecimalText),
      loanToValueFactor: Type.Optional(DecimalText),
      networkList: Type.Array(
        Type.Object({
          network: Type.String(),
          tokenId: Type.Optional(Type.String()),
          transactionPrecision: Type.String(),
          isWithdrawalFeeChargedToUser: Type.Boolean(),
          canDeposit: Type.Boolean(),
          canWithdraw: Type.Boolean(),
          minDeposit: DecimalText,
          minWithdrawal: DecimalText,
        }),
      ),
    }),
  ),
});

export const getTickers = endpoint({
  method: 'GET',
  path: '/v3/tickers',
  access: 'public',
  summary: 'The last match, the mark price and the last 24 hours of each market',
  request: MARKET_ASKED,
  reply: Type.Array(
    Type.Object({
      marketCode: Type.String(),
      markPrice: DecimalText,
      open24h: DecimalText,
      high24h: DecimalText,
      low24h: DecimalText,
      /** Price x quantity: the native asset on a perpetual, the counter asset on spot. */
      volume24h: DecimalText,
      currencyVolume24h: DecimalText,
      openInterest: DecimalText,
      lastTradedPrice: DecimalText,
      lastTradedQuantity: DecimalText,
      lastUpdatedAt: TimeText,
      ...RUNNING,
    }),
  ),
});

export const DEPTH_LEVELS = { default: 5, max: 100 } as const;
/** The only place of the interface where numbers are numbers. */
const Level = Type.Tuple([Type.Number(), Type.Number()], {
  description: 'price and quantity, as JSON numbers',
});

export const getDepth = endpoint({
  method: 'GET',
  path: '/v3/depth',
  access: 'public',
  summary: 'The book of a market, best prices first; `level` beside `data` says how deep',
  request: Type.Object({
    marketCode: WordSent,
    level: Type.Optional(
      Type.String({
        pattern: LIMIT_PATTERN,
        description: `a whole number of at least 1; ${DEPTH_LEVELS.default} unless given, at most ${DEPTH_LEVELS.max}`,
      }),
    ),
  }),
  reply: Type.Object({
    marketCode: Type.String(),
    lastUpdatedAt: TimeText,
    asks: Type.Array(Level),
    bids: Type.Array(Level),
  }),
  beside: { level: CountText },
});

export const getOperational = endpoint({
  method: 'GET',
  path: '/v3/markets/operational',
  access: 'public',
  summary: 'Whether a market takes orders',
  request: Type.Object({ marketCode: WordSent }),
  reply: Type.Object({ marketCode: Type.String(), operational: Type.Boolean() }),
});

/** Exactly these members: existing clients refuse a tier with more. */
export const getLeverageTiers = endpoint({
  method: 'GET',
  path: '/v3/leverage/tiers',
  access: 'public',
  summary:
    'How far a position may be levered, by its notional in the native asset: perpetuals only',
  request: MARKET_ASKED,
  reply: Type.Array(
    Type.Object({
      marketCode: Type.String(),
      tiers: Type.Array(
        Type.Object({
          tier: Type.String(),
          leverage: DecimalText,
          positionFloor: DecimalText,
          positionCap: DecimalText,
          initialMargin: DecimalText,
          maintenanceMargin: DecimalText,
        }),
      ),
    }),
  ),
});

/** Lengths of candles, as text in seconds. */
const TIMEFRAMES = [
  ...(['60s', '300s', '900s', '1800s'] as const),
  ...(['3600s', '7200s', '14400s', '86400s'] as const),
] as const;

export const getCandles = endpoint({
  method: 'GET',
  path: '/v3/candles',
  access: 'public',
  summary:
    'Candles of a market, newest first and without a gap; where nothing was matched, of its mark. ' +
    '`timeframe` beside `data` says how long they are; the window is that of `openedAt`',
  request: Type.Object({
    marketCode: WordSent,
    timeframe: Type.Optional(
      Type.Enum([...TIMEFRAMES], {
        description: `one of ${TIMEFRAMES.join(', ')}; 3600s by default`,
      }),
    ),
    ...WINDOW,
  }),
  reply: Type.Array(
    Type.Object({
      open: DecimalText,
      high: DecimalText,
      low: DecimalText,
      close: DecimalText,
      /** Price x quantity: the native asset on a perpetual, the counter asset on spot. */
      volume: DecimalText,
      currencyVolume: DecimalText,
      openedAt: TimeText,
    }),
  ),
  beside: { timeframe: Type.Enum([...TIMEFRAMES]) },
  limits: { page: { default: 200, max: 500 } },
});

export const getExchangeTrades = endpoint({
  method: 'GET',
  path: '/v3/exchange-trades',
  access: 'public',
  summary: 'The matches of the venue, newest first, one row each, from the side of the taker',
  request: Type.Object({
    marketCode: Type.Optional(WordSent),
    ids: Type.Optional(FlagWordSent),
    ...PAGE,
  }),
  reply: Type.Array(
    Type.Object({
      id: Type.Optional(IdText),
      matchId: Type.Optional(IdText),
      marketCode: Type.String(),
      matchPrice: DecimalText,
      matchQuantity: DecimalText,
      side: Type.Enum([...SIDES]),
      matchType: Type.Enum([...MATCH_TYPES]),
      matchedAt: TimeText,
    }),
  ),
  limits: { page: { default: 200, max: 500 } },
});
