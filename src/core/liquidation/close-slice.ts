import { ceilDiv, floorDiv } from '../../domain/decimal.ts';
import { encodeEvent } from '../../domain/event-codec.ts';
import { SOURCES } from '../../domain/terms.ts';
import { amount, exactNumber, type MarketIndex, usdPrice } from '../../domain/units.ts';
import { codeAt, partsAt } from '../memory/columns.ts';
import { purseOf } from '../memory/ledger.ts';
import { marginOf } from '../risk/margin.ts';
import { markValueUp } from '../risk/tiers.ts';
import type { Account, Market } from '../state.ts';
import { takeNow } from '../trading/system-order.ts';
import { assignToBackstops } from './assign-to-backstops.ts';
import { closingOrder, type SlicePart, type Step } from './closing-order.ts';
import { deleverage } from './deleverage.ts';
import { insuranceHolds, payFromInsurance, takeForInsurance } from './insurance.ts';

/**
 * ADL starts at this step of a position, counted since one of its slices last closed whole. A slice that
 * closes in part does not reset the count, so an accomplice who buys one lot per step delays nothing.
 */
export const ADL_FROM_STEP = 5;
/** The fee is 0.5 % of the filled notional, rounded up. */
const FEE_DIVISOR = 200n;
/** Wider than any band; keeps the ticks a safe integer. */
const HELP_TICKS_MAX = 2n ** 40n;

/**
 * Closes one slice in up to four phases: (a) the book at the bankruptcy price, (b) backstops at that
 * price, (c) the book with the insurance fund paying the difference, (d) ADL. Each phase gets what the
 * one before left. The fee is taken once for the whole slice; every phase that closed something emits
 * an event, the last of them with the fee.
 */
export function closeSlice(step: Step): void {
  const { state, plan } = step;
  const { unclosedSteps } = state.standings;
  const isBroke = plan.collateral <= 0n;
  const parts: SlicePart[] = [];
  let left = plan.sliceLots;
  const take = (part: SlicePart): void => {
    if (part.lots === 0) return;
    parts.push(part);
    left -= part.lots;
  };
  take(sellToBook(step, left));
  if (left > 0 && !isBroke) take(assignToBackstops(step, left));
  if (left > 0) take(sellWithHelp(step, left));
  const unclosed = left === 0 ? 0 : codeAt(unclosedSteps, plan.standing) + 1;
  unclosedSteps[plan.standing] = Math.min(unclosed, ADL_FROM_STEP);
  if (left > 0 && (isBroke || unclosed >= ADL_FROM_STEP)) {
    take(deleverage(step, left));
  }
  const fee = takeFee(step, plan.sliceLots - left);
  if (parts.length === 0) parts.push({ phase: 'nobody', lots: 0, help: 0n });
  parts.forEach((part, index) => {
    emitStep(step, part, index === parts.length - 1 ? fee : 0n);
  });
}

const insideBand = ({ price }: Market, ticks: number): number =>
  Math.min(price.upperTicks, Math.max(price.lowerTicks, ticks));

function sellToBook(step: Step, wantedLots: number): SlicePart {
  const { state, plan, out } = step;
  const market = state.markets[plan.market] as Market;
  const priceTicks = insideBand(market, plan.bankruptcyTicks);
  const source = SOURCES.POSITION_LIQUIDATION;
  const order = closingOrder(step, { lots: wantedLots, priceTicks, source });
  return { phase: 'book', lots: takeNow(state, order, out), help: 0n };
}

/** The limit moves by what the fund can pay; the fund pays the difference to the bankruptcy price at once. */
function sellWithHelp(step: Step, wantedLots: number): SlicePart {
  const { state, accountIndex, plan, out } = step;
  const market = state.markets[plan.market] as Market;
  const { bankruptcyTicks } = plan;
  const isLong = plan.lots > 0;
  const help = floorDiv(insuranceHolds(state), BigInt(wantedLots) * market.perTickLot);
  const helpTicks = exactNumber(help < HELP_TICKS_MAX ? help : HELP_TICKS_MAX);
  if (helpTicks < 1) return { phase: 'insured', lots: 0, help: 0n };
  const moved = isLong ? bankruptcyTicks - helpTicks : bankruptcyTicks + helpTicks;
  const priceTicks = insideBand(market, Math.max(1, moved));
  const source = SOURCES.POSITION_LIQUIDATION;
  const before = proceedsOf(step);
  const order = closingOrder(step, { lots: wantedLots, priceTicks, source });
  const lots = takeNow(state, order, out);
  if (lots === 0) return { phase: 'insured', lots, help: 0n };
  const had = proceedsOf(step) - before;
  const wanted = BigInt(bankruptcyTicks) * BigInt(lots) * market.perTickLot;
  const missing = isLong ? wanted - had : -had - wanted;
  const paid = missing > 0n ? payFromInsurance(state, accountIndex, missing) : 0n;
  return { phase: 'insured', lots, help: paid };
}

/** A fill's proceeds are what it adds to the native balance plus what it takes off the position's cost. */
function proceedsOf({ state, accountIndex, plan }: Step): bigint {
  const { ledger, native, standings } = state;
  const available = ledger.available[purseOf(ledger, accountIndex, native)] ?? 0n;
  return available - partsAt(standings.cost, plan.standing);
}

/** Paid to the fund; never so much that it would keep the margin ratio of the rest above 80. */
function takeFee({ state, accountIndex, plan }: Step, filledLots: number): bigint {
  if (filledLots === 0) return 0n;
  const market = state.markets[plan.market] as Market;
  const due = ceilDiv(markValueUp(market, filledLots), FEE_DIVISOR);
  const { collateral, maintenance } = marginOf(
    state,
    accountIndex,
    state.accounts[accountIndex] as Account,
  );
  const spare = collateral - ceilDiv(5n * maintenance, 4n);
  const fee = spare <= 0n ? 0n : due < spare ? due : spare;
  if (fee > 0n) takeForInsurance(state, accountIndex, fee);
  return fee;
}

function emitStep({ state, accountIndex, plan, out }: Step, part: SlicePart, fee: bigint): void {
  encodeEvent(out, {
    kind: 'liquidation-step',
    account: accountIndex,
    market: plan.market as MarketIndex,
    phase: part.phase,
    collateral: amount(plan.collateral),
    maintenanceMargin: amount(plan.maintenance),
    lots: plan.lots,
    sliceLots: plan.sliceLots,
    bankruptcyTicks: plan.bankruptcyTicks,
    mark: usdPrice((state.markets[plan.market] as Market).price.mark),
    filledLots: part.lots,
    help: amount(part.help),
    fee: amount(fee),
  });
}
