import { Random } from './random.ts';

/** How an asset moves. */
export type AssetMoves = {
  readonly asset: string;
  /** In USD; prices slowly revert to it and stay between a quarter and four times of it. */
  readonly anchor: number;
  /** Standard deviation of a quiet day's return; 0 for a coin that does not move. */
  readonly daily: number;
  /** The share of it that is common to all assets. */
  readonly beta: number;
};

const DAY_SECONDS = 86_400;
const RANGE = 4;

/**
 * Prices by the second: a common factor, assets with moves of their own, a trend that reverses within hours,
 * clusters of volatility, and an occasional shock. Uses sums, products and roots only, so that a seed gives
 * the same prices everywhere.
 */
export class PriceProcess {
  readonly #random: Random;
  readonly #moves: readonly AssetMoves[];
  readonly #priceByAsset: Map<string, number>;
  /** A factor on the variance of a second; about 1 on average. */
  #variance = 1;
  /** The common drift per second. */
  #trend = 0;
  #shock = { perSecond: 0, seconds: 0 };

  /** `now` holds the prices to continue from; an asset that is missing starts at its anchor. */
  constructor(moves: readonly AssetMoves[], seed: number, now: ReadonlyMap<string, number>) {
    this.#random = new Random(seed);
    this.#moves = moves;
    this.#priceByAsset = new Map(
      moves.map(({ asset, anchor }) => [asset, now.get(asset) ?? anchor]),
    );
  }

  /** In USD. */
  price(asset: string): number {
    return this.#priceByAsset.get(asset) ?? 0;
  }

  /** About 1 on average, several times as much in a cluster. */
  get variance(): number {
    return this.#variance;
  }

  /** From -1 to 1: the direction of the trend. */
  get lean(): number {
    return Math.max(-1, Math.min(1, this.#trend / (3 * TREND_DEVIATION)));
  }

  second(): void {
    const random = this.#random;
    const common = random.normal();
    this.#moveVariance(common);
    this.#trend += -this.#trend / TREND_SECONDS + TREND_STEP * random.normal();
    const shock = this.#shock.seconds > 0 ? this.#shock.perSecond : 0;
    this.#shock.seconds--;
    for (const { asset, anchor, daily, beta } of this.#moves) {
      if (daily === 0) continue;
      const price = this.price(asset);
      const off = price / anchor - 1;
      const deviation = (daily / Math.sqrt(DAY_SECONDS)) * Math.sqrt(this.#variance);
      const own = random.normal() * Math.sqrt(1 - beta * beta);
      const pull = (off + off * off * off) / (5 * DAY_SECONDS);
      const moved = deviation * (beta * common + own) + beta * (this.#trend + shock) - pull;
      const next = price * (1 + moved);
      this.#priceByAsset.set(asset, Math.max(anchor / RANGE, Math.min(anchor * RANGE, next)));
    }
  }

  #moveVariance(common: number): void {
    const random = this.#random;
    let next = this.#variance + (CALM - this.#variance) / CLUSTER_SECONDS;
    next += 0.004 * (common * common - 1);
    if (random.chance(1 / 5_400)) next += random.between(1, 6);
    if (this.#shock.seconds <= 0 && random.chance(1 / SHOCK_SECONDS)) {
      const size = random.between(0.004, 0.015) * (random.chance(0.5) ? 1 : -1);
      this.#shock = { perSecond: size / SHOCK_LASTS, seconds: SHOCK_LASTS };
      next += 3;
    }
    this.#variance = Math.max(0.15, Math.min(VARIANCE_MAX, next));
  }
}

/** The variance between clusters, and how fast it returns there. */
const CALM = 0.25;
const CLUSTER_SECONDS = 2_400;
const VARIANCE_MAX = 8;
const TREND_SECONDS = 7_200;
/** About 0.2 % per hour. */
const TREND_DEVIATION = 5e-7;
const TREND_STEP = TREND_DEVIATION / 60;
/** On average one in eight hours; it is gradual, so that nobody mistakes it for an error. */
const SHOCK_SECONDS = 28_800;
const SHOCK_LASTS = 20;
