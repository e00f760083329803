import { ceilDiv, floorDiv } from '../../domain/decimal.ts';
import { encodeEvent } from '../../domain/event-codec.ts';
import { type LiquidationPhase, NO_ELEMENT } from '../../domain/events.ts';
import type { ByteWriter } from '../../domain/pack.ts';
import { SOURCES } from '../../domain/terms.ts';
import { type AccountIndex, amount, exactNumber, type MarketIndex } from '../../domain/units.ts';
import { BUY, SELL, type SideCode } from '../book/codes.ts';
import {
  insuranceHolds,
  payFromInsurance,
  payShortfall,
  takeForInsurance,
} from '../ledger/insurance.ts';
import { purseOf } from '../ledger/ledger.ts';
import { planStep, rankOpponents, type StepPlan } from '../risk/liquidation-plan.ts';
import { type Hypothesis, isBelow50, marginOf } from '../risk/margin.ts';
import { NO_STANDING } from '../risk/standings.ts';
import { beUnsure } from '../risk/watch.ts';
import type { Account, Market, State } from '../state.ts';
import { openOrdersOf } from './cancel-order.ts';
import { endOrder, marketOfOrder } from './end-order.ts';
import { standingIn } from './placing.ts';
import { sellCollateral } from './sell-collateral.ts';
import { meetDirectly, takeNow } from './system-order.ts';

/** Every half second a failing account is one step further. */
export const STEP_MS = 500;
/** After so many steps in which nobody took anything, the rest is closed by force. */
export const FRUITLESS_MAX = 5;
/** Of the filled notional: 0.5 %. */
const FEE_DIVISOR = 200n;
const HELP_TICKS_MAX = 2n ** 40n;

/** The ratio has reached 100: every order goes, and half a second later the first step comes. */
export function startLiquidation(state: State, row: AccountIndex, out: ByteWriter): void {
  const account = state.accounts[row] as Account;
  const { standings } = state;
  account.liquidating = true;
  for (const slot of openOrdersOf(state, account)) {
    const end = {
      element: NO_ELEMENT,
      state: 'CANCELED_BY_USER',
      reason: 'ACCOUNT_STATUS',
    } as const;
    endOrder(state, marketOfOrder(state, slot), slot, end, out);
  }
  for (let at = account.firstStanding; at !== NO_STANDING; at = standings.next[at] as number) {
    standings.startLots[at] = Math.abs(standings.lots[at] as number);
  }
  const { collateral, maintenance } = marginOf(state, row, account);
  encodeEvent(out, {
    kind: 'liquidation-started',
    account: row,
    collateral: amount(collateral),
    maintenanceMargin: amount(maintenance),
  });
  // What its orders had set aside backs it again: that may be enough.
  if (maintenance < collateral) {
    endLiquidation(state, row, account, out);
    return;
  }
  account.stepAtMs = state.timeMs + STEP_MS;
  account.fruitlessSteps = 0;
  state.liquidating.push(row);
}

function endLiquidation(state: State, row: AccountIndex, account: Account, out: ByteWriter): void {
  account.liquidating = false;
  const at = state.liquidating.indexOf(row);
  if (at >= 0) state.liquidating.splice(at, 1);
  const { collateral, maintenance } = marginOf(state, row, account);
  encodeEvent(out, {
    kind: 'liquidation-ended',
    account: row,
    collateral: amount(collateral),
    maintenanceMargin: amount(maintenance),
  });
  beUnsure(state.watch, row);
}

/** One step for one account: what rules 5 and 6 of the liquidation say, in their order. */
export function stepLiquidation(state: State, row: AccountIndex, out: ByteWriter): void {
  const account = state.accounts[row] as Account;
  account.stepAtMs = state.timeMs + STEP_MS;
  if (isBelow80(state, row, account)) {
    endLiquidation(state, row, account, out);
    return;
  }
  const plan = planStep(state, row, account);
  if (plan !== undefined) closeSlice(state, row, account, plan, out);
  else if (!hasPosition(state, account)) sellCollateral(state, row, account, out);
  if (isBelow80(state, row, account)) endLiquidation(state, row, account, out);
}

function isBelow80(state: State, row: AccountIndex, account: Account): boolean {
  const { collateral, maintenance } = marginOf(state, row, account);
  return maintenance === 0n || 5n * maintenance < 4n * collateral;
}

function hasPosition(state: State, account: Account): boolean {
  const { standings } = state;
  for (let at = account.firstStanding; at !== NO_STANDING; at = standings.next[at] as number) {
    if (standings.lots[at] !== 0) return true;
  }
  return false;
}

