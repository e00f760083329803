import { grouped } from '../../shared/number-text.ts';
import { columnsOf, type Sheet, sheetOf, sizeIn } from '../canvas.ts';
import type { Row } from './levels.ts';

/**
 * One side of the book on its canvas: a pale bar for the cumulative size, a stronger one for this level,
 * three numbers.
 */
export type Drawn = {
  readonly rows: readonly Row[];
  readonly isBid: boolean;
  readonly rowHeight: number;
  readonly largestTotal: number;
  readonly priceDecimals: number;
  readonly sizeDecimals: number;
  /** Prices of the rows with the account's own orders. */
  readonly own: ReadonlySet<number>;
  /** The price of the row that contains the ticket's price. */
  readonly ticketPrice: number | undefined;
};

type Colours = {
  readonly side: string;
  readonly weak: string;
  readonly mid: string;
  readonly text: string;
  readonly total: string;
  readonly accent: string;
};

export function drawSide(canvas: HTMLCanvasElement, drawn: Drawn): void {
  const sheet = sheetOf(canvas);
  if (sheet === undefined) return;
  const colours = coloursOf(sheet, drawn.isBid);
  drawn.rows.forEach((row, at) => {
    const { rowHeight, isBid } = drawn;
    // The best price is next to the middle: asks grow upward, bids downward.
    const top = isBid ? at * rowHeight : sheet.height - (at + 1) * rowHeight;
    drawRow({ sheet, colours, row, top, drawn });
  });
}

function drawRow(parts: {
  readonly sheet: Sheet;
  readonly colours: Colours;
  readonly row: Row;
  readonly top: number;
  readonly drawn: Drawn;
}): void {
  const { sheet, colours, row, top, drawn } = parts;
  const { context, width } = sheet;
  const columns = columnsOf(width);
  const { rowHeight, largestTotal, priceDecimals, sizeDecimals } = drawn;
  const reach = (width * row.total) / largestTotal;
  const own = (width * row.quantity) / largestTotal;
  context.fillStyle = colours.weak;
  context.fillRect(width - reach, top, reach, rowHeight - 1);
  context.fillStyle = colours.mid;
  context.fillRect(width - own, top, own, rowHeight - 1);
  const middle = top + rowHeight / 2;
  const price = grouped(row.price.toFixed(priceDecimals));
  const quantity = row.quantity.toFixed(sizeDecimals);
  context.textAlign = 'left';
  context.fillStyle = colours.side;
  context.fillText(price, columns.first, middle);
  context.textAlign = 'right';
  context.fillStyle = colours.text;
  const shown = sizeIn(sheet, quantity, { text: price, left: columns.first });
  context.fillText(shown, columns.second, middle);
  context.fillStyle = colours.total;
  context.fillText(sizeIn(sheet, row.total.toFixed(sizeDecimals)), columns.third, middle);
  context.fillStyle = colours.accent;
  context.strokeStyle = colours.accent;
  if (drawn.own.has(row.price)) context.fillRect(2, top + 4, 4, rowHeight - 9);
  else if (drawn.ticketPrice === row.price) context.strokeRect(2.5, top + 4.5, 3, rowHeight - 10);
}

const coloursOf = ({ colour: of }: Sheet, isBid: boolean): Colours => {
  const side = isBid ? 'buy' : 'sell';
  return {
    side: of(`--${side}`),
    weak: of(`--${side}-weak`),
    mid: of(`--${side}-mid`),
    text: of('--text'),
    total: of('--text-2'),
    accent: of('--accent'),
  };
};
