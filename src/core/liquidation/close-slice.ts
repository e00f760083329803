import type { ByteWriter } from '../../bytes/pack.ts';
import { ceilDiv, floorDiv } from '../../domain/decimal.ts';
import { encodeEvent } from '../../domain/event-codec.ts';
import { SOURCES } from '../../domain/terms.ts';
import { type AccountIndex, amount, exactNumber, type MarketIndex } from '../../domain/units.ts';
import { purseOf } from '../memory/ledger.ts';
import type { StepPlan } from '../risk/liquidation-plan.ts';
import { marginOf } from '../risk/margin.ts';
import { valueDown } from '../risk/tiers.ts';
import type { Account, Market, State } from '../state.ts';
import { takeNow } from '../trading/system-order.ts';
import { assignToBackstops } from './assign-to-backstops.ts';
import { closingOrder, type SlicePart } from './closing-order.ts';
import { deleverage } from './deleverage.ts';
import { insuranceHolds, payFromInsurance, takeForInsurance } from './insurance.ts';

/**
 * From this step of a position on, counted since one of its slices last closed whole, others are called
 * upon for what is left of the slice. Who takes a lot a step delays nothing.
 */
export const ADL_FROM_STEP = 5;
/** Of the filled notional: 0.5 %. */
const FEE_DIVISOR = 200n;
/** More than any band is wide: the bound only keeps it a number. */
const HELP_TICKS_MAX = 2n ** 40n;

/**
 * One step: (a) the book at the bankruptcy price, (b) backstops at that price, (c) the book with the
 * fund's help, (d) ADL. What one leaves of the slice goes to the next, in the same step. The fee is
 * taken once, for all of it; each part is an event, the last of them with the fee.
 */
export function closeSlice(state: State, row: AccountIndex, plan: StepPlan, out: ByteWriter): void {
  const { unclosedSteps } = state.standings;
  const isBroke = plan.collateral <= 0n;
  const parts: SlicePart[] = [];
  let left = plan.sliceLots;
  const take = (part: SlicePart): void => {
    if (part.lots === 0) return;
    parts.push(part);
    left -= part.lots;
  };
  take(sellToBook(state, row, plan, left, out));
  if (left > 0 && !isBroke) take(assignToBackstops(state, row, plan, left, out));
  if (left > 0) take(sellWithHelp(state, row, plan, left, out));
  const unclosed = left === 0 ? 0 : (unclosedSteps[plan.standing] as number) + 1;
  unclosedSteps[plan.standing] = Math.min(unclosed, ADL_FROM_STEP);
  if (left > 0 && (isBroke || unclosed >= ADL_FROM_STEP)) {
    take(deleverage(state, row, plan, left, out));
  }
  const fee = takeFee(state, row, plan, plan.sliceLots - left);
  if (parts.length === 0) parts.push({ phase: 'nobody', lots: 0, help: 0n });
  parts.forEach((part, at) => {
    emitStep(state, row, plan, part, at === parts.length - 1 ? fee : 0n, out);
  });
}

const insideBand = ({ price }: Market, ticks: number): number =>
  Math.min(price.upperTicks, Math.max(price.lowerTicks, ticks));

function sellToBook(
  state: State,
  row: AccountIndex,
  plan: StepPlan,
  wantedLots: number,
  out: ByteWriter,
): SlicePart {
  const market = state.markets[plan.market] as Market;
  const priceTicks = insideBand(market, plan.bankruptcyTicks);
  const source = SOURCES.POSITION_LIQUIDATION;
  const order = closingOrder(row, plan, { lots: wantedLots, priceTicks, source });
  return { phase: 'book', lots: takeNow(state, order, out), help: 0n };
}

/** The limit moves by what the fund can pay for; it pays the difference to the bankruptcy price at once. */
function sellWithHelp(
  state: State,
  row: AccountIndex,
  plan: StepPlan,
  wantedLots: number,
  out: ByteWriter,
): SlicePart {
  const market = state.markets[plan.market] as Market;
  const { bankruptcyTicks } = plan;
  const isLong = plan.lots > 0;
  const help = floorDiv(insuranceHolds(state), BigInt(wantedLots) * market.perTickLot);
  const helpTicks = exactNumber(help < HELP_TICKS_MAX ? help : HELP_TICKS_MAX);
  if (helpTicks < 1) return { phase: 'insured', lots: 0, help: 0n };
  const moved = isLong ? bankruptcyTicks - helpTicks : bankruptcyTicks + helpTicks;
  const priceTicks = insideBand(market, Math.max(1, moved));
  const source = SOURCES.POSITION_LIQUIDATION;
  const before = proceedsOf(state, row, plan);
  const order = closingOrder(row, plan, { lots: wantedLots, priceTicks, source });
  const lots = takeNow(state, order, out);
  if (lots === 0) return { phase: 'insured', lots, help: 0n };
  const had = proceedsOf(state, row, plan) - before;
  const wanted = BigInt(bankruptcyTicks) * BigInt(lots) * market.perTickLot;
  const missing = isLong ? wanted - had : -had - wanted;
  const paid = missing > 0n ? payFromInsurance(state, row, missing) : 0n;
  return { phase: 'insured', lots, help: paid };
}

/** What a fill brings in is what it adds to native, and what it takes off the position's cost. */
function proceedsOf(
  { ledger, native, standings }: State,
  row: AccountIndex,
  plan: StepPlan,
): bigint {
  const available = ledger.available[purseOf(ledger, row, native)] ?? 0n;
  return available - (standings.cost[plan.standing] as bigint);
}

/** To the fund, but never so much that the ratio of what is left would be above 80 because of it. */
function takeFee(state: State, row: AccountIndex, plan: StepPlan, filledLots: number): bigint {
  if (filledLots === 0) return 0n;
  const market = state.markets[plan.market] as Market;
  const due = ceilDiv(valueDown(market, filledLots, market.price.mark), FEE_DIVISOR);
  const { collateral, maintenance } = marginOf(state, row, state.accounts[row] as Account);
  const spare = collateral - ceilDiv(5n * maintenance, 4n);
  const fee = spare <= 0n ? 0n : due < spare ? due : spare;
  if (fee > 0n) takeForInsurance(state, row, fee);
  return fee;
}

function emitStep(
  state: State,
  row: AccountIndex,
  plan: StepPlan,
  part: SlicePart,
  fee: bigint,
  out: ByteWriter,
): void {
  encodeEvent(out, {
    kind: 'liquidation-step',
    account: row,
    market: plan.market as MarketIndex,
    phase: part.phase,
    collateral: amount(plan.collateral),
    maintenanceMargin: amount(plan.maintenance),
    lots: plan.lots,
    sliceLots: plan.sliceLots,
    bankruptcyTicks: plan.bankruptcyTicks,
    mark: (state.markets[plan.market] as Market).price.mark as never,
    filledLots: part.lots,
    help: amount(part.help),
    fee: amount(fee),
  });
}
