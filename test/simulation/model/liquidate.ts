import { checkAccount, lowerTicks, upperTicks } from './checks.ts';
import { line } from './event-lines.ts';
import { closeOrder } from './execute.ts';
import { fundHas, helpFromFund, payFund, payMissing } from './fund.ts';
import { isBelow, maintenanceMargin, marginOf, mayPlace } from './margin.ts';
import { isTradable } from './prices.ts';
import { sellCollateral } from './sell-collateral.ts';
import {
  accountAt,
  type Backstop,
  type Liquidation,
  type Model,
  marketAt,
  must,
  NO_ELEMENT,
  positionOf,
} from './state.ts';
import { meet, type SystemOrder, takeNow } from './system-order.ts';
import { STEP_MS } from './tick.ts';
import {
  bigMax,
  bigMin,
  divideDown,
  divideUp,
  markValueDown,
  markValueUp,
  tickSize,
  valueAt,
} from './values.ts';
import { cancelForLiquidation } from './wallet.ts';

/** Liquidation: start, steps, fee and end. */

/** The step of a position, counted since the last completely closed slice, from which ADL is used. */
const ADL_FROM_STEP = 5;
const LIQUIDATION = 103;
const ADL = 108;
const BACKSTOP = 150;

/** Cancels every order; an account that is below 100 after that is done. */
export function startLiquidation(model: Model, accountIndex: number): void {
  const account = accountAt(model, accountIndex);
  model.orders
    .filter((order) => order.account === accountIndex)
    .sort((a, b) => a.orderId - b.orderId)
    .forEach((order) => {
      closeOrder(model, order, NO_ELEMENT, 'CANCELED_BY_USER', 'ACCOUNT_STATUS');
    });
  cancelForLiquidation(model, accountIndex);
  emitMargin(model, 'liquidation-started', accountIndex);
  if (isBelow(marginOf(model, accountIndex), 100n)) {
    emitMargin(model, 'liquidation-ended', accountIndex);
    return;
  }
  const sizes = [...account.positions].map(([market, { lots }]) => [market, Math.abs(lots)]);
  account.liquidation = {
    stepAtMs: model.timeMs + STEP_MS,
    startLots: new Map(sizes as [number, number][]),
    unclosedSteps: new Map(),
    unsoldSteps: 0,
  };
  model.liquidating.push(accountIndex);
}

function emitMargin(model: Model, kind: string, account: number): void {
  const { collateral, maintenance } = marginOf(model, account);
  model.emitted.push(line(kind, { account, collateral, maintenance }));
}

/** Executes the next due step; returns whether there was one. */
export function stepNext(model: Model): boolean {
  const accountIndex = model.liquidationSteps.shift();
  if (accountIndex === undefined) return false;
  const liquidation = must(accountAt(model, accountIndex).liquidation);
  if (!isBelow(marginOf(model, accountIndex), 80n)) {
    const step = planStep(model, accountIndex, liquidation);
    if (step !== undefined) closeSlice(model, step, liquidation);
    else if (isFlat(model, accountIndex)) sellCollateral(model, accountIndex, liquidation);
  }
  if (isBelow(marginOf(model, accountIndex), 80n)) {
    accountAt(model, accountIndex).liquidation = undefined;
    model.liquidating = model.liquidating.filter((one) => one !== accountIndex);
    emitMargin(model, 'liquidation-ended', accountIndex);
  }
  return true;
}

const isFlat = (model: Model, accountIndex: number): boolean =>
  [...accountAt(model, accountIndex).positions.values()].every(({ lots }) => lots === 0);

type Step = {
  readonly accountIndex: number;
  readonly market: number;
  readonly lots: number;
  readonly slice: number;
  /** The bankruptcy price, in ticks. */
  readonly pb: number;
  readonly collateral: bigint;
  readonly maintenance: bigint;
};

