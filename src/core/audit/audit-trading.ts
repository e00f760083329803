import { hasTexts } from '../../domain/order-codec.ts';
import { BUY, SELL } from '../../domain/order-codes.ts';
import { namesIn } from '../../domain/order-texts.ts';
import type { AccountIndex } from '../../domain/units.ts';
import { bestTicks } from '../book/book.ts';
import { purseOf } from '../memory/ledger.ts';
import {
  accountOf,
  heldPartsOf,
  isReduceOnly,
  isResting,
  isWaiting,
  marketOf,
  type OrderSlot,
  type Orders,
  openLotsOf,
  orderIdOf,
  priceTicksOf,
  sideOf,
  slotOf,
} from '../memory/order-rows.ts';
import { findNamed } from '../memory/order-texts.ts';
import { isWorseThanMark } from '../risk/marks.ts';
import type { Account, Market, State } from '../state.ts';
import { openOrdersOf } from '../trading/find-order.ts';
import { auditBook } from './audit-book.ts';

/**
 * What orders and positions must agree on with the ledger, added up from scratch: holds are what open
 * orders need, books do not cross, lots sum to zero, clearing is minus the sum of the costs, and every
 * sum that is kept along the way is the sum of its parts.
 */
export function auditTrading(state: State): string[] {
  const faults: string[] = [];
  auditHolds(state, faults);
  auditTexts(state.orders, faults);
  state.markets.forEach((market, index) => {
    auditMarket(state, market, index, faults);
  });
  return faults;
}

function auditHolds(state: State, faults: string[]): void {
  const held = new Map<number, bigint>();
  let open = 0;
  state.accounts.forEach((account, row) => {
    if (account === null) return;
    const slots = openOrdersOf(state, account);
    open += slots.length;
    if (slots.length !== account.openOrders) faults.push(`account ${row} counts its orders wrong`);
    for (const slot of slots) addHold(state, slot, row as AccountIndex, held, faults);
  });
  if (open !== state.orders.openCount) faults.push('an open order is in no account');
  state.ledger.reserved.forEach((reserved, purse) => {
    const needed = held.get(purse) ?? 0n;
    if (reserved !== needed)
      faults.push(`purse ${purse} reserves ${reserved}, orders need ${needed}`);
  });
}

/** Texts lie beside the rows that say so, and every name leads to its order and to no other. */
function auditTexts(orders: Orders, faults: string[]): void {
  let names = 0;
  for (const [slot, texts] of orders.texts) {
    const id = orderIdOf(orders, slot as OrderSlot);
    if (slotOf(orders, id) !== slot) faults.push(`texts lie at ${slot}, where no order is open`);
    if (!hasTexts(orders, slot)) faults.push(`order ${id} does not know of its texts`);
    for (const name of namesIn(texts)) {
      names++;
      const found = findNamed(orders, accountOf(orders, slot as OrderSlot), texts);
      if (found?.slot !== slot) faults.push(`order ${id} is not found by its ${name[0]}`);
    }
  }
  if (names !== orders.slotByName.size) faults.push('a name is kept of an order that is not open');
}

function addHold(
  state: State,
  slot: OrderSlot,
  row: AccountIndex,
  held: Map<number, bigint>,
  faults: string[],
): void {
  const { orders, ledger } = state;
  const market = state.markets[marketOf(orders, slot)] as Market;
  const id = orderIdOf(orders, slot);
  if (!isResting(orders, slot) && !isWaiting(orders, slot)) faults.push(`order ${id} is nowhere`);
  if (hasTexts(orders, slot) && !orders.texts.has(slot)) faults.push(`order ${id} lost its texts`);
  if (accountOf(orders, slot) !== row) faults.push(`order ${id} is in a foreign list`);
  const parts = heldPartsOf(orders, slot);
  const isBuy = sideOf(orders, slot) === BUY;
  const lots = BigInt(openLotsOf(orders, slot));
  const price = BigInt(priceTicksOf(orders, slot));
  const needed =
    market.spec.type === 'FUTURE'
      ? 0n
      : isBuy
        ? price * lots * market.perTickLot
        : lots * market.perLot;
  if (parts !== needed) faults.push(`order ${id} holds ${parts}, needs ${needed}`);
  const purse = purseOf(ledger, row, isBuy ? market.settleAsset : market.baseAsset);
  held.set(purse, (held.get(purse) ?? 0n) + parts);
}

