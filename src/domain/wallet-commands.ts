import type { ByOperator, SignedBy } from './actors.ts';
import type { AccountIndex, Amount, AssetIndex, NetworkIndex } from './units.ts';
import type { Destination, SecondFactor } from './wallet.ts';

/** The commands of the wallet: by users, by operators, and by the connectors of chains. */
export type WalletCommand =
  | RequestWithdrawal
  | CancelWithdrawal
  | NoteWrongCode
  | SaveAddress
  | RemoveAddress
  | SetWhitelistMode
  | EnrolFactor
  | RemoveFactor
  | ResetFactor
  | OperateWithdrawal
  | OperateDeposit
  | SetWithdrawalLimits
  | SetNetworkState
  | SetWithdrawalFee
  | ReleaseWithdrawalFee
  | NoteRescan
  | TakeWithdrawal
  | RecordTransaction
  | ConfirmWithdrawal
  | FailWithdrawal
  | RecordSweep
  | EndSweep
  | SeeDeposit
  | CreditDeposit
  | LoseDeposit
  | ReachHeight;

/** A correct code: which factor, and the step or counter with which it was made. */
export type FactorUse = { readonly factor: SecondFactor; readonly step: number };

export type RequestWithdrawal = Destination & {
  readonly kind: 'request-withdrawal';
  readonly by: SignedBy;
  readonly asset: AssetIndex;
  readonly quantity: Amount;
  readonly externalFee: boolean;
  readonly used?: FactorUse;
};

/** By the user, before a sender has taken it. */
export type CancelWithdrawal = {
  readonly kind: 'cancel-withdrawal';
  readonly by: SignedBy;
  readonly id: number;
};

/** A wrong code of a second factor: it blocks for a while, and five in an hour for a day. */
export type NoteWrongCode = { readonly kind: 'note-wrong-code'; readonly by: SignedBy };

export type SaveAddress = Destination & {
  readonly kind: 'save-address';
  readonly by: SignedBy;
  readonly asset: AssetIndex;
  /** Of an address that is saved already, what is absent stays. */
  readonly label?: string;
  readonly whitelisted?: boolean;
  readonly used?: FactorUse;
};
export type RemoveAddress = Destination & {
  readonly kind: 'remove-address';
  readonly by: SignedBy;
  readonly asset: AssetIndex;
};
/** On: withdrawals go only to whitelisted addresses. Turning it off needs a code like a withdrawal. */
export type SetWhitelistMode = {
  readonly kind: 'set-whitelist-mode';
  readonly by: SignedBy;
  readonly isOn: boolean;
  readonly used?: FactorUse;
};

/** The first code of the new factor was correct: `step` is that with which it was made. */
export type EnrolFactor = {
  readonly kind: 'enrol-factor';
  readonly by: SignedBy;
  readonly factor: SecondFactor;
  /** Sealed with the master key. */
  readonly sealedSecret: Uint8Array;
  readonly step: number;
  /** A use of an enrolled factor, if there is one. */
  readonly used?: FactorUse;
};
/** Takes effect a day later (immediately for demo families). */
export type RemoveFactor = {
  readonly kind: 'remove-factor';
  readonly by: SignedBy;
  readonly factor: SecondFactor;
  readonly used?: FactorUse;
};

/**
 * The user has lost it. Needs two operators within a day; then it is removed immediately, and nothing can be
 * withdrawn for a day (demo families do not wait).
 */
export type ResetFactor = ByOperator & {
  readonly kind: 'reset-factor';
  readonly family: string;
  readonly factor: SecondFactor;
  readonly reason: string;
};

export type OperateWithdrawal = ByOperator & {
  readonly kind: 'operate-withdrawal';
  readonly id: number;
  /** `release` ends the holds that operators may end; above the limit it needs two of them. */
  readonly act: 'hold' | 'release' | 'cancel';
  readonly reason: string;
};

export type OperateDeposit = ByOperator & {
  readonly kind: 'operate-deposit';
  readonly id: number;
  /** Reversing needs two operators. */
  readonly act: 'complete' | 'reverse';
  readonly reason: string;
};

/**
 * In native parts, by index value: how much a family may withdraw in 24 hours, and how much at once without
 * review.
 */
