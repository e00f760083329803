import './own-lines.css';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import {
  decimalsOf,
  grouped,
  isNegative,
  nativeText,
  percentText,
  shown,
  signed,
  typedNumber,
} from '../../shared/number-text.ts';
import { useStore } from '../../shared/store.ts';
import { live, type Market } from '../feed.ts';
import { liquidationDistance } from '../liquidation-price.ts';
import type { OpenOrder } from '../live-orders.ts';
import type { Position } from '../live-state.ts';
import { orderWords, priceText, standingPrice } from '../order-words.ts';
import { hasPrice } from '../ticket/form.ts';
import { ticket } from '../ticket/ticket-state.ts';
import { layers } from './layers.tsx';
import { OrderLine } from './order-line.tsx';
import { between, byPrice, edgeOf, nearest, type Span, spread } from './places.ts';
import type { Plot } from './plot.ts';

/** Labels are 26 px high: their buttons have 24. */
const LABEL_PX = 28;
const PILLS_MAX = 2;
/** The height of the pills at the edges. */
const ABOVE_PX = 54;
const BELOW_PX = 48;
/**
 * The height of the candle's figures, and the chart width from which they leave room for labels on the right.
 */
const LEGEND_PX = 28;
const LEGEND_BESIDE_PX = 620;
/** In a narrower chart, labels on the left would overlap those on the right. */
const BESIDE_PX = 420;
/** Of the labels that fit above each other, these are for the position and for the pills. */
const OTHER_LABELS = 4;

/** Something of the account with a price: a line within the range, a pill at the edge outside of it. */
type Own = {
  readonly key: string;
  /** As the venue writes it. */
  readonly text: string;
  readonly price: number;
  /** The priority if not all fit. */
  readonly rank: number;
  readonly tone: string;
  readonly words: string;
  readonly order?: OpenOrder;
  readonly line?: ReactNode;
};
type Placed = Own & { readonly y: number };

/** Own orders, the position and the liquidation price, as lines over the chart. */
export function OwnLines({ plot, market }: { readonly plot: Plot; readonly market: Market }) {
  const orders = useStore(live, (state) => state.orders);
  const position = useStore(live, ({ positions }) => positions[market.marketCode]);
  useScale(plot);
  const height = plot.chart.paneSize().height;
  const width = plot.chart.timeScale().width();
  const { hasOrders, hasPosition } = useStore(layers, (chosen) => chosen);
  const own = useMemo(() => ordersIn(orders, market.marketCode), [orders, market.marketCode]);
  const sorted = hasOrders ? own : [];
  const placed = (some: readonly Own[]): readonly Placed[] =>
    some.flatMap((one) => {
      const y = plot.candles.priceToCoordinate(one.price);
      return y === null ? [] : [{ ...one, y }];
    });
  const others = placed(hasPosition ? positionOwn(position, market) : []);
  // A scale without prices places nothing.
  const lowest = plot.candles.coordinateToPrice(height) ?? 0;
  const highest = plot.candles.coordinateToPrice(0) ?? -1;
  const sight = between(sorted, lowest, highest);
  const price = markNow(market);
  const pillsMax = width < BESIDE_PX ? 1 : PILLS_MAX;
  // A program may have thousands: only as many are drawn as there is room for.
  const { near, more } = nearest(sorted, sight, {
    ...{ price, held: heldKey() },
    max: Math.max(1, Math.floor(height / LABEL_PX) - OTHER_LABELS),
  });
  const isWithin = ({ y }: Placed): boolean => y >= 0 && y <= height;
  const isRight = ({ order }: Own): boolean => order !== undefined;
  // The tab order follows the visible order.
  const inside = byPrice([...others.filter(isWithin), ...placed(near.map(ownOf))]);
  const beyond = (span: Span, isHere: (one: Placed) => boolean): Beyond => {
    const found = nearest(sorted, span, { price, max: pillsMax });
    return {
      items: [...others.filter(isHere), ...placed(found.near.map(ownOf))],
      more: found.more,
    };
  };
  const above = beyond({ from: sight.to, to: sorted.length }, ({ y }) => y < 0);
  const below = beyond({ from: 0, to: sight.from }, ({ y }) => y > height);
  // Those on the left stay clear of the pills at the edges.
  const room = {
    from: above.items.length === 0 ? LEGEND_PX : ABOVE_PX,
    to: below.items.length + more === 0 ? height : height - BELOW_PX,
  };
  const labels =
    width < BESIDE_PX
      ? spread(inside, LABEL_PX, room)
      : new Map([
          ...spread(inside.filter(isRight), LABEL_PX, {
            from: width < LEGEND_BESIDE_PX ? LEGEND_PX : 0,
            to: height,
          }),
          ...spread(
            inside.filter((own) => !isRight(own)),
            LABEL_PX,
            room,
          ),
        ]);
  const edge = ({ items, more: unlisted }: Beyond, side: 'above' | 'below', left: number) =>
    items.length + left === 0 ? null : (
      <Edge {...{ items, side, market }} left={unlisted + left} max={pillsMax} />
    );
  return (
    <div className="lines">
      <Draft plot={plot} width={width} height={height} />
      {inside.map((own) =>
        own.order === undefined ? (
          <div
            key={own.key}
            className={`ln ${own.key}`}
            style={{ top: `${own.y}px`, width: `${width}px` }}
          >
            <span
              className="tag"
              style={{ top: `${(labels.get(own.key) ?? own.y) - own.y - 13}px` }}
            >
              <span className="hd">{own.line}</span>
            </span>
          </div>
        ) : (
          <OrderLine
            key={own.key}
            {...{ plot, market, width }}
            order={own.order}
            labelY={labels.get(own.key) ?? own.y}
          />
        ),
      )}
      {edge(above, 'above', 0)}
      {edge(below, 'below', more)}
    </div>
  );
}

