/** Hourly data of accounts as a line and bars. Numbers here are for drawing; sums are for display. Pure. */

export type Hour = {
  readonly hourAtMs: number;
  readonly collateral: number | undefined;
  readonly realized: number;
  readonly funding: number;
};
export type AccountHours = {
  readonly hours: readonly Hour[];
  readonly collateralNow: number;
};
export type Bucket = {
  readonly atMs: number;
  readonly realized: number;
  readonly funding: number;
  /** The value of the accounts at the end of it, as far as it was recorded. */
  readonly equity: number;
  /** Before the first recorded hour equity is not known: that hour's value is drawn. */
  readonly isNoted: boolean;
};

export const RANGES = [
  { name: '1d', label: '24 h', days: 1, stepMs: 3_600_000 },
  { name: '7d', label: '7 d', days: 7, stepMs: 4 * 3_600_000 },
  { name: '30d', label: '30 d', days: 30, stepMs: 24 * 3_600_000 },
  { name: '90d', label: '90 d', days: 90, stepMs: 24 * 3_600_000 },
] as const;
export type Range = (typeof RANGES)[number];

const DAY_MS = 86_400_000;

/** One for each step of the range, oldest first; the last one holds the present. */
export function bucketsOf(
  accounts: readonly AccountHours[],
  { days, stepMs }: Pick<Range, 'days' | 'stepMs'>,
  nowMs: number,
): readonly Bucket[] {
  const last = Math.floor(nowMs / stepMs) * stepMs;
  const count = Math.round((days * DAY_MS) / stepMs);
  const first = last - (count - 1) * stepMs;
  const sums = Array.from({ length: count }, () => ({ realized: 0, funding: 0, equity: 0 }));
  for (const account of accounts) {
    const hours = [...account.hours].sort((one, other) => one.hourAtMs - other.hourAtMs);
    for (const { hourAtMs, realized, funding } of hours) {
      const sum = sums[Math.floor((hourAtMs - first) / stepMs)];
      if (sum === undefined) continue;
      sum.realized += realized;
      sum.funding += funding;
    }
    const noted = hours.filter(({ collateral }) => collateral !== undefined);
    // Before the first recorded hour, that hour's value is shown.
    let known = noted[0]?.collateral ?? account.collateralNow;
    let next = 0;
    sums.forEach((sum, at) => {
      const endMs = first + (at + 1) * stepMs;
      for (; next < noted.length && (noted[next] as Hour).hourAtMs < endMs; next++) {
        known = noted[next]?.collateral ?? known;
      }
      sum.equity += at === count - 1 ? account.collateralNow : known;
    });
  }
  const notedAtMs = Math.min(
    ...accounts.flatMap(({ hours }) =>
      hours.flatMap(({ hourAtMs, collateral }) => (collateral === undefined ? [] : [hourAtMs])),
    ),
  );
  return sums.map((sum, at) => {
    const atMs = first + at * stepMs;
    return { atMs, ...sum, isNoted: at === count - 1 || atMs + stepMs > notedAtMs };
  });
}

/**
 * The positions of the labels below the buckets: where the label text changes, evenly spaced, at most this
 * many.
 */
export function marksOf(words: readonly string[], countMax: number): readonly number[] {
  const begins = words.flatMap((text, at) => (at > 0 && text !== words[at - 1] ? [at] : []));
  const every = Math.max(1, Math.ceil(begins.length / Math.max(1, countMax)));
  return begins.filter((_, count) => count % every === 0);
}

/** Round numbers between the lowest and the highest, at most this many. */
export function ticksOf(low: number, high: number, countMax: number): readonly number[] {
  const span = high - low;
  if (!(span > 0)) return [low];
  const rough = span / countMax;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 2.5, 5, 10].find((one) => one * power >= rough) ?? 10) * power;
  const ticks: number[] = [];
  for (let value = Math.ceil(low / step) * step; value <= high + step / 1e6; value += step) {
    ticks.push(Math.abs(value) < step / 1e6 ? 0 : value);
  }
  return ticks;
}

/** The value range of the chart: a flat line gets a band, so that it is drawn in the middle. */
export function boundsOf(
  values: readonly number[],
  withZero: boolean,
): { readonly low: number; readonly high: number } {
  let low = Math.min(...values, ...(withZero ? [0] : []));
  let high = Math.max(...values, ...(withZero ? [0] : []));
  if (!Number.isFinite(low)) return { low: 0, high: 1 };
  if (high - low < Math.abs(high) * 1e-4 || high === low) {
    const half = Math.max(Math.abs(high) * 0.01, 0.5);
    if (withZero) return { low: -half, high: half };
    low -= half;
    high += half;
  }
  const room = (high - low) * 0.08;
  return { low: low - (withZero && low === 0 ? 0 : room), high: high + room };
}
