import type { AccountIndex, Amount, AssetIndex, NetworkIndex } from './units.ts';

/** Money in and out: the words, and the records that events carry and history keeps. */

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

/** Why a withdrawal waits. Each reason ends by itself; with the last of them the withdrawal goes on. */
export const HOLD_REASONS = ['new-address', 'above-limit', 'review', 'restriction'] as const;
export type HoldReason = (typeof HOLD_REASONS)[number];

/** A place on a chain; `memo` where the network divides one address among many. */
export type Destination = {
  readonly network: NetworkIndex;
  readonly address: string;
  readonly memo?: string;
};

export type WithdrawalRecord = Destination & {
  /** Counts the venue's withdrawals. */
  readonly id: number;
  readonly account: AccountIndex;
  readonly asset: AssetIndex;
  /** As it was asked. */
  readonly quantity: Amount;
  readonly externalFee: boolean;
  readonly fee: Amount;
  /** Of an asset with a burn fee: what never arrives. */
  readonly burnFee: Amount;
  /** What leaves the account: reserved at once, gone with COMPLETED. */
  readonly debited: Amount;
  readonly requestedAtMs: number;
  readonly status: WithdrawalStatus;
  readonly holds: readonly HoldReason[];
  /** The transaction that was confirmed, or the newest that was signed. */
  readonly txId?: string;
  readonly completedAtMs?: number;
  /** Why it was canceled or failed. */
  readonly cause?: string;
};

/** Why a deposit is not credited although it is there. */
export const DEPOSIT_HOLDS = ['below-minimum', 'deposits-closed', 'inactive', 'too-large'] as const;
export type DepositHold = (typeof DEPOSIT_HOLDS)[number];

export type DepositRecord = Destination & {
  /** Counts the venue's deposits. */
  readonly id: number;
  readonly account: AccountIndex;
  readonly asset: AssetIndex;
  readonly txId: string;
  /** Which transfer of the transaction. */
  readonly output: number;
  readonly height: number;
  /** What is credited: the chain's amount rounded down to the asset's scale... */
  readonly quantity: Amount;
  /** ...and what is left of it, in the chain's own units. */
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
