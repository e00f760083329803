import {
  orderTypeCode,
  sideCode,
  stpModeCode,
  timeInForceCode,
  triggerTypeCode,
} from '../../domain/order-codes.ts';
import { FLAG_HOLDS_PLAN, FLAG_REDUCE_ONLY, FLAG_STOP } from '../../domain/order-layout.ts';
import { amount } from '../../domain/units.ts';
import { hold, purseOf } from '../memory/ledger.ts';
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
  setTexts,
  setTimeInForce,
  setTotalLots,
  setTriggerType,
  setVisibleLots,
} from '../memory/order-rows.ts';
import { markForReview } from '../memory/pending.ts';
import type { State } from '../state.ts';
import type { Demand } from './check-funds.ts';
import { link } from './end-order.ts';
import { isStop, type Placing, standingIn } from './placing.ts';

/** Creates the order: its row, its place in the account's list, its hold. */
export function openPlaced(
  state: State,
  placing: Placing,
  source: number,
  demand: Demand,
): OrderSlot {
  const { accountIndex, account, order, sizeLots } = placing;
  const { orders } = state;
  const slot = openOrder(orders, state.nextOrderId++);
  setClientOrderId(orders, slot, order.clientOrderId);
  setAccount(orders, slot, accountIndex);
  setFamily(orders, slot, account.family);
  setMarket(orders, slot, order.market);
  setSide(orders, slot, sideCode(order.side));
  setOrderType(orders, slot, orderTypeCode(order.orderType));
  setTimeInForce(orders, slot, timeInForceCode(order.timeInForce));
  setStpMode(orders, slot, stpModeCode(order.stpMode));
  setTriggerType(orders, slot, triggerTypeCode(order.triggerType));
  setSource(orders, slot, source);
  setFlags(
    orders,
    slot,
    (isStop(order) ? FLAG_STOP : 0) |
      (order.reduceOnly ? FLAG_REDUCE_ONLY : 0) |
      (demand.holdsPlan ? FLAG_HOLDS_PLAN : 0),
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
  if (order.texts !== undefined) setTexts(orders, slot, order.texts);
  if (demand.holdParts > 0n) {
    const purse = purseOf(state.ledger, accountIndex, demand.holdAsset);
    hold(state.ledger, purse, amount(demand.holdParts), state.timeMs);
    // What is held no longer counts as collateral.
    if (state.watch.place[accountIndex] !== 0) markForReview(state.pending, accountIndex);
  }
  link(state, slot, standingIn(state, placing));
  return slot;
}