function auditMarket(state: State, market: Market, index: number, faults: string[]): void {
  const { code } = market.spec;
  for (const fault of auditBook(market.book, state.orders)) faults.push(`${code}: ${fault}`);
  const bid = bestTicks(market.book, BUY);
  const ask = bestTicks(market.book, SELL);
  if (bid !== undefined && ask !== undefined && bid >= ask)
    faults.push(`${code}: the book crosses`);
  if (market.spec.type === 'FUTURE') auditPositions(state, market, index, faults);
}

function auditPositions(state: State, market: Market, index: number, faults: string[]): void {
  const { standings, ledger } = state;
  const { code } = market.spec;
  let lots = 0;
  let long = 0;
  let costs = 0n;
  for (let at = 0; at < standings.used; at++) {
    if (standings.market[at] !== index) continue;
    const own = standings.lots[at] as number;
    lots += own;
    long += Math.max(0, own);
    costs += standings.cost[at] as bigint;
    if (own === 0 && standings.cost[at] !== 0n) faults.push(`${code}: a flat position has a cost`);
    auditStanding(state, market, at, faults);
  }
  if (lots !== 0) faults.push(`${code}: lots sum to ${lots}`);
  if (long !== market.openInterestLots) faults.push(`${code}: open interest is counted wrong`);
  const clearing =
    ledger.available[purseOf(ledger, market.clearing as AccountIndex, market.settleAsset)];
  if (clearing !== -costs)
    faults.push(`${code}: clearing ${clearing} is not minus the costs ${costs}`);
}

/** The sums that margin is computed from, against the orders they are sums of. */
function auditStanding(state: State, market: Market, at: number, faults: string[]): void {
  const { standings, orders } = state;
  const account = state.accounts[standings.account[at] as number] as Account;
  const sums = { buy: 0, sell: 0, reduceBuy: 0, reduceSell: 0, worseBuy: 0n, worseSell: 0n };
  let open = 0;
  for (const slot of openOrdersOf(state, account)) {
    if (marketOf(orders, slot) !== standings.market[at]) continue;
    open++;
    if (!isResting(orders, slot)) continue;
    const lots = openLotsOf(orders, slot);
    const ticks = priceTicksOf(orders, slot);
    const isBuy = sideOf(orders, slot) === BUY;
    if (isReduceOnly(orders, slot)) sums[isBuy ? 'reduceBuy' : 'reduceSell'] += lots;
    else {
      sums[isBuy ? 'buy' : 'sell'] += lots;
      if (isWorseThanMark(market.price, isBuy ? BUY : SELL, ticks)) {
        sums[isBuy ? 'worseBuy' : 'worseSell'] += BigInt(ticks) * BigInt(lots);
      }
    }
  }
  const kept = {
    buy: standings.buyLots[at],
    sell: standings.sellLots[at],
    reduceBuy: standings.reduceBuyLots[at],
    reduceSell: standings.reduceSellLots[at],
    worseBuy: standings.worseBuyTickLots[at],
    worseSell: standings.worseSellTickLots[at],
  };
  for (const name of Object.keys(sums) as (keyof typeof sums)[]) {
    if (sums[name] !== kept[name]) {
      faults.push(`${market.spec.code}: ${name} of account ${standings.account[at]} is kept wrong`);
    }
  }
  if (open !== standings.openOrders[at])
    faults.push(`${market.spec.code}: open orders are kept wrong`);
}
