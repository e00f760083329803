/**
 * Computes what a taker would do in the book, without changing anything: for FOK, the margin test, the cost
 * of a market order and previews. The loop over `nextMatch` then does exactly this.
 *
 * The book is walked once, best price first, until the taker ends or has met `ordersMax` orders, which
 * bounds the cost. Self-trade prevention applies, and an order that only reduces gives no more than the
 * position that the plan has left its account. Slices of icebergs are not walked one by one: rounds in
 * which every slice is whole are counted by arithmetic.
 */

import { assert } from '../../domain/assert.ts';
import { BUY, opposite, STP_EXPIRE_MAKER, STP_EXPIRE_TAKER } from '../../domain/order-codes.ts';
import { exactNumber, type Lots, type Ticks } from '../../domain/units.ts';
import {
  accountOf,
  displayLotsOf,
  isReduceOnly,
  NO_ORDER,
  nextOf,
  type OrderSlot,
  type Orders,
  openLotsOf,
  sideOf,
  visibleLotsOf,
} from '../memory/order-rows.ts';
import { type Book, bestLevel, type Level, NO_LEVEL, nextLevel } from './book.ts';
import { accepts, isOwn, type Taker } from './match.ts';

/** What ends a taker other than its size, its price or the book. */
export type PlanEnd =
  /** An order of its own family, by self-trade prevention. */
  | 'own'
  /** It only reduces, and there is nothing left to reduce. */
  | 'reduced'
  /** It has met as many orders as it may. */
  | 'cut';

export type Plan = {
  lots: Lots;
  /** Sum of ticks x lots: exact, and the value once multiplied by the market's parts for one. */
  tickLots: bigint;
  /** The worst price that would trade; 0 when nothing would. */
  lastTicks: Ticks;
  /** Orders it would meet, an iceberg once for each slice: what the bounds count. */
  met: number;
  /** Of these, orders of its own family. */
  ownOrders: number;
  endedBy: PlanEnd | undefined;
};

/** A purchase by counter amount: what may be spent, and what one lot costs at one tick. */
export type Budget = { readonly amountParts: bigint; readonly perTickLot: bigint };

/** The signed position of an account in the market of the book. */
export type PositionOf = (account: number) => number;

/** Called for every order met, in turn; lots are 0 where it would end without a match. */
export type OnMeeting = (maker: OrderSlot, priceTicks: Ticks, lots: number) => void;

export type PlanTerms = {
  readonly ordersMax: number;
  /** Bounds the taker further: at each price, to the lots it still buys. */
  readonly budget?: Budget | undefined;
  /** Needed where the taker, or anybody in the book, only reduces. */
  readonly positionOf?: PositionOf | undefined;
  readonly onMeeting?: OnMeeting | undefined;
};

export const newPlan = (): Plan => ({
  lots: 0 as Lots,
  tickLots: 0n,
  lastTicks: 0 as Ticks,
  met: 0,
  ownOrders: 0,
  endedBy: undefined,
});

/** Who is planned for, and in which book. */
export type PlanInput = {
  readonly book: Book;
  readonly orders: Orders;
  readonly taker: Taker;
  readonly terms: PlanTerms;
};

/** Fills in `plan`. */
export function planFills(input: PlanInput, plan: Plan): void {
  const walk = new PlanWalk(input, plan);
  walk.run();
}

/** What an amount buys at one price, in whole lots, rounded down: never more than was offered. */
export function affordableLots(budget: Budget, priceTicks: Ticks): Lots {
  assert(priceTicks > 0, 'what costs nothing cannot be counted by its price');
  const lots = budget.amountParts / (BigInt(priceTicks) * budget.perTickLot);
  return exactNumber(lots < LOTS_MAX ? lots : LOTS_MAX) as Lots;
}

const LOTS_MAX = BigInt(Number.MAX_SAFE_INTEGER);

/** One walk through the book. What it changes are its own copies. */
class PlanWalk {
  readonly #book: Book;
  readonly #orders: Orders;
  readonly #taker: Taker;
  readonly #terms: PlanTerms;
  readonly #plan: Plan;
  /** What the taker still wants at the current price. */
  #wantedLots = 0;
  /** What a taker that only reduces may still take off its position. */
  #reducibleLots = Number.MAX_SAFE_INTEGER;
  /** Positions as the plan has left them; only while somebody reduces. */
  readonly #positions: Map<number, number> | undefined;
  /** Icebergs of the level that show another slice, and what each has open; cleared for every level. */
  readonly #againSlots: OrderSlot[] = [];
  readonly #againLots: number[] = [];

