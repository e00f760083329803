import { BUY, SELL, timeInForceCode } from '../../domain/order-codes.ts';
import { openState } from '../../domain/orders.ts';
import { type OrderState, SOURCES } from '../../domain/terms.ts';
import { type AccountIndex, type AssetIndex, amount } from '../../domain/units.ts';
import type { PreviewView, Views } from '../../domain/views.ts';
import {
  accountOf,
  copyRecord,
  feeNativePartsOf,
  feeOtherAssetOf,
  feeOtherPartsOf,
  feeUsdtPartsOf,
  heldPartsOf,
  marketOf,
  type OrderSlot,
  openLotsOf,
  openOrder,
  setAccount,
  setFamily,
  setHeldParts,
  setOpenLots,
  setStanding,
  setTotalLots,
  totalLotsOf,
} from '../memory/order-rows.ts';
import { standingOf } from '../memory/standings.ts';
import type { Account, Market, State } from '../state.ts';
import { admitOrder } from '../trading/admit-order.ts';
import { type Demand, demandOf } from '../trading/check-funds.ts';
import { checkPlacement } from '../trading/check-placement.ts';
import { countResting, releaseHold } from '../trading/end-order.ts';
import { endOf, makerTicks, reprice } from '../trading/execute-order.ts';
import { openPlaced } from '../trading/open-order.ts';
import { isByAmount, isMarket } from '../trading/order-terms.ts';
import { isStop, type Placing, sizeOf } from '../trading/placing.ts';
import { planOrder } from '../trading/plan-order.ts';
import { newWork } from '../trading/work.ts';
import { type AccountCopy, copyAccount, settleInCopy, settleWithStranger } from './account-copy.ts';
import { figuresOf } from './what-if.ts';

/**
 * What placing an order would do, and the account after it: its own matches, fees and reserves, and orders of
 * its own that it would meet; not what follows from it (stops that trigger, margin reviews).
 *
 * The order is checked by the real rules, planned against the real book, and every match of the plan is
 * settled in a copy of the account. Cost: at most as many settlements as one request may make.
 */
export function preview(state: State, query: Views['preview']['query']): PreviewView {
  const { order } = query;
  const market = state.markets[order.market] as Market;
  const account = state.accounts[query.account] as Account;
  const sizeLots = sizeOf(market, order);
  const placing: Placing = { accountIndex: query.account, account, market, order, sizeLots };
  const demand = demandOf(placing);
  const onTime = {};
  const refusal =
    checkPlacement(state, placing, onTime) ?? admitOrder(state, placing, demand, newWork());
  const copy = copyAccount(state, query.account);
  if (refusal === undefined) return new Trial(state, placing, demand, copy).run(query.account);
  const refused = { reason: refusal.rejected, message: refusal.message };
  return { ...NOTHING, refused, account: figuresOf(copy, query.account) };
}

const NOTHING = {
  refused: undefined,
  status: undefined,
  fills: [],
  matches: 0,
  isCut: false,
  fees: [],
} as const;

/** One order in the copy of its account. */
class Trial {
  readonly #state: State;
  readonly #placing: Placing;
  readonly #demand: Demand;
  readonly #copy: AccountCopy;
  /** The market and the order, as they are in the copy. */
  readonly #market: Market;
  readonly #slot: OrderSlot;
  /** Orders of the account itself that the order has met: as they are in the copy. */
  readonly #own = new Map<OrderSlot, OrderSlot>();
  readonly #fills: { readonly priceTicks: number; lots: number }[] = [];
  #matches = 0;

  constructor(state: State, placing: Placing, demand: Demand, copy: AccountCopy) {
    this.#state = state;
    this.#placing = placing;
    this.#demand = demand;
    this.#copy = copy;
    this.#market = copy.state.markets[placing.order.market] as Market;
    const inCopy = {
      ...placing,
      accountIndex: copy.accountIndex,
      account: copy.account,
      market: this.#market,
    };
    this.#slot = openPlaced(copy.state, inCopy, SOURCES.REST, demand);
  }

