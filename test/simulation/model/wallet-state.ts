import type { NetworkSpec } from '../../../src/domain/market.ts';

/** The model keeps everything about deposits and withdrawals. */
export type ModelWallet = {
  networks: { spec: NetworkSpec; height: number; nextNonce: number }[];
  /** "network/asset" -> fees in the order they were set. */
  fees: Map<string, { fee: bigint; atMs: number }[]>;
  closed: { deposit: Set<string>; withdraw: Set<string> };
  withdrawals: ModelWithdrawal[];
  deposits: ModelDeposit[];
  /** "network/account/step" -> the unfinished sweep. */
  sweeps: Map<string, { asset: number; nonce: number; txIds: string[] }>;
  wrongCodes: { family: number; atMs: number }[];
  lockedUntilMs: Map<number, number>;
  addresses: { family: number; place: string; whitelisted: boolean; atMs: number }[];
  firstPaid: Map<string, number>;
  whitelistOn: Set<number>;
  factors: ModelFactor[];
  /** Family -> no withdrawals until then, because operators removed a factor. */
  waitUntilMs: Map<number, number>;
  /** "network/asset" whose fee an operator has fixed. */
  fixedFees: Set<string>;
  daily: bigint;
  automatic: bigint;
  /** Families whose delays are waived. */
  hasty: Set<number>;
};

export type ModelWithdrawal = {
  readonly id: number;
  readonly account: number;
  readonly asset: number;
  readonly network: number;
  readonly quantity: bigint;
  readonly fee: bigint;
  readonly debited: bigint;
  readonly value: bigint;
  readonly atMs: number;
  readonly oldAtMs: number;
  status: string;
  holds: Set<string>;
  releasedBy: Set<string>;
  nonce: number;
  txIds: string[];
};

export type ModelDeposit = {
  readonly id: number;
  readonly name: string;
  readonly account: number;
  readonly asset: number;
  readonly network: number;
  readonly quantity: bigint;
  height: number;
  status: string;
  hold: string | undefined;
  isVanished: boolean;
  wasReversed: boolean;
  /** Final, and its network was read further since: nobody can change it. */
  isForgotten: boolean;
  reversedBy: Set<string>;
};

const UNIT = 10n ** 8n;
export const newModelWallet = (): ModelWallet => ({
  networks: [],
  fees: new Map(),
  closed: { deposit: new Set(), withdraw: new Set() },
  withdrawals: [],
  deposits: [],
  sweeps: new Map(),
  wrongCodes: [],
  lockedUntilMs: new Map(),
  addresses: [],
  firstPaid: new Map(),
  whitelistOn: new Set(),
  factors: [],
  waitUntilMs: new Map(),
  fixedFees: new Set(),
  daily: 1_000_000_000n * UNIT,
  automatic: 10_000_000n * UNIT,
  hasty: new Set(),
});

export type ModelFactor = {
  family: number;
  factor: string;
  /** Every step that was used. */
  steps: number[];
  endMs: number;
  /** The operator who requested its removal, and when. */
  unwanted?: { by: string; atMs: number } | undefined;
};