  constructor({ book, orders, taker, terms }: PlanInput, plan: Plan) {
    this.#book = book;
    this.#orders = orders;
    this.#taker = taker;
    this.#terms = terms;
    this.#plan = plan;
    if (taker.onlyReduces || book.reduceOnlyOrders > 0) this.#positions = new Map();
    if (taker.onlyReduces) this.#reducibleLots = this.#reducible(taker.account, taker.side === BUY);
  }

  run(): void {
    const plan = this.#plan;
    clear(plan);
    const side = opposite(this.#taker.side);
    const { priceTicks } = this.#book.levels;
    // Kept beside the plan as a number while it is exact as one: a bigint per level would cost more.
    let smallSum = 0;
    for (
      let level = bestLevel(this.#book, side);
      level !== NO_LEVEL && plan.endedBy === undefined;
      level = nextLevel(this.#book, side, level)
    ) {
      const ticks = priceTicks[level] as Ticks;
      if (!accepts(this.#taker, ticks)) break;
      this.#wantedLots = this.#lotsWanted(ticks, smallSum);
      if (this.#wantedLots === 0) break;
      const before = plan.lots;
      const isOver = this.#walkLevel(level, ticks);
      const takenLots = plan.lots - before;
      if (takenLots > 0) plan.lastTicks = ticks;
      const sum = smallSum + ticks * takenLots;
      if (sum <= Number.MAX_SAFE_INTEGER) smallSum = sum;
      else plan.tickLots += BigInt(ticks) * BigInt(takenLots);
      if (isOver) break;
    }
    plan.tickLots += BigInt(smallSum);
  }

  #lotsWanted(priceTicks: Ticks, smallSum: number): number {
    const { budget } = this.#terms;
    const openLots = this.#taker.openLots - this.#plan.lots;
    if (budget === undefined || openLots === 0) return openLots;
    const spentParts = (this.#plan.tickLots + BigInt(smallSum)) * budget.perTickLot;
    const rest = { ...budget, amountParts: budget.amountParts - spentParts };
    return Math.min(openLots, affordableLots(rest, priceTicks));
  }

  /** The orders of one price, oldest first; then the icebergs among them, round after round. */
  #walkLevel(level: Level, ticks: Ticks): boolean {
    const orders = this.#orders;
    const slots = this.#againSlots;
    const lots = this.#againLots;
    slots.length = 0;
    lots.length = 0;
    let slot = this.#book.levels.firstOrder[level] as OrderSlot;
    for (; slot !== NO_ORDER; slot = nextOf(orders, slot)) {
      const openLots = openLotsOf(orders, slot);
      const left = this.#meet(slot, ticks, visibleLotsOf(orders, slot), openLots);
      if (left === TAKER_ENDS) return true;
      if (left === 0) continue;
      slots.push(slot);
      lots.push(left);
    }
    while (slots.length > 0) {
      this.#skipWholeRounds(ticks);
      let kept = 0;
      for (let at = 0; at < slots.length; at++) {
        const iceberg = slots[at] as OrderSlot;
        const openLots = lots[at] as number;
        const slice = Math.min(displayLotsOf(orders, iceberg), openLots);
        const left = this.#meet(iceberg, ticks, slice, openLots);
        if (left === TAKER_ENDS) return true;
        if (left === 0) continue;
        slots[kept] = iceberg;
        lots[kept++] = left;
      }
      slots.length = kept;
      lots.length = kept;
    }
    return false;
  }

  /**
   * The taker meets the visible part of one order. Returns what the order then has open, 0 if it ends, or
   * TAKER_ENDS if the taker stops before it or at it.
   */
  #meet(slot: OrderSlot, ticks: Ticks, shownLots: number, openLots: number): number {
    const plan = this.#plan;
    if (this.#wantedLots === 0) return TAKER_ENDS;
    if (this.#reducibleLots === 0) return this.#end('reduced');
    if (plan.met === this.#terms.ordersMax) return this.#end('cut');
    plan.met++;
    if (isOwn(this.#orders, this.#taker, slot)) {
      plan.ownOrders++;
      if (this.#taker.stpMode !== STP_EXPIRE_TAKER) this.#terms.onMeeting?.(slot, ticks, 0);
      return this.#taker.stpMode === STP_EXPIRE_MAKER ? 0 : this.#end('own');
    }
    const makerReduces = isReduceOnly(this.#orders, slot);
    const makerLots = makerReduces ? this.#reducibleOf(slot) : openLots;
    const lots = Math.min(this.#wantedLots, shownLots, makerLots, this.#reducibleLots);
    this.#terms.onMeeting?.(slot, ticks, lots);
    if (lots === 0) return 0;
    this.#take(slot, lots);
    // Its own match has closed the position: it ends there, whatever else is in the book.
    if (this.#reducibleLots === 0 && this.#wantedLots > 0) return this.#end('reduced');
    if (makerReduces && lots === makerLots) return 0;
    // The rest of a slice stays in front: a taker that leaves some has all the lots it wanted.
    return openLots - lots;
  }

  #end(by: PlanEnd): typeof TAKER_ENDS {
    this.#plan.endedBy = by;
    return TAKER_ENDS;
  }

  #take(slot: OrderSlot, lots: number): void {
    this.#plan.lots = (this.#plan.lots + lots) as Lots;
    this.#wantedLots -= lots;
    if (this.#taker.onlyReduces) this.#reducibleLots -= lots;
    if (this.#positions === undefined) return;
    const sign = this.#taker.side === BUY ? 1 : -1;
    this.#move(this.#taker.account, sign * lots);
    this.#move(accountOf(this.#orders, slot), -sign * lots);
  }

  #move(account: number, lots: number): void {
    this.#positions?.set(account, this.#lotsOf(account) + lots);
  }

  #lotsOf(account: number): number {
    const { positionOf } = this.#terms;
    assert(positionOf !== undefined, 'where somebody reduces, positions are known');
    return this.#positions?.get(account) ?? positionOf(account);
  }

  /** What an account could take off its position by buying or selling. */
  #reducible(account: number, isBuy: boolean): number {
    const lots = this.#lotsOf(account);
    return Math.max(0, isBuy ? -lots : lots);
  }

  #reducibleOf(slot: OrderSlot): number {
    const orders = this.#orders;
    return this.#reducible(accountOf(orders, slot), sideOf(orders, slot) === BUY);
  }

  /** Counts rounds in which every slice is whole and nobody ends, without walking them. */
  #skipWholeRounds(ticks: Ticks): void {
    const orders = this.#orders;
    const slots = this.#againSlots;
    const rounds = this.#wholeRounds();
    if (rounds < 1) return;
    const { onMeeting } = this.#terms;
    for (let round = 0; round < rounds && onMeeting !== undefined; round++) {
      for (const slot of slots) onMeeting(slot, ticks, displayLotsOf(orders, slot));
    }
    slots.forEach((slot, at) => {
      const lots = rounds * displayLotsOf(orders, slot);
      this.#againLots[at] = (this.#againLots[at] as number) - lots;
      this.#take(slot, lots);
    });
    this.#plan.met += rounds * slots.length;
  }

  #wholeRounds(): number {
    const orders = this.#orders;
    const slots = this.#againSlots;
    let roundLots = 0;
    let rounds = Math.floor((this.#terms.ordersMax - this.#plan.met) / slots.length);
    slots.forEach((slot, at) => {
      const display = displayLotsOf(orders, slot);
      roundLots += display;
      rounds = Math.min(rounds, roundsBefore(this.#againLots[at] as number, display));
    });
    rounds = Math.min(rounds, Math.floor(this.#wantedLots / roundLots));
    if (this.#taker.onlyReduces) {
      rounds = Math.min(rounds, roundsBefore(this.#reducibleLots, roundLots));
    }
    if (rounds < 1 || this.#positions === undefined) return rounds;
    return Math.min(rounds, this.#roundsOfReducers());
  }

  /** How many rounds leave every account that only reduces with something still to reduce. */
  #roundsOfReducers(): number {
    const orders = this.#orders;
    const lotsByAccount = new Map<number, number>();
    for (const slot of this.#againSlots) {
      const accountIndex = accountOf(orders, slot);
      const lots = (lotsByAccount.get(accountIndex) ?? 0) + displayLotsOf(orders, slot);
      lotsByAccount.set(accountIndex, lots);
    }
    let rounds = Number.MAX_SAFE_INTEGER;
    for (const slot of this.#againSlots) {
      if (!isReduceOnly(orders, slot)) continue;
      const accountIndex = accountOf(orders, slot);
      // An account that trades with itself keeps its position: those slices are walked.
      if (accountIndex === this.#taker.account) return 0;
      const lots = lotsByAccount.get(accountIndex) as number;
      rounds = Math.min(rounds, roundsBefore(this.#reducibleOf(slot), lots));
    }
    return rounds;
  }
}

const TAKER_ENDS = -1;

/** The most rounds of a size that leave something of the whole. */
const roundsBefore = (wholeLots: number, roundLots: number): number =>
  Math.ceil(wholeLots / roundLots) - 1;

function clear(plan: Plan): void {
  plan.lots = 0 as Lots;
  plan.tickLots = 0n;
  plan.lastTicks = 0 as Ticks;
  plan.met = 0;
  plan.ownOrders = 0;
  plan.endedBy = undefined;
}
