import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react';
import { Icon } from '../../shared/icons.tsx';
import { notify } from '../../shared/messages.tsx';
import { decimalsOf, shown, stepped, toStep } from '../../shared/number-text.ts';
import { useStore } from '../../shared/store.ts';
import { live, type Market } from '../feed.ts';
import { isWaitingStop, type OpenOrder } from '../live-orders.ts';
import { amendOrder, cancelOrder, focusNeighbour } from '../order-acts.ts';
import { orderWords, priceText, standingPrice } from '../order-words.ts';
import { bandNow, withinBand } from '../price-band.ts';
import type { Plot } from './plot.ts';

type Dragged = {
  readonly price: string;
  /** Where the pointer grabbed it, and at which price; undefined if keys move it, or it was released. */
  readonly from?: { readonly y: number; readonly price: string };
};

/** The stream's update comes a moment after the answer; until then the line stays where it was dropped. */
const UPDATE_WITHIN_MS = 3_000;

/** Dragged, or moved with arrow keys; sent on release or Enter; reverted on Esc or when it is refused. */
export function OrderLine(props: {
  readonly plot: Plot;
  readonly order: OpenOrder;
  readonly market: Market;
  readonly width: number;
  /** The position of its label, which may be beside the line. */
  readonly labelY: number;
}) {
  const { plot, order, market, width, labelY } = props;
  const [dragged, setDragged] = useState<Dragged>();
  const isSending = useRef(false);
  /** What was sent last: the venue's update ends it, but nothing that was started since. */
  const sent = useRef<Dragged>(undefined);
  /** The price for which Enter was pressed before the venue had answered. */
  const next = useRef<string>(undefined);
  /** The price that the venue has accepted and the stream has not sent yet: only another one is a change. */
  const taken = useRef<string>(undefined);
  const endSent = (): void => setDragged((now) => (now === sent.current ? undefined : now));
  const standing = standingPrice(order);
  const streamed = useRef(standing);
  streamed.current = standing;
  const price = dragged?.price ?? standing;
  const words = orderWords(order);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the venue has sent the current price
  useEffect(() => {
    taken.current = undefined;
    if (!isSending.current) endSent();
  }, [standing]);
  const status = useStore(live, ({ statuses }) => statuses[market.marketCode]);
  // A stop may wait beyond the band; a price that the venue would refuse is not offered.
  const valid = (at: string): string =>
    isWaitingStop(order) ? toStep(at, market.tickSize) : withinBand(at, bandNow(market, status));
  const send = async (to: string): Promise<void> => {
    if (isSending.current) {
      next.current = to;
      return;
    }
    if (to === (taken.current ?? standing)) {
      setDragged(undefined);
      return;
    }
    isSending.current = true;
    for (let at: string | undefined = to; at !== undefined; ) {
      const isTaken = await put(at);
      at = isTaken && next.current !== at ? next.current : undefined;
      next.current = undefined;
    }
    isSending.current = false;
  };
  const put = async (at: string): Promise<boolean> => {
    const here = { price: at };
    const streamedBefore = streamed.current;
    sent.current = here;
    setDragged(here);
    const refused = await amendOrder(order, isWaitingStop(order) ? { stopPrice: at } : here);
    if (refused !== undefined) {
      endSent();
      notify('bad', 'Not changed', refused.details);
      return false;
    }
    // What the stream has sent meanwhile is newer.
    if (streamed.current === streamedBefore) taken.current = at;
    setTimeout(() => setDragged((now) => (now === here ? undefined : now)), UPDATE_WITHIN_MS);
    return true;
  };
  /** Back to its current price, or to where it is being moved. */
  const leave = (): void => {
    next.current = undefined;
    setDragged(isSending.current ? sent.current : undefined);
  };
  const onPointerDown = (event: PointerEvent): void => {
    if (event.button !== 0 || isSending.current) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    setDragged({ price: standing, from: { y: event.clientY, price: standing } });
  };
  const onPointerMove = (event: PointerEvent): void => {
    if (dragged?.from === undefined) return;
    const y = plot.candles.priceToCoordinate(Number(dragged.from.price)) ?? 0;
    const at = plot.candles.coordinateToPrice(y + event.clientY - dragged.from.y);
    if (at === null || at <= 0) return;
    setDragged({ ...dragged, price: valid(at.toFixed(8)) });
  };
  const onPointerUp = (): void => {
    if (dragged?.from === undefined) return;
    setDragged({ price: dragged.price });
    void send(dragged.price);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const move = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (move !== undefined) {
      event.preventDefault();
      const count = move * (event.shiftKey ? 10 : event.altKey ? 100 : 1);
      setDragged({ price: valid(stepped(price, market.tickSize, count)) });
    } else if (event.key === 'Enter' && dragged !== undefined) void send(dragged.price);
    else if (event.key === 'Escape') leave();
  };
  const side = order.side === 'BUY' ? 'buy' : 'sell';
  const y = plot.candles.priceToCoordinate(Number(price)) ?? 0;
  const ghostY = plot.candles.priceToCoordinate(Number(standing)) ?? 0;
  const tagY = dragged === undefined ? labelY : y;
  return (
    <>
      {price === standing ? null : (
        <div className={`ln ghost ${side}`} style={{ top: `${ghostY}px`, width: `${width}px` }} />
      )}
      <div
        className={`ln ${side}`}
        data-key={order.orderId}
        style={{ top: `${y}px`, width: `${width}px` }}
      >
        <span className="tag" style={{ top: `${tagY - y - 13}px` }}>
          <span
            className="hd"
            role="slider"
            tabIndex={0}
            aria-label={`${words}, ${order.remainQuantity}; arrows move its price, Enter sends`}
            aria-orientation="vertical"
            aria-valuenow={Number(price)}
            aria-valuetext={priceText(price, market)}
            {...{ onPointerDown, onPointerMove, onPointerUp, onKeyDown }}
            onPointerCancel={() => setDragged(undefined)}
          >
            <span>{dragged === undefined ? words : `${words} ${priceText(price, market)}`}</span>
            <span className="qty">{shown(order.remainQuantity, decimalsOf(market.minSize))}</span>
          </span>
          <button
            type="button"
            aria-label={`Cancel ${words} ${order.remainQuantity} at ${priceText(price, market)}`}
            onClick={(event) => {
              focusNeighbour(event.currentTarget);
              void cancelOrder(order);
            }}
          >
            <Icon name="x" />
          </button>
        </span>
      </div>
    </>
  );
}
