import type { WithdrawalChecks } from '../../domain/operator-views.ts';
import type { FamilyIndex } from '../../domain/units.ts';
import { type Amount, amount } from '../../domain/units.ts';
import type {
  DepositRecord,
  Destination,
  HoldReason,
  StepsUsed,
  WithdrawalRecord,
  WithdrawalStatus,
} from '../../domain/wallet.ts';
import type { SweepStep } from '../../domain/wallet-commands.ts';

/**
 * Deposits and withdrawals in progress. Only what is unfinished, or could still be undone by its chain, is
 * here; the rest is in history, so that memory does not grow over the years.
 */
export type Wallet = {
  nextWithdrawal: number;
  nextDeposit: number;
  /** Unfinished, by id. */
  readonly withdrawals: Map<number, Withdrawal>;
  /** Unfinished ones of an account: a liquidation needs them. */
  readonly withdrawalsByAccount: Map<number, number[]>;
  /**
   * By network, transaction and output; kept until they are far below the height their network has reached.
   */
  readonly deposits: Map<string, Deposit>;
  readonly depositKeyById: Map<number, string>;
  /** Unfinished ones, at most one of each step at a deposit address. */
  readonly sweeps: Map<string, Sweep>;
  /** By family. */
  readonly families: FamilyWallet[];
  /** By network. */
  readonly networks: NetworkWallet[];
  readonly limits: { daily: Amount; automatic: Amount };
  /** Payments to accounts that one operator has asked for, oldest first. */
  readonly payOuts: PayOut[];
  /** No hold ends by itself before this time. */
  nextHoldEndMs: number;
  /** Withdrawals with a hold that ends by itself. */
  timedHolds: number;
};

/** From a purse of the venue to an account, waiting for a second operator. */
export type PayOut = {
  readonly actor: string;
  readonly askedAtMs: number;
  readonly from: string;
  readonly account: number;
  readonly asset: number;
  readonly amount: Amount;
};

export type Withdrawal = Mutable<WithdrawalRecord> & {
  status: WithdrawalStatus;
  holds: HoldReason[];
  /** When `new-address` ends. */
  holdEndMs: number;
  /** Operators who have released it above the limit. */
  readonly approvals: string[];
  readonly checks: WithdrawalChecks;
  /** Of the hot wallet of its network, once a sender has taken it; otherwise -1. */
  nonce: number;
  /**
   * The height up to which its network had been read when it was taken: none of its versions is in a block
   * below.
   */
  sinceHeight: number;
  readonly versions: SignedVersion[];
};

/** Every version that was signed is kept, oldest first, with the bytes to broadcast. */
export type SignedVersion = { readonly txId: string; readonly rawBytes: Uint8Array };

export type Sweep = {
  readonly network: number;
  readonly account: number;
  readonly asset: number;
  readonly step: SweepStep;
  /** Of the newest version: a later one may bring less, because its fee is higher. */
  chainAmount: bigint;
  readonly nonce: number;
  readonly sinceHeight: number;
  readonly versions: SignedVersion[];
};
export const sweepKey = (network: number, account: number, step: SweepStep): string =>
  `${network}/${account}/${step}`;

export type Deposit = Mutable<DepositRecord> & {
  /** Operators who have requested to reverse it. */
  readonly approvals: string[];
};

type Mutable<Record> = { -readonly [Name in keyof Record]: Record[Name] };

export type FamilyWallet = {
  /** The delay for new addresses, removed factors and new keys. */
  delayMs: number;
  isWhitelistOn: boolean;
  readonly addresses: SavedAddress[];
  /** When an address that was never saved was first paid to, by destination; the oldest are dropped. None before the first. */
  firstPaidAtMs: Map<string, number> | undefined;
  readonly factors: Factor[];
  /** Of the last hour. */
  readonly wrongCodesAtMs: number[];
  /** No withdrawals before this time. */
  blockedUntilMs: number;
  lockedUntilMs: number;
  /** Operators have removed a factor: no withdrawals before this time. */
  waitUntilMs: number;
  /** Credited deposits that their chain has taken away: the family may not withdraw meanwhile. */
  vanishedDeposits: number;
  /**
   * What was requested in the last 24 hours, by withdrawal, oldest first: index value in native parts. The
   * oldest may be older than that until the next request. Undefined before the first: most families never
   * withdraw.
   */
  spent: Map<number, { readonly atMs: number; readonly value: Amount }> | undefined;
  /** The sum of their values. */
  spentSum: Amount;
};

export type SavedAddress = Destination & {
  readonly asset: number;
  readonly label: string;
  readonly whitelisted: boolean;
  readonly savedAtMs: number;
};

export type Factor = StepsUsed & {
  readonly sealedSecret: Uint8Array;
  lastStep: number;
  usedBefore?: number;
  /** It is still required until this time. */
  removedAtMs: number;
  /** The operator who requested its removal, and when; empty if there is none. A second one must confirm. */
  resetBy: string;
  resetAtMs: number;
};

export type NetworkWallet = {
  height: number;
  nextNonce: number;
  readonly ways: Way[];
};

/** An asset on a network. */
export type Way = {
  readonly asset: number;
  canDeposit: boolean;
  canWithdraw: boolean;
  /** In parts of the asset: now, and before its last change. */
  fee: Amount;
  feeBefore: Amount;
  feeSetAtMs: number;
  /** Set by an operator: it does not follow the chain. */
  isFeeFixed: boolean;
};

export const DAY_MS = 86_400_000;
export const NEVER_MS = Number.MAX_SAFE_INTEGER;

/** In native parts at scale 8: ten million and a hundred thousand US dollars. */
const DAILY = amount(10n ** 9n * 10n ** 8n);
const AUTOMATIC = amount(10n ** 7n * 10n ** 8n);

export const newWallet = (): Wallet => ({
  nextWithdrawal: 1,
  nextDeposit: 1,
  withdrawals: new Map(),
  withdrawalsByAccount: new Map(),
  deposits: new Map(),
  depositKeyById: new Map(),
  sweeps: new Map(),
  families: [],
  networks: [],
  limits: { daily: DAILY, automatic: AUTOMATIC },
  payOuts: [],
  nextHoldEndMs: NEVER_MS,
  timedHolds: 0,
});

export const newFamilyWallet = (): FamilyWallet => ({
  delayMs: DAY_MS,
  isWhitelistOn: false,
  addresses: [],
  firstPaidAtMs: undefined,
  factors: [],
  wrongCodesAtMs: [],
  blockedUntilMs: 0,
  lockedUntilMs: 0,
  waitUntilMs: 0,
  vanishedDeposits: 0,
  spent: undefined,
  spentSum: amount(0n),
});

export const familyWalletOf = (wallet: Wallet, family: FamilyIndex): FamilyWallet =>
  wallet.families[family] as FamilyWallet;

/** Genesis has waived its delays. */
export const isDemo = ({ delayMs }: FamilyWallet): boolean => delayMs === 0;

/** The case of an EVM address is its checksum, and does not make another address. */
export const destinationKey = (asset: number, { network, address, memo }: Destination): string =>
  `${asset}/${network}/${address.startsWith('0x') ? address.toLowerCase() : address}/${memo ?? ''}`;

/** The record as events carry it: what only the venue's senders need is left out. */
export function recordOfWithdrawal(withdrawal: Withdrawal): WithdrawalRecord {
  const { holdEndMs, approvals, checks, nonce, sinceHeight, versions, ...record } = withdrawal;
  return { ...record, holds: [...record.holds] };
}

export function recordOfDeposit({ approvals, ...record }: Deposit): DepositRecord {
  return record;
}
