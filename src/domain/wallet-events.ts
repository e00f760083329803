import type { AccountIndex, Amount, AssetIndex, FamilyIndex, NetworkIndex } from './units.ts';
import type { DepositRecord, Destination, SecondFactor, WithdrawalRecord } from './wallet.ts';
import type { SweepStep } from './wallet-commands.ts';

/** The events of deposits and withdrawals. Each has the whole record: readers keep the last. */
export type WalletEvent =
  | WithdrawalChanged
  | DepositChanged
  | TransactionRecorded
  | GasPaid
  | SweepRecorded
  | SweepEnded
  | WrongCodeNoted
  | AddressSaved
  | AddressRemoved
  | WhitelistModeSet
  | FactorEnrolled
  | FactorRemoved
  | WithdrawalLimitsSet
  | WithdrawalFeeSet
  | NetworkStateSet;

export type WithdrawalChanged = {
  readonly kind: 'withdrawal-changed';
  readonly withdrawal: WithdrawalRecord;
  /** The operator, if one did it. */
  readonly actor?: string;
};
export type DepositChanged = {
  readonly kind: 'deposit-changed';
  readonly deposit: DepositRecord;
  /** The change of the account's balance: 0 unless it was credited or reversed just now. */
  readonly credited: Amount;
  readonly actor?: string;
};
/** The bytes that are broadcast from now on, until one version is confirmed. */
export type TransactionRecorded = {
  readonly kind: 'transaction-recorded';
  readonly id: number;
  readonly txId: string;
  readonly nonce: number;
};
export type GasPaid = {
  readonly kind: 'gas-paid';
  readonly network: NetworkIndex;
  readonly asset: AssetIndex;
  readonly amount: Amount;
  /** What the deficit paid because network-costs was short. */
  readonly fromDeficit: Amount;
};
/** The venue pays itself: from a deposit address to the hot wallet, or coin the other way. */
export type SweepRecorded = {
  readonly kind: 'sweep-recorded';
  readonly network: NetworkIndex;
  readonly account: AccountIndex;
  readonly asset: AssetIndex;
  readonly step: SweepStep;
  readonly chainAmount: bigint;
  readonly nonce: number;
  readonly txId: string;
};
export type SweepEnded = {
  readonly kind: 'sweep-ended';
  readonly network: NetworkIndex;
  readonly account: AccountIndex;
  readonly step: SweepStep;
  readonly txId: string;
};
export type WrongCodeNoted = {
  readonly kind: 'wrong-code-noted';
  readonly family: FamilyIndex;
  /** Withdrawals of the family are refused until then. */
  readonly blockedUntilMs: number;
};
export type AddressSaved = Destination & {
  readonly kind: 'address-saved';
  readonly family: FamilyIndex;
  readonly asset: AssetIndex;
  readonly label: string;
  readonly whitelisted: boolean;
};
export type AddressRemoved = Destination & {
  readonly kind: 'address-removed';
  readonly family: FamilyIndex;
  readonly asset: AssetIndex;
};
export type WhitelistModeSet = {
  readonly kind: 'whitelist-mode-set';
  readonly family: FamilyIndex;
  readonly isOn: boolean;
};
export type FactorEnrolled = {
  readonly kind: 'factor-enrolled';
  readonly family: FamilyIndex;
  readonly factor: SecondFactor;
};
/** It is required until `atMs`. */
export type FactorRemoved = {
  readonly kind: 'factor-removed';
  readonly family: FamilyIndex;
  readonly factor: SecondFactor;
  readonly atMs: number;
  /** If operators have removed it: nothing can be withdrawn before. */
  readonly waitUntilMs?: number;
};
export type WithdrawalLimitsSet = {
  readonly kind: 'withdrawal-limits-set';
  readonly daily: Amount;
  readonly automatic: Amount;
};
export type WithdrawalFeeSet = {
  readonly kind: 'withdrawal-fee-set';
  readonly network: NetworkIndex;
  readonly asset: AssetIndex;
  readonly fee: Amount;
  /** Set by an operator: it does not follow the chain until it is released. */
  readonly isFixed?: boolean;
};
export type NetworkStateSet = {
  readonly kind: 'network-state-set';
  readonly network: NetworkIndex;
  readonly asset: AssetIndex;
  readonly canDeposit: boolean;
  readonly canWithdraw: boolean;
};
