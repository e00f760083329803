import { hasTexts } from '../../domain/order-codec.ts';
import { BUY, SELL } from '../../domain/order-codes.ts';
import { namesIn } from '../../domain/order-texts.ts';
import type { AccountIndex } from '../../domain/units.ts';
import { bestTicks } from '../book/book.ts';
import { indexAt, numberAt, partsAt } from '../memory/columns.ts';
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
  standingOfOrder,
} from '../memory/order-rows.ts';
import { findNamed } from '../memory/order-texts.ts';
import { isWorseThanMark } from '../risk/marks.ts';
import type { Account, Market, State } from '../state.ts';
import { openOrdersOf } from '../trading/find-order.ts';
import { auditBook } from './audit-book.ts';

/**
 * Checks orders and positions against the ledger by adding everything up from scratch: reserved balances
 * are what open orders need, books do not cross, lots sum to zero, clearing is minus the sum of the
 * costs, and every running total equals the sum of its parts.
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
  const heldByPurse = new Map<number, bigint>();
  let open = 0;
  state.accounts.forEach((account, index) => {
    if (account === null) return;
    const slots = openOrdersOf(state, account);
    open += slots.length;
    if (slots.length !== account.openOrders)
      faults.push(`account ${index} counts its orders wrong`);
    for (const slot of slots) {
      auditOrder(state, slot, index, faults);
      const purse = purseOfHold(state, slot);
      const held = heldByPurse.get(purse) ?? 0n;
      heldByPurse.set(purse, held + heldPartsOf(state.orders, slot));
    }
  });
  for (const { account, asset, debited } of state.wallet.withdrawals.values()) {
    const purse = purseOf(state.ledger, account, asset);
    heldByPurse.set(purse, (heldByPurse.get(purse) ?? 0n) + debited);
  }
  if (open !== state.orders.openCount) faults.push('an open order is in no account');
  state.ledger.reserved.forEach((reserved, purse) => {
    const needed = heldByPurse.get(purse) ?? 0n;
    if (reserved !== needed)
      faults.push(`purse ${purse} reserves ${reserved}, orders and withdrawals need ${needed}`);
  });
}

/** Every order marked as having texts has them, and every name finds its own order. */
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

function auditOrder(state: State, slot: OrderSlot, accountIndex: number, faults: string[]): void {
  const { orders } = state;
  const market = state.markets[marketOf(orders, slot)] as Market;
  const id = orderIdOf(orders, slot);
  if (!isResting(orders, slot) && !isWaiting(orders, slot)) faults.push(`order ${id} is nowhere`);
  if (hasTexts(orders, slot) && !orders.texts.has(slot)) faults.push(`order ${id} lost its texts`);
  if (accountOf(orders, slot) !== accountIndex) faults.push(`order ${id} is in a foreign list`);
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
}

/** The purse that an order's hold is reserved in; a perpetual order holds nothing. */
function purseOfHold({ orders, ledger, markets }: State, slot: OrderSlot): number {
  const market = markets[marketOf(orders, slot)] as Market;
  const asset = sideOf(orders, slot) === BUY ? market.settleAsset : market.baseAsset;
  return purseOf(ledger, accountOf(orders, slot), asset);
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
  for (let standing = 0; standing < standings.used; standing++) {
    if (standings.market[standing] !== index) continue;
    const own = numberAt(standings.lots, standing);
    lots += own;
    long += Math.max(0, own);
    const cost = partsAt(standings.cost, standing);
    costs += cost;
    if (own === 0 && cost !== 0n) faults.push(`${code}: a flat position has a cost`);
    auditStanding(state, market, standing, faults);
  }
  if (lots !== 0) faults.push(`${code}: lots sum to ${lots}`);
  if (long !== market.openInterestLots) faults.push(`${code}: open interest is counted wrong`);
  const clearing =
    ledger.available[purseOf(ledger, market.clearing as AccountIndex, market.settleAsset)];
  if (clearing !== -costs)
    faults.push(`${code}: clearing ${clearing} is not minus the costs ${costs}`);
}

/** The running totals that margin is computed from, against the orders they add up. */
function auditStanding(state: State, market: Market, standing: number, faults: string[]): void {
  const { standings, orders } = state;
  const account = state.accounts[indexAt(standings.account, standing)] as Account;
  const sums = { buy: 0, sell: 0, reduceBuy: 0, reduceSell: 0, worseBuy: 0n, worseSell: 0n };
  let open = 0;
  for (const slot of openOrdersOf(state, account)) {
    if (marketOf(orders, slot) !== standings.market[standing]) continue;
    open++;
    if (standingOfOrder(orders, slot) !== standing) {
      faults.push(`order ${orderIdOf(orders, slot)} names another standing than its account's`);
    }
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
    buy: standings.buyLots[standing],
    sell: standings.sellLots[standing],
    reduceBuy: standings.reduceBuyLots[standing],
    reduceSell: standings.reduceSellLots[standing],
    worseBuy: standings.worseBuyTickLots[standing],
    worseSell: standings.worseSellTickLots[standing],
  };
  for (const name of Object.keys(sums) as (keyof typeof sums)[]) {
    if (sums[name] !== kept[name]) {
      faults.push(
        `${market.spec.code}: ${name} of account ${standings.account[standing]} is kept wrong`,
      );
    }
  }
  if (open !== standings.openOrders[standing])
    faults.push(`${market.spec.code}: open orders are kept wrong`);
}
