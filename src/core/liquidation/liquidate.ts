import type { ByteWriter } from '../../bytes/pack.ts';
import { encodeEvent } from '../../domain/event-codec.ts';
import { NO_ELEMENT } from '../../domain/events.ts';
import { type AccountIndex, amount } from '../../domain/units.ts';
import { indexAt, numberAt } from '../memory/columns.ts';
import { touchHolder } from '../memory/ledger.ts';
import { markForReview } from '../memory/pending.ts';
import { NO_STANDING } from '../memory/standings.ts';
import { isDone, planStep } from '../risk/liquidation-plan.ts';
import { marginOf } from '../risk/margin.ts';
import type { Account, State } from '../state.ts';
import { endOrder, marketOfOrder } from '../trading/end-order.ts';
import { openOrdersOf } from '../trading/find-order.ts';
import { cancelWithdrawalsOf } from '../wallet/withdrawals.ts';
import { closeSlice } from './close-slice.ts';
import { forgetRanking } from './opponents.ts';
import { sellCollateral } from './sell-collateral.ts';

/** Steps are due on a grid that begins with the liquidation. */
export const STEP_MS = 500;

/** The margin ratio has reached 100: cancels all orders; the first step is due half a second later. */
export function startLiquidation(state: State, accountIndex: AccountIndex, out: ByteWriter): void {
  const account = state.accounts[accountIndex] as Account;
  const { standings } = state;
  account.liquidating = true;
  touchHolder(state.ledger, accountIndex);
  for (const slot of openOrdersOf(state, account)) {
    const end = {
      element: NO_ELEMENT,
      state: 'CANCELED_BY_USER',
      reason: 'ACCOUNT_STATUS',
    } as const;
    endOrder(state, marketOfOrder(state, slot), slot, end, out);
  }
  cancelWithdrawalsOf(state, accountIndex, out);
  let standing = account.firstStanding;
  while (standing !== NO_STANDING) {
    standings.startLots[standing] = Math.abs(numberAt(standings.lots, standing));
    standings.unclosedSteps[standing] = 0;
    standing = indexAt(standings.next, standing);
  }
  const { collateral, maintenance } = marginOf(state, accountIndex, account);
  encodeEvent(out, {
    kind: 'liquidation-started',
    account: accountIndex,
    collateral: amount(collateral),
    maintenanceMargin: amount(maintenance),
  });
  // What its orders had reserved counts as collateral again, which may be enough.
  if (maintenance < collateral) {
    endLiquidation(state, accountIndex, out);
    return;
  }
  account.stepAtMs = state.timeMs + STEP_MS;
  account.unsoldSteps = 0;
  state.liquidating.push(accountIndex);
}

function endLiquidation(state: State, accountIndex: AccountIndex, out: ByteWriter): void {
  const account = state.accounts[accountIndex] as Account;
  account.liquidating = false;
  touchHolder(state.ledger, accountIndex);
  const place = state.liquidating.indexOf(accountIndex);
  if (place >= 0) state.liquidating.splice(place, 1);
  if (state.liquidating.length === 0) forgetRanking(state);
  const { collateral, maintenance } = marginOf(state, accountIndex, account);
  encodeEvent(out, {
    kind: 'liquidation-ended',
    account: accountIndex,
    collateral: amount(collateral),
    maintenanceMargin: amount(maintenance),
  });
  markForReview(state.pending, accountIndex);
}

/** When the next liquidation step of any account is due; undefined while none is liquidating. */
export function nextStepAtMs({ liquidating, accounts }: State): number | undefined {
  let nextMs: number | undefined;
  for (const accountIndex of liquidating) {
    const { stepAtMs } = accounts[accountIndex] as Account;
    if (nextMs === undefined || stepAtMs < nextMs) nextMs = stepAtMs;
  }
  return nextMs;
}

/** Queues the accounts whose step is due. A late tick does one step: missed ones are not made up. */
export function markDueSteps(state: State): void {
  const { liquidationSteps } = state.pending;
  const isDrained = liquidationSteps.length === 0;
  for (const accountIndex of state.liquidating) {
    const account = state.accounts[accountIndex] as Account;
    const lateMs = state.timeMs - account.stepAtMs;
    if (lateMs < 0) continue;
    account.stepAtMs += (Math.floor(lateMs / STEP_MS) + 1) * STEP_MS;
    if (isDrained || !liquidationSteps.includes(accountIndex)) liquidationSteps.push(accountIndex);
  }
}

/**
 * One step for one account: closes part of a position or, without positions, sells collateral. Returns how many
 * opponents it ranked for ADL, or assets it offered, which the command counts as work.
 */
export function stepLiquidation(state: State, accountIndex: AccountIndex, out: ByteWriter): number {
  const account = state.accounts[accountIndex] as Account;
  if (isBelow80(state, accountIndex, account)) {
    endLiquidation(state, accountIndex, out);
    return 0;
  }
  const plan = planStep(state, accountIndex, account);
  let looked = 0;
  if (plan !== undefined) {
    const step = { state, accountIndex, plan, out, rankedOpponents: 0 };
    closeSlice(step);
    looked = step.rankedOpponents;
  } else if (!hasPosition(state, account)) looked = sellCollateral({ state, accountIndex, out });
  if (isBelow80(state, accountIndex, account)) endLiquidation(state, accountIndex, out);
  return looked;
}

const isBelow80 = (state: State, accountIndex: AccountIndex, account: Account): boolean =>
  isDone(marginOf(state, accountIndex, account));

function hasPosition(state: State, account: Account): boolean {
  const { standings } = state;
  let standing = account.firstStanding;
  while (standing !== NO_STANDING && standings.lots[standing] === 0) {
    standing = indexAt(standings.next, standing);
  }
  return standing !== NO_STANDING;
}
