import { ByteWriter } from '../../src/bytes/pack.ts';
import { bestTicks, depthOf } from '../../src/core/book/book.ts';
import { impactPrice } from '../../src/core/risk/impact-price.ts';
import { type Market, newState, type State } from '../../src/core/state.ts';
import { apply } from '../../src/core/venue.ts';
import { directoryOf, view } from '../../src/core/views/views.ts';
import type { Command } from '../../src/domain/commands.ts';
import { decodeEvents } from '../../src/domain/event-codec.ts';
import { BUY, SELL } from '../../src/domain/order-codes.ts';
import { type MarketIndex, sequence, timeMs } from '../../src/domain/units.ts';
import { demoGenesis } from '../../src/sandbox/demo.ts';
import { LIVE_PACE, LivingMarket } from '../../src/sandbox/living-market.ts';
import { DEPTH, MAKERS, MARKET_FAMILY, TAKERS } from '../../src/sandbox/market-family.ts';

/** The state of a market at a minute. */
export type Sample = {
  readonly bid: number;
  readonly ask: number;
  readonly mark: number;
  readonly index: number;
  /** Whether both sides had the impact notional. */
  readonly isDeep: boolean;
  /** The number of prices on the thinner side. */
  readonly levels: number;
};
export type MarketMinutes = {
  readonly code: string;
  readonly samples: Sample[];
  /** Of matches, per minute: open, high, low, close in USD, and notional in USD. */
  readonly candles: { open: number; high: number; low: number; close: number; usd: number }[];
  matches: number;
};
export type MarketRun = {
  readonly state: State;
  readonly markets: readonly MarketMinutes[];
  readonly commands: number;
  /** Kinds of events that should not occur, and refusals, counted by reason. */
  readonly trouble: ReadonlyMap<string, number>;
  readonly fundingRates: readonly { readonly market: number; readonly rate: bigint }[];
};

const START_MS = 1_750_000_000_000;

/** The traders of a living market in the core alone, at full speed, for `minutes`. */
export function runMarket(options: { readonly seed: number; readonly minutes: number }): MarketRun {
  const { seed, minutes } = options;
  const state = newState();
  const out = new ByteWriter(1 << 16);
  let nowMs = START_MS;
  let commands = 0;
  const trouble = new Map<string, number>();
  const fundingRates: { market: number; rate: bigint }[] = [];
  let found: MarketMinutes[] = [];
  const submit = (command: Command): void => {
    out.clear();
    apply(state, { sequence: sequence(state.sequence + 1), timeMs: timeMs(nowMs), command }, out);
    commands++;
    for (const event of decodeEvents(out.view())) {
      if (event.kind === 'order-matched') note(found[event.market] as MarketMinutes, state, event);
      if (event.kind === 'funding-set')
        fundingRates.push({ market: event.market, rate: event.rate });
      const name = troubleOf(event);
      if (name !== undefined) trouble.set(name, (trouble.get(name) ?? 0) + 1);
    }
  };
  let keys = 0;
  const newKey = () => ({ accessKey: `key-${++keys}`, sealedSecret: new Uint8Array(1) });
  submit(demoGenesis({ newKey, newTotp: () => new Uint8Array(1) }, true));
  found = state.markets.map(({ spec }) => ({
    code: spec.code,
    samples: [],
    candles: [],
    matches: 0,
  }));
  const market = marketOf(state, seed);
  for (let second = 0; second < minutes * 60; second++) {
    nowMs += 1_000;
    submit({ kind: 'set-index-prices', prices: market.indexPrices() });
    for (const command of market.second(LIVE_PACE)) submit(command);
    submit({ kind: 'tick' });
    if (second % 600 === 599) observe(state, market);
    if (second % 60 !== 59) continue;
    state.markets.forEach((one, at) => {
      sample(found[at] as MarketMinutes, one);
    });
  }
  return { state, markets: found, commands, trouble, fundingRates };
}

type AnyEvent = ReturnType<typeof decodeEvents>[number];

function troubleOf(event: AnyEvent): string | undefined {
  if (event.kind === 'refused' || event.kind === 'order-refused') return `refused ${event.reason}`;
  if (event.kind === 'order-closed' && event.reason !== undefined) return `closed ${event.reason}`;
  return event.kind.startsWith('liquidation') ? event.kind : undefined;
}

function marketOf(state: State, seed: number): LivingMarket {
  const directory = directoryOf(state);
  const family = directory.families().find(({ name }) => name === MARKET_FAMILY);
  const traders = (names: readonly string[]) =>
    (family?.accounts ?? []).flatMap((account) => {
      const name = directory.account(account)?.name ?? '';
      const key = directory.keys().find((one) => one.account === account)?.key;
      return key === undefined || !names.includes(name) ? [] : [{ name, key }];
    });
  const markets = directory.markets().map((spec, at) => ({
    market: at as MarketIndex,
    version: directory.marketVersion(at as MarketIndex),
    spec,
  }));
  const [depth] = traders([DEPTH]);
  return new LivingMarket({
    ...{ seed, markets, makers: traders(MAKERS), takers: traders(TAKERS), depth },
  });
}

function observe(state: State, market: LivingMarket): void {
  const directory = directoryOf(state);
  const family = directory.families().find(({ name }) => name === MARKET_FAMILY);
  const views = view(state, 'accounts', { accounts: family?.accounts ?? [] });
  const byName = new Map(views.map((one) => [directory.account(one.account)?.name ?? '', one]));
  market.observe(
    (trader, at) => byName.get(trader)?.positions.find((one) => one.market === at)?.lots ?? 0,
  );
}

const usdOf = ({ spec }: Market, ticks: number): number =>
  (ticks * Number(spec.tickParts)) / 10 ** spec.priceScale;

function sample(found: MarketMinutes, market: Market): void {
  const { book, price, spec } = market;
  const isDeep =
    spec.type === 'SPOT' ||
    (impactPrice(market, BUY) !== undefined && impactPrice(market, SELL) !== undefined);
  found.samples.push({
    bid: usdOf(market, bestTicks(book, BUY) ?? 0),
    ask: usdOf(market, bestTicks(book, SELL) ?? Number.MAX_SAFE_INTEGER),
    mark: Number(price.mark) / 1e8,
    index: Number(price.index) / 1e8,
    isDeep,
    levels: Math.min(...([BUY, SELL] as const).map((side) => depthOf(book, side, 100).length)),
  });
  found.candles.push(emptyCandle());
}

const emptyCandle = () => ({ open: 0, high: 0, low: Number.MAX_VALUE, close: 0, usd: 0 });

function note(
  found: MarketMinutes,
  state: State,
  match: Extract<AnyEvent, { kind: 'order-matched' }>,
): void {
  const market = state.markets[match.market] as Market;
  const price = usdOf(market, match.priceTicks);
  if (found.candles.length === 0) found.candles.push(emptyCandle());
  const candle = found.candles.at(-1) as ReturnType<typeof emptyCandle>;
  if (candle.usd === 0) candle.open = price;
  candle.high = Math.max(candle.high, price);
  candle.low = Math.min(candle.low, price);
  candle.close = price;
  candle.usd +=
    (price * match.lots * Number(market.spec.lotParts)) / 10 ** market.spec.quantityScale;
  found.matches++;
}
