import { startPrices } from '../defaults/catalogue.ts';
import type { Command, IndexPrice } from '../domain/commands.ts';
import type { MarketSpec } from '../domain/market.ts';
import type { OrderRequest } from '../domain/orders.ts';
import { type Side, SOURCES } from '../domain/terms.ts';
import { type KeyIndex, type MarketIndex, USD_SCALE, usdPrice } from '../domain/units.ts';
import { type AssetMoves, PriceProcess } from './price-process.ts';
import { Random } from './random.ts';

/**
 * The traders of a living market, as a pure function of a seed and of their holdings: each second yields
 * prices and commands. Makers quote around a fair price and skew their quotes against their holdings; takers
 * come in bursts, with the trend, and reverse at their limit. They use the same commands as everybody else.
 */
export type Trader = { readonly name: string; readonly key: KeyIndex };

export type TradedMarket = {
  readonly market: MarketIndex;
  readonly version: number;
  readonly spec: MarketSpec;
};

export type LivingMarketOptions = {
  readonly seed: number;
  readonly markets: readonly TradedMarket[];
  readonly makers: readonly Trader[];
  readonly takers: readonly Trader[];
  /** The trader that quotes far from the price; absent in venues that are older than it. */
  readonly depth?: Trader | undefined;
  /** Prices in USD to continue from; the start price if one is missing. */
  readonly prices?: ReadonlyMap<string, number>;
};

/**
 * How busy the traders are: how often a maker of each market renews its quotes, in turn, and on how many
 * levels.
 */
export type Pace = {
  readonly quoteSeconds: number;
  /** The same for the busiest markets. */
  readonly busySeconds: number;
  readonly levels: number;
  /** The levels behind them: how often, and how many. */
  readonly depth?: { readonly seconds: number; readonly levels: number };
};

/** A generated past needs fewer quotes: nobody watches them, and each is stored for ever. */
export const PAST_PACE: Pace = { quoteSeconds: 180, busySeconds: 180, levels: 1 };
export const LIVE_PACE: Pace = {
  ...{ quoteSeconds: 10, busySeconds: 4, levels: 3 },
  depth: { seconds: 90, levels: 10 },
};

/** A trader's holdings in a market, in lots; in a spot market, the difference from its initial balance. */
export type Holdings = (trader: string, market: MarketIndex) => number;

/** Order sizes of a market in USD: a level of a maker, the largest order of a taker. */
type Sizes = { readonly level: number; readonly order: number };

/**
 * Standard deviation on a quiet day, and the share of it that is common to all assets; coins not listed here
 * do not move.
 */
const MOVE_OF: Readonly<Record<string, Pick<AssetMoves, 'daily' | 'beta'>>> = {
  BTC: { daily: 0.025, beta: 0.85 },
  ETH: { daily: 0.032, beta: 0.8 },
  SOL: { daily: 0.04, beta: 0.7 },
  XRP: { daily: 0.035, beta: 0.6 },
  OX: { daily: 0.04, beta: 0.3 },
};

const MOVES: readonly AssetMoves[] = startPrices().map(({ asset, price }) => ({
  asset,
  anchor: Number(price) / 10 ** USD_SCALE,
  ...(MOVE_OF[asset] ?? { daily: 0, beta: 0 }),
}));

const isLarge = ({ base }: MarketSpec): boolean => base === 'BTC' || base === 'ETH';
const isBusy = (spec: MarketSpec): boolean => isLarge(spec) && spec.type === 'FUTURE';

const sizesOf = (spec: MarketSpec): Sizes => {
  if (spec.type === 'SPOT')
    return isLarge(spec) ? { level: 50_000, order: 8_000 } : { level: 20_000, order: 3_000 };
  return isLarge(spec) ? { level: 80_000, order: 15_000 } : { level: 30_000, order: 5_000 };
};

/** At the limit a maker quotes one side only, and a taker only closes. */
const MAKER_LIMIT_USD = 3_000_000;
const TAKER_LIMIT_USD = 300_000;

type Desk = TradedMarket & {
  readonly sizes: Sizes;
  readonly ticksPerUsd: number;
  readonly lotsPerUnit: number;
  /** The perpetual's premium over its index; it moves slowly. */
  premium: number;
  /** The second in which the levels far from the price are renewed. */
  depthDue: number;
  /** Future orders of takers, with their second. */
  readonly due: { readonly second: number; readonly side: Side; readonly usd: number }[];
};

const termsOf = (market: TradedMarket) => ({
  ...market,
  ticksPerUsd: 10 ** market.spec.priceScale / Number(market.spec.tickParts),
  lotsPerUnit: 10 ** market.spec.quantityScale / Number(market.spec.lotParts),
});

export class LivingMarket {
  readonly #options: LivingMarketOptions;
  readonly #random: Random;
  readonly #process: PriceProcess;
  readonly #desks: readonly Desk[];
  #second = 0;
  #holdings: Holdings = () => 0;

