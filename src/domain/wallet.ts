import type { AccountIndex, Amount, AssetIndex, NetworkIndex } from './units.ts';

/** Deposits and withdrawals: the enumerations, and the records that events contain and history stores. */

export type DepositStatus = 'PENDING' | 'ON HOLD' | 'COMPLETED' | 'FAILED';

export type WithdrawalStatus =
  | 'PENDING'
  | 'ON HOLD'
  | 'IN SWEEPING'
  | 'PROCESSING'
  | 'COMPLETED'
  | 'CANCELED'
  | 'FAILED';

export const SECOND_FACTORS = ['GOOGLE', 'AUTHY_SECRET', 'YUBIKEY'] as const;
export type SecondFactor = (typeof SECOND_FACTORS)[number];

/** Which steps of a second factor were used. */
export type StepsUsed = {
  readonly factor: SecondFactor;
  /** The newest one. */
  readonly lastStep: number;
  /** Of the steps before it: bit 0 for the last but one, bit 1 for the one before. Absent: neither was used. */
  readonly usedBefore?: number;
};

/** A code is accepted one step before and after its own, so two steps before the newest may still come. */
const STEPS_BEFORE = 2;

/** A step works once. The counter of a device only increases; steps of time may be used out of their order. */
export function isUnusedStep(
  { factor, lastStep, usedBefore = 0 }: StepsUsed,
  step: number,
): boolean {
  if (step > lastStep) return true;
  const before = lastStep - step;
  if (factor === 'YUBIKEY' || before === 0 || before > STEPS_BEFORE) return false;
  return (usedBefore & bitOf(before)) === 0;
}

/** After the use of a step that was not used. */
export function stepsUsedAfter(
  { lastStep, usedBefore = 0 }: StepsUsed,
  step: number,
): { readonly lastStep: number; readonly usedBefore: number } {
  const later = step - lastStep;
  if (later < 0) return { lastStep, usedBefore: usedBefore | bitOf(-later) };
  if (later > STEPS_BEFORE) return { lastStep: step, usedBefore: 0 };
  return { lastStep: step, usedBefore: ((usedBefore << later) | bitOf(later)) & 0b11 };
}

const bitOf = (before: number): number => 1 << (before - 1);

/** Why a withdrawal waits. Each reason ends independently; after the last of them the withdrawal continues. */
export const HOLD_REASONS = ['new-address', 'above-limit', 'review', 'restriction'] as const;
export type HoldReason = (typeof HOLD_REASONS)[number];

/** An address on a chain; `memo` if the network shares one address among many. */
export type Destination = {
  readonly network: NetworkIndex;
  readonly address: string;
  readonly memo?: string;
};

export type WithdrawalRecord = Destination & {
  /** Numbers the venue's withdrawals. */
  readonly id: number;
  readonly account: AccountIndex;
  readonly asset: AssetIndex;
  /** As requested. */
  readonly quantity: Amount;
  readonly externalFee: boolean;
  readonly fee: Amount;
  /** For an asset with a burn fee: the part that never arrives. */
  readonly burnFee: Amount;
  /** What leaves the account: reserved immediately, debited with COMPLETED. */
  readonly debited: Amount;
  readonly requestedAtMs: number;
  readonly status: WithdrawalStatus;
  readonly holds: readonly HoldReason[];
  /** The confirmed transaction, or the newest signed one. */
  readonly txId?: string;
  readonly completedAtMs?: number;
  /** Why it was canceled or failed. */
  readonly cause?: string;
};

/** Why a deposit is not credited although it has arrived. */
export const DEPOSIT_HOLDS = ['below-minimum', 'deposits-closed', 'inactive', 'too-large'] as const;
export type DepositHold = (typeof DEPOSIT_HOLDS)[number];

export type DepositRecord = Destination & {
  /** Numbers the venue's deposits. */
  readonly id: number;
  readonly account: AccountIndex;
  readonly asset: AssetIndex;
  readonly txId: string;
  /** The index of the transfer in the transaction. */
  readonly output: number;
  readonly height: number;
  /** The credited amount: the chain's amount rounded down to the asset's scale... */
  readonly quantity: Amount;
  /** ...and the remainder, in the chain's own units. */
  readonly dust: bigint;
  readonly status: DepositStatus;
  readonly hold?: DepositHold;
  /** Credited, but its transaction is no longer on the chain. */
  readonly isVanished: boolean;
  readonly seenAtMs: number;
  readonly creditedAtMs?: number;
};

/** One transfer on a chain is one deposit, however often it is seen. */
export const depositKey = (network: number, txId: string, output: number): string =>
  `${network}/${txId}/${output}`;
