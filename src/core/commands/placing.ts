import type { OrderRequest } from '../../domain/orders.ts';
import type { AccountIndex } from '../../domain/units.ts';
import { standingFor } from '../risk/standings.ts';
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
