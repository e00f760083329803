import { BUY, SELL, stpModeCode } from '../../domain/order-codes.ts';
import type { FamilyIndex, Lots, Ticks } from '../../domain/units.ts';
import { newTaker } from '../book/match.ts';
import { newPlan, type OnMeeting, type Plan, planFills } from '../book/plan.ts';
import { standingOf } from '../memory/standings.ts';
import type { State } from '../state.ts';
import { isByAmount, type Placing } from './placing.ts';

const taker = newTaker();
const plan = newPlan();

/** What the order would do in the book now. The plan is valid until the next one is made. */
export function planOrder(
  state: State,
  { accountIndex, account, market, order, sizeLots }: Placing,
  limits: {
    readonly limitTicks: number;
    readonly ordersMax: number;
    readonly onMeeting?: OnMeeting | undefined;
  },
): Readonly<Plan> {
  const spends = isByAmount(order);
  taker.side = order.side === 'BUY' ? BUY : SELL;
  taker.limitTicks = limits.limitTicks as Ticks;
  taker.openLots = (spends ? Number.MAX_SAFE_INTEGER : sizeLots) as Lots;
  taker.account = accountIndex;
  taker.family = account.family as FamilyIndex;
  taker.stpMode = stpModeCode(order.stpMode);
  taker.onlyReduces = order.reduceOnly;
  const { perTickLot } = market;
  const terms = {
    ordersMax: limits.ordersMax,
    onMeeting: limits.onMeeting,
    budget: spends ? { amountParts: order.amountParts, perTickLot } : undefined,
    positionOf: (holder: number) => positionLots(state, holder, order.market),
  };
  planFills({ book: market.book, orders: state.orders, taker, terms }, plan);
  return plan;
}

function positionLots({ standings }: State, account: number, market: number): number {
  return standings.lots[standingOf(standings, account, market)] ?? 0;
}
