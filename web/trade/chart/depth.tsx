import { type PointerEvent, useEffect, useRef } from 'react';
import { decimalsOf, grouped } from '../../shared/number-text.ts';
import { settings } from '../../shared/settings.ts';
import { book, type Market } from '../feed.ts';
import { depthSpan, type Step, stepsOf } from './places.ts';
import { tokens } from './tokens.ts';

const DRAW_MS = 250;
const AXIS_PX = 24;

/** The book as two step curves around the middle. */
export function DepthChart({ market }: { readonly market: Market }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const pointerX = useRef<number>(undefined);
  useEffect(() => {
    const draw = (): void => {
      if (canvas.current !== null && !document.hidden) {
        drawDepth(canvas.current, market, pointerX.current);
      }
    };
    draw();
    const timer = setInterval(draw, DRAW_MS);
    const stop = settings.subscribe(draw);
    return () => {
      clearInterval(timer);
      stop();
    };
  }, [market]);
  const point = (x: number | undefined): void => {
    pointerX.current = x;
    if (canvas.current !== null) drawDepth(canvas.current, market, x);
  };
  const onPointerMove = (event: PointerEvent): void =>
    point(event.clientX - event.currentTarget.getBoundingClientRect().left);
  return (
    <canvas
      ref={canvas}
      className="plot depth"
      role="img"
      aria-label={`Depth of ${market.name}`}
      onPointerMove={onPointerMove}
      onPointerLeave={() => point(undefined)}
    />
  );
}

function drawDepth(canvas: HTMLCanvasElement, market: Market, pointerX: number | undefined): void {
  const context = canvas.getContext('2d');
  const { asks, bids } = book.get();
  if (context === null) return;
  const { clientWidth: width, clientHeight: height } = canvas;
  canvas.width = Math.round(width * devicePixelRatio);
  canvas.height = Math.round(height * devicePixelRatio);
  context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
  const of = tokens();
  context.font = `450 11px ${of('--font')}`;
  const span = depthSpan(asks, bids, Number(market.tickSize));
  if (span === undefined) {
    context.fillStyle = of('--text-2');
    context.textAlign = 'center';
    context.fillText('Nobody offers or bids now.', width / 2, height / 2);
    return;
  }
  const { middle, reach } = span;
  const up = stepsOf(asks, (price) => price <= middle + reach);
  const down = stepsOf(bids, (price) => price >= middle - reach);
  const largest = Math.max(up.at(-1)?.total ?? 0, down.at(-1)?.total ?? 0, 1e-12);
  const floor = height - AXIS_PX;
  const x = (price: number): number => width / 2 + ((price - middle) / reach) * (width / 2);
  const y = (total: number): number => floor - (total / largest) * (floor - 40);
  for (const [steps, side, end] of [
    [up, 'sell', width],
    [down, 'buy', 0],
  ] as const) {
    stairs(context, { steps, x, y, floor, end, line: of(`--${side}`), fill: of(`--${side}-weak`) });
  }
  context.fillStyle = of('--text-2');
  const decimals = decimalsOf(market.tickSize);
  const print = (price: number): string => grouped(Math.max(0, price).toFixed(decimals));
  for (const [at, align] of [
    [0.02, 'left'],
    [0.25, 'center'],
    [0.5, 'center'],
    [0.75, 'center'],
    [0.98, 'right'],
  ] as const) {
    context.textAlign = align;
    context.fillText(print(middle + (at - 0.5) * 2 * reach), width * at, height - 8);
  }
  if (pointerX === undefined) return;
  const price = middle + ((pointerX - width / 2) / (width / 2)) * reach;
  const isAsk = price >= middle;
  const hit = (isAsk ? up : down).findLast((step) =>
    isAsk ? step.price <= price : step.price >= price,
  );
  context.strokeStyle = of('--line-strong');
  context.strokeRect(Math.round(pointerX) + 0.5, 34, 0, floor - 34);
  context.fillStyle = of('--text');
  context.textAlign = pointerX > width - 220 ? 'right' : 'left';
  const share = `${(((price - middle) / middle) * 100).toFixed(2).replace('-', '−')} %`;
  const total = grouped((hit?.total ?? 0).toFixed(decimalsOf(market.minSize)));
  context.fillText(
    `${print(price)}  ${share}  ${total} ${market.base}`,
    pointerX + (pointerX > width - 220 ? -8 : 8),
    46,
  );
}

function stairs(
  context: CanvasRenderingContext2D,
  drawn: {
    readonly steps: readonly Step[];
    readonly x: (price: number) => number;
    readonly y: (total: number) => number;
    readonly floor: number;
    readonly end: number;
    readonly line: string;
    readonly fill: string;
  },
): void {
  const { steps, x, y, floor, end, line, fill } = drawn;
  const [first] = steps;
  if (first === undefined) return;
  context.beginPath();
  context.moveTo(x(first.price), floor);
  let level = floor;
  for (const { price, total } of steps) {
    context.lineTo(x(price), level);
    level = y(total);
    context.lineTo(x(price), level);
  }
  context.lineTo(end, level);
  context.strokeStyle = line;
  context.lineWidth = 1.5;
  context.stroke();
  context.lineTo(end, floor);
  context.closePath();
  context.fillStyle = fill;
  context.fill();
  context.lineWidth = 1;
}