export type SetWithdrawalLimits = ByOperator & {
  readonly kind: 'set-withdrawal-limits';
  readonly daily: Amount;
  readonly automatic: Amount;
};

export type SetNetworkState = ByOperator & {
  readonly kind: 'set-network-state';
  readonly network: string;
  readonly asset: string;
  readonly canDeposit: boolean;
  readonly canWithdraw: boolean;
};

/**
 * The current network fee, in parts of the withdrawn asset. At most once a minute. An operator's fee stays
 * until it is released; meanwhile the chain's estimate is refused.
 */
export type SetWithdrawalFee = Partial<ByOperator> & {
  readonly kind: 'set-withdrawal-fee';
  readonly network: NetworkIndex;
  readonly asset: AssetIndex;
  readonly fee: Amount;
};

/** From now on the fee follows the chain again. */
export type ReleaseWithdrawalFee = ByOperator & {
  readonly kind: 'release-withdrawal-fee';
  readonly network: NetworkIndex;
  readonly asset: AssetIndex;
};

/**
 * A network's blocks are read again from a height; it only records that and does not change the state
 * otherwise.
 */
export type NoteRescan = ByOperator & {
  readonly kind: 'note-rescan';
  readonly network: string;
  readonly height: number;
  readonly reason: string;
};

/** A sender takes it with a nonce of the hot wallet, or finds the wallet short and waits for a refill. */
export type TakeWithdrawal = {
  readonly kind: 'take-withdrawal';
  readonly id: number;
  readonly nonce?: number;
};

/** Signed and not yet broadcast. Another version with the same nonce pays a higher fee. */
export type RecordTransaction = {
  readonly kind: 'record-transaction';
  readonly id: number;
  readonly txId: string;
  readonly nonce: number;
  readonly rawBytes: Uint8Array;
};

/** The network's fee, in parts of its coin. */
export type GasSpent = { readonly asset: AssetIndex; readonly amount: Amount };

export type ConfirmWithdrawal = {
  readonly kind: 'confirm-withdrawal';
  readonly id: number;
  readonly txId: string;
  readonly gas?: GasSpent;
};

/** At full confirmations: reverted, or another transaction used its nonce. */
export type FailWithdrawal = {
  readonly kind: 'fail-withdrawal';
  readonly id: number;
  readonly cause: string;
  readonly gas?: GasSpent;
};

/** Emptying a deposit address into the hot wallet, and the coin that it may need first for the fee. */
export type SweepStep = 'top-up' | 'sweep';

/**
 * Signed and not yet broadcast: a payment of the venue to itself. A top-up has a nonce of the hot wallet, a
 * sweep one of the deposit address. Recorded again with the same nonce it is another version, which may bring
 * less and pay a higher fee.
 */
export type RecordSweep = {
  readonly kind: 'record-sweep';
  readonly network: NetworkIndex;
  /** Whose deposit address it is. */
  readonly account: AccountIndex;
  readonly asset: AssetIndex;
  readonly step: SweepStep;
  /** In the chain's own units. */
  readonly chainAmount: bigint;
  readonly nonce: number;
  readonly txId: string;
  readonly rawBytes: Uint8Array;
};

/** At full confirmations, whatever the result. */
export type EndSweep = {
  readonly kind: 'end-sweep';
  readonly network: NetworkIndex;
  readonly account: AccountIndex;
  readonly step: SweepStep;
  readonly txId: string;
  readonly gas?: GasSpent;
};

export type SeeDeposit = Destination & {
  readonly kind: 'see-deposit';
  readonly account: AccountIndex;
  readonly asset: AssetIndex;
  readonly txId: string;
  readonly output: number;
  readonly height: number;
  /** In the chain's own units. */
  readonly chainAmount: bigint;
};

/** It has the confirmations of its network. */
export type CreditDeposit = DepositName & { readonly kind: 'credit-deposit' };

/** A reorganisation removed its transaction. */
export type LoseDeposit = DepositName & { readonly kind: 'lose-deposit' };

export type DepositName = {
  readonly network: NetworkIndex;
  readonly txId: string;
  readonly output: number;
};

/** Everything up to this height has been reported: deposits far below it are final and forgotten. */
export type ReachHeight = {
  readonly kind: 'reach-height';
  readonly network: NetworkIndex;
  readonly height: number;
};
