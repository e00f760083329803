/** Candles as text: a column each, hollow where the price rose, filled where it fell. */
export type Drawn = {
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  readonly openedAt: string;
};

const WICK = '│';
const ROSE = '░';
const FELL = '█';
const AXIS_CHARACTERS = 14;

/** Oldest first; the newest that fit are drawn. */
export function plotText(
  all: readonly Drawn[],
  { columns, rows }: { readonly columns: number; readonly rows: number },
): string {
  const shown = all.slice(-Math.max(1, columns - AXIS_CHARACTERS));
  const highest = Math.max(...shown.map(({ high }) => Number(high)));
  const lowest = Math.min(...shown.map(({ low }) => Number(low)));
  const step = (highest - lowest) / rows || 1;
  const rowOf = (price: string): number =>
    Math.min(rows - 1, Math.floor((highest - Number(price)) / step));
  const lines = Array.from({ length: rows }, (_, row) => {
    const cells = shown.map((candle) => cellOf(candle, row, rowOf)).join('');
    const isLabelled = row % 4 === 0 || row === rows - 1;
    return `${cells} ${isLabelled ? priceText(highest - (row + 0.5) * step, step) : ''}`.trimEnd();
  });
  const first = timeText(shown[0]?.openedAt);
  const last = timeText(shown.at(-1)?.openedAt);
  const gap = shown.length - first.length - last.length;
  const times = gap > 0 ? `${first}${' '.repeat(gap)}${last}` : last;
  return [...lines, times].join('\n');
}

function cellOf(candle: Drawn, row: number, rowOf: (price: string) => number): string {
  const { open, high, low, close } = candle;
  if (row < rowOf(high) || row > rowOf(low)) return ' ';
  const isRising = Number(close) >= Number(open);
  const [top, foot] = isRising ? [close, open] : [open, close];
  if (row < rowOf(top) || row > rowOf(foot)) return WICK;
  return isRising ? ROSE : FELL;
}

/** With enough decimals to tell two rows apart. */
const priceText = (price: number, step: number): string =>
  price.toFixed(Math.max(0, Math.min(8, 1 - Math.floor(Math.log10(step)))));

const timeText = (ms: string | undefined): string =>
  ms === undefined ? '' : new Date(Number(ms)).toISOString().slice(5, 16).replace('T', ' ');
