import { BUY, SELL } from '../../domain/order-codes.ts';
import type { Refusal } from '../../domain/rejections.ts';
import type { Ticks } from '../../domain/units.ts';
import { wouldTake } from '../book/match.ts';
import type { Market, State } from '../state.ts';
import { checkBeforePlan, checkFunds, type Demand, onlyReduces } from './check-funds.ts';
import { isByAmount, isStop, mayRest, type Placing } from './placing.ts';
import { planOrder } from './plan-order.ts';
import { refuseForWork, type Work } from './work.ts';

/**
 * Money and the book, for an order that everything else allows. First what no plan can change, so that
 * nobody is planned for who cannot pay; then the plan, within what the request may still plan and
 * match; then margin and balance with it. A FOK asks the book before anything else.
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
  return planEntry(state, placing, demand, work, isPlanned) ?? checkFunds(state, placing, demand);
}

/** The same for an order whose money has been held since it was placed: a stop on spot that fires. */
export function admitHeldOrder(
  state: State,
  placing: Placing,
  demand: Demand,
  work: Work,
): Refusal | undefined {
  return planEntry(state, placing, demand, work, isFok(placing));
}

/** How many orders it may meet; its plan, where one is needed; whether it is a FOK that ends here. */
function planEntry(
  state: State,
  placing: Placing,
  demand: Demand,
  work: Work,
  isPlanned: boolean,
): Refusal | undefined {
  const { market, sizeLots } = placing;
  const ordersMax = isPlanned ? Math.min(work.planLeft, work.matchesLeft) : work.matchesLeft;
  demand.ordersMax = ordersMax;
  if (ordersMax === 0 && takes(market, placing, demand)) return refuseForWork(work);
  if (!isPlanned) return undefined;
  const { limitTicks } = demand;
  const plan = planOrder(state, placing, { limitTicks, ordersMax });
  work.planLeft -= plan.met;
  demand.planLots = plan.lots;
  demand.planCost = plan.tickLots * market.perTickLot;
  demand.isUnfillable = isFok(placing) && plan.lots < sizeLots;
  if (demand.isUnfillable) demand.holdParts = 0n;
  else if (demand.isPlanned) demand.holdParts = demand.planCost;
  return undefined;
}

/** What cannot rest is tested with its planned fills; a FOK asks the book, a market order its cost. */
function needsPlan(state: State, placing: Placing): boolean {
  const { market, order } = placing;
  if (isStop(order)) return false;
  if (isFok(placing)) return true;
  if (market.spec.type === 'SPOT') return order.orderType === 'MARKET' && order.side === 'BUY';
  return !mayRest(order) && !onlyReduces(state, placing);
}

/** A purchase by amount has no size that could be filled whole. */
const isFok = ({ order }: Placing): boolean =>
  order.timeInForce === 'FOK' && !isStop(order) && !isByAmount(order);

/** Whether it would meet somebody: post-only orders never do. */
function takes(market: Market, { order }: Placing, { limitTicks }: Demand): boolean {
  const { side, timeInForce } = order;
  if (isStop(order) || timeInForce === 'MAKER_ONLY' || timeInForce === 'MAKER_ONLY_REPRICE') {
    return false;
  }
  return wouldTake(market.book, side === 'BUY' ? BUY : SELL, limitTicks as Ticks);
}
