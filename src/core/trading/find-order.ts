import type { OrderRef } from '../../domain/orders.ts';
import type { AccountIndex } from '../../domain/units.ts';
import { nextOfAccount, previousOfAccount } from '../memory/account-rings.ts';
import {
  accountOf,
  clientOrderIdOf,
  marketOf,
  NO_ORDER,
  type OrderSlot,
  slotOf,
} from '../memory/order-rows.ts';
import { findNamed } from '../memory/order-texts.ts';
import type { Account, State } from '../state.ts';

/** Oldest first; a copy, so that orders may be ended during iteration. */
export function openOrdersOf(state: State, account: Account): OrderSlot[] {
  const slots: OrderSlot[] = [];
  const first = account.firstOrder;
  for (let slot = first; slot !== NO_ORDER; slot = nextOfAccount(state.orders, first, slot)) {
    slots.push(slot);
  }
  return slots;
}

/**
 * Finds an order by the venue's id, else the newest open one with the caller's id; or by its name. Another
 * account's order, or one of another market, counts as not found.
 */
export function findOrder(state: State, accountIndex: AccountIndex, ref: OrderRef): OrderSlot {
  const { orders } = state;
  if (ref.named !== undefined) {
    const slot = (findNamed(orders, accountIndex, ref.named)?.slot ?? NO_ORDER) as OrderSlot;
    return slot !== NO_ORDER && marketOf(orders, slot) === ref.market ? slot : NO_ORDER;
  }
  if (ref.orderId > 0) {
    const slot = slotOf(orders, ref.orderId);
    if (
      slot !== NO_ORDER &&
      accountOf(orders, slot) === accountIndex &&
      marketOf(orders, slot) === ref.market
    ) {
      return slot;
    }
  }
  if (ref.clientOrderId === 0n) return NO_ORDER;
  const account = state.accounts[accountIndex] as Account;
  const first = account.firstOrder;
  if (first === NO_ORDER) return NO_ORDER;
  const last = previousOfAccount(orders, first);
  for (let slot = last; ; slot = previousOfAccount(orders, slot)) {
    if (
      clientOrderIdOf(orders, slot) === ref.clientOrderId &&
      marketOf(orders, slot) === ref.market
    ) {
      return slot;
    }
    if (slot === first) return NO_ORDER;
  }
}
