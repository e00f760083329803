import type { Random } from './random.ts';

/** What may be requested next. */
export type Ask =
  | 'place'
  | 'cancel'
  | 'cancelAll'
  | 'cancelAllAfter'
  | 'modify'
  | 'transfer'
  | 'prices'
  | 'backstop'
  | 'orderLimits'
  | 'marketState'
  | 'restrictions'
  | 'key'
  | 'operate'
  | 'wallet'
  | 'access';

/**
 * What a run concentrates on. With everything equally likely, a combination of three rare things hardly ever
 * occurs; a theme makes some of them frequent, and excludes nothing.
 */
export type Theme = {
  /** Weights of the next request. */
  readonly asks: Readonly<Record<Ask, number>>;
  /** Probability that something closed or restricted is opened again instead. */
  readonly mend: number;
  /** Markets of the run: how many at most, and whether all of them are perpetuals. */
  readonly marketsMax: number;
  readonly isPerpetual: boolean;
  /** Probability that an order closes a position, is reduce-only, is a stop, shows only a part. */
  readonly closing: number;
  readonly reduceOnly: number;
  readonly stop: number;
  readonly iceberg: number;
  /** Probability that a perpetual order is about as large as the account can carry. */
  readonly levered: number;
  /** Probability that half an hour is measured for funding after a step: two thousand commands. */
  readonly halfHour: number;
};

const ASKS: Theme['asks'] = {
  place: 70,
  cancel: 5,
  cancelAll: 0.5,
  cancelAllAfter: 1.5,
  modify: 11,
  transfer: 4,
  prices: 7,
  backstop: 0.8,
  orderLimits: 0.3,
  marketState: 1,
  restrictions: 0.5,
  key: 0.3,
  operate: 0.5,
  wallet: 0,
  access: 0,
};

const EVERYTHING: Theme = {
  asks: ASKS,
  mend: 0.06,
  marketsMax: 4,
  isPerpetual: false,
  closing: 0.25,
  reduceOnly: 0.12,
  stop: 0.2,
  iceberg: 0.15,
  levered: 0.2,
  halfHour: 0.001,
};

export const THEMES = {
  everything: EVERYTHING,
  /** Stops at one price, of restricted families, in closed markets. */
  stops: {
    ...EVERYTHING,
    asks: { ...ASKS, prices: 14, marketState: 3, restrictions: 3 },
    mend: 0.1,
    marketsMax: 2,
    stop: 0.6,
  },
  /** Orders that only reduce, on both sides of one book. */
  reducers: {
    ...EVERYTHING,
    asks: { ...ASKS, place: 90 },
    marketsMax: 1,
    isPerpetual: true,
    closing: 0.45,
    reduceOnly: 0.5,
    iceberg: 0.3,
  },
  /** Failing accounts, few orders in the books, and backstops that take positions over. */
  failing: {
    ...EVERYTHING,
    asks: { ...ASKS, prices: 16, backstop: 8, cancelAll: 4, transfer: 7 },
    marketsMax: 2,
    isPerpetual: true,
    levered: 0.5,
  },
  /** Markets that close, families that are restricted, keys and limits that change. */
  operators: {
    ...EVERYTHING,
    asks: {
      ...ASKS,
      cancel: 12,
      orderLimits: 2,
      marketState: 6,
      restrictions: 5,
      key: 2,
      access: 12,
      operate: 8,
    },
    mend: 0.12,
    marketsMax: 2,
    stop: 0.3,
  },
  /** Positions that are held over the hour, and book prices far from the index. */
  funding: {
    ...EVERYTHING,
    marketsMax: 1,
    isPerpetual: true,
    stop: 0.05,
    halfHour: 0.005,
  },
  /** Deposits and withdrawals among accounts that trade on margin. */
  wallet: {
    ...EVERYTHING,
    asks: { ...ASKS, wallet: 160, access: 20, restrictions: 2, prices: 12 },
    marketsMax: 2,
    levered: 0.5,
  },
} satisfies Readonly<Record<string, Theme>>;

export type ThemeName = keyof typeof THEMES;

/** For runs without a theme. */
export const someTheme = (random: Random): ThemeName =>
  random.weighted({
    everything: 4,
    stops: 1,
    reducers: 1,
    failing: 2,
    operators: 1,
    funding: 1,
    wallet: 1,
  });
