import { clockText, fixed, shown, type TimeZone } from '../../shared/number-text.ts';
import { columnsOf, type Sheet, sheetOf, sizeIn } from '../canvas.ts';
import type { TapeRow } from './sizes.ts';

/** The trades on their canvas, newest first: arrow, price, size, time. */
export type DrawnTape = {
  readonly rows: readonly TapeRow[];
  readonly rowHeight: number;
  readonly priceDecimals: number;
  readonly sizeDecimals: number;
  readonly zone: TimeZone;
};

/** Room for the arrow before the price. */
const ARROW_PX = 11;

export function drawTape(canvas: HTMLCanvasElement, drawn: DrawnTape): void {
  const sheet = sheetOf(canvas);
  if (sheet === undefined) return;
  const { colour } = sheet;
  const colours = {
    ...{ buy: colour('--buy'), sell: colour('--sell'), text: colour('--text') },
    ...{ time: colour('--text-3'), large: colour('--raised') },
    ...{ warn: colour('--warn'), warnWeak: colour('--warn-weak') },
  };
  for (const [at, row] of drawn.rows.entries()) drawRow({ sheet, colours, row, at, drawn });
}

function drawRow(parts: {
  readonly sheet: Sheet;
  readonly colours: Readonly<
    Record<'buy' | 'sell' | 'text' | 'time' | 'large' | 'warn' | 'warnWeak', string>
  >;
  readonly row: TapeRow;
  readonly at: number;
  readonly drawn: DrawnTape;
}): void {
  const { sheet, colours, row, at, drawn } = parts;
  const { context, width, fontFamily } = sheet;
  const { rowHeight, priceDecimals, sizeDecimals, zone } = drawn;
  const columns = columnsOf(width);
  const top = at * rowHeight;
  const middle = top + rowHeight / 2;
  const isBuy = row.side === 'BUY';
  if (row.isLarge) {
    context.fillStyle = colours.large;
    context.fillRect(0, top, width, rowHeight);
  }
  context.textAlign = 'left';
  context.fillStyle = isBuy ? colours.buy : colours.sell;
  const usual = context.font;
  context.font = `8px ${fontFamily}`;
  context.fillText(isBuy ? '▲' : '▼', columns.first, middle);
  context.font = usual;
  const price = shown(row.price, priceDecimals);
  context.fillText(price, columns.first + ARROW_PX, middle);
  let before = { text: price, left: columns.first + ARROW_PX };
  if (row.isAfterLiquidation === true) {
    const left = columns.first + ARROW_PX + context.measureText(price).width + 4;
    context.font = `600 11px ${fontFamily}`;
    const wide = context.measureText(LIQUIDATION).width;
    context.fillStyle = colours.warnWeak;
    context.fillRect(left, middle - 7, wide + 6, 14);
    context.fillStyle = colours.warn;
    context.fillText(LIQUIDATION, left + 3, middle);
    context.font = usual;
    before = { text: '', left: left + wide + 6 };
  }
  context.textAlign = 'right';
  context.fillStyle = colours.text;
  const size = sizeIn(sheet, fixed(row.quantity, sizeDecimals), before);
  context.fillText(size, columns.second, middle);
  context.fillStyle = colours.time;
  context.fillText(clockText(row.atMs, zone), columns.third, middle);
}

const LIQUIDATION = 'LIQ';