/** The position with the largest MM in an OPEN market with a fresh mark. */
function planStep(
  model: Model,
  accountIndex: number,
  { startLots }: Liquidation,
): Step | undefined {
  const { collateral, maintenance } = marginOf(model, accountIndex);
  const held = [...accountAt(model, accountIndex).positions].filter(([, { lots }]) => lots !== 0);
  const own = held.map(([market, { lots }]) => ({ market, lots, mm: mmAt(model, market, lots) }));
  const sum = own.reduce((all, { mm }) => all + mm, 0n);
  const [chosen] = own
    .filter(({ market }) => isTradable(model, marketAt(model, market)))
    .sort((a, b) => (a.mm === b.mm ? a.market - b.market : a.mm > b.mm ? -1 : 1));
  if (chosen === undefined) return undefined;
  const { market, lots, mm } = chosen;
  const share = divideDown(collateral * mm, sum);
  return {
    accountIndex,
    market,
    lots,
    slice: sliceOf(model, chosen, maintenance, collateral, startLots.get(market) ?? 0),
    pb: bankruptcyTicks(model, market, lots, share, collateral > 0n),
    collateral,
    maintenance,
  };
}

const mmAt = (model: Model, index: number, lots: number): bigint => {
  const market = marketAt(model, index);
  return maintenanceMargin(market, markValueUp(market, Math.abs(lots), market.mark));
};

/** The larger of 20 % of the start and what, closed at mark, brings the ratio to 80; at most everything. */
function sliceOf(
  model: Model,
  { market, lots, mm }: { readonly market: number; readonly lots: number; readonly mm: bigint },
  maintenance: bigint,
  collateral: bigint,
  startLots: number,
): number {
  const size = Math.abs(lots);
  const isEnough = (closed: number): boolean => {
    if (collateral <= 0n) return false;
    const left = maintenance - mm + mmAt(model, market, size - closed);
    return 100n * left <= 80n * collateral;
  };
  // Closing more leaves less margin, so the smallest sufficient size is found by binary search.
  let enough = size;
  for (let tooLittle = -1; enough - tooLittle > 1; ) {
    const middle = Math.floor((enough + tooLittle) / 2);
    if (isEnough(middle)) enough = middle;
    else tooLittle = middle;
  }
  return Math.min(size, Math.max(1, Math.ceil(startLots / 5), enough));
}

/** Pb = mark - C x share / (100 x quantity), rounded in the account's favour; inside the band while C is left. */
function bankruptcyTicks(
  model: Model,
  index: number,
  lots: number,
  share: bigint,
  isInBand: boolean,
): number {
  const market = marketAt(model, index);
  // mark / tick -+ share / (the value of a tick on the whole position), as one fraction.
  const tick = tickSize(market);
  const perTick = valueAt(market, 1, Math.abs(lots));
  const ticks =
    lots > 0
      ? Number(divideUp(market.mark * perTick - share * tick, tick * perTick))
      : Number(divideDown(market.mark * perTick + share * tick, tick * perTick));
  const least = Math.max(1, ticks);
  return isInBand ? insideBand(model, index, least) : least;
}

function insideBand(model: Model, index: number, ticks: number): number {
  const market = marketAt(model, index);
  return Math.min(upperTicks(market), Math.max(lowerTicks(market), ticks));
}

/** A part of a step: who took the lots, and what the fund and the deficit paid for it. */
type Part = { readonly phase: string; readonly lots: number; readonly help: bigint };

/** (a) book, (b) backstops, (c) insured book, (d) ADL; what one leaves of the slice goes to the next. */
function closeSlice(model: Model, step: Step, { unclosedSteps }: Liquidation): void {
  const parts: Part[] = [];
  const left = (): number => parts.reduce((rest, { lots }) => rest - lots, step.slice);
  const isBroke = step.collateral <= 0n;
  parts.push(byBook(model, step, left()));
  if (!isBroke) parts.push(byBackstops(model, step, left()));
  parts.push(byInsuredBook(model, step, left()));
  const unclosed = left() === 0 ? 0 : (unclosedSteps.get(step.market) ?? 0) + 1;
  unclosedSteps.set(step.market, unclosed);
  if (isBroke || unclosed >= ADL_FROM_STEP) parts.push(byDeleveraging(model, step, left()));

  const fee = payFee(model, step, step.slice - left());
  const filled = parts.filter(({ lots }) => lots > 0);
  if (filled.length === 0) filled.push({ phase: 'nobody', lots: 0, help: 0n });
  filled.forEach((part, at) => {
    emitStep(model, step, part, at === filled.length - 1 ? fee : 0n);
  });
}

