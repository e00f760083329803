import './own-lines.css';
import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react';
import { Icon } from '../../shared/icons.tsx';
import {
  decimalsOf,
  grouped,
  isNegative,
  nativeText,
  shown,
  signed,
  stepped,
  toStep,
} from '../../shared/number-text.ts';
import { useStore } from '../../shared/store.ts';
import { live, type Market } from '../feed.ts';
import { isWaitingStop, type OpenOrder } from '../live-state.ts';
import { amendOrder, cancelOrder } from '../order-acts.ts';
import type { Plot } from './chart.tsx';

/** Own orders, the position and the liquidation price, as lines over the chart. */
export function OwnLines({ plot, market }: { readonly plot: Plot; readonly market: Market }) {
  const orders = useStore(live, (state) => state.orders);
  const position = useStore(live, ({ positions }) => positions[market.marketCode]);
  const [frame, setFrame] = useState(0);
  // The scale moves with every drag and new price: lines are placed again each frame that draws something.
  useEffect(() => {
    let handle = 0;
    let before = '';
    const place = (): void => {
      const now = `${plot.candles.priceToCoordinate(1)} ${plot.candles.priceToCoordinate(2)} ${plot.chart.timeScale().width()}`;
      if (now !== before) {
        before = now;
        setFrame((count) => count + 1);
      }
      handle = requestAnimationFrame(place);
    };
    place();
    return () => cancelAnimationFrame(handle);
  }, [plot]);
  const own = Object.values(orders).filter(({ marketCode }) => marketCode === market.marketCode);
  return (
    <div className="lines" data-frame={frame}>
      {position === undefined ? null : (
        <Line plot={plot} price={position.entryPrice} className="ln position">
          <span className="tag">
            <span className="hd">
              <span>
                {isNegative(position.quantity) ? 'Short' : 'Long'}{' '}
                {grouped(position.quantity.replace('-', ''))}
              </span>
              <span className="qty">{signed(position.positionPnl, nativeText)} OX</span>
            </span>
          </span>
        </Line>
      )}
      {position === undefined || Number(position.estLiquidationPrice) <= 0 ? null : (
        <Line plot={plot} price={position.estLiquidationPrice} className="ln liquidation">
          <span className="tag">
            <span className="hd">
              <span>
                Liquidation {shown(position.estLiquidationPrice, decimalsOf(market.tickSize))}
              </span>
            </span>
          </span>
        </Line>
      )}
      {own.map((order) => (
        <OrderLine key={order.orderId} plot={plot} order={order} market={market} />
      ))}
    </div>
  );
}

function Line(props: {
  readonly plot: Plot;
  readonly price: string;
  readonly className: string;
  readonly children: React.ReactNode;
}) {
  const { plot, price, className, children } = props;
  const top = plot.candles.priceToCoordinate(Number(price));
  const height = plot.chart.paneSize().height;
  if (top === null || top < 0 || top > height) return null;
  const width = plot.chart.timeScale().width();
  return (
    <div className={className} style={{ top: `${top}px`, width: `${width}px` }}>
      {children}
    </div>
  );
}

type Dragged = { readonly price: string; readonly fromY: number | undefined };

/** Dragged, or moved with arrow keys; sent on release or Enter, back on Esc. */
function OrderLine(props: {
  readonly plot: Plot;
  readonly order: OpenOrder;
  readonly market: Market;
}) {
  const { plot, order, market } = props;
  const [dragged, setDragged] = useState<Dragged>();
  const isSending = useRef(false);
  const isStop = isWaitingStop(order);
  const standing = isStop ? (order.stopPrice ?? order.price) : order.price;
  const price = dragged?.price ?? standing;
  const words = `${order.side === 'BUY' ? 'Buy' : 'Sell'} ${isStop ? 'stop' : 'limit'}`;
  const send = async (to: string): Promise<void> => {
    if (isSending.current || to === standing) {
      setDragged(undefined);
      return;
    }
    isSending.current = true;
    await amendOrder(order, isStop ? { stopPrice: to } : { price: to });
    isSending.current = false;
    setDragged(undefined);
  };
  const onPointerDown = (event: PointerEvent): void => {
    event.currentTarget.setPointerCapture(event.pointerId);
    setDragged({ price: standing, fromY: event.clientY });
  };
  const onPointerMove = (event: PointerEvent): void => {
    if (dragged?.fromY === undefined) return;
    const from = plot.candles.priceToCoordinate(Number(standing)) ?? 0;
    const at = plot.candles.coordinateToPrice(from + event.clientY - dragged.fromY);
    if (at === null || at <= 0) return;
    setDragged({ ...dragged, price: toStep(at.toFixed(8), market.tickSize) });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const move = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (move !== undefined) {
      event.preventDefault();
      const count = move * (event.shiftKey ? 10 : 1);
      setDragged({ price: stepped(price, market.tickSize, count), fromY: undefined });
    } else if (event.key === 'Enter' && dragged !== undefined) void send(dragged.price);
    else if (event.key === 'Escape') setDragged(undefined);
  };
  return (
    <Line plot={plot} price={price} className={`ln ${order.side === 'BUY' ? 'buy' : 'sell'}`}>
      <span className="tag">
        <span
          className="hd"
          role="slider"
          tabIndex={0}
          aria-label={`${words}, ${order.remainQuantity}; arrows move its price, Enter sends`}
          aria-valuenow={Number(price)}
          aria-valuetext={price}
          {...{ onPointerDown, onPointerMove, onKeyDown }}
          onPointerUp={() => dragged?.fromY !== undefined && void send(dragged.price)}
          onPointerCancel={() => setDragged(undefined)}
        >
          <span>{dragged === undefined ? words : `${words} ${grouped(price)}`}</span>
          <span className="qty">{grouped(order.remainQuantity)}</span>
        </span>
        <button
          type="button"
          aria-label={`Cancel ${words} ${order.remainQuantity} at ${price}`}
          onClick={() => void cancelOrder(order)}
        >
          <Icon name="x" />
        </button>
      </span>
    </Line>
  );
}
