import { isWaitingStop, type OpenOrder } from '../live-orders.ts';

/** The prices at which an account has orders in the book of a market. Pure. */
export type OwnPrices = { readonly asks: readonly number[]; readonly bids: readonly number[] };

type Orders = ReadonlyMap<string, OpenOrder>;

function pricesOf(orders: Orders, marketCode: string): OwnPrices {
  const asks = new Set<number>();
  const bids = new Set<number>();
  for (const order of orders.values()) {
    if (order.marketCode !== marketCode || isWaitingStop(order)) continue;
    (order.side === 'BUY' ? bids : asks).add(Number(order.price));
  }
  return { asks: [...asks], bids: [...bids] };
}

let known: (OwnPrices & { readonly of: Orders; readonly marketCode: string }) | undefined;

/** The book is drawn twenty times a second, and there may be thousands: the same orders are read once. */
export function ownPrices(orders: Orders, marketCode: string): OwnPrices {
  if (known?.of !== orders || known.marketCode !== marketCode) {
    known = { ...pricesOf(orders, marketCode), of: orders, marketCode };
  }
  return known;
}