  constructor(options: LivingMarketOptions) {
    this.#options = options;
    this.#random = new Random(options.seed ^ 0x5bd1e995);
    this.#process = new PriceProcess(MOVES, options.seed, options.prices ?? new Map());
    this.#desks = options.markets.map((market) => ({
      ...termsOf(market),
      sizes: sizesOf(market.spec),
      premium: 0,
      depthDue: 0,
      due: [],
    }));
  }

  /** The current terms of the markets: an operator may have changed them. */
  observeTerms(markets: readonly TradedMarket[]): void {
    for (const desk of this.#desks) {
      const now = markets.find(({ market }) => market === desk.market);
      if (now !== undefined && now.version !== desk.version) Object.assign(desk, termsOf(now));
    }
  }

  /** The current holdings; refreshed now and then, because others trade with them too. */
  observe(holdings: Holdings): void {
    this.#holdings = holdings;
  }

  /** Index prices of this second. */
  indexPrices(): IndexPrice[] {
    return MOVES.map(({ asset }) => ({
      asset,
      price: usdPrice(BigInt(Math.round(this.#process.price(asset) * 10 ** USD_SCALE))),
    }));
  }

  /** Advances by one second and returns the commands of the traders. */
  second(pace: Pace): Command[] {
    this.#second++;
    this.#process.second();
    const commands: Command[] = [];
    this.#desks.forEach((desk, at) => {
      if (desk.spec.type === 'FUTURE') {
        desk.premium += -desk.premium / 7_200 + (PREMIUM_DEVIATION / 60) * this.#random.normal();
      }
      // Markets take turns, so that no second has all of them.
      const seconds = isBusy(desk.spec) ? pace.busySeconds : pace.quoteSeconds;
      const turn = this.#second + Math.floor((at * seconds) / this.#desks.length);
      if (turn % seconds === 0) {
        commands.push(...this.#quote(desk, Math.floor(turn / seconds), pace.levels));
        this.#planOrders(desk, seconds);
      }
      if (pace.depth !== undefined && this.#second >= desk.depthDue) {
        commands.push(...this.#quoteDepth(desk, pace.depth.levels));
        // All of them in the first second, then spread out.
        desk.depthDue = this.#second + pace.depth.seconds + at;
      }
      const order = this.#takeDue(desk);
      if (order !== undefined) commands.push(order);
    });
    return commands;
  }

  /** In the counter asset of the market. */
  #fair({ spec, premium }: Desk): number {
    const base = this.#process.price(spec.base);
    if (spec.type === 'FUTURE') return base * (1 + premium);
    return base / this.#process.price(spec.counter);
  }

  #heldUsd({ market, lotsPerUnit }: Desk, trader: string, fair: number): number {
    return (this.#holdings(trader, market) / lotsPerUnit) * fair;
  }

  /** The maker whose turn it is cancels its orders and places new ones. */
  #quote(desk: Desk, turn: number, levels: number): Command[] {
    const { makers } = this.#options;
    const maker = makers[turn % makers.length] as Trader;
    const fair = this.#fair(desk);
    const held = this.#heldUsd(desk, maker.name, fair) / MAKER_LIMIT_USD;
    const half = this.#halfSpread() * (1 + 0.4 * (turn % 2));
    const middle = fair * (1 - half * Math.max(-1, Math.min(1, held)));
    const quoteAt = (level: number) => ({
      away: half * (1 + 1.5 * level),
      usd: desk.sizes.level * (1 + 0.5 * level) * this.#random.between(0.8, 1.2),
    });
    return quotesOf(desk, maker, { middle, held, levels, quoteAt });
  }

  /** Levels behind those of the makers, less regular and longer-lived, so that the book has depth. */
  #quoteDepth(desk: Desk, levels: number): Command[] {
    const { depth } = this.#options;
    if (depth === undefined) return [];
    const random = this.#random;
    const middle = this.#fair(desk);
    const held = this.#heldUsd(desk, depth.name, middle) / MAKER_LIMIT_USD;
    const half = this.#halfSpread();
    const quoteAt = (level: number) => ({
      away: half * (7 + 2 * level + random.between(0, 1.2)),
      usd: desk.sizes.level * (1 + 0.3 * level) * random.between(0.4, 1.8),
    });
    return quotesOf(desk, depth, { middle, held, levels, quoteAt });
  }

  /** As a fraction of the price; wider when the market is volatile. */
  #halfSpread(): number {
    return 0.0002 + 0.0003 * Math.sqrt(this.#process.variance);
  }

  /** Schedules some orders until the next quotes: more of them, and larger ones, when the market is volatile. */
  #planOrders(desk: Desk, seconds: number): void {
    const random = this.#random;
    const { variance, lean } = this.#process;
    const expected =
      (0.4 + 0.5 * Math.min(3, variance)) * (seconds / 60) + (seconds < 60 ? 0.7 : 0);
    const count = Math.min(ORDERS_MAX, Math.floor(2 * expected * random.next() + random.next()));
    for (let left = count; left > 0; left--) {
      const side: Side = random.chance(0.5 + 0.25 * lean) ? 'BUY' : 'SELL';
      const usd = Math.min(desk.sizes.order, (0.02 * desk.sizes.order) / (0.02 + random.next()));
      desk.due.push({ second: this.#second + 1 + random.below(seconds), side, usd });
    }
  }

  #takeDue(desk: Desk): Command | undefined {
    const at = desk.due.findIndex(({ second }) => second <= this.#second);
    if (at < 0) return undefined;
    const [due] = desk.due.splice(at, 1);
    if (due === undefined) return undefined;
    const { takers } = this.#options;
    const taker = takers[this.#random.below(takers.length)] as Trader;
    const fair = this.#fair(desk);
    const held = this.#heldUsd(desk, taker.name, fair) / TAKER_LIMIT_USD;
    // The more a taker holds, the more likely it reduces; at the limit it always does.
    const turnsBack = this.#random.chance(Math.min(1, Math.abs(held)));
    const side: Side = turnsBack ? (held > 0 ? 'SELL' : 'BUY') : due.side;
    const limit = fair * (side === 'BUY' ? 1 + REACH : 1 - REACH) * desk.ticksPerUsd;
    const lots = Math.max(1, Math.round((due.usd / fair) * desk.lotsPerUnit));
    return {
      kind: 'place-orders',
      by: { key: taker.key },
      source: SOURCES.REST,
      orders: [orderOf(desk, side, Math.max(1, Math.round(limit)), { lots, timeInForce: 'IOC' })],
    };
  }
}

const PREMIUM_DEVIATION = 0.0006;
/** How far from the fair price a taker's limit is: quotes may be up to a minute old. */
const REACH = 0.008;
/** Together less than what one maker has per level and side, so that a side is never empty. */
const ORDERS_MAX = 4;
/** The same limit as for everybody else. */
const ORDERS_PER_REQUEST = 8;

/** Cancels all orders of the trader in the market and places new ones, within its limit on holdings. */
function quotesOf(
  desk: Desk,
  { key }: Trader,
  of: {
    readonly middle: number;
    /** As a fraction of its limit. */
    readonly held: number;
    readonly levels: number;
    /** Distance from the middle, as a fraction of it, and size; called once per side. */
    readonly quoteAt: (level: number) => { readonly away: number; readonly usd: number };
  },
): Command[] {
  const { middle, held } = of;
  const lotsOf = (usd: number) => Math.max(1, Math.round((usd / middle) * desk.lotsPerUnit));
  const orders: OrderRequest[] = [];
  let [bid, ask] = [Number.MAX_SAFE_INTEGER, 0];
  for (let level = 0; level < of.levels; level++) {
    const below = of.quoteAt(level);
    const above = of.quoteAt(level);
    bid = Math.min(bid - 1, Math.floor(middle * (1 - below.away) * desk.ticksPerUsd));
    ask = Math.max(ask + 1, Math.ceil(middle * (1 + above.away) * desk.ticksPerUsd));
    if (held < 1 && bid > 0) orders.push(quoteOf(desk, 'BUY', bid, lotsOf(below.usd)));
    if (held > -1) orders.push(quoteOf(desk, 'SELL', ask, lotsOf(above.usd)));
  }
  const commands: Command[] = [{ kind: 'cancel-all', by: { key }, market: desk.market }];
  for (let from = 0; from < orders.length; from += ORDERS_PER_REQUEST) {
    const some = orders.slice(from, from + ORDERS_PER_REQUEST);
    commands.push({ kind: 'place-orders', by: { key }, source: SOURCES.REST, orders: some });
  }
  return commands;
}

const quoteOf = (desk: Desk, side: Side, priceTicks: number, lots: number): OrderRequest =>
  orderOf(desk, side, priceTicks, { lots, timeInForce: 'MAKER_ONLY_REPRICE' });

const orderOf = (
  { market, version }: Desk,
  side: Side,
  priceTicks: number,
  terms: { readonly lots: number; readonly timeInForce: 'IOC' | 'MAKER_ONLY_REPRICE' },
): OrderRequest => ({
  market,
  version,
  side,
  orderType: 'LIMIT',
  timeInForce: terms.timeInForce,
  stpMode: 'NONE',
  triggerType: 'MARK_PRICE',
  clientOrderId: 0n,
  priceTicks,
  stopTicks: 0,
  sizeLots: terms.lots,
  displayLots: 0,
  amountParts: 0n,
  reduceOnly: false,
});
