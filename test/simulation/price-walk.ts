import type { IndexPrice, SetIndexPrices } from '../../src/domain/commands.ts';
import { usdPrice } from '../../src/domain/units.ts';
import type { Model, ModelAsset } from './model/state.ts';
import type { Random } from './random.ts';

/**
 * The outside price of each asset, which the venue receives in rounds: mostly small steps, sometimes a crash.
 * It continues even if the venue holds a jump back, so the next round confirms it.
 *
 * In some runs prices trend: for many rounds each asset goes its own way, by a hundredth or a tenth per round
 * or in jumps, to a hundredth or a hundred times its start.
 */
export class PriceWalk {
  readonly isTrending: boolean;
  readonly #random: Random;
  readonly #prices = new Map<string, bigint>();
  readonly #starts = new Map<string, bigint>();
  /** Assets whose last price was wrong. */
  readonly #wrong = new Set<string>();
  readonly #trends = new Map<string, { readonly by: number; rounds: number }>();

  constructor(random: Random) {
    this.#random = random;
    this.isTrending = random.chance(0.4);
  }

  /** Sometimes not all assets are reported. */
  round(model: Model): SetIndexPrices {
    return this.#random.chance(0.8) ? this.wholeRound(model) : this.partRound(model);
  }

  /** One asset, or some: the others become stale. */
  partRound(model: Model): SetIndexPrices {
    const random = this.#random;
    const some = model.assets.filter(() => random.chance(0.6));
    const isOne = some.length === 0 || random.chance(0.5);
    return this.#roundOf(isOne ? [random.pick(model.assets)] : some);
  }

  wholeRound(model: Model): SetIndexPrices {
    return this.#roundOf(model.assets);
  }

  /** One asset goes far, in even steps, and nothing else moves: most accounts are then only watched. */
  longWay(model: Model): SetIndexPrices[] {
    const random = this.#random;
    const moving = random.pick(somewhereHeld(model));
    const by = random.pick([0.9, 0.95, 1.02, 1.06, 1.1, 1.1]);
    const rounds = random.between(15, 45);
    return Array.from({ length: rounds }, (): SetIndexPrices => {
      const prices = model.assets.map(({ spec, index }) => {
        this.#remember(spec.code, index);
        const before = this.#prices.get(spec.code) ?? index;
        const price = spec.code === moving ? BigInt(Math.floor(Number(before) * by)) : before;
        const next = this.#isFar(spec.code, price) ? before : price;
        this.#prices.set(spec.code, next);
        return { asset: spec.code, price: usdPrice(next) };
      });
      return { kind: 'set-index-prices', prices };
    });
  }

  #roundOf(assets: readonly ModelAsset[]): SetIndexPrices {
    const random = this.#random;
    const widest = Number(
      random.weighted({
        '0.002': 45,
        '0.01': 20,
        '0.05': 20,
        '0.1': 10,
        '0.3': 5,
      }),
    );
    const digits = random.pick([1n, 1n, 100n, 1_000_000n]);
    // A crash hits everything, or some assets.
    const common = random.chance(0.5) ? 2 * random.next() - 1 : undefined;
    const prices = assets.map(({ spec, index }): IndexPrice => {
      this.#remember(spec.code, index);
      const before = this.#prices.get(spec.code) ?? index;
      const way = common ?? 2 * random.next() - 1;
      const isSteady = isDollar(spec.code);
      const trend = this.isTrending && !isSteady ? this.#trendOf(spec.code) : undefined;
      const by = trend ?? 1 + way * widest * (isSteady ? 0.05 : 1);
      const isStill = random.chance(0.1);
      const price = isStill ? before : BigInt(Math.floor(Number(before) * by));
      const coarse = price > digits * 1_000n ? price - (price % digits) : price;
      const next = this.#isFar(spec.code, coarse) ? before : coarse;
      this.#prices.set(spec.code, next);
      if (random.chance(0.01)) return this.#oddPrice(spec.code, index);
      return { asset: spec.code, price: usdPrice(this.#reported(spec.code, next)) };
    });
    const twice = random.chance(0.002) ? prices.slice(0, 1) : [];
    return { kind: 'set-index-prices', prices: [...prices, ...twice] };
  }

  /** The price of a faulty source, and sometimes of an operator. */
  #oddPrice(asset: string, last: bigint): IndexPrice {
    const random = this.#random;
    const most = 10n ** 17n;
    const odd = [0n, -1n, most + 1n, 20n * last + 1n, last / 20n, last / 20n + 1n, last / 21n];
    const price = usdPrice(random.pick(odd));
    // Not far off if by an operator: the venue would accept it, and everybody would fail at once.
    if (random.chance(0.3)) return { asset, price: usdPrice(last), byOperator: true };
    return { asset, price };
  }

  /** Mostly the price. A faulty source is wrong once or for some rounds, each time differently. */
  #reported(code: string, price: bigint): bigint {
    const random = this.#random;
    if (!random.chance(this.#wrong.has(code) ? 0.5 : 0.01)) {
      this.#wrong.delete(code);
      return price;
    }
    this.#wrong.add(code);
    const reported = BigInt(Math.floor(Number(price) * random.pick([0.5, 0.85, 1.15, 2])));
    return reported > 0n ? reported : price;
  }

  /** The move of an asset that trends; undefined for one that only fluctuates. */
  #trendOf(code: string): number | undefined {
    const random = this.#random;
    if (random.chance(0.003)) return random.pick(JUMPS);
    const trend = this.#trends.get(code);
    if (trend !== undefined && trend.rounds-- > 0) return trend.by;
    if (!random.chance(0.3)) return undefined;
    this.#trends.set(code, { by: random.pick(STEPS), rounds: random.between(10, 60) });
    return undefined;
  }

  #remember(code: string, start: bigint): void {
    if (!this.#starts.has(code)) this.#starts.set(code, start);
  }

  #isFar(code: string, price: bigint): boolean {
    const start = this.#starts.get(code) ?? price;
    return price * 100n < start || price > start * 100n;
  }
}

/** The base assets of perpetuals with positions; all of them if there is none. */
function somewhereHeld(model: Model): string[] {
  const held = model.markets.flatMap(({ spec }, index) =>
    [...model.accounts.values()].some(({ positions }) => (positions.get(index)?.lots ?? 0) !== 0)
      ? [spec.base]
      : [],
  );
  return held.length > 0 ? held : ['BTC', 'ETH', 'SOL', 'OX'];
}

const isDollar = (code: string): boolean => code === 'USDT' || code === 'USDC';

const STEPS = [0.9, 0.93, 0.97, 0.99, 0.998, 1.002, 1.01, 1.03, 1.07, 1.1] as const;
const JUMPS = [0.06, 0.2, 0.5, 2, 5, 8, 19] as const;
