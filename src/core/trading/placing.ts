import type { OrderRequest } from '../../domain/orders.ts';
import { type AccountIndex, exactNumber } from '../../domain/units.ts';
import { standingFor } from '../memory/standings.ts';
import type { Account, Market, State } from '../state.ts';

/** An order on its way in: its words, and whom and what they concern. */
export type Placing = {
  readonly row: AccountIndex;
  readonly account: Account;
  readonly market: Market;
  readonly order: OrderRequest;
  readonly sizeLots: number;
};

export const isStop = (order: OrderRequest): boolean =>
  order.orderType === 'STOP_LIMIT' || order.orderType === 'STOP_MARKET';

/** A market order that spends an amount: it has no size of its own. */
export const isByAmount = ({ orderType, amountParts }: OrderRequest): boolean =>
  orderType === 'MARKET' && amountParts > 0n;

/** MARKET, IOC and FOK never come to stand in the book. */
export const mayRest = ({ orderType, timeInForce }: OrderRequest): boolean =>
  orderType !== 'MARKET' &&
  orderType !== 'STOP_MARKET' &&
  timeInForce !== 'IOC' &&
  timeInForce !== 'FOK';

const LOTS_COUNTED_MAX = BigInt(Number.MAX_SAFE_INTEGER);

/** A limit order by amount is an order for the lots the amount buys at its limit. */
export function sizeOf(market: Market, order: OrderRequest): number {
  if (order.amountParts === 0n || order.priceTicks === 0) return order.sizeLots;
  const lots = order.amountParts / (BigInt(order.priceTicks) * market.perTickLot);
  // More than can be counted is more than the market takes: the check of the size says so.
  return lots < LOTS_COUNTED_MAX ? exactNumber(lots) : Number.MAX_SAFE_INTEGER;
}

/** The account's row in the market; a perpetual's joins the list that margin walks. */
export function standingIn(
  state: State,
  {
    row,
    account,
    market,
    order,
  }: Pick<Placing, 'row' | 'account' | 'market'> & { readonly order: Pick<OrderRequest, 'market'> },
): number {
  const { standings } = state;
  const used = standings.used;
  const standing = standingFor(standings, row, order.market);
  if (standings.used > used && market.spec.type === 'FUTURE') {
    standings.nextOfMarket[standing] = market.firstStanding;
    market.firstStanding = standing;
    standings.next[standing] = account.firstStanding;
    account.firstStanding = standing;
  }
  return standing;
}
