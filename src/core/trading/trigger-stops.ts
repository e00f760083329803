import type { ByteWriter } from '../../bytes/pack.ts';
import { assert } from '../../domain/assert.ts';
import { encodeOrderEvent, ORDER_TRIGGERED } from '../../domain/event-codec.ts';
import { NO_ELEMENT } from '../../domain/events.ts';
import {
  BUY,
  SELL,
  type SideCode,
  STOP_MARKET,
  TRIGGER_LAST_PRICE,
  TRIGGER_MARK_PRICE,
  type TriggerCode,
} from '../../domain/order-codes.ts';
import { FLAG_TRIGGERED } from '../../domain/order-layout.ts';
import type { MarketIndex, Ticks } from '../../domain/units.ts';
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
import { isTradable } from '../risk/liquidation-plan.ts';
import type { Market, State } from '../state.ts';
import { admitHeldOrder, admitOrder } from './admit-order.ts';
import { demandOf } from './check-funds.ts';
import { bandRefusal, checkAccount } from './check-placement.ts';
import { endOrder } from './end-order.ts';
import { executeOrder } from './execute-order.ts';
import { placingOf } from './placing.ts';
import { newWork } from './work.ts';

/**
 * Fires the next stop whose price has come, if there is one. Each may move prices and set off others;
 * the order of markets and of stops is fixed. Stops of a market that is not open wait.
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

/** BUY before SELL, by mark before by last price. */
function nextStop(state: State, market: Market): OrderSlot {
  const { floorTicks, ceilTicks } = market.price;
  // A mark between two ticks has reached a BUY stop at the floor and a SELL stop at the ceiling.
  return firstOf(
    fired(state, market, TRIGGER_MARK_PRICE, BUY, floorTicks),
    fired(state, market, TRIGGER_MARK_PRICE, SELL, ceilTicks),
    fired(state, market, TRIGGER_LAST_PRICE, BUY, market.lastTicks),
    fired(state, market, TRIGGER_LAST_PRICE, SELL, market.lastTicks),
  );
}

function fired(
  state: State,
  market: Market,
  by: TriggerCode,
  side: SideCode,
  priceTicks: number,
): OrderSlot {
  // No price yet: nothing can have fired by it.
  if (priceTicks === 0) return NO_ORDER;
  return nextFired(market.stops, state.orders, by, side, priceTicks as Ticks);
}

const firstOf = (...slots: OrderSlot[]): OrderSlot =>
  slots.find((slot) => slot !== NO_ORDER) ?? NO_ORDER;

/** The stop becomes the order it stands for. One that may not be placed now ends, with the reason. */
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
  // Its money, on spot, has been held since it was placed: only the margin of a perpetual is new. It may
  // plan and match as much as a request.
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
