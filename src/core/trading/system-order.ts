import type { ByteWriter } from '../../bytes/pack.ts';
import { NO_ELEMENT } from '../../domain/events.ts';
import { BUY, IOC, LIMIT, type SideCode } from '../../domain/order-codes.ts';
import {
  type AccountIndex,
  amount,
  type Lots,
  type MarketIndex,
  type Ticks,
} from '../../domain/units.ts';
import { type Match, newMatch } from '../book/match.ts';
import { hold, purseOf } from '../memory/ledger.ts';
import {
  type OrderSlot,
  openLotsOf,
  openOrder,
  setAccount,
  setCreatedAtMs,
  setDisplayLots,
  setFamily,
  setHeldParts,
  setLastModifiedAtMs,
  setMarket,
  setOpenLots,
  setOrderType,
  setPriceTicks,
  setSide,
  setSource,
  setTimeInForce,
  setTotalLots,
  wipeOrder,
} from '../memory/order-rows.ts';
import type { Account, Market, State } from '../state.ts';
import { endOrder, link } from './end-order.ts';
import { executeOrder } from './execute-order.ts';
import { standingIn } from './placing.ts';
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

/** Takes from the book what its price allows, at once. Answers the lots that were filled. */
export function takeNow(state: State, order: SystemOrder, out: ByteWriter): number {
  const market = state.markets[order.market] as Market;
  const { orders } = state;
  const slot = open(state, market, order);
  executeOrder(state, market, slot, NO_ELEMENT, out);
  // The row has been given back, but to nobody else yet: it still tells what was left open.
  return order.lots - openLotsOf(orders, slot);
}

const match: Match = newMatch();

/** Two accounts meet outside the book, at a price the rules name. Both orders end filled. */
export function meetDirectly(
  state: State,
  taker: SystemOrder,
  maker: SystemOrder,
  out: ByteWriter,
): void {
  const market = state.markets[taker.market] as Market;
  // A price of the rules is not a price of the market: what was last traded stays what it was.
  const { lastTicks, lastLots, lastMatchAtMs } = market;
  const takerSlot = open(state, market, taker);
  const makerSlot = open(state, market, maker);
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

function open(state: State, market: Market, order: SystemOrder): OrderSlot {
  const { orders } = state;
  const account = state.accounts[order.accountIndex] as Account;
  const slot = openOrder(orders, state.nextOrderId++);
  wipeOrder(orders, slot);
  setAccount(orders, slot, order.accountIndex);
  setFamily(orders, slot, account.family);
  setMarket(orders, slot, order.market);
  setSide(orders, slot, order.side);
  setOrderType(orders, slot, LIMIT);
  setTimeInForce(orders, slot, IOC);
  setSource(orders, slot, order.source);
  setPriceTicks(orders, slot, order.priceTicks);
  setTotalLots(orders, slot, order.lots);
  setOpenLots(orders, slot, order.lots);
  setDisplayLots(orders, slot, order.lots);
  setCreatedAtMs(orders, slot, state.timeMs);
  setLastModifiedAtMs(orders, slot, state.timeMs);
  if (market.spec.type === 'SPOT') holdFor(state, market, slot, order);
  const placed = { row: order.accountIndex, account, market, order: { market: order.market } };
  link(state, slot, standingIn(state, placed));
  return slot;
}

function holdFor(state: State, market: Market, slot: OrderSlot, order: SystemOrder): void {
  const { ledger, orders } = state;
  const isBuy = order.side === BUY;
  const parts = isBuy
    ? BigInt(order.priceTicks) * BigInt(order.lots) * market.perTickLot
    : BigInt(order.lots) * market.perLot;
  const asset = isBuy ? market.settleAsset : market.baseAsset;
  hold(ledger, purseOf(ledger, order.accountIndex, asset), amount(parts), state.timeMs);
  setHeldParts(orders, slot, parts);
}
