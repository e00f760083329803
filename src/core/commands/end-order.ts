import { assert } from '../../domain/assert.ts';
import type { ByteWriter } from '../../domain/pack.ts';
import type { Rejection } from '../../domain/rejections.ts';
import type { OrderState } from '../../domain/terms.ts';
import { type AccountIndex, amount } from '../../domain/units.ts';
import { removeResting } from '../book/book.ts';
import { BUY, type SideCode } from '../book/codes.ts';
import {
  closeOrder,
  isReduceOnly,
  isResting,
  isWaiting,
  linkToAccount,
  type OrderSlot,
  unlinkFromAccount,
} from '../book/orders.ts';
import { removeStop } from '../book/stops.ts';
import { purseOf, release } from '../ledger/ledger.ts';
import { isWorseThanMark } from '../risk/marks.ts';
import { countOpenLots, standingOf } from '../risk/standings.ts';
import type { Account, Market, State } from '../state.ts';
import { tellClosed } from './order-row.ts';

/** Ends an order wherever it is: what it holds goes back, and the world is told. */
export function endOrder(
  state: State,
  market: Market,
  slot: OrderSlot,
  end: {
    readonly element: number;
    readonly state: OrderState;
    readonly reason?: Rejection;
  },
  out: ByteWriter,
): void {
  const { orders } = state;
  if (isResting(orders, slot)) {
    countResting(state, market, slot, -(orders.openLots[slot] as number));
    removeResting(market.book, orders, slot);
  } else if (isWaiting(orders, slot)) removeStop(market.stops, orders, slot);
  releaseHold(state, market, slot);
  tellClosed(out, end.element, end.state, end.reason, orders, slot);
  unlink(state, slot);
  closeOrder(orders, slot);
}

/** The account's list and its counters: who has how many orders open, and where. */
export function link(state: State, slot: OrderSlot, standing: number): void {
  const { orders } = state;
  const account = accountOfOrder(state, slot);
  account.firstOrder = linkToAccount(orders, account.firstOrder, slot);
  account.openOrders++;
  state.standings.openOrders[standing] = (state.standings.openOrders[standing] as number) + 1;
}

function unlink(state: State, slot: OrderSlot): void {
  const { orders, standings } = state;
  const account = accountOfOrder(state, slot);
  account.firstOrder = unlinkFromAccount(orders, account.firstOrder, slot);
  account.openOrders--;
  const row = standingOf(standings, orders.account[slot] as number, orders.market[slot] as number);
  standings.openOrders[row] = (standings.openOrders[row] as number) - 1;
}

/** Adds or takes open lots of a resting order to or from what its account could come to hold. */
export function countResting(state: State, market: Market, slot: OrderSlot, lots: number): void {
  if (market.spec.type === 'SPOT') return;
  const { orders, standings } = state;
  const side = orders.side[slot] as SideCode;
  const priceTicks = orders.priceTicks[slot] as number;
  const row = standingOf(standings, orders.account[slot] as number, orders.market[slot] as number);
  counted.side = side;
  counted.priceTicks = priceTicks;
  counted.isReduceOnly = isReduceOnly(orders, slot);
  counted.isWorse = isWorseThanMark(market.price, side, priceTicks);
  countOpenLots(standings, row, counted, lots);
}
const counted = { side: BUY as SideCode, priceTicks: 0, isReduceOnly: false, isWorse: false };

/** Gives back what the ledger still holds for the order. */
export function releaseHold(state: State, market: Market, slot: OrderSlot): void {
  const { orders, ledger } = state;
  const held = orders.heldParts[slot] as bigint;
  if (held === 0n) return;
  const asset = orders.side[slot] === BUY ? market.settleAsset : market.baseAsset;
  const purse = purseOf(ledger, orders.account[slot] as AccountIndex, asset);
  release(ledger, purse, amount(held), state.timeMs);
  orders.heldParts[slot] = 0n;
}

export function accountOfOrder(state: State, slot: OrderSlot): Account {
  const account = state.accounts[state.orders.account[slot] as number];
  assert(account !== undefined && account !== null, 'an order is of an account');
  return account;
}

export function marketOfOrder(state: State, slot: OrderSlot): Market {
  const market = state.markets[state.orders.market[slot] as number];
  assert(market !== undefined, 'an order is in a market');
  return market;
}
