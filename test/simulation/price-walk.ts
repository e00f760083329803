import type { SetIndexPrices } from '../../src/domain/commands.ts';
import { usdPrice } from '../../src/domain/units.ts';
import type { Model, ModelAsset } from './model/state.ts';
import type { Random } from './random.ts';

/**
 * What the world pays for each asset, which the venue hears of in rounds: small steps mostly, now and
 * then a crash. It goes on where it is even if the venue holds a jump back, so the next round confirms.
 */
export class PriceWalk {
  readonly #random: Random;
  readonly #prices = new Map<string, bigint>();

  constructor(random: Random) {
    this.#random = random;
  }

  /** Now and then only one asset is heard of. */
  round(model: Model): SetIndexPrices {
    if (this.#random.chance(0.8)) return this.wholeRound(model);
    return this.#roundOf([this.#random.pick(model.assets)]);
  }

  wholeRound(model: Model): SetIndexPrices {
    return this.#roundOf(model.assets);
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
    // A crash takes everything along, or what it happens to hit.
    const common = random.chance(0.5) ? 2 * random.next() - 1 : undefined;
    const prices = assets.map(({ spec, index }) => {
      const before = this.#prices.get(spec.code) ?? index;
      const isDollar = spec.code === 'USDT' || spec.code === 'USDC';
      const way = common ?? 2 * random.next() - 1;
      const by = 1 + way * widest * (isDollar ? 0.05 : 1);
      const isStill = random.chance(0.1);
      const price = isStill ? before : BigInt(Math.floor(Number(before) * by));
      const coarse = price > digits * 1_000n ? price - (price % digits) : price;
      const next = within(START_BOUNDS, coarse, index);
      this.#prices.set(spec.code, next);
      return { asset: spec.code, price: usdPrice(next) };
    });
    return { kind: 'set-index-prices', prices };
  }
}

/** From a hundredth of a cent to ten million dollars: beyond, sums leave what the ledger can hold. */
const START_BOUNDS = { least: 10_000n, most: 1_000_000_000_000_000n };

const within = (
  { least, most }: { readonly least: bigint; readonly most: bigint },
  price: bigint,
  otherwise: bigint,
): bigint => (price < least || price > most ? otherwise : price);
