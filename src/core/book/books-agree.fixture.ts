/**
 * Applies the same random operations to the fast book and the plain one and compares every outcome, every
 * plan and every level. Seeded: a difference is thrown with its seed and operation.
 */

import { assert } from '../../domain/assert.ts';
import {
  BUY,
  opposite,
  SELL,
  type SideCode,
  STP_EXPIRE_BOTH,
  STP_NONE,
  type StpCode,
} from '../../domain/order-codes.ts';
import type { FamilyIndex, Lots, Ticks } from '../../domain/units.ts';
import { auditBook } from '../audit/audit-book.ts';
import {
  closeOrder,
  newOrders,
  type OrderSlot,
  type Orders,
  openOrder,
  orderIdOf,
  setDisplayLots,
  setFamily,
  setOpenLots,
  setPriceTicks,
  setSide,
  setTotalLots,
  slotOf,
} from '../memory/order-rows.ts';
import {
  type Book,
  bestLevel,
  bestTicks,
  NO_LEVEL,
  newBook,
  nextLevel,
  removeResting,
  rest,
  shrinkResting,
} from './book.ts';
import {
  applyMatch,
  EXPIRES_BOTH,
  EXPIRES_MAKER,
  EXPIRES_TAKER,
  MEETS_NOBODY,
  newMatch,
  newTaker,
  nextMatch,
  type Taker,
} from './match.ts';
import {
  levelsOfPlain,
  newPlainBook,
  type PlainBook,
  type PlainLevel,
  type PlainOrder,
  type PlainOutcome,
  planPlain,
  removePlain,
  restPlain,
  shrinkPlain,
  takePlain,
} from './plain-book.fixture.ts';
import { affordableLots, type Budget, newPlan, type Plan, planFills } from './plan.ts';

export type AgreeOptions = {
  readonly seed: number;
  readonly operations: number;
  /** About how many orders rest at the same time. */
  readonly live?: number;
  /** Takes the fast state through a snapshot now and then. */
  readonly copy?: (state: FastState) => FastState;
};
export type FastState = { readonly book: Book; readonly orders: Orders };
/** How often each kind of outcome happened, so that a test can check that it was covered at all. */
export type Tally = Record<PlainOutcome['kind'] | 'cancel' | 'shrink' | 'fok-refused', number>;

type Trial = {
  readonly random: () => number;
  fast: FastState;
  readonly plain: PlainBook;
  readonly live: PlainOrder[];
  midTicks: number;
  lastId: number;
  readonly tally: Tally;
};

export function letBooksAgree({ seed, operations, live = 120, copy }: AgreeOptions): Tally {
  const trial: Trial = {
    random: mulberry32(seed),
    fast: { book: newBook(), orders: newOrders(8) },
    plain: newPlainBook(),
    live: [],
    midTicks: 50_000,
    lastId: 1_000_000_000_000,
    tally: {
      match: 0,
      'maker-expires': 0,
      'taker-expires': 0,
      cancel: 0,
      shrink: 0,
      'fok-refused': 0,
    },
  };
  for (let operation = 0; operation < operations; operation++) {
    const where = `seed ${seed}, operation ${operation}`;
    const draw = trial.random() % 100;
    const cancels = trial.live.length > live ? 50 : 15;
    if (draw < cancels) cancelSome(trial);
    else if (draw < cancels + 5) shrinkSome(trial);
    else placeSome(trial, where);
    if (operation % 64 === 0) compareLevels(trial, where);
    if (copy !== undefined && operation % 1009 === 0) trial.fast = copy(trial.fast);
  }
  return trial.tally;
}

function placeSome(trial: Trial, where: string): void {
  const { random, fast, plain, tally } = trial;
  const order = someOrder(trial);
  const taker = takerOf(order, (random() % 4) as StpCode);
  const intent = random() % 10;
  const isByAmount = intent === 0 && order.side === BUY;
  const isFok = intent === 1;
  const isIoc = intent === 2 || isByAmount;
  const budget = isByAmount ? someBudget(trial, order) : undefined;
  if (budget !== undefined) taker.openLots = Number.MAX_SAFE_INTEGER as Lots;
  const planned = comparePlans(trial, taker, budget, where);
  if (isFok && planned < taker.openLots) {
    tally['fok-refused']++;
    return;
  }
  const plainTaker = { ...taker };
  const expected = takePlain(plain, plainTaker, budget === undefined ? undefined : { ...budget });
  const outcomes = takeFast(fast, taker, budget);
  expectSame(outcomes, expected, `${where}: the outcomes`);
  for (const { kind } of outcomes) tally[kind]++;
  forgetClosed(trial, outcomes);
  if (isIoc || outcomes.at(-1)?.kind === 'taker-expires' || plainTaker.openLots === 0) return;
  order.openLots = plainTaker.openLots;
  restPlain(plain, order);
  restFast(fast, order);
  trial.live.push(order);
}

