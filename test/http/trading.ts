import type { RialtoClient } from '../../src/client/index.ts';

/** Two families that trade with each other on their own books: short helpers for matching orders. */

export const BTC = 'BTC-USD-SWAP-LIN';
export const SPOT = 'BTC-USDT';

type Side = 'BUY' | 'SELL';

export const limit = (side: Side, quantity: string, price: string, more: object = {}) => ({
  marketCode: BTC,
  side,
  orderType: 'LIMIT' as const,
  quantity,
  price,
  ...more,
});

export const spot = (side: Side, quantity: string, price: string, more: object = {}) => ({
  ...limit(side, quantity, price),
  marketCode: SPOT,
  ...more,
});

/** Places one order and returns its result. */
export async function place(rialto: RialtoClient, order: ReturnType<typeof limit>) {
  const [result] = await rialto.placeOrders({ responseType: 'FULL', orders: [order] });
  if (result === undefined) throw new Error('an order was placed and not answered');
  return result;
}

/** One offers, the other takes all of it: a match for both. */
export async function trade(
  maker: RialtoClient,
  taker: RialtoClient,
  offered: ReturnType<typeof limit>,
) {
  const made = await place(maker, offered);
  const side = offered.side === 'BUY' ? 'SELL' : 'BUY';
  const taken = await place(taker, { ...offered, side });
  return { made, taken };
}
