import type { AddressFormat } from '../../domain/market.ts';

export type SimulatedSettings = {
  readonly network: string;
  readonly confirmations: number;
  /** Everyone pays to one address, and a memo names the recipient. */
  readonly needsMemo?: boolean;
  readonly coinDecimals?: number;
  readonly tokens?: readonly { readonly tokenId: string; readonly decimals: number }[];
  readonly addressFormat?: AddressFormat;
  readonly blocksPerCall?: number;
  readonly pricePerUnitMax?: bigint;
  readonly prices?: SimulatedPrices;
  readonly seed?: string;
  /** Where a chain begins that was never saved; block 0 by default. */
  readonly begin?: SimulatedBeginning;
  /**
   * Awaited before every answer: the owner of the chain makes it durable first, so that nobody acts on
   * something that a crash could undo.
   */
  readonly beforeAnswer?: () => Promise<void>;
};

/** Prevents that a height, a nonce or a transaction of a lost chain is used again. */
export type SimulatedBeginning = {
  readonly height: number;
  readonly hotNonce: number;
  /** A lower bound of the number of outside payers so far. */
  readonly payers: number;
};

/** What payments cost: units of work, and the initial price of a unit in parts of the coin. */
export type SimulatedPrices = {
  readonly coinUnits: bigint;
  readonly tokenUnits: bigint;
  readonly basePrice: bigint;
  readonly tip: bigint;
};

/** As on an EVM chain with 18 decimals. */
export const DEFAULT_PRICES: SimulatedPrices = {
  coinUnits: 21_000n,
  tokenUnits: 50_000n,
  basePrice: 1_000_000_000n,
  tip: 1_000_000n,
};
