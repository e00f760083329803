/** Rates in parts of 10^-5, by tier, and the requirement of each tier. */
export type FeeTier = {
  readonly maker: bigint;
  readonly taker: bigint;
  /** 30-day volume in native units, or the native holding in USD. */
  readonly volume: bigint;
  readonly holdingUsd: bigint;
};

export const FEE_TIERS: readonly FeeTier[] = [
  { maker: 20n, taker: 70n, volume: 0n, holdingUsd: 0n },
  { maker: 10n, taker: 50n, volume: 2_500_000n, holdingUsd: 1_000n },
  { maker: 0n, taker: 40n, volume: 25_000_000n, holdingUsd: 100_000n },
];
/** Scale of a rate: 10^5 parts are the whole value. */
export const FEE_SCALE = 5;
