import type { ByteWriter } from '../../bytes/pack.ts';
import { assert } from '../../domain/assert.ts';
import { WORK_BOUNDS } from '../../domain/bounds.ts';
import { NO_ELEMENT } from '../../domain/events.ts';
import type { SideCode } from '../../domain/order-codes.ts';
import { SIDES } from '../../domain/terms.ts';
import type { AccountIndex, Lots, MarketIndex, Ticks } from '../../domain/units.ts';
import { type Match, newMatch } from '../book/match.ts';
import { type OrderSlot, openLotsOf, orderIdOf, setOpenLots } from '../memory/order-rows.ts';
import type { Account, Market, State } from '../state.ts';
import { demandOf } from './check-funds.ts';
import { endOrder } from './end-order.ts';
import { executeOrder } from './execute-order.ts';
import { openPlaced } from './open-order.ts';
import type { Placing } from './placing.ts';
import { settleMatch } from './settle-match.ts';

/** An order that the venue itself places for an account: liquidations, assignments, ADL. */
export type SystemOrder = {
  readonly accountIndex: AccountIndex;
  readonly market: MarketIndex;
  readonly side: SideCode;
  readonly lots: number;
  readonly priceTicks: number;
  readonly source: number;
};

/** Matches what its price allows, at once, with at most `ordersMax` orders. Returns the lots filled. */
export function takeNow(
  state: State,
  order: SystemOrder,
  out: ByteWriter,
  ordersMax: number = WORK_BOUNDS.matchesPerRequest,
): number {
  const market = state.markets[order.market] as Market;
  const { orders } = state;
  const slot = open(state, market, order);
  const orderId = orderIdOf(orders, slot);
  executeOrder(state, market, slot, NO_ELEMENT, out, ordersMax);
  assert(orderIdOf(orders, slot) === orderId, 'the row is free but still has the open lots');
  return order.lots - openLotsOf(orders, slot);
}

/** Matches two accounts outside the book, at a price set by the rules. Both orders end filled. */
export function meetDirectly(
  state: State,
  taker: SystemOrder,
  maker: SystemOrder,
  out: ByteWriter,
): void {
  const market = state.markets[taker.market] as Market;
  // Not a market price: the last trade stays as it was.
  const { lastTicks, lastLots, lastMatchAtMs } = market;
  const takerSlot = open(state, market, taker);
  const makerSlot = open(state, market, maker);
  const match: Match = newMatch();
  match.maker = makerSlot;
  match.priceTicks = taker.priceTicks as Ticks;
  match.lots = taker.lots as Lots;
  settleMatch(state, market, takerSlot, match, out);
  Object.assign(market, { lastTicks, lastLots, lastMatchAtMs });
  for (const slot of [takerSlot, makerSlot]) {
    setOpenLots(state.orders, slot, 0);
    endOrder(state, market, slot, { element: NO_ELEMENT, state: 'FILLED' }, out);
  }
}

/** Terms that all system orders share: immediate or cancel, with a limit price. */
const TERMS = {
  orderType: 'LIMIT',
  timeInForce: 'IOC',
  stpMode: 'NONE',
  triggerType: 'MARK_PRICE',
  clientOrderId: 0n,
  stopTicks: 0,
  displayLots: 0,
  amountParts: 0n,
  reduceOnly: false,
} as const;

/** Opens an order for the account without the checks of a placed one. */
function open(state: State, market: Market, order: SystemOrder): OrderSlot {
  const { accountIndex, lots, priceTicks, source } = order;
  const side = SIDES[order.side] ?? 'BUY';
  const terms = { ...TERMS, market: order.market, version: market.version, side, priceTicks };
  const placing: Placing = {
    accountIndex,
    account: state.accounts[accountIndex] as Account,
    market,
    order: { ...terms, sizeLots: lots },
    sizeLots: lots,
  };
  return openPlaced(state, placing, source, demandOf(placing));
}
