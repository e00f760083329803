import type { OrderRequest } from '../../domain/orders.ts';
import { SIDES, STP_MODES, TIMES_IN_FORCE } from '../../domain/terms.ts';
import { type AccountIndex, exactNumber } from '../../domain/units.ts';
import {
  accountOf,
  isReduceOnly,
  marketOf,
  type OrderSlot,
  sideOf,
  stpModeOf,
  timeInForceOf,
} from '../memory/order-rows.ts';
import { standingFor } from '../memory/standings.ts';
import type { Account, Market, State } from '../state.ts';

/** An order that is being checked, with its account and market. */
export type Placing = {
  readonly accountIndex: AccountIndex;
  readonly account: Account;
  readonly market: Market;
  readonly order: OrderRequest;
  readonly sizeLots: number;
};

/** The terms with which an open order is checked as if it were placed now. */
export type AsIf = Pick<OrderRequest, 'orderType' | 'priceTicks' | 'stopTicks'> & {
  readonly openLots: number;
};

/** An open order that is checked again: a triggered stop, an amended order. */
export function placingOf(state: State, market: Market, slot: OrderSlot, asIf: AsIf): Placing {
  const { orders } = state;
  const { orderType, priceTicks, stopTicks, openLots } = asIf;
  const accountIndex = accountOf(orders, slot);
  const order: OrderRequest = {
    market: marketOf(orders, slot),
    version: market.version,
    side: SIDES[sideOf(orders, slot)] ?? 'BUY',
    orderType,
    timeInForce: TIMES_IN_FORCE[timeInForceOf(orders, slot)] ?? 'GTC',
    stpMode: STP_MODES[stpModeOf(orders, slot)] ?? 'NONE',
    triggerType: 'MARK_PRICE',
    clientOrderId: 0n,
    priceTicks,
    stopTicks,
    sizeLots: openLots,
    displayLots: 0,
    amountParts: 0n,
    reduceOnly: isReduceOnly(orders, slot),
  };
  return {
    accountIndex,
    account: state.accounts[accountIndex] as Account,
    market,
    order,
    sizeLots: openLots,
  };
}

export const isStop = (order: OrderRequest): boolean =>
  order.orderType === 'STOP_LIMIT' || order.orderType === 'STOP_MARKET';

/** A market order that spends an amount: it has no size of its own. */
export const isByAmount = ({ orderType, amountParts }: OrderRequest): boolean =>
  orderType === 'MARKET' && amountParts > 0n;

/** MARKET, IOC and FOK orders never rest. */
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
  // Too many lots to count exceed the market's maximum: the size check refuses them.
  return lots < LOTS_COUNTED_MAX ? exactNumber(lots) : Number.MAX_SAFE_INTEGER;
}

/** The account's standing in the market; one in a perpetual joins the list that margin walks. */
export function standingIn(
  state: State,
  {
    accountIndex,
    account,
    market,
    order,
  }: Pick<Placing, 'accountIndex' | 'account' | 'market'> & {
    readonly order: Pick<OrderRequest, 'market'>;
  },
): number {
  const { standings } = state;
  const used = standings.used;
  const standing = standingFor(standings, accountIndex, order.market);
  if (standings.used > used && market.spec.type === 'FUTURE') {
    standings.nextOfMarket[standing] = market.firstStanding;
    market.firstStanding = standing;
    standings.next[standing] = account.firstStanding;
    account.firstStanding = standing;
  }
  return standing;
}