/** Prices mostly near a wandering middle; some far, a few as far as prices go. */
function someOrder(trial: Trial): PlainOrder {
  const { random } = trial;
  if (random() % 50 === 0) trial.midTicks += random() % 2 === 0 ? 1 : -1;
  const side = (random() % 2) as SideCode;
  const distance = random() % 100;
  const reach = distance < 90 ? 12 : distance < 98 ? 40_000 : Number.MAX_SAFE_INTEGER - 100_000;
  const away = Math.floor((random() / 2 ** 32) * reach) - 4;
  const priceTicks = side === BUY ? trial.midTicks - away : trial.midTicks + away;
  const totalLots = random() % 40 === 0 ? 1 + random() * 1000 : 1 + (random() % 50);
  const isIceberg = random() % 3 === 0;
  const displayLots = isIceberg ? Math.ceil(totalLots / (1 + (random() % 9))) : totalLots;
  return {
    orderId: ++trial.lastId,
    family: random() % 5,
    side,
    priceTicks: Math.max(1, priceTicks),
    displayLots,
    totalLots,
    openLots: totalLots,
  };
}

function someBudget({ random }: Trial, order: PlainOrder): Budget {
  const perTickLot = BigInt(1 + (random() % 3) * 1000);
  const spend = BigInt(order.priceTicks) * BigInt(order.totalLots) * perTickLot;
  return { amountParts: spend + BigInt(random() % 5000), perTickLot };
}

function takerOf(order: PlainOrder, stpMode: StpCode): Taker {
  return {
    ...newTaker(),
    side: order.side,
    limitTicks: order.priceTicks as Ticks,
    openLots: order.openLots as Lots,
    family: order.family as FamilyIndex,
    stpMode,
  };
}

function takeFast({ book, orders }: FastState, taker: Taker, budget?: Budget): PlainOutcome[] {
  const outcomes: PlainOutcome[] = [];
  const match = newMatch();
  let leftParts = budget?.amountParts ?? 0n;
  for (;;) {
    if (budget !== undefined) {
      const best = bestTicks(book, opposite(taker.side));
      const rest = { ...budget, amountParts: leftParts };
      taker.openLots = best === undefined ? (0 as Lots) : affordableLots(rest, best);
    }
    const meeting = nextMatch(book, orders, taker, match);
    if (meeting === MEETS_NOBODY) return outcomes;
    const { maker, priceTicks: ticks, lots } = match;
    const makerId = orderIdOf(orders, maker);
    if (meeting === EXPIRES_MAKER || meeting === EXPIRES_BOTH) {
      outcomes.push({ kind: 'maker-expires', makerId });
      removeResting(book, orders, maker);
      closeOrder(orders, maker);
    }
    if (meeting === EXPIRES_TAKER || meeting === EXPIRES_BOTH) {
      outcomes.push({ kind: 'taker-expires' });
      return outcomes;
    }
    if (lots === 0) continue;
    outcomes.push({ kind: 'match', makerId, ticks, lots });
    leftParts -= BigInt(ticks) * BigInt(lots) * (budget?.perTickLot ?? 0n);
    if (applyMatch(book, orders, taker, match)) closeOrder(orders, maker);
  }
}

function restFast({ book, orders }: FastState, order: PlainOrder): void {
  const slot = openOrder(orders, order.orderId);
  setFamily(orders, slot, order.family);
  setSide(orders, slot, order.side);
  setPriceTicks(orders, slot, order.priceTicks);
  setTotalLots(orders, slot, order.totalLots);
  setOpenLots(orders, slot, order.openLots);
  setDisplayLots(orders, slot, order.displayLots);
  rest(book, orders, slot);
}

function cancelSome({ random, fast, plain, live, tally }: Trial): void {
  if (live.length === 0) return;
  const [order] = live.splice(random() % live.length, 1) as [PlainOrder];
  const slot = slotOf(fast.orders, order.orderId);
  removeResting(fast.book, fast.orders, slot);
  closeOrder(fast.orders, slot);
  removePlain(plain, order);
  tally.cancel++;
}

function shrinkSome({ random, fast, live, tally }: Trial): void {
  const order = live[random() % Math.max(1, live.length)];
  if (order === undefined || order.openLots === 1) return;
  const totalLots = order.totalLots - (1 + (random() % Math.min(order.openLots - 1, 1000)));
  shrinkResting(fast.book, fast.orders, slotOf(fast.orders, order.orderId), totalLots as Lots);
  shrinkPlain(order, totalLots);
  tally.shrink++;
}

