import { ByteWriter } from '../../src/bytes/pack.ts';
import { newState, type State } from '../../src/core/state.ts';
import { apply } from '../../src/core/venue.ts';
import type { Command, Genesis } from '../../src/domain/commands.ts';
import { decodeEvents } from '../../src/domain/event-codec.ts';
import type { OrderRequest } from '../../src/domain/orders.ts';
import type { AccountType, Restriction, Side } from '../../src/domain/terms.ts';
import {
  amount,
  type KeyIndex,
  type MarketIndex,
  sequence,
  timeMs,
  usdPrice,
} from '../../src/domain/units.ts';
import { limitOrder } from '../support/limit-order.ts';
import { lowerTicks, upperTicks } from './model/checks.ts';
import { eventLine } from './model/event-lines.ts';
import { type Model, must, newModel, positionOf } from './model/state.ts';
import { tickSize } from './model/values.ts';
import { Random } from './random.ts';
import { differencesAfter, type Timed } from './side-by-side.ts';
import { PERPETUALS, START_MS, stepsOfCatalogue } from './world.ts';

/**
 * Core and model side by side in a falling market: few accounts, all with maximum leverage, thin books, a
 * fund with or without money, backstop providers that take much or little. In the long runs an account fails
 * now and then; here almost every command causes a failure.
 */
export type Crisis = {
  /** How often each kind of line occurred: "liquidation-step adl", "collateral-sold fund". */
  readonly seen: ReadonlyMap<string, number>;
  readonly failure?: {
    readonly at: number;
    readonly differences: readonly string[];
    readonly commands: readonly Timed[];
  };
};

export function crisis(seed: number, steps: number): Crisis {
  const run = new Run(new Random(seed));
  return run.all(steps);
}

/** Families by number: the first are rich and make markets, the others are thinly funded. */
const MAKERS = 2;
const SPOT_OF: Readonly<Record<string, number>> = { BTC: 4, ETH: 5, SOL: 6, XRP: 7, OX: 8 };
const TYPES: readonly AccountType[] = ['PORTFOLIO', 'PORTFOLIO', 'STANDARD', 'LINEAR'];
const RICH = { OX: 3_000_000_000, USDT: 100_000_000, BTC: 2_000, ETH: 20_000, SOL: 100_000 };
/** The funds of the thin ones: native, dollars, coins, and some of each. */
const THIN: readonly Readonly<Record<string, number>>[] = [
  { OX: 300_000 },
  { OX: 40_000, USDT: 2_000 },
  { USDT: 3_000 },
  { USDT: 500, BTC: 0.05 },
  { BTC: 0.1, ETH: 0.5, SOL: 5 },
  { OX: 20_000, SOL: 20, XRP: 3_000 },
];

class Run {
  readonly #random: Random;
  readonly #state: State = newState();
  readonly #model: Model = newModel();
  readonly #out = new ByteWriter();
  readonly #commands: Timed[] = [];
  readonly #seen = new Map<string, number>();
  readonly #markets: readonly number[];
  readonly #thin: number;
  /** The drift of prices, by asset: a crisis has a direction. */
  readonly #drift: number;
  #nowMs = START_MS;
  #pricedAtMs = START_MS;
  #lastStep: { market: number; lots: number; pb: number } | undefined;

  constructor(random: Random) {
    this.#random = random;
    this.#markets = random.shuffled(PERPETUALS).slice(0, random.between(1, 3));
    this.#thin = random.between(3, 7);
    this.#drift = random.pick([-1, -1, 1]);
  }

  all(steps: number): Crisis {
    const differences =
      this.#do(this.#genesis()) ?? this.#build() ?? this.#fall(steps) ?? this.#settle();
    const seen = this.#seen;
    if (differences === undefined) return { seen };
    const commands = this.#commands;
    return { seen, failure: { at: commands.length - 1, differences, commands } };
  }