const orderOf = (step: Step, lots: number, ticks: number, source: number): SystemOrder => ({
  account: step.accountIndex,
  market: step.market,
  side: step.lots > 0 ? 'SELL' : 'BUY',
  openLots: lots,
  priceTicks: ticks,
  source,
});

function byBook(model: Model, step: Step, wanted: number): Part {
  const limit = insideBand(model, step.market, step.pb);
  const order = takeNow(model, orderOf(step, wanted, limit, LIQUIDATION));
  return { phase: 'book', lots: wanted - order.openLots, help: 0n };
}

function byBackstops(model: Model, step: Step, wanted: number): Part {
  let rest = wanted;
  for (const backstop of model.backstops) {
    if (backstop.market !== step.market || backstop.account === step.accountIndex || rest === 0)
      continue;
    const lots = roomOf(model, backstop, step, rest);
    if (lots < 1) continue;
    meet(model, orderOf(step, lots, step.pb, BACKSTOP), backstop.account);
    rest -= lots;
  }
  return { phase: 'backstop', lots: wanted - rest, help: 0n };
}

/**
 * Up to its size and what its margin allows, which is not asked for what only reduces its position; nothing for
 * one that may not trade, or that a size of 0 has ended.
 */
function roomOf(model: Model, backstop: Backstop, step: Step, wanted: number): number {
  const { account, market, maxLots } = backstop;
  if (maxLots === 0 || checkAccount(model, account) !== undefined) return 0;
  const sign = Math.sign(step.lots);
  const held = sign * positionOf(model, account, market).lots;
  const carries = (lots: number): boolean => {
    const matches = [{ lots: sign * lots, priceTicks: step.pb }];
    return mayPlace(marginOf(model, account, { fills: { market, matches } }));
  };
  const most = Math.min(wanted, Math.max(0, maxLots - held));
  let carried = Math.min(most, Math.max(0, -held));
  if (carried === most || carries(most)) return most;
  for (let tooMuch = most; tooMuch - carried > 1; ) {
    const middle = Math.floor((carried + tooMuch) / 2);
    if (carries(middle)) carried = middle;
    else tooMuch = middle;
  }
  return carried;
}

/** The limit moves by what the fund can pay for; it pays the difference to Pb. */
function byInsuredBook(model: Model, step: Step, wanted: number): Part {
  const none = { phase: 'insured', lots: 0, help: 0n };
  if (wanted === 0) return none;
  const market = marketAt(model, step.market);
  const help = Number(divideDown(fundHas(model), valueAt(market, 1, wanted)));
  if (help < 1) return none;
  const moved = Math.max(1, step.lots > 0 ? step.pb - help : step.pb + help);
  const limit = insideBand(model, step.market, moved);
  const order = takeNow(model, orderOf(step, wanted, limit, LIQUIDATION));
  const lots = wanted - order.openLots;
  if (lots === 0) return none;
  const atPb = valueAt(market, step.pb, lots);
  const missing = step.lots > 0 ? atPb - order.filledCost : order.filledCost - atPb;
  return { phase: 'insured', lots, help: helpFromFund(model, step.accountIndex, missing) };
}