/** (a) the book at Pb, (b) backstops at Pb, (c) the book with the fund's help, (d) ADL. */
function closeSlice(
  state: State,
  row: AccountIndex,
  account: Account,
  plan: StepPlan,
  out: ByteWriter,
): void {
  const isBroke = plan.collateral <= 0n;
  const filled =
    byBook(state, row, plan, out) ||
    (isBroke ? 0 : byBackstops(state, row, plan, out)) ||
    byInsuredBook(state, row, plan, out);
  if (filled > 0) {
    account.fruitlessSteps = 0;
    return;
  }
  account.fruitlessSteps++;
  if (isBroke || account.fruitlessSteps >= FRUITLESS_MAX) {
    byDeleveraging(state, row, plan, out);
    account.fruitlessSteps = 0;
  } else tellStep(state, row, plan, 'nobody', 0, 0n, out);
}

const closingSide = (plan: StepPlan): SideCode => (plan.lots > 0 ? SELL : BUY);

function orderOf(
  row: AccountIndex,
  plan: StepPlan,
  lots: number,
  priceTicks: number,
  source: number,
) {
  const market = plan.market as MarketIndex;
  return { row, market, side: closingSide(plan), lots, priceTicks, source };
}

function insideBand(market: Market, ticks: number): number {
  return Math.min(market.price.upperTicks, Math.max(market.price.lowerTicks, ticks));
}

function byBook(state: State, row: AccountIndex, plan: StepPlan, out: ByteWriter): number {
  const market = state.markets[plan.market] as Market;
  const limit = insideBand(market, plan.bankruptcyTicks);
  const order = orderOf(row, plan, plan.sliceLots, limit, SOURCES.POSITION_LIQUIDATION);
  const filled = takeNow(state, order, out);
  if (filled > 0) finishFill(state, row, plan, 'book', filled, 0n, out);
  return filled;
}

/** The limit moves by what the fund can pay for; it pays the difference to Pb at once. */
function byInsuredBook(state: State, row: AccountIndex, plan: StepPlan, out: ByteWriter): number {
  const market = state.markets[plan.market] as Market;
  const fund = insuranceHolds(state);
  const perTick = BigInt(plan.sliceLots) * market.perTickLot;
  // More than the whole band is more than can be used.
  const help = floorDiv(fund, perTick);
  const helpTicks = help < HELP_TICKS_MAX ? exactNumber(help) : exactNumber(HELP_TICKS_MAX);
  if (helpTicks < 1) return 0;
  const moved = plan.lots > 0 ? plan.bankruptcyTicks - helpTicks : plan.bankruptcyTicks + helpTicks;
  const limit = insideBand(market, Math.max(1, moved));
  const before = state.standings.cost[plan.standing] as bigint;
  const realisedBefore = nativeOf(state, row);
  const order = orderOf(row, plan, plan.sliceLots, limit, SOURCES.POSITION_LIQUIDATION);
  const filled = takeNow(state, order, out);
  if (filled === 0) return 0;
  // What was had for the slice: what came in, and the cost it took along.
  const had =
    nativeOf(state, row) -
    realisedBefore +
    (before - (state.standings.cost[plan.standing] as bigint));
  const wanted = BigInt(plan.bankruptcyTicks) * BigInt(filled) * market.perTickLot;
  const missing = plan.lots > 0 ? wanted - had : -had - wanted;
  const paid = missing > 0n ? payFromInsurance(state, row, missing) : 0n;
  finishFill(state, row, plan, 'insured', filled, paid, out);
  return filled;
}

const nativeOf = (state: State, row: AccountIndex): bigint =>
  state.ledger.available[purseOf(state.ledger, row, state.native)] ?? 0n;

/** Providers take over at Pb what their limits and their margin allow. */
function byBackstops(state: State, row: AccountIndex, plan: StepPlan, out: ByteWriter): number {
  let rest = plan.sliceLots;
  for (const backstop of state.backstops) {
    if (backstop.market !== plan.market || backstop.account === row || rest === 0) continue;
    const lots = Math.min(rest, roomOf(state, backstop, plan));
    if (lots < 1) continue;
    const source = SOURCES.BLP_ASSIGNMENT;
    const taker = orderOf(row, plan, lots, plan.bankruptcyTicks, source);
    const side = closingSide(plan) === BUY ? SELL : BUY;
    meetDirectly(state, taker, { ...taker, row: backstop.account, side }, out);
    beUnsure(state.watch, backstop.account);
    rest -= lots;
  }
  const filled = plan.sliceLots - rest;
  if (filled > 0) finishFill(state, row, plan, 'backstop', filled, 0n, out);
  return filled;
}