  /** Applies a command to both; returns what differs, if anything. */
  #do(command: Command): string[] | undefined {
    const timed = { timeMs: this.#nowMs, command };
    this.#commands.push(timed);
    this.#out.clear();
    try {
      const at = sequence(this.#state.sequence + 1);
      apply(this.#state, { sequence: at, timeMs: timeMs(this.#nowMs), command }, this.#out);
    } catch (cause) {
      return [`the venue breaks: ${(cause as Error).stack}`];
    }
    const emitted = decodeEvents(this.#out.view()).map(eventLine);
    for (const line of emitted) {
      const [, market, lots, pb] = STEP.exec(line) ?? [];
      if (pb !== undefined) {
        this.#lastStep = { market: Number(market), lots: Number(lots), pb: Number(pb) };
      }
      const phase = / phase=([\w-]+)/.exec(line)?.[1];
      this.#note(`${line.split(' ')[0]}${phase === undefined ? '' : ` ${phase}`}`);
    }
    const differences = differencesAfter(this.#state, this.#model, timed, emitted);
    if (this.#model.markets.some(({ samples }) => (samples.at(-1) ?? 0n) !== 0n)) {
      this.#note('mark beside the index');
    }
    return differences.length === 0 ? undefined : differences;
  }

  #note(what: string): void {
    this.#seen.set(what, (this.#seen.get(what) ?? 0) + 1);
  }

  #doAll(commands: readonly Command[]): string[] | undefined {
    for (const command of commands) {
      const differences = this.#do(command);
      if (differences !== undefined) return differences;
    }
    return undefined;
  }

  #genesis(): Genesis {
    const random = this.#random;
    const actor = 'crisis';
    const steps: Genesis['steps'][number][] = stepsOfCatalogue(actor);
    const fund = random.pick([0, 3_000, 200_000, 2_000_000]);
    if (fund > 0) {
      steps.push({ kind: 'fund-insurance', asset: 'OX', amount: amount(BigInt(fund) * 10n ** 8n) });
    }
    for (let family = 0; family < MAKERS + this.#thin; family++) {
      const account = { family: `family${family}`, name: 'main' };
      const accountType = family < MAKERS ? 'PORTFOLIO' : random.pick(TYPES);
      steps.push({ kind: 'create-account', actor, account, accountType });
      const purse = family < MAKERS ? RICH : random.pick(THIN);
      for (const [asset, units] of Object.entries(purse)) {
        const parts = BigInt(Math.floor(units * 1e8 * (0.5 + random.next())));
        steps.push({ kind: 'credit-genesis', account, asset, amount: amount(parts) });
      }
      const accessKey = `${account.family}/key`;
      const sealedSecret = new Uint8Array([1]);
      const permissions = ['read', 'trade'] as const;
      steps.push({ kind: 'create-key', actor, account, accessKey, sealedSecret, permissions });
    }
    return { kind: 'genesis', steps };
  }

  /** Every thin account takes about as much as it can carry, against makers or each other. */
  #build(): string[] | undefined {
    const random = this.#random;
    const commands: Command[] = [];
    for (let family = MAKERS; family < MAKERS + this.#thin; family++) {
      for (const market of random.shuffled(this.#markets).slice(0, random.between(1, 2))) {
        const side: Side = random.chance(0.7) === this.#drift < 0 ? 'BUY' : 'SELL';
        const lots = this.#carriedLots(family, market);
        const isAmongThem = random.chance(0.3);
        const against = isAmongThem ? MAKERS + random.below(this.#thin) : random.below(MAKERS);
        const ticks = this.#markTicks(market);
        commands.push(
          this.#place(against, [limitOrder(market as MarketIndex, otherSide(side), ticks, lots)]),
          this.#place(family, [limitOrder(market as MarketIndex, side, ticks, lots)]),
        );
      }
    }
    return this.#doAll(commands);
  }

  #fall(steps: number): string[] | undefined {
    for (let step = 0; step < steps; step++) {
      const what = this.#random.weighted({
        tick: 45,
        prices: 22,
        quote: 20,
        beyond: 6,
        close: 8,
        spot: 6,
        backstop: 4,
        restrict: 2,
        state: 1,
      });
      const differences = this.#doAll(this.#next(what));
      if (differences !== undefined) return differences;
    }
    return undefined;
  }

  #next(
    what:
      | 'tick'
      | 'prices'
      | 'quote'
      | 'beyond'
      | 'close'
      | 'spot'
      | 'backstop'
      | 'restrict'
      | 'state',
  ): Command[] {
    switch (what) {
      case 'tick':
        this.#nowMs += this.#random.pick([1, 130, 499, 500, 500, 501, 1_000, 1_700]);
        return [...this.#freshPrices(), { kind: 'tick' }];
      case 'prices':
        return [this.#prices(true)];
      case 'quote':
        return [this.#quote()];
      case 'beyond':
        return this.#quoteBeyond();
      case 'close':
        return [this.#close()];
      case 'spot':
        return [this.#spotQuote()];
      case 'backstop':
        return [this.#backstop()];
      case 'restrict':
        return [this.#restrict()];
      case 'state':
        return [this.#marketState()];
    }
  }

  /** Every liquidation ends. */
  #settle(): string[] | undefined {
    const reopened = this.#model.markets.map(
      ({ spec: { code: market } }): Command =>
        ({ kind: 'set-market-state', actor: 'crisis', market, state: 'OPEN', reason: '' }) as const,
    );
    const differences = this.#doAll(reopened);
    if (differences !== undefined) return differences;
    for (let step = 0; this.#model.liquidating.length > 0; step++) {
      if (step > STEPS_MAX) return [`still liquidating: ${this.#model.liquidating.join(', ')}`];
      this.#nowMs += 500;
      const found = this.#doAll([...this.#freshPrices(), { kind: 'tick' }]);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #freshPrices(): Command[] {
    return this.#nowMs - this.#pricedAtMs > 20_000 ? [this.#prices(false)] : [];
  }

  /** Assets drift together; the native asset and dollars hardly. */
  #prices(isMoving: boolean): Command {
    const random = this.#random;
    this.#pricedAtMs = this.#nowMs;
    const widest = random.pick([0.003, 0.01, 0.02, 0.04, 0.09]);
    const prices = this.#model.assets.map(({ spec, index }) => {
      const isCalm = spec.code.startsWith('USD') || (spec.code === 'OX' && random.chance(0.8));
      const way = random.chance(0.75) ? this.#drift : -this.#drift;
      const by = 1 + way * widest * random.next() * (isCalm ? 0.02 : 1);
      const price = isMoving ? BigInt(Math.floor(Number(index) * by)) : index;
      return { asset: spec.code, price: usdPrice(price < 10_000n ? index : price) };
    });
    return { kind: 'set-index-prices', prices };
  }

  /** A maker quotes somewhere between the edges of the band, with a small or large size. */
  #quote(): Command {
    const random = this.#random;
    const market = random.pick(this.#markets);
    const ticks = this.#markTicks(market);
    const reach = random.pick([0.002, 0.01, 0.03, 0.06, 0.1]);
    const side = random.pick(['BUY', 'SELL'] as const);
    // Mostly on its own side of the mark: a bid below, an offer above.
    const way = (side === 'BUY' ? -1 : 1) * (random.chance(0.8) ? 1 : -1);
    const price = Math.floor(ticks * (1 + way * reach * random.next()));
    const most = this.#carriedLots(MAKERS, market);
    const lots = Math.max(1, Math.floor(most * random.pick([0.001, 0.1, 0.5, 2])));
    return this.#place(random.below(MAKERS), [
      limitOrder(market as MarketIndex, side, Math.max(1, price), lots),
    ]);
  }

  /** An order waits for a failing account at a price that only the fund can compensate. */
  #quoteBeyond(): Command[] {
    if (this.#lastStep === undefined) return [];
    const { market, pb, lots } = this.#lastStep;
    const side: Side = lots > 0 ? 'BUY' : 'SELL';
    const by = 0.008 * this.#random.next();
    const ticks = Math.max(1, Math.floor(pb * (lots > 0 ? 1 - by : 1 + by)));
    const size = Math.max(1, Math.floor(Math.abs(lots) * this.#random.pick([0.01, 0.2, 1])));
    const order = limitOrder(market as MarketIndex, side, ticks, size);
    return [this.#place(this.#random.below(MAKERS), [order])];
  }

  /** A thin account wants to close: by orders that only reduce, with or without the flag, now or later. */
  #close(): Command {
    const random = this.#random;
    const family = MAKERS + random.below(this.#thin);
    const market = random.pick(this.#markets);
    const { lots: held } = positionOf(this.#model, this.#accountIndex(family), market);
    const side: Side = held > 0 ? 'SELL' : 'BUY';
    const lots = Math.max(1, Math.floor(Math.abs(held) * random.pick([0.1, 0.5, 1, 1.5])));
    const found = must(this.#model.markets[market]);
    const edges = [lowerTicks(found), upperTicks(found)];
    const ticks = random.chance(0.5) ? this.#markTicks(market) : random.pick(edges);
    const order: OrderRequest = {
      ...limitOrder(market as MarketIndex, side, Math.max(1, ticks), lots),
      reduceOnly: random.chance(0.5),
      ...(random.chance(0.3) ? { timeInForce: 'IOC' } : {}),
    };
    return this.#place(family, [order]);
  }

  #spotQuote(): Command {
    const random = this.#random;
    const base = random.pick(['BTC', 'ETH', 'SOL', 'OX', 'OX']);
    const market = SPOT_OF[base] ?? 0;
    const side: Side = base === 'OX' ? 'SELL' : 'BUY';
    const ticks = Math.floor(this.#markTicks(market) * (1 + 0.05 * (2 * random.next() - 1)));
    const lots = Math.max(1, Math.floor((this.#perUsdLots(market) * 3_000) / random.pick([1, 9])));
    return this.#place(random.below(MAKERS), [
      limitOrder(market as MarketIndex, side, Math.max(1, ticks), lots),
    ]);
  }

  #backstop(): Command {
    const random = this.#random;
    const family = random.below(MAKERS + this.#thin);
    const market = random.pick(this.#markets);
    const maxLots = Math.floor(this.#carriedLots(MAKERS, market) * random.pick([0, 0.05, 1, 9]));
    const { code } = must(this.#model.markets[market]).spec;
    const account = { family: `family${family}`, name: 'main' };
    return { kind: 'set-backstop', actor: 'crisis', account, market: code, maxLots };
  }

  #restrict(): Command {
    const family = `family${this.#random.below(MAKERS + this.#thin)}`;
    const restrictions: Restriction[] = this.#random.chance(0.6) ? [] : ['no-trade'];
    return { kind: 'set-restrictions', actor: 'crisis', family, restrictions };
  }

  #marketState(): Command {
    const market = must(this.#model.markets[this.#random.pick(this.#markets)]).spec.code;
    const state = this.#random.chance(0.7) ? 'OPEN' : 'CANCEL_ONLY';
    return { kind: 'set-market-state', actor: 'crisis', market, state, reason: '' };
  }

  #place(family: number, orders: readonly OrderRequest[]): Command {
    return { kind: 'place-orders', by: { key: family as KeyIndex }, source: 11, orders };
  }

  #accountIndex(family: number): number {
    return must(must(this.#model.families[family]).accounts[0]);
  }

  /** About as much as the account can carry at the leverage of the first tier. */
  #carriedLots(family: number, market: number): number {
    const accountIndex = this.#accountIndex(family);
    const usd = this.#model.assets.reduce((sum, { index }, asset) => {
      const parts = Number(this.#model.totals.get(`${accountIndex}/${asset}`) ?? 0n);
      return sum + (parts / 1e8) * (Number(index) / 1e8);
    }, 0);
    const { spec } = must(this.#model.markets[market]);
    const leverage = (spec.tiers[0]?.leverage ?? 1) * (0.5 + 0.4 * this.#random.next());
    return Math.max(1, Math.floor(usd * leverage * this.#perUsdLots(market)));
  }

  #perUsdLots(market: number): number {
    const { spec, mark } = must(this.#model.markets[market]);
    return 1 / ((Number(mark) * Number(spec.lotParts)) / 1e8 / 10 ** spec.quantityScale);
  }

  #markTicks(market: number): number {
    const found = must(this.#model.markets[market]);
    return Math.max(1, Number(found.mark / tickSize(found)));
  }
}

const STEP = /^liquidation-step account=\d+ market=(\d+) .* lots=(-?\d+) slice=\d+ pb=(\d+) /;
const STEPS_MAX = 400;
const otherSide = (side: Side): Side => (side === 'BUY' ? 'SELL' : 'BUY');
