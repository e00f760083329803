import type { LiquidationPhase } from '../../domain/events.ts';
import { BUY, SELL } from '../../domain/order-codes.ts';
import type { AccountIndex, MarketIndex } from '../../domain/units.ts';
import type { StepPlan } from '../risk/liquidation-plan.ts';
import type { SystemOrder } from '../trading/system-order.ts';

/** What one of them took of the slice, and what the fund and the deficit paid for it. */
export type SlicePart = {
  readonly phase: LiquidationPhase;
  readonly lots: number;
  readonly help: bigint;
};

/** An order that closes lots of the position. */
export const closingOrder = (
  row: AccountIndex,
  plan: StepPlan,
  terms: Pick<SystemOrder, 'lots' | 'priceTicks' | 'source'>,
): SystemOrder => ({
  row,
  market: plan.market as MarketIndex,
  side: plan.lots > 0 ? SELL : BUY,
  ...terms,
});
