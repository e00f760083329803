/**
 * How far the book is from the index: one sample a second. Their mean over two minutes gives the mark, their
 * mean over the hour the funding rate. All in 10^-8 USD, or 10^-12 as a fraction of the index.
 */
export type Premium = {
  /** The last samples of (mid - index), a ring. */
  readonly samples: BigInt64Array;
  next: number;
  count: number;
  sum: bigint;
  /** The hour that is being measured: sum of (mark - index) / index, and of how many seconds. */
  hour: number;
  hourSum: bigint;
  hourSeconds: number;
  /** The second that was last sampled. */
  second: number;
};

export const SAMPLES = 120;

export const newPremium = (): Premium => ({
  samples: new BigInt64Array(SAMPLES),
  next: 0,
  count: 0,
  sum: 0n,
  hour: 0,
  hourSum: 0n,
  hourSeconds: 0,
  second: 0,
});