const markNow = ({ marketCode, markPrice }: Market): number =>
  Number(live.get().tickers[marketCode]?.markPrice ?? markPrice);

/** The order whose line has the focus: it stays, so that it can be moved. */
const heldKey = (): string | undefined =>
  document.activeElement?.closest<HTMLElement>('.ln')?.dataset['key'];

/** The scale moves with every drag and new price: lines are placed again in each frame that moved it. */
function useScale(plot: Plot): void {
  const [, setFrame] = useState(0);
  useEffect(() => {
    let handle = 0;
    let before = '';
    const place = (): void => {
      const { candles, chart } = plot;
      const { height } = chart.paneSize();
      const now = `${candles.coordinateToPrice(0)} ${candles.coordinateToPrice(height)} ${height} ${chart.timeScale().width()}`;
      if (now !== before) {
        before = now;
        setFrame((count) => count + 1);
      }
      handle = requestAnimationFrame(place);
    };
    place();
    return () => cancelAnimationFrame(handle);
  }, [plot]);
}

function positionOwn(position: Position | undefined, market: Market): readonly Own[] {
  if (position === undefined) return [];
  const { quantity, entryPrice, positionPnl, estLiquidationPrice } = position;
  const words = `${isNegative(quantity) ? 'Short' : 'Long'} ${shown(quantity.replace('-', ''), decimalsOf(market.minSize))}`;
  return [
    {
      ...{ key: 'position', ...priced(entryPrice), rank: 1, tone: 'accent', words },
      line: (
        <>
          <span>{words}</span>
          <span className="qty num">{signed(positionPnl, nativeText)} OX</span>
        </>
      ),
    },
    ...(liquidationDistance(estLiquidationPrice, markNow(market)) === undefined
      ? []
      : [
          {
            ...{ key: 'liquidation', ...priced(estLiquidationPrice), rank: 0, tone: 'bad' },
            words: 'Liquidation',
            line: <span>Liquidation {priceText(estLiquidationPrice, market)}</span>,
          },
        ]),
  ];
}

const priced = (text: string) => ({ text, price: Number(text) });

type OrderAt = { readonly key: string; readonly price: number; readonly order: OpenOrder };

/** The account's orders of a market, from the lowest price up. */
function ordersIn(orders: ReadonlyMap<string, OpenOrder>, marketCode: string): readonly OrderAt[] {
  const found: OrderAt[] = [];
  for (const [key, order] of orders) {
    if (order.marketCode !== marketCode) continue;
    found.push({ key, price: Number(standingPrice(order)), order });
  }
  return found.sort((one, other) => one.price - other.price);
}

const ownOf = ({ key, order }: OrderAt): Own => ({
  ...{ key, order, ...priced(standingPrice(order)), rank: 2 },
  tone: order.side === 'BUY' ? 'buy' : 'sell',
  words: orderWords(order),
});

/** Out of sight on one side: what may stand at the edge, and how many more orders there are. */
type Beyond = { readonly items: readonly Placed[]; readonly more: number };

/** "Liquidation 46,894 −22.4 %", and how many more there are. */
function Edge(props: {
  readonly items: readonly Placed[];
  readonly side: 'above' | 'below';
  readonly market: Market;
  /** Neither drawn nor among the items. */
  readonly left: number;
  readonly max: number;
}) {
  const { items, side, market, left, max } = props;
  const mark = useStore(live, ({ tickers }) => tickers[market.marketCode]?.markPrice);
  const reference = Number(mark ?? market.markPrice);
  const { shown: pills, more } = edgeOf(
    items.map((own) => ({ ...own, distance: Math.abs(own.price - reference) })),
    max,
  );
  return (
    <div className={`edge ${side}`}>
      {pills.map(({ key, tone, words, text, price }) => (
        <span key={key} className={`pill num ${tone}`}>
          {side === 'above' ? '▲' : '▼'} {words} {priceText(text, market)}{' '}
          <em>{percentText(price / reference - 1, 1)}</em>
        </span>
      ))}
      {more + left === 0 ? null : (
        <span className="pill num t2">+{grouped(String(more + left))}</span>
      )}
    </div>
  );
}

/** The order in the ticket, drawn faintly before it is sent. */
function Draft(props: { readonly plot: Plot; readonly width: number; readonly height: number }) {
  const { plot, width, height } = props;
  const form = useStore(ticket, (all) => all);
  const price = hasPrice(form) ? typedNumber(form.price) : undefined;
  if (price === undefined || form.size === '') return null;
  const y = plot.candles.priceToCoordinate(Number(price));
  if (y === null || y < 0 || y > height) return null;
  return (
    <div
      className={`ln draft ${form.side === 'BUY' ? 'buy' : 'sell'}`}
      style={{ top: `${y}px`, width: `${width}px` }}
    />
  );
}
