import type { Row } from './levels.ts';

/** One side of the book on its canvas: pale bar up to here, stronger bar of this level, three numbers. */
export type Drawn = {
  readonly rows: readonly Row[];
  readonly isBid: boolean;
  readonly rowHeight: number;
  readonly largestTotal: number;
  readonly priceDecimals: number;
  readonly sizeDecimals: number;
  /** Prices of the account's own orders, as drawn. */
  readonly own: ReadonlySet<string>;
  /** The price in the ticket. */
  readonly ticketPrice: string | undefined;
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
  const context = canvas.getContext('2d');
  if (context === null) return;
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  const ratio = devicePixelRatio;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  const style = getComputedStyle(canvas);
  context.font = `450 12px ${style.fontFamily}`;
  context.textBaseline = 'middle';
  const colours = coloursOf(style, drawn.isBid);
  drawn.rows.forEach((row, at) => {
    const { rowHeight, isBid } = drawn;
    // Best price next to the middle: asks grow upward, bids downward.
    const top = isBid ? at * rowHeight : height - (at + 1) * rowHeight;
    drawRow({ context, colours, row, top, width, drawn });
  });
}

function drawRow(parts: {
  readonly context: CanvasRenderingContext2D;
  readonly colours: Colours;
  readonly row: Row;
  readonly top: number;
  readonly width: number;
  readonly drawn: Drawn;
}): void {
  const { context, colours, row, top, width, drawn } = parts;
  const { rowHeight, largestTotal, priceDecimals, sizeDecimals } = drawn;
  const reach = (width * row.total) / largestTotal;
  const own = (width * row.quantity) / largestTotal;
  context.fillStyle = colours.weak;
  context.fillRect(width - reach, top, reach, rowHeight - 1);
  context.fillStyle = colours.mid;
  context.fillRect(width - own, top, own, rowHeight - 1);
  const middle = top + rowHeight / 2;
  const price = row.price.toFixed(priceDecimals);
  context.textAlign = 'left';
  context.fillStyle = colours.side;
  context.fillText(separated(price), 12, middle);
  context.textAlign = 'right';
  context.fillStyle = colours.text;
  context.fillText(
    separated(row.quantity.toFixed(sizeDecimals)),
    12 + ((width - 24) * 2) / 3,
    middle,
  );
  context.fillStyle = colours.total;
  context.fillText(separated(row.total.toFixed(sizeDecimals)), width - 12, middle);
  context.fillStyle = colours.accent;
  context.strokeStyle = colours.accent;
  if (drawn.own.has(price)) context.fillRect(2, top + 4, 4, rowHeight - 9);
  else if (drawn.ticketPrice === price) context.strokeRect(2.5, top + 4.5, 3, rowHeight - 10);
}

const separated = (text: string): string => {
  const [whole = '', fraction] = text.split('.');
  const thousands = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? thousands : `${thousands}.${fraction}`;
};

const coloursOf = (style: CSSStyleDeclaration, isBid: boolean): Colours => {
  const of = (name: string): string => style.getPropertyValue(name).trim();
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