/** Exactly the rest of the slice, against accounts on the other side in the order of their rank. */
function byDeleveraging(model: Model, step: Step, wanted: number): Part {
  const market = marketAt(model, step.market);
  let rest = wanted;
  let help = 0n;
  const opponents = ranked(model, step);
  model.rankedOpponents += opponents.length;
  for (const accountIndex of opponents) {
    if (rest === 0) break;
    const lots = Math.min(rest, Math.abs(positionOf(model, accountIndex, step.market).lots));
    const isFailing = accountAt(model, accountIndex).liquidation !== undefined;
    const ticks = isFailing ? markTicks(model, step) : fairTicks(model, step, accountIndex);
    meet(model, orderOf(step, lots, ticks, ADL), accountIndex);
    rest -= lots;
    const missing = BigInt(Math.sign(step.lots) * (step.pb - ticks)) * valueAt(market, 1, lots);
    if (isFailing || missing <= 0n) continue;
    payMissing(model, step.accountIndex, missing);
    help += missing;
  }
  return { phase: 'adl', lots: wanted - rest, help };
}

/** Liquidating ones first; then by (unrealised PnL / |cost|) x (notional / C), then by id. */
function ranked(model: Model, step: Step): number[] {
  const market = marketAt(model, step.market);
  return [...model.accounts.values()]
    .filter(({ accountIndex }) => positionOf(model, accountIndex, step.market).lots * step.lots < 0)
    .map(({ accountIndex, liquidation }) => {
      const { lots, cost } = positionOf(model, accountIndex, step.market);
      const gain = markValueDown(market, lots, market.mark) - cost;
      const notional = markValueUp(market, Math.abs(lots), market.mark);
      const { collateral } = marginOf(model, accountIndex);
      const below =
        (cost === 0n ? 1n : cost < 0n ? -cost : cost) * (collateral > 0n ? collateral : 1n);
      return {
        accountIndex,
        group: liquidation === undefined ? 1 : 0,
        above: gain * notional,
        below,
      };
    })
    .sort((a, b) => {
      if (a.group !== b.group) return a.group - b.group;
      const [left, right] = [a.above * b.below, b.above * a.below];
      return left === right ? a.accountIndex - b.accountIndex : left > right ? -1 : 1;
    })
    .map(({ accountIndex }) => accountIndex);
}

/** The mark, rounded to the tick in the counterparty's favour: it buys from a long, and sells to a short. */
function markTicks(model: Model, step: Step): number {
  const market = marketAt(model, step.market);
  const round = step.lots > 0 ? divideDown : divideUp;
  return Math.max(1, Number(round(market.mark, tickSize(market))));
}

/** Pb; but a counterparty gives up at most its unrealised profit: then its entry price, or the mark without one. */
function fairTicks(model: Model, step: Step, accountIndex: number): number {
  const market = marketAt(model, step.market);
  const { lots, cost } = positionOf(model, accountIndex, step.market);
  const perTick = valueAt(market, 1, Math.abs(lots));
  const mark = markTicks(model, step);
  if (lots < 0) {
    const entry = Number(divideDown(-cost, perTick));
    return Math.max(1, Math.min(step.pb, Math.max(entry, mark)));
  }
  const entry = Number(divideUp(cost, perTick));
  return Math.max(step.pb, Math.min(entry, mark));
}

/** 0.5 % of the filled notional, at most the excess above 1.25 of the margin of the rest. */
function payFee(model: Model, step: Step, filled: number): bigint {
  const market = marketAt(model, step.market);
  const due = divideUp(markValueUp(market, filled, market.mark), 200n);
  const { collateral, maintenance } = marginOf(model, step.accountIndex);
  const fee = bigMin(due, bigMax(0n, collateral - divideUp(5n * maintenance, 4n)));
  payFund(model, step.accountIndex, fee);
  return fee;
}

function emitStep(model: Model, step: Step, part: Part, fee: bigint): void {
  const { accountIndex: account, market, collateral, maintenance, lots, slice, pb } = step;
  const { mark } = marketAt(model, market);
  const { phase, lots: filled, help } = part;
  const arithmetic = { collateral, maintenance, lots, slice, pb, mark, filled, help, fee };
  model.emitted.push(line('liquidation-step', { account, market, phase, ...arithmetic }));
}
