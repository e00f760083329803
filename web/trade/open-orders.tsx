import { useMemo, useState } from 'react';
import {
  clockText,
  decimalsOf,
  difference,
  fixed,
  grouped,
  isZero,
  plain,
} from '../shared/number-text.ts';
import { settings } from '../shared/settings.ts';
import { useStore } from '../shared/store.ts';
import { type Column, Table } from '../shared/table.tsx';
import { Editable } from './editable.tsx';
import { type Market, marketOf, markets, termsOf } from './feed.ts';
import type { OpenOrder } from './live-orders.ts';
import { useLoaded } from './loaded.ts';
import { amendOrder, cancelOrder, focusNeighbour } from './order-acts.ts';
import { cancelWords } from './order-words.ts';

const KIND_WORDS: Readonly<Record<string, string>> = {
  LIMIT: 'Limit',
  MARKET: 'Market',
  STOP_LIMIT: 'Stop limit',
  STOP_MARKET: 'Stop market',
};
const FORCE_WORDS: Readonly<Record<string, string>> = {
  GTC: 'Until canceled',
  IOC: 'Immediate or cancel',
  FOK: 'Fill or kill',
  MAKER_ONLY: 'Post only',
  MAKER_ONLY_REPRICE: 'Post only, reprice',
};

/** Orders of one request have the same time: without the id they would change places after a reconnect. */
const newestFirst = (one: OpenOrder, other: OpenOrder): number =>
  Number(other.createdAt) - Number(one.createdAt) || Number(other.orderId) - Number(one.orderId);

/** A program may have thousands; more of them are shown on request. */
const ROWS_FIRST = 200;

export function OpenOrders(props: {
  readonly orders: readonly OpenOrder[];
  readonly areStops: boolean;
}) {
  const { orders, areStops } = props;
  const all = useStore(markets, (list) => list);
  const zone = useStore(settings, (chosen) => chosen.zone);
  const [rowsMax, setRowsMax] = useState(ROWS_FIRST);
  const sorted = useMemo(() => [...orders].sort(newestFirst), [orders]);
  const rows = sorted.slice(0, rowsMax);
  const left = orders.length - rows.length;
  // The same columns as long as they show the same: only rows that have changed are drawn again.
  const columns = useMemo(
    () => columnsOf(areStops, ({ marketCode }) => marketOf(all, marketCode), zone),
    [areStops, all, zone],
  );
  return (
    <>
      <Table
        label={areStops ? 'Stops' : 'Open orders'}
        rows={useLoaded(rows)}
        columns={columns}
        keyOf={({ orderId }) => orderId}
        empty={
          <>
            <b>{areStops ? 'No stop is waiting' : 'No open order'}</b>
            <span>
              {areStops
                ? 'Choose Stop limit or Stop market in the ticket, or Stop beside a position.'
                : 'Click a price in the book, choose a size, send.'}
            </span>
          </>
        }
      />
      {left === 0 ? null : (
        <p className="more-rows">
          <span className="t2">{grouped(String(left))} older ones are not listed.</span>
          <button type="button" className="btn s" onClick={() => setRowsMax(rowsMax + ROWS_FIRST)}>
            Show {Math.min(left, ROWS_FIRST)} more
          </button>
        </p>
      )}
    </>
  );
}

function columnsOf(
  areStops: boolean,
  market: (order: OpenOrder) => Market | undefined,
  zone: 'utc' | 'local',
): readonly Column<OpenOrder>[] {
  const tick = (order: OpenOrder): string => market(order)?.tickSize ?? '1';
  const filled = (order: OpenOrder): string => difference(order.quantity, order.remainQuantity);
  const stop: Column<OpenOrder> = {
    name: 'Stop',
    isRight: true,
    show: (order) => (
      <Editable
        name="stop price"
        value={fixed(order.stopPrice ?? '', decimalsOf(tick(order)))}
        onSend={(text) => amendOrder(order, { stopPrice: text })}
      />
    ),
  };
  return [
    {
      name: 'Market',
      show: (order) => (
        <span className={order.side === 'SELL' ? 'mk short' : 'mk'}>
          <b>{market(order)?.name ?? order.marketCode}</b>
          <span className={`chip ${order.side === 'BUY' ? 'buy' : 'sell'}`}>
            {order.side === 'BUY' ? 'Buy' : 'Sell'}
          </span>
        </span>
      ),
    },
    { name: 'Type', show: ({ orderType }) => KIND_WORDS[orderType] ?? orderType },
    ...(areStops ? [stop] : []),
    {
      name: 'Price',
      isRight: true,
      show: (order) =>
        order.orderType === 'STOP_MARKET' ? (
          'Market'
        ) : (
          <Editable
            name="price"
            value={fixed(order.price, decimalsOf(tick(order)))}
            onSend={(text) => amendOrder(order, { price: text })}
          />
        ),
    },
    {
      name: 'Size',
      isRight: true,
      show: (order) => (
        <Editable
          name="size"
          value={fixed(order.quantity, decimalsOf(market(order)?.minSize ?? '1'))}
          onSend={(text) => amendOrder(order, { quantity: text })}
        />
      ),
    },
    {
      name: 'Filled',
      isRight: true,
      show: (order) => {
        const part = isZero(order.quantity) ? 0 : Number(filled(order)) / Number(order.quantity);
        return (
          <>
            <span className="prog">
              <i style={{ width: `${Math.round(part * 100)}%` }} />
            </span>
            {plain(filled(order))}
          </>
        );
      },
    },
    { name: 'In force', show: ({ timeInForce }) => FORCE_WORDS[timeInForce] ?? timeInForce },
    {
      name: 'Placed',
      isRight: true,
      show: ({ createdAt }) => (
        <span className="t3" title={new Date(Number(createdAt)).toISOString()}>
          {clockText(Number(createdAt), zone)}
        </span>
      ),
    },
    {
      name: 'Actions',
      isHeadHidden: true,
      isRight: true,
      show: (order) => <CancelButton order={order} />,
    },
  ];
}

function CancelButton({ order }: { readonly order: OpenOrder }) {
  const [isSending, setSending] = useState(false);
  const cancel = async (): Promise<void> => {
    setSending(true);
    focusNeighbour(document.activeElement);
    await cancelOrder(order);
    setSending(false);
  };
  return (
    <span className="acts2">
      <button
        type="button"
        className="btn s"
        disabled={isSending}
        aria-label={`Cancel ${cancelWords(order, termsOf(order.marketCode))}`}
        onClick={() => void cancel()}
      >
        Cancel
      </button>
    </span>
  );
}