  run(account: AccountIndex): PreviewView {
    const { status, isCut } = this.#outcome();
    return {
      ...NOTHING,
      status,
      isCut,
      fills: this.#fills,
      matches: this.#matches,
      fees: this.#fees(),
      account: figuresOf(this.#copy, account),
    };
  }

  /** As place-order.ts and execute-order.ts do it, one after the other. */
  #outcome(): { readonly status: OrderState; readonly isCut: boolean } {
    const { order } = this.#placing;
    if (isStop(order)) return { status: 'OPEN', isCut: false };
    if (this.#demand.isUnfillable) return { status: this.#close('CANCELED_BY_FOK'), isCut: false };
    const entersAt = this.#entersAt();
    if (entersAt === undefined) {
      return { status: this.#close('CANCELED_BY_MAKER_ONLY'), isCut: false };
    }
    const { endedBy } = planOrder(this.#state, this.#placing, {
      limitTicks: entersAt,
      ordersMax: this.#demand.ordersMax,
      onMeeting: (maker, priceTicks, lots) => this.#meet(maker, priceTicks, lots),
    });
    const { state } = this.#copy;
    const end = endOf(state, this.#slot, endedBy);
    if (end !== undefined) return { status: this.#close(end.state), isCut: endedBy === 'cut' };
    const openLots = openLotsOf(state.orders, this.#slot);
    countResting(state, this.#market, this.#slot, openLots);
    const filledLots = totalLotsOf(state.orders, this.#slot) - openLots;
    return { status: openState({ filledLots }), isCut: false };
  }

  #close(status: OrderState): OrderState {
    releaseHold(this.#copy.state, this.#market, this.#slot);
    return status;
  }

  /** Post-only orders are checked against the real book; a better price holds less. */
  #entersAt(): number | undefined {
    const { order, market } = this.#placing;
    const { limitTicks } = this.#demand;
    const side = order.side === 'BUY' ? BUY : SELL;
    const timeInForce = timeInForceCode(order.timeInForce);
    const entersAt = makerTicks(market, side, timeInForce, limitTicks);
    if (entersAt === limitTicks || entersAt === undefined) return entersAt;
    const { state } = this.#copy;
    if (isMarket(state.orders, this.#slot)) return undefined;
    reprice(state, this.#market, this.#slot, entersAt);
    return entersAt;
  }

  /** One order of the real book; lots are 0 if it ends without a match. */
  #meet(maker: OrderSlot, priceTicks: number, lots: number): void {
    const isOwn = accountOf(this.#state.orders, maker) === this.#placing.accountIndex;
    if (isOwn) this.#meetOwn(this.#ownOrder(maker), priceTicks, lots);
    else if (lots > 0) {
      settleWithStranger(this.#copy, this.#market, this.#slot, { priceTicks, lots });
    }
    if (lots === 0) return;
    this.#matches++;
    const last = this.#fills.at(-1);
    if (last?.priceTicks === priceTicks) last.lots += lots;
    else this.#fills.push({ priceTicks, lots });
    const { orders } = this.#copy.state;
    const slot = this.#slot;
    if (isByAmount(orders, slot)) setTotalLots(orders, slot, totalLotsOf(orders, slot) + lots);
    else setOpenLots(orders, slot, openLotsOf(orders, slot) - lots);
  }

  /**
   * An order of the account itself: what it held and counted changes with it. A reduce-only order that ends
   * after its match holds nothing and counts in no figure, so its rest need not be removed.
   */
  #meetOwn(own: OrderSlot, priceTicks: number, lots: number): void {
    const { state } = this.#copy;
    const { orders } = state;
    if (lots > 0) {
      settleInCopy(this.#copy, this.#market, this.#slot, { maker: own, priceTicks, lots });
      countResting(state, this.#market, own, -lots);
      setOpenLots(orders, own, openLotsOf(orders, own) - lots);
      return;
    }
    countResting(state, this.#market, own, -openLotsOf(orders, own));
    setOpenLots(orders, own, 0);
    releaseHold(state, this.#market, own);
  }

  /** The order in the copy, created when it is first met. */
  #ownOrder(slot: OrderSlot): OrderSlot {
    const known = this.#own.get(slot);
    if (known !== undefined) return known;
    const { orders: from } = this.#state;
    const { state, accountIndex, account } = this.#copy;
    const { orders } = state;
    const own = openOrder(orders, state.nextOrderId++);
    copyRecord(from, slot, orders, own);
    setHeldParts(orders, own, heldPartsOf(from, slot));
    setAccount(orders, own, accountIndex);
    setFamily(orders, own, account.family);
    setStanding(orders, own, standingOf(state.standings, accountIndex, marketOf(orders, own)));
    this.#own.set(slot, own);
    return own;
  }

  #fees(): { readonly asset: AssetIndex; readonly amount: ReturnType<typeof amount> }[] {
    const { state } = this.#copy;
    const { orders } = state;
    const paid = [
      [state.native, feeNativePartsOf(orders, this.#slot)],
      [state.usdt, feeUsdtPartsOf(orders, this.#slot)],
      [feeOtherAssetOf(orders, this.#slot), feeOtherPartsOf(orders, this.#slot)],
    ] as const;
    return paid.flatMap(([asset, parts]) =>
      parts === 0n ? [] : [{ asset, amount: amount(parts) }],
    );
  }
}