function roomOf(state: State, backstop: State['backstops'][number], plan: StepPlan): number {
  const account = state.accounts[backstop.account] as Account;
  const market = state.markets[plan.market] as Market;
  if (account.liquidating) return 0;
  const order = { market: plan.market as MarketIndex };
  const standing = standingIn(state, { row: backstop.account, account, market, order });
  const held = state.standings.lots[standing] as number;
  const sign = plan.lots > 0 ? 1 : -1;
  const lots = Math.min(plan.sliceLots, Math.max(0, backstop.maxLots - sign * held));
  const cost = BigInt(sign * lots) * BigInt(plan.bankruptcyTicks) * market.perTickLot;
  const nothing = { buyLots: 0, sellLots: 0, orderLoss: 0n };
  const hypothesis: Hypothesis = {
    market: plan.market,
    standing,
    lots: sign * lots,
    cost,
    ...nothing,
  };
  const margin = marginOf(state, backstop.account, account, hypothesis);
  return margin.collateral >= margin.initial && isBelow50(margin) ? lots : 0;
}

/**
 * Closes all that is left, against those who stand on the other side. Liquidating accounts meet at the
 * mark; others at Pb, but give up no more than their unrealised profit: what is missing then comes
 * from the fund, and what the fund has not from the deficit.
 */
function byDeleveraging(state: State, row: AccountIndex, plan: StepPlan, out: ByteWriter): void {
  const market = state.markets[plan.market] as Market;
  let rest = Math.abs(plan.lots);
  let paid = 0n;
  for (const opponent of rankOpponents(state, plan.market, plan.standing)) {
    if (rest === 0) break;
    const lots = Math.min(rest, Math.abs(opponent.lots));
    const isLiquidating = (state.accounts[opponent.row] as Account).liquidating;
    const price = isLiquidating
      ? markTicks(market, plan)
      : fairTicks(state, market, opponent.standing, plan);
    const taker = orderOf(row, plan, lots, price, SOURCES.ADL);
    const side = closingSide(plan) === BUY ? SELL : BUY;
    meetDirectly(state, taker, { ...taker, row: opponent.row, side }, out);
    beUnsure(state.watch, opponent.row);
    if (!isLiquidating) {
      const better = plan.lots > 0 ? plan.bankruptcyTicks - price : price - plan.bankruptcyTicks;
      const missing = BigInt(better) * BigInt(lots) * market.perTickLot;
      if (missing > 0n) paid += payShortfall(state, row, missing);
    }
    rest -= lots;
  }
  finishFill(state, row, plan, 'adl', Math.abs(plan.lots) - rest, paid, out);
}

/** The mark to the tick, in the favour of the one who is called upon. */
const markTicks = (market: Market, plan: StepPlan): number =>
  Math.max(1, plan.lots > 0 ? market.price.floorTicks : market.price.ceilTicks);

/** Pb, or as near to it as the opponent's own profit allows: its entry, if it is ahead, else the mark. */
function fairTicks(state: State, market: Market, standing: number, plan: StepPlan): number {
  const { standings } = state;
  const lots = standings.lots[standing] as number;
  const cost = standings.cost[standing] as bigint;
  const size = BigInt(Math.abs(lots)) * market.perTickLot;
  const mark = markTicks(market, plan);
  if (lots < 0) {
    // A short buys back: never above its entry, or above the mark if that is dearer.
    const entry = exactNumber(floorDiv(-cost, size));
    return Math.max(1, Math.min(plan.bankruptcyTicks, Math.max(entry, mark)));
  }
  const entry = exactNumber(ceilDiv(cost, size));
  return Math.max(plan.bankruptcyTicks, Math.min(entry, mark));
}

/** The fee of the fund, from what is left, and the step as history keeps it. */
function finishFill(
  state: State,
  row: AccountIndex,
  plan: StepPlan,
  phase: LiquidationPhase,
  filled: number,
  help: bigint,
  out: ByteWriter,
): void {
  const market = state.markets[plan.market] as Market;
  const account = state.accounts[row] as Account;
  const { mark } = market.price;
  const notional = (BigInt(filled) * mark * market.valueNumerator) / market.valueDenominator;
  const { collateral } = marginOf(state, row, account);
  const due = ceilDiv(notional, FEE_DIVISOR);
  const fee = collateral <= 0n ? 0n : due < collateral ? due : collateral;
  if (fee > 0n) takeForInsurance(state, row, fee);
  tellStep(state, row, plan, phase, filled, help, out, fee);
}

function tellStep(
  state: State,
  row: AccountIndex,
  plan: StepPlan,
  phase: LiquidationPhase,
  filled: number,
  help: bigint,
  out: ByteWriter,
  fee = 0n,
): void {
  encodeEvent(out, {
    kind: 'liquidation-step',
    account: row,
    market: plan.market as MarketIndex,
    phase,
    collateral: amount(plan.collateral),
    maintenanceMargin: amount(plan.maintenance),
    lots: plan.lots,
    sliceLots: plan.sliceLots,
    bankruptcyTicks: plan.bankruptcyTicks,
    mark: (state.markets[plan.market] as Market).price.mark as never,
    filledLots: filled,
    help: amount(help),
    fee: amount(fee),
  });
}
