import type { ByteWriter } from '../../bytes/pack.ts';
import { assert } from '../../domain/assert.ts';
import { encodeOrderEvent, ORDER_TRIGGERED } from '../../domain/event-codec.ts';
import { NO_ELEMENT } from '../../domain/events.ts';
import {
  BUY,
  SELL,
  STOP_MARKET,
  TRIGGER_LAST_PRICE,
  TRIGGER_MARK_PRICE,
} from '../../domain/order-codes.ts';
import { FLAG_TRIGGERED } from '../../domain/order-layout.ts';
import type { MarketIndex } from '../../domain/units.ts';
import { nextFired, removeStop } from '../book/stops.ts';
import {
  flagsOf,
  NO_ORDER,
  type OrderSlot,
  openLotsOf,
  orderTypeOf,
  priceTicksOf,
  setFlags,
  setLastModifiedAtMs,
  setPriceTicks,
} from '../memory/order-rows.ts';
import { isTradable } from '../risk/freshness.ts';
import type { Market, State } from '../state.ts';
import { admitHeldOrder, admitOrder } from './admit-order.ts';
import { demandOf } from './check-funds.ts';
import { bandRefusal, checkAccount } from './check-placement.ts';
import { endOrder } from './end-order.ts';
import { executeOrder } from './execute-order.ts';
import { placingOf } from './placing.ts';
import { newWork } from './work.ts';

/**
 * Executes the next triggered stop, if there is one. Each may move prices and trigger others; the order of
 * markets and of stops is fixed. Stops of a market that is not tradable wait.
 */
export function fireNextStop(state: State, out: ByteWriter): boolean {
  while (state.pending.stopSweeps.length > 0) {
    const market = state.markets[state.pending.stopSweeps[0] as MarketIndex];
    assert(market !== undefined, 'a market index names a market');
    const slot = isTradable(state, market) ? nextStop(state, market) : NO_ORDER;
    if (slot !== NO_ORDER) {
      trigger(state, market, slot, out);
      return true;
    }
    state.pending.stopSweeps.shift();
  }
  return false;
}

/** BUY before SELL, MARK_PRICE before LAST_PRICE. */
function nextStop({ orders }: State, { stops, price, lastTicks }: Market): OrderSlot {
  const { floorTicks, ceilTicks } = price;
  // A mark between two ticks has reached a BUY stop at the floor and a SELL stop at the ceiling.
  return firstOf(
    nextFired(stops, orders, { trigger: TRIGGER_MARK_PRICE, side: BUY, priceTicks: floorTicks }),
    nextFired(stops, orders, { trigger: TRIGGER_MARK_PRICE, side: SELL, priceTicks: ceilTicks }),
    nextFired(stops, orders, { trigger: TRIGGER_LAST_PRICE, side: BUY, priceTicks: lastTicks }),
    nextFired(stops, orders, { trigger: TRIGGER_LAST_PRICE, side: SELL, priceTicks: lastTicks }),
  );
}

const firstOf = (...slots: OrderSlot[]): OrderSlot =>
  slots.find((slot) => slot !== NO_ORDER) ?? NO_ORDER;

/** The stop becomes a LIMIT or MARKET order. One that may not be placed now is closed with the reason. */
function trigger(state: State, market: Market, slot: OrderSlot, out: ByteWriter): void {
  const { orders } = state;
  removeStop(market.stops, orders, slot);
  setFlags(orders, slot, flagsOf(orders, slot) | FLAG_TRIGGERED);
  setLastModifiedAtMs(orders, slot, state.timeMs);
  const isMarket = orderTypeOf(orders, slot) === STOP_MARKET;
  const placing = placingOf(state, market, slot, {
    orderType: isMarket ? 'MARKET' : 'LIMIT',
    priceTicks: priceTicksOf(orders, slot),
    stopTicks: 0,
    openLots: openLotsOf(orders, slot),
  });
  const demand = demandOf(placing);
  if (isMarket) setPriceTicks(orders, slot, demand.limitTicks);
  encodeOrderEvent(out, ORDER_TRIGGERED, NO_ELEMENT, orders, slot);
  // On spot its funds have been held since it was placed: only the margin of a perpetual is checked. It
  // may plan and match as much as a request.
  const admit = market.spec.type === 'FUTURE' ? admitOrder : admitHeldOrder;
  const refusal =
    checkAccount(state, placing.account) ??
    (isMarket ? undefined : bandRefusal(market, priceTicksOf(orders, slot))) ??
    admit(state, placing, demand, newWork());
  if (refusal !== undefined) {
    const end = {
      element: NO_ELEMENT,
      state: 'CANCELED_BY_USER',
      reason: refusal.rejected,
    } as const;
    endOrder(state, market, slot, end, out);
    return;
  }
  if (demand.isUnfillable) {
    const end = { element: NO_ELEMENT, state: 'CANCELED_BY_FOK' } as const;
    endOrder(state, market, slot, end, out);
  } else executeOrder(state, market, slot, NO_ELEMENT, out, demand.ordersMax);
}