function forgetClosed(trial: Trial, outcomes: readonly PlainOutcome[]): void {
  for (const outcome of outcomes) {
    if (outcome.kind === 'taker-expires') continue;
    const at = trial.live.findIndex(({ orderId }) => orderId === outcome.makerId);
    const maker = trial.live[at];
    if (maker !== undefined && (outcome.kind === 'maker-expires' || maker.openLots === 0)) {
      trial.live.splice(at, 1);
    }
  }
}

/** Returns the lots that both plans agree on. Cut anywhere, a plan is a prefix of the whole one. */
function comparePlans(
  { fast, plain, random }: Trial,
  taker: Taker,
  budget: Budget | undefined,
  where: string,
): number {
  const outcomes = planPlain(plain, taker, budget);
  const whole = { budget, ordersMax: Number.MAX_SAFE_INTEGER };
  const { plan } = comparePlan(fast, taker, whole, outcomes, where);
  if (plan.met > 0 && random() % 4 === 0) {
    const ordersMax = random() % (plan.met + 2);
    comparePlan(fast, taker, { budget, ordersMax }, outcomes, `${where}, cut at ${ordersMax}`);
  }
  assert(taker.stpMode !== STP_NONE || plan.ownOrders === 0, 'NONE prevents nothing');
  return plan.lots;
}

type Planned = { readonly plan: Plan; readonly meetings: readonly string[] };

function comparePlan(
  { book, orders }: FastState,
  taker: Taker,
  terms: { readonly budget: Budget | undefined; readonly ordersMax: number },
  outcomes: readonly PlainOutcome[],
  where: string,
): Planned {
  const plan = newPlan();
  const meetings: string[] = [];
  planFills({ book, orders, taker, terms: { ...terms, onMeeting: note } }, plan);
  function note(maker: OrderSlot, _: Ticks, lots: number): void {
    meetings.push(`${orderIdOf(orders, maker)} gives ${lots}`);
  }
  const planned = { plan, meetings };
  expectSame(planned, plannedByPlain(taker, terms.ordersMax, outcomes), `${where}: the plan`);
  return planned;
}

function plannedByPlain(
  { stpMode }: Taker,
  ordersMax: number,
  outcomes: readonly PlainOutcome[],
): Planned {
  const plan = newPlan();
  const meetings: string[] = [];
  for (const outcome of outcomes) {
    // If both expire, the end of the taker belongs to the previous meeting.
    const isSecond = outcome.kind === 'taker-expires' && stpMode === STP_EXPIRE_BOTH;
    if (plan.met === ordersMax && !isSecond) {
      plan.endedBy = 'cut';
      break;
    }
    if (!isSecond) plan.met++;
    if (outcome.kind === 'match') {
      plan.lots = (plan.lots + outcome.lots) as Lots;
      plan.tickLots += BigInt(outcome.ticks) * BigInt(outcome.lots);
      plan.lastTicks = outcome.ticks as Ticks;
      meetings.push(`${outcome.makerId} gives ${outcome.lots}`);
      continue;
    }
    if (!isSecond) plan.ownOrders++;
    if (outcome.kind === 'taker-expires') plan.endedBy = 'own';
    else meetings.push(`${outcome.makerId} gives 0`);
  }
  return { plan, meetings };
}

function compareLevels({ fast, plain }: Trial, where: string): void {
  for (const side of [BUY, SELL] as const) {
    expectSame(levelsOfFast(fast.book, side), levelsOfPlain(plain, side), `${where}: the levels`);
  }
  expectSame(auditBook(fast.book, fast.orders), [], `${where}: the audit`);
  const resting = plain[BUY].length + plain[SELL].length;
  expectSame(fast.orders.openCount, resting, `${where}: the number of orders`);
}

function levelsOfFast(book: Book, side: SideCode): PlainLevel[] {
  const found: PlainLevel[] = [];
  let level = bestLevel(book, side);
  for (; level !== NO_LEVEL; level = nextLevel(book, side, level)) {
    found.push({
      priceTicks: book.levels.priceTicks[level] as number,
      visibleLots: book.levels.visibleLots[level] as number,
      openLots: book.levels.openLots[level] as number,
    });
  }
  return found;
}

function expectSame(actual: unknown, expected: unknown, claim: string): void {
  const a = textOf(actual);
  const b = textOf(expected);
  assert(a === b, `${claim} agree; fast ${a}, plain ${b}`);
}

const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? `${part}n` : part));

function mulberry32(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}
