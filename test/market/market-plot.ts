import type { MarketMinutes, MarketRun } from './market-run.ts';

/** A day of a living market as one picture: candles, spreads and volumes of some of its markets. */

const WIDTH = 960;
const LEFT = 70;
const RIGHT = 20;
const ROW = { candles: 150, spreads: 60, volumes: 50, gap: 56 } as const;
const ROW_HEIGHT = ROW.candles + ROW.spreads + ROW.volumes + ROW.gap;
/** Minutes per candle. */
const MINUTES = 15;

export type Figures = {
  readonly code: string;
  readonly matches: number;
  readonly volumeUsd: number;
  readonly spreadBps: { readonly median: number; readonly p99: number };
  /** Minutes in which the book was crossed, or a side did not have the impact notional. */
  readonly crossed: number;
  readonly shallow: number;
  /** Correlation of the size of a minute's return with that of ten minutes before, outliers capped. */
  readonly clustering: number;
};

export function figuresOf({ code, samples, candles, matches }: MarketMinutes): Figures {
  const spreads = samples.map(spreadBps).sort((a, b) => a - b);
  const at = (share: number): number =>
    Number((spreads[Math.floor(share * (spreads.length - 1))] ?? 0).toFixed(2));
  return {
    code,
    matches,
    volumeUsd: Math.round(candles.reduce((sum, { usd }) => sum + usd, 0)),
    spreadBps: { median: at(0.5), p99: at(0.99) },
    crossed: samples.filter(({ bid, ask }) => bid >= ask).length,
    shallow: samples.filter(({ isDeep }) => !isDeep).length,
    clustering: Number(clustering(samples.map(({ index }) => index)).toFixed(3)),
  };
}

const spreadBps = ({ bid, ask, mark }: MarketMinutes['samples'][number]): number =>
  ((ask - bid) / mark) * 10_000;

function clustering(prices: readonly number[]): number {
  const sizes = prices.slice(1).map((price, at) => Math.abs(price / (prices[at] ?? price) - 1));
  const usual = [...sizes].sort((a, b) => a - b)[Math.floor(sizes.length * 0.95)] ?? 0;
  const cut = sizes.map((size) => Math.min(size, usual));
  const mean = cut.reduce((sum, size) => sum + size, 0) / cut.length;
  const off = cut.map((size) => size - mean);
  const of = (lag: number): number =>
    off.slice(lag).reduce((sum, one, at) => sum + one * (off[at] ?? 0), 0);
  return of(10) / of(0);
}

