import { codeOf, TIMES_IN_FORCE } from '../domain/terms.ts';
import { BUY, SELL, type SideCode } from './book/codes.ts';
import type { PlanEnd } from './book/plan.ts';
import type { Demand } from './commands/check-funds.ts';
import { makerTicks } from './commands/execute-order.ts';
import { isStop, mayRest, type Placing } from './commands/placing.ts';
import { planOrder } from './commands/plan-order.ts';
import type { State } from './state.ts';

export type Fills = {
  /** By price, best first. */
  readonly fills: { readonly priceTicks: number; lots: number }[];
  /** What would stay in the book, and at which price; 0 lots where nothing may rest. */
  readonly restLots: number;
  readonly restTicks: number;
  /** What would end the order before its size, its price or the book does. */
  readonly endedBy: PlanEnd | undefined;
};

const NOTHING: Fills = { fills: [], restLots: 0, restTicks: 0, endedBy: undefined };

/** What an order would meet if it came now, without anything happening. */
export function previewFills(
  state: State,
  placing: Placing,
  { limitTicks, ordersMax, isUnfillable }: Demand,
): Fills {
  const { market, order, sizeLots } = placing;
  if (isStop(order) || isUnfillable) return NOTHING;
  if (order.timeInForce === 'MAKER_ONLY' || order.timeInForce === 'MAKER_ONLY_REPRICE') {
    const side: SideCode = order.side === 'BUY' ? BUY : SELL;
    const timeInForce = codeOf(TIMES_IN_FORCE, order.timeInForce);
    const restTicks = makerTicks(market, side, timeInForce, limitTicks);
    return restTicks === undefined ? NOTHING : { ...NOTHING, restLots: sizeLots, restTicks };
  }
  const fills: Fills['fills'] = [];
  const plan = planOrder(state, placing, {
    limitTicks,
    ordersMax,
    onMeeting: (_, priceTicks, lots) => {
      const last = fills.at(-1);
      if (last?.priceTicks === priceTicks) last.lots += lots;
      else if (lots > 0) fills.push({ priceTicks, lots });
    },
  });
  const { endedBy } = plan;
  const rests = endedBy === undefined && mayRest(order);
  return { fills, restLots: rests ? sizeLots - plan.lots : 0, restTicks: limitTicks, endedBy };
}
