import { type Refusal, refuse } from '../../domain/rejections.ts';
import { isUnusedStep, stepsUsedAfter } from '../../domain/wallet.ts';
import type { FactorUse } from '../../domain/wallet-commands.ts';
import type { FamilyWallet } from '../memory/wallet.ts';

/** How long a wrong code blocks, and how many within an hour block for a day. */
const BLOCK_MS = 10_000;
const WRONG_CODES_MAX = 5;
const HOUR_MS = 3_600_000;
const LOCK_MS = 24 * HOUR_MS;

/** A wrong code blocks all withdrawals of the family, whoever requests them. */
function checkBlocked(family: FamilyWallet, nowMs: number): Refusal | undefined {
  if (nowMs < family.lockedUntilMs) {
    return refuse('SECOND_FACTOR_LOCKED', `withdrawals are locked until ${family.lockedUntilMs}`);
  }
  if (nowMs < family.blockedUntilMs) {
    return refuse('SECOND_FACTOR_TOO_SOON', `after ${family.blockedUntilMs}`);
  }
  return undefined;
}

/** Enrolled means required, and a time step works once. Nothing is marked as used yet: see `useFactor`. */
export function checkFactor(
  family: FamilyWallet,
  used: FactorUse | undefined,
  nowMs: number,
): Refusal | undefined {
  const required = family.factors.filter(({ removedAtMs }) => nowMs < removedAtMs);
  if (used === undefined) {
    if (required.length === 0) return undefined;
    const names = required.map(({ factor }) => factor).join(', ');
    return refuse('PARAMETER_MISSING', `code: the account is protected by ${names}`);
  }
  const factor = required.find((one) => one.factor === used.factor);
  if (factor === undefined) return refuse('SECOND_FACTOR_OFF', used.factor);
  if (!isUnusedStep(factor, used.step)) {
    return refuse('SECOND_FACTOR_WRONG', 'the code was used already');
  }
  return undefined;
}

/** Why an act that needs a code, if one is enrolled, is refused. */
export const checkCode = (
  family: FamilyWallet,
  used: FactorUse | undefined,
  nowMs: number,
): Refusal | undefined => checkBlocked(family, nowMs) ?? checkFactor(family, used, nowMs);

export function useFactor(family: FamilyWallet, used: FactorUse | undefined): void {
  if (used === undefined) return;
  const factor = family.factors.find((one) => one.factor === used.factor);
  if (factor === undefined) return;
  const { lastStep, usedBefore } = stepsUsedAfter(factor, used.step);
  factor.lastStep = lastStep;
  factor.usedBefore = usedBefore;
  // The factor was used, so it is not lost.
  factor.resetBy = '';
}

/** Returns until when withdrawals are refused. */
export function noteWrongCode(family: FamilyWallet, nowMs: number): number {
  const { wrongCodesAtMs } = family;
  while (wrongCodesAtMs.length > 0 && (wrongCodesAtMs[0] as number) <= nowMs - HOUR_MS) {
    wrongCodesAtMs.shift();
  }
  wrongCodesAtMs.push(nowMs);
  family.blockedUntilMs = nowMs + BLOCK_MS;
  if (wrongCodesAtMs.length >= WRONG_CODES_MAX) {
    family.lockedUntilMs = nowMs + LOCK_MS;
    wrongCodesAtMs.length = 0;
  }
  return Math.max(family.blockedUntilMs, family.lockedUntilMs);
}