export function marketSvg(run: MarketRun, codes: readonly string[], title: string): string {
  const shown = run.markets.filter(({ code }) => codes.includes(code));
  const height = 40 + shown.length * ROW_HEIGHT;
  const rows = shown.map((market, at) => rowOf(market, 40 + at * ROW_HEIGHT));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="11">`,
    `<title>${title}</title>`,
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    `<text x="${LEFT}" y="20" font-size="14">${title}</text>`,
    ...rows,
    '</svg>',
    '',
  ].join('\n');
}

function rowOf(market: MarketMinutes, top: number): string {
  const { spreadBps: spread, volumeUsd, matches, clustering: clusters } = figuresOf(market);
  const words =
    `${market.code}: ${matches} matches, ${Math.round(volumeUsd / 1_000)} k USD, spread ` +
    `${spread.median} bps (median), ${spread.p99} (p99), clustering ${clusters}`;
  const spreadsTop = top + 14 + ROW.candles + 8;
  const volumesTop = spreadsTop + ROW.spreads + 8;
  return [
    `<text x="${LEFT}" y="${top + 8}">${words}</text>`,
    candlesOf(market, top + 14),
    lineOf(market.samples.map(spreadBps), spreadsTop),
    barsOf(market, volumesTop),
  ].join('\n');
}

type Scale = (value: number) => number;

/** From the lowest value at the bottom to the highest at the top. */
function scaleOf(values: readonly number[], top: number, height: number): Scale {
  const low = values.reduce((least, value) => Math.min(least, value), Number.MAX_VALUE);
  const high = values.reduce((most, value) => Math.max(most, value), -Number.MAX_VALUE);
  const span = high - low || 1;
  return (value) => Number((top + height - ((value - low) / span) * height).toFixed(1));
}

const axis = (values: readonly number[], top: number, height: number, unit: string): string => {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const text = (value: number): string => `${Number(value.toPrecision(5))}${unit}`;
  return (
    `<text x="${LEFT - 6}" y="${top + 9}" text-anchor="end" fill="#555">${text(high)}</text>` +
    `<text x="${LEFT - 6}" y="${top + height}" text-anchor="end" fill="#555">${text(low)}</text>` +
    `<path d="M${LEFT} ${top}V${top + height}H${WIDTH - RIGHT}" fill="none" stroke="#bbb"/>`
  );
};

const across = (at: number, count: number): number =>
  Number((LEFT + ((at + 0.5) / count) * (WIDTH - LEFT - RIGHT)).toFixed(1));

function candlesOf({ candles }: MarketMinutes, top: number): string {
  const groups = grouped(candles, MINUTES).flatMap((group, at) => {
    const traded = group.filter(({ usd }) => usd > 0);
    const [first, last] = [traded[0], traded.at(-1)];
    if (first === undefined || last === undefined) return [];
    const high = Math.max(...traded.map((one) => one.high));
    const low = Math.min(...traded.map((one) => one.low));
    return [{ at, open: first.open, close: last.close, high, low }];
  });
  const values = groups.flatMap(({ high, low }) => [high, low]);
  const y = scaleOf(values, top, ROW.candles);
  const count = Math.ceil(candles.length / MINUTES);
  const shapes = groups.map(({ at, open, close, high, low }) => {
    const x = across(at, count);
    const [from, to] = [y(Math.max(open, close)), y(Math.min(open, close))];
    // Filled if it fell, hollow if it rose: distinguishable without colours.
    const fill = close < open ? '#c2410c' : '#ffffff';
    const stroke = close < open ? '#c2410c' : '#0f766e';
    return (
      `<path d="M${x} ${y(high)}V${y(low)}" stroke="${stroke}"/>` +
      `<rect x="${(x - 2.5).toFixed(1)}" y="${from}" width="5" height="${Math.max(1, to - from).toFixed(1)}" fill="${fill}" stroke="${stroke}"/>`
    );
  });
  return [axis(values, top, ROW.candles, ''), ...shapes].join('\n');
}

function lineOf(values: readonly number[], top: number): string {
  const y = scaleOf([0, ...values], top, ROW.spreads);
  const points = values.map((value, at) => `${across(at, values.length)},${y(value)}`);
  return [
    axis([0, ...values], top, ROW.spreads, ' bps'),
    `<polyline points="${points.join(' ')}" fill="none" stroke="#1d4ed8" stroke-width="0.6"/>`,
  ].join('\n');
}

function barsOf({ candles }: MarketMinutes, top: number): string {
  const sums = grouped(candles, MINUTES).map(
    (group) => group.reduce((sum, { usd }) => sum + usd, 0) / 1_000,
  );
  const y = scaleOf([0, ...sums], top, ROW.volumes);
  const bars = sums.map((sum, at) => {
    const height = Math.max(0, top + ROW.volumes - y(sum));
    return `<rect x="${(across(at, sums.length) - 2.5).toFixed(1)}" y="${y(sum)}" width="5" height="${height.toFixed(1)}" fill="#6b7280"/>`;
  });
  return [axis([0, ...sums], top, ROW.volumes, ' k'), ...bars].join('\n');
}

const grouped = <Value>(values: readonly Value[], size: number): Value[][] =>
  Array.from({ length: Math.ceil(values.length / size) }, (_, at) =>
    values.slice(at * size, (at + 1) * size),
  );
