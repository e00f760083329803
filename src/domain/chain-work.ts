import type { AccountIndex, Amount, AssetIndex, NetworkIndex } from './units.ts';
import type { DepositStatus, Destination, WithdrawalStatus } from './wallet.ts';
import type { DepositName, SweepStep } from './wallet-commands.ts';

/**
 * Everything that the connectors of a network need from the state: they keep nothing of their own, and
 * continue from here after a restart.
 */
export type NetworkWork = {
  readonly network: NetworkIndex;
  /** Everything up to it has been reported. */
  readonly height: number;
  /** The hot wallet's nonces below it are assigned. */
  readonly nextNonce: number;
  /** The coin in which fees are paid, if it is an asset of the venue. */
  readonly coin: CoinWork | undefined;
  readonly ways: readonly NetworkWay[];
  /** Those that wait for a sender or were taken by it, oldest first. */
  readonly withdrawals: readonly WithdrawalWork[];
  readonly sweeps: readonly SweepWork[];
  readonly deposits: readonly DepositWork[];
};

export type CoinWork = {
  readonly asset: AssetIndex;
  /** The balance of network-costs in it. */
  readonly costs: Amount;
  readonly inside: Amount;
};

export type NetworkWay = {
  readonly asset: AssetIndex;
  readonly fee: Amount;
  /** 0 before the first time. */
  readonly feeSetAtMs: number;
  /** Set by an operator: the chain's estimate does not apply. */
  readonly isFeeFixed: boolean;
  /** All of it in the ledger: genesis and deposits, less withdrawals and gas. */
  readonly inside: Amount;
};

/** Bytes that may be broadcast: they are on disk. */
export type SignedBytes = { readonly txId: string; readonly rawBytes: Uint8Array };

export type WithdrawalWork = Destination & {
  readonly id: number;
  readonly asset: AssetIndex;
  readonly status: Extract<WithdrawalStatus, 'PENDING' | 'IN SWEEPING' | 'PROCESSING'>;
  /** What leaves the hot wallet, in parts of the asset. */
  readonly leaving: Amount;
  /** -1 before it is taken. */
  readonly nonce: number;
  readonly sinceHeight: number;
  readonly versions: readonly SignedBytes[];
};

export type SweepWork = {
  readonly account: AccountIndex;
  readonly asset: AssetIndex;
  readonly step: SweepStep;
  readonly chainAmount: bigint;
  readonly nonce: number;
  readonly sinceHeight: number;
  readonly versions: readonly SignedBytes[];
};

export type DepositWork = DepositName & {
  readonly account: AccountIndex;
  readonly asset: AssetIndex;
  readonly height: number;
  readonly status: DepositStatus;
  readonly isVanished: boolean;
};
