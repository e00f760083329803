import type { ByteWriter } from '../../bytes/pack.ts';
import { encodeEvent } from '../../domain/event-codec.ts';
import { NO_ELEMENT } from '../../domain/events.ts';
import { type AccountIndex, amount } from '../../domain/units.ts';
import { touchRow } from '../memory/ledger.ts';
import { markForReview } from '../memory/pending.ts';
import { NO_STANDING } from '../memory/standings.ts';
import { isDone, planStep } from '../risk/liquidation-plan.ts';
import { marginOf } from '../risk/margin.ts';
import type { Account, State } from '../state.ts';
import { endOrder, marketOfOrder } from '../trading/end-order.ts';
import { openOrdersOf } from '../trading/find-order.ts';
import { closeSlice } from './close-slice.ts';
import { forgetRanking } from './opponents.ts';
import { sellCollateral } from './sell-collateral.ts';

/** Steps come on a grid of half seconds that begins with the liquidation. */
export const STEP_MS = 500;

/** The ratio has reached 100: every order goes, and half a second later the first step comes. */
export function startLiquidation(state: State, row: AccountIndex, out: ByteWriter): void {
  const account = state.accounts[row] as Account;
  const { standings } = state;
  account.liquidating = true;
  touchRow(state.ledger, row);
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
    standings.unclosedSteps[at] = 0;
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
  account.unsoldSteps = 0;
  state.liquidating.push(row);
}

function endLiquidation(state: State, row: AccountIndex, account: Account, out: ByteWriter): void {
  account.liquidating = false;
  touchRow(state.ledger, row);
  const at = state.liquidating.indexOf(row);
  if (at >= 0) state.liquidating.splice(at, 1);
  if (state.liquidating.length === 0) forgetRanking();
  const { collateral, maintenance } = marginOf(state, row, account);
  encodeEvent(out, {
    kind: 'liquidation-ended',
    account: row,
    collateral: amount(collateral),
    maintenanceMargin: amount(maintenance),
  });
  markForReview(state.pending, row);
}

/** When the next step of anybody's liquidation is due; undefined while nobody is in one. */
export function nextStepAtMs({ liquidating, accounts }: State): number | undefined {
  let nextMs: number | undefined;
  for (const row of liquidating) {
    const { stepAtMs } = accounts[row] as Account;
    if (nextMs === undefined || stepAtMs < nextMs) nextMs = stepAtMs;
  }
  return nextMs;
}

/** Notes whose step is due. A late tick does one step: missed points of the grid are not made up for. */
export function markDueSteps(state: State): void {
  const { liquidationSteps } = state.pending;
  const isDrained = liquidationSteps.length === 0;
  for (const row of state.liquidating) {
    const account = state.accounts[row] as Account;
    const lateMs = state.timeMs - account.stepAtMs;
    if (lateMs < 0) continue;
    account.stepAtMs += (Math.floor(lateMs / STEP_MS) + 1) * STEP_MS;
    if (isDrained || !liquidationSteps.includes(row)) liquidationSteps.push(row);
  }
}

/** One step for one account: part of a position is closed, or without positions collateral is sold. */
export function stepLiquidation(state: State, row: AccountIndex, out: ByteWriter): void {
  const account = state.accounts[row] as Account;
  if (isBelow80(state, row, account)) {
    endLiquidation(state, row, account, out);
    return;
  }
  const plan = planStep(state, row, account);
  if (plan !== undefined) closeSlice(state, row, plan, out);
  else if (!hasPosition(state, account)) sellCollateral(state, row, account, out);
  if (isBelow80(state, row, account)) endLiquidation(state, row, account, out);
}

const isBelow80 = (state: State, row: AccountIndex, account: Account): boolean =>
  isDone(marginOf(state, row, account));

function hasPosition(state: State, account: Account): boolean {
  const { standings } = state;
  for (let at = account.firstStanding; at !== NO_STANDING; at = standings.next[at] as number) {
    if (standings.lots[at] !== 0) return true;
  }
  return false;
}
