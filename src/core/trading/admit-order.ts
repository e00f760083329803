import { BUY, SELL } from '../../domain/order-codes.ts';
import type { Refusal } from '../../domain/rejections.ts';
import type { Ticks } from '../../domain/units.ts';
import { wouldTake } from '../book/match.ts';
import type { OnMeeting, Plan } from '../book/plan.ts';
import { standingOf } from '../memory/standings.ts';
import { PlannedPosition } from '../risk/planned-position.ts';
import type { State } from '../state.ts';
import { checkBeforePlan, checkFunds, type Demand, onlyReduces } from './check-funds.ts';
import { isByAmount, isStop, mayRest, type Placing } from './placing.ts';
import { planOrder } from './plan-order.ts';
import { refuseForWork, type Work } from './work.ts';

/**
 * The last checks of an order: margin, balance and the book. First what no plan can change, so that no plan
 * is made for an account that cannot pay; then the plan, within what the request may still plan and match;
 * then margin and balance with the plan. A FOK is planned before anything else.
 */
export function admitOrder(
  state: State,
  placing: Placing,
  demand: Demand,
  work: Work,
): Refusal | undefined {
  const isPlanned = needsPlan(state, placing);
  if (isPlanned && !isFok(placing)) {
    const refusal = checkBeforePlan(state, placing, demand);
    if (refusal !== undefined) return refusal;
  }
  demand.ordersMax = ordersMaxOf(work, isPlanned);
  const exhausted = checkWork(placing, demand, work);
  if (exhausted !== undefined) return exhausted;
  if (isPlanned) planInto(demand, state, placing, work);
  return checkFunds(state, placing, demand);
}

/** The same for an order whose funds have been held since it was placed: a triggered stop on spot. */
export function admitHeldOrder(
  state: State,
  placing: Placing,
  demand: Demand,
  work: Work,
): Refusal | undefined {
  const isPlanned = isFok(placing);
  demand.ordersMax = ordersMaxOf(work, isPlanned);
  const exhausted = checkWork(placing, demand, work);
  if (exhausted === undefined && isPlanned) planInto(demand, state, placing, work);
  return exhausted;
}

/** How many orders it may meet. */
const ordersMaxOf = (work: Work, isPlanned: boolean): number =>
  isPlanned ? Math.min(work.planLeft, work.matchesLeft) : work.matchesLeft;

/** Refuses an order that would take when the request has no matches left. */
function checkWork(placing: Placing, demand: Demand, work: Work): Refusal | undefined {
  return demand.ordersMax === 0 && takes(placing, demand) ? refuseForWork(work) : undefined;
}

/** Plans the order and sets what it needs by its plan, and whether it is a FOK that cannot be filled. */
function planInto(demand: Demand, state: State, placing: Placing, work: Work): void {
  const { market } = placing;
  const { limitTicks, ordersMax } = demand;
  const closing = closingOf(state, placing);
  const plan = planOrder(state, placing, { limitTicks, ordersMax, onMeeting: closing?.onMeeting });
  work.planLeft -= plan.met;
  demand.planLots = plan.lots;
  demand.planCost = plan.tickLots * market.perTickLot;
  demand.planRealised = closing?.position.realised ?? 0n;
  demand.isUnfillable = isFok(placing) && !fills(placing, plan);
  if (demand.isUnfillable) demand.holdParts = 0n;
  else if (demand.holdsPlan) demand.holdParts = demand.planCost;
}

/** All of its size; or so much of its amount that the rest buys no further lot at the worst price paid. */
function fills({ market, order, sizeLots }: Placing, plan: Readonly<Plan>): boolean {
  if (!isByAmount(order)) return plan.lots >= sizeLots;
  const restParts = order.amountParts - plan.tickLots * market.perTickLot;
  return restParts < BigInt(plan.lastTicks) * market.perTickLot;
}

/** Follows the position that the matches of an order would close; undefined if there is none. */
function closingOf(
  state: State,
  { accountIndex, market, order }: Placing,
): { readonly position: PlannedPosition; readonly onMeeting: OnMeeting } | undefined {
  if (market.spec.type === 'SPOT') return undefined;
  const standing = standingOf(state.standings, accountIndex, order.market);
  const position = new PlannedPosition(state, market, standing);
  const sign = order.side === 'BUY' ? 1 : -1;
  if (!position.isClosedBy(sign)) return undefined;
  return { position, onMeeting: (_maker, ticks, lots) => position.fill(sign * lots, ticks) };
}

/** Orders that cannot rest are checked with their planned fills; a spot market BUY with its cost. */
function needsPlan(state: State, placing: Placing): boolean {
  const { market, order } = placing;
  if (isStop(order)) return false;
  if (isFok(placing)) return true;
  if (market.spec.type === 'SPOT') return order.orderType === 'MARKET' && order.side === 'BUY';
  return !mayRest(order) && !onlyReduces(state, placing);
}

const isFok = ({ order }: Placing): boolean => order.timeInForce === 'FOK' && !isStop(order);

/** Whether it would match at once: post-only orders never do. */
function takes({ market, order }: Placing, { limitTicks }: Demand): boolean {
  const { side, timeInForce } = order;
  if (isStop(order) || timeInForce === 'MAKER_ONLY' || timeInForce === 'MAKER_ONLY_REPRICE') {
    return false;
  }
  return wouldTake(market.book, side === 'BUY' ? BUY : SELL, limitTicks as Ticks);
}
