import type { ByteWriter } from '../../bytes/pack.ts';
import type { LiquidationPhase } from '../../domain/events.ts';
import { BUY, SELL } from '../../domain/order-codes.ts';
import type { AccountIndex, MarketIndex } from '../../domain/units.ts';
import type { StepPlan } from '../risk/liquidation-plan.ts';
import type { State } from '../state.ts';
import type { SystemOrder } from '../trading/system-order.ts';

/** One step of an account's liquidation that closes part of a position. */
export type Step = {
  readonly state: State;
  readonly accountIndex: AccountIndex;
  readonly plan: StepPlan;
  readonly out: ByteWriter;
  /** Opponents ranked for ADL in this step: the command counts them as work. */
  rankedOpponents: number;
};

/** How much of the slice one phase closed, and what insurance and deficit paid for it. */
export type SlicePart = {
  readonly phase: LiquidationPhase;
  readonly lots: number;
  readonly help: bigint;
};

/** An order that closes lots of the position. */
export const closingOrder = (
  { accountIndex, plan }: Step,
  terms: Pick<SystemOrder, 'lots' | 'priceTicks' | 'source'>,
): SystemOrder => ({
  accountIndex,
  market: plan.market as MarketIndex,
  side: plan.lots > 0 ? SELL : BUY,
  ...terms,
});
