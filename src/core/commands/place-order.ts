import type { PlaceOrders } from '../../domain/commands.ts';
import { encodeEvent, encodeOrderEvent, ORDER_OPENED } from '../../domain/event-codec.ts';
import { FLAG_HOLDS_PLAN, FLAG_REDUCE_ONLY, FLAG_STOP } from '../../domain/order-layout.ts';
import type { OrderRequest } from '../../domain/orders.ts';
import type { ByteWriter } from '../../domain/pack.ts';
import { type Refusal, refuse } from '../../domain/rejections.ts';
import {
  codeOf,
  ORDER_TYPES,
  SIDES,
  STP_MODES,
  TIMES_IN_FORCE,
  TRIGGER_TYPES,
} from '../../domain/terms.ts';
import { type AccountIndex, amount } from '../../domain/units.ts';
import { addStop } from '../book/stops.ts';
import { hold, purseOf } from '../ledger/ledger.ts';
import {
  type OrderSlot,
  openOrder,
  setAccount,
  setAmountParts,
  setClientOrderId,
  setCreatedAtMs,
  setDisplayLots,
  setFamily,
  setFeeNativeParts,
  setFeeOtherAsset,
  setFeeOtherParts,
  setFeeUsdtParts,
  setFilledCostParts,
  setFlags,
  setHeldParts,
  setLastMatchedAtMs,
  setLastModifiedAtMs,
  setMarket,
  setOpenLots,
  setOrderType,
  setPriceTicks,
  setSide,
  setSource,
  setStopTicks,
  setStpMode,
  setTimeInForce,
  setTotalLots,
  setTriggerType,
  setVisibleLots,
} from '../memory/order-rows.ts';
import { disturb } from '../risk/marks.ts';
import { beUnsure } from '../risk/watch.ts';
import type { Account, State } from '../state.ts';
import { admitOrder } from './admit-order.ts';
import { type Demand, demandOf } from './check-funds.ts';
import { checkPlacement } from './check-placement.ts';
import { endOrder, link } from './end-order.ts';
import { executeOrder } from './execute-order.ts';
import { isStop, type Placing, sizeOf, standingIn } from './placing.ts';
import { newWork, type Work } from './work.ts';

/**
 * Up to eight orders, each accepted or refused by itself, in the order they were sent. Together they
 * plan and match no more than one request may.
 */
export function placeOrders(state: State, command: PlaceOrders, out: ByteWriter): undefined {
  const row = state.keys[command.by.key]?.account as AccountIndex;
  const account = state.accounts[row] as Account;
  const work = newWork();
  let element = 0;
  for (const order of command.orders) {
    const refusal = place(state, command, row, account, order, element, work, out);
    if (refusal !== undefined) {
      const { rejected: reason, message } = refusal;
      encodeEvent(out, { kind: 'order-refused', element, reason, message });
    }
    element++;
  }
  return undefined;
}

/** Validates, then applies. Nothing changes before every check has passed. */
function place(
  state: State,
  command: PlaceOrders,
  row: AccountIndex,
  account: Account,
  order: OrderRequest,
  element: number,
  work: Work,
  out: ByteWriter,
): Refusal | undefined {
  const market = state.markets[order.market];
  if (market === undefined) return refuse('MARKET_UNKNOWN');
  const placing: Placing = { row, account, market, order, sizeLots: sizeOf(market, order) };
  const late = { afterMs: command.lateAfterMs, windowMs: command.recvWindowMs };
  const refusal = checkPlacement(state, placing, late);
  if (refusal !== undefined) return refusal;
  const demand = demandOf(placing);
  const unfunded = admitOrder(state, placing, demand, work);
  if (unfunded !== undefined) return unfunded;

  const slot = openPlaced(state, placing, command.source, demand);
  if (isStop(order)) {
    addStop(market.stops, state.orders, slot);
    disturb(state, order.market);
    encodeOrderEvent(out, ORDER_OPENED, element, state.orders, slot);
  } else if (demand.isUnfillable) {
    endOrder(state, market, slot, { element, state: 'CANCELED_BY_FOK' }, out);
  } else work.matchesLeft -= executeOrder(state, market, slot, element, out, demand.ordersMax);
  return undefined;
}

/** The order exists from here on: its row, its place in the account's list, what it holds. */
export function openPlaced(
  state: State,
  placing: Placing,
  source: number,
  demand: Demand,
): OrderSlot {
  const { row, account, order, sizeLots } = placing;
  const { orders } = state;
  const slot = openOrder(orders, state.nextOrderId++);
  setClientOrderId(orders, slot, order.clientOrderId);
  setAccount(orders, slot, row);
  setFamily(orders, slot, account.family);
  setMarket(orders, slot, order.market);
  setSide(orders, slot, codeOf(SIDES, order.side));
  setOrderType(orders, slot, codeOf(ORDER_TYPES, order.orderType));
  setTimeInForce(orders, slot, codeOf(TIMES_IN_FORCE, order.timeInForce));
  setStpMode(orders, slot, codeOf(STP_MODES, order.stpMode));
  setTriggerType(orders, slot, codeOf(TRIGGER_TYPES, order.triggerType));
  setSource(orders, slot, source);
  setFlags(
    orders,
    slot,
    (isStop(order) ? FLAG_STOP : 0) |
      (order.reduceOnly ? FLAG_REDUCE_ONLY : 0) |
      (demand.isPlanned ? FLAG_HOLDS_PLAN : 0),
  );
  setPriceTicks(orders, slot, demand.limitTicks);
  setStopTicks(orders, slot, order.stopTicks);
  setTotalLots(orders, slot, sizeLots);
  setOpenLots(orders, slot, sizeLots);
  setDisplayLots(orders, slot, order.displayLots === 0 ? sizeLots : order.displayLots);
  setVisibleLots(orders, slot, 0);
  setHeldParts(orders, slot, demand.holdParts);
  setAmountParts(orders, slot, order.amountParts);
  setFilledCostParts(orders, slot, 0n);
  setFeeNativeParts(orders, slot, 0n);
  setFeeUsdtParts(orders, slot, 0n);
  setFeeOtherParts(orders, slot, 0n);
  setFeeOtherAsset(orders, slot, 0);
  setCreatedAtMs(orders, slot, state.timeMs);
  setLastModifiedAtMs(orders, slot, state.timeMs);
  setLastMatchedAtMs(orders, slot, 0);
  if (demand.holdParts > 0n) {
    const purse = purseOf(state.ledger, row, demand.holdAsset);
    hold(state.ledger, purse, amount(demand.holdParts), state.timeMs);
    // Money set aside no longer backs what it stood for.
    if (state.watch.place[row] !== 0) beUnsure(state.watch, row);
  }
  link(state, slot, standingIn(state, placing));
  return slot;
}
