import { ByteReader, ByteWriter } from '../../bytes/pack.ts';
import { assert } from '../../domain/assert.ts';
import { readOrder, writeOrder } from '../../domain/order-codec.ts';
import { BUY, SELL, type SideCode } from '../../domain/order-codes.ts';
import type { OrderRecord } from '../../domain/orders.ts';
import { type MarketIndex, timeMs, usdPrice } from '../../domain/units.ts';
import type { DepthLevelView, DepthView, MarketView, Views } from '../../domain/views.ts';
import { depthOf } from '../book/book.ts';
import { previousOfAccount } from '../memory/account-rings.ts';
import {
  accountOf,
  clientOrderIdOf,
  marketOf,
  NO_ORDER,
  type OrderSlot,
  type Orders,
  orderIdOf,
  slotOf,
} from '../memory/order-rows.ts';
import { findNamed } from '../memory/order-texts.ts';
import { isTradable } from '../risk/freshness.ts';
import { fundingRate } from '../risk/premium.ts';
import type { Market, State } from '../state.ts';

/** The current view of orders, books and markets. */
export function ordersView(state: State, query: Views['orders']['query']): OrderRecord[] {
  const account = state.accounts[query.account];
  assert(account !== undefined && account !== null, 'an account index names an account');
  const { orders } = state;
  const { limit = Number.POSITIVE_INFINITY, beforeId = Number.POSITIVE_INFINITY } = query;
  const isWanted = (slot: OrderSlot): boolean =>
    orderIdOf(orders, slot) < beforeId &&
    (query.market === undefined || marketOf(orders, slot) === query.market) &&
    (query.clientOrderId === undefined || clientOrderIdOf(orders, slot) === query.clientOrderId);
  if (query.named !== undefined) {
    const slot = findNamed(orders, query.account, query.named)?.slot as OrderSlot | undefined;
    return slot !== undefined && isWanted(slot) ? [recordOf(orders, slot)] : [];
  }
  if (query.orderId !== undefined) {
    const slot = slotOf(orders, query.orderId);
    const isOwn = slot !== NO_ORDER && accountOf(orders, slot) === query.account;
    return isOwn && isWanted(slot) ? [recordOf(orders, slot)] : [];
  }
  const found: OrderRecord[] = [];
  // The account's list is a ring, oldest first: ids grow along it, so it is walked backwards.
  const first = account.firstOrder;
  if (first === NO_ORDER) return found;
  const writer = new ByteWriter();
  for (let slot = first; found.length < limit; ) {
    slot = previousOfAccount(orders, slot);
    if (isWanted(slot)) found.push(recordOf(orders, slot, writer));
    if (slot === first) break;
  }
  return found;
}

export function depthView(state: State, query: Views['depth']['query']): DepthView {
  const market = state.markets[query.market];
  assert(market !== undefined, 'a market index names a market');
  const side = (code: SideCode): DepthLevelView[] =>
    depthOf(market.book, code, query.levels).map(({ priceTicks, visibleLots }) => ({
      priceTicks,
      lots: visibleLots,
    }));
  return { timeMs: timeMs(state.timeMs), asks: side(SELL), bids: side(BUY) };
}

export const marketView = (state: State, market: Market, index: MarketIndex): MarketView => ({
  market: index,
  version: market.version,
  state: market.state,
  stateReason: market.stateReason,
  isOperational: isTradable(state, market),
  estimatedFunding: fundingRate(market.premium, 1),
  listedAtMs: market.listedAtMs,
  index: usdPrice(market.price.index),
  mark: usdPrice(market.price.mark),
  priceAtMs: market.price.updatedAtMs,
  lowerTicks: market.price.lowerTicks,
  upperTicks: market.price.upperTicks,
  lastTicks: market.lastTicks,
  lastLots: market.lastLots,
  lastMatchAtMs: market.lastMatchAtMs,
  openInterestLots: market.openInterestLots,
});

/**
 * An order's row as a record, through the same bytes as in events, so that both are equal. One writer is
 * reused for many.
 */
export function recordOf(
  orders: Orders,
  slot: OrderSlot,
  writer: ByteWriter = new ByteWriter(),
): OrderRecord {
  writer.clear();
  writeOrder(writer, orders, slot);
  return readOrder(new ByteReader(writer.view()));
}
