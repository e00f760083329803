import type { ByteWriter } from '../../bytes/pack.ts';
import { assert } from '../../domain/assert.ts';
import { encodeOrderClosed } from '../../domain/event-codec.ts';
import { BUY, orderStateCode, type SideCode } from '../../domain/order-codes.ts';
import type { Rejection } from '../../domain/rejections.ts';
import type { OrderState } from '../../domain/terms.ts';
import { amount } from '../../domain/units.ts';
import { removeResting } from '../book/book.ts';
import { removeStop } from '../book/stops.ts';
import { linkToAccount, unlinkFromAccount } from '../memory/account-rings.ts';
import { indexAt } from '../memory/columns.ts';
import { purseOf, release } from '../memory/ledger.ts';
import {
  accountOf,
  closeOrder,
  heldPartsOf,
  isReduceOnly,
  isResting,
  isWaiting,
  marketOf,
  type OrderSlot,
  openLotsOf,
  priceTicksOf,
  setHeldParts,
  setStanding,
  sideOf,
  standingOfOrder,
} from '../memory/order-rows.ts';
import { countOpenLots } from '../memory/standings.ts';
import { isWorseThanMark } from '../risk/marks.ts';
import type { Account, Market, State } from '../state.ts';

/** Ends an order wherever it is: releases what it holds and emits the event. */
export function endOrder(
  state: State,
  market: Market,
  slot: OrderSlot,
  end: {
    readonly element: number;
    readonly state: OrderState;
    readonly reason?: Rejection | undefined;
  },
  out: ByteWriter,
): void {
  const { orders } = state;
  if (isResting(orders, slot)) {
    countResting(state, market, slot, -openLotsOf(orders, slot));
    removeResting(market.book, orders, slot);
  } else if (isWaiting(orders, slot)) removeStop(market.stops, orders, slot);
  releaseHold(state, market, slot);
  const { element, reason } = end;
  encodeOrderClosed(out, { element, stateCode: orderStateCode(end.state), reason }, orders, slot);
  unlink(state, slot);
  closeOrder(orders, slot);
}

/** Adds the order to its account's list and to the counts of open orders. */
export function link(state: State, slot: OrderSlot, standing: number): void {
  const { orders } = state;
  const account = accountOfOrder(state, slot);
  account.firstOrder = linkToAccount(orders, account.firstOrder, slot);
  account.openOrders++;
  setStanding(orders, slot, standing);
  state.standings.openOrders[standing] = indexAt(state.standings.openOrders, standing) + 1;
}

function unlink(state: State, slot: OrderSlot): void {
  const { orders, standings } = state;
  const account = accountOfOrder(state, slot);
  account.firstOrder = unlinkFromAccount(orders, account.firstOrder, slot);
  account.openOrders--;
  const standing = standingOfOrder(orders, slot);
  standings.openOrders[standing] = indexAt(standings.openOrders, standing) - 1;
}

/** Adds open lots of a resting order to the sums of its standing, or takes them off. */
export function countResting(state: State, market: Market, slot: OrderSlot, lots: number): void {
  if (market.spec.type === 'SPOT') return;
  const { orders, standings } = state;
  const side = sideOf(orders, slot);
  const priceTicks = priceTicksOf(orders, slot);
  const standing = standingOfOrder(orders, slot);
  counted.side = side;
  counted.priceTicks = priceTicks;
  counted.isReduceOnly = isReduceOnly(orders, slot);
  counted.isWorse = isWorseThanMark(market.price, side, priceTicks);
  countOpenLots(standings, standing, counted, lots);
}
const counted = { side: BUY as SideCode, priceTicks: 0, isReduceOnly: false, isWorse: false };

/** Releases what the ledger still holds for the order. */
export function releaseHold(state: State, market: Market, slot: OrderSlot): void {
  const { orders, ledger } = state;
  const held = heldPartsOf(orders, slot);
  if (held === 0n) return;
  const asset = sideOf(orders, slot) === BUY ? market.settleAsset : market.baseAsset;
  const purse = purseOf(ledger, accountOf(orders, slot), asset);
  release(ledger, purse, amount(held), state.timeMs);
  setHeldParts(orders, slot, 0n);
}

function accountOfOrder(state: State, slot: OrderSlot): Account {
  const account = state.accounts[accountOf(state.orders, slot)];
  assert(account !== undefined && account !== null, 'an order is of an account');
  return account;
}

export function marketOfOrder(state: State, slot: OrderSlot): Market {
  const market = state.markets[marketOf(state.orders, slot)];
  assert(market !== undefined, 'an order is in a market');
  return market;
}
