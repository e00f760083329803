import type { AddressFormat } from '../../domain/market.ts';

export type SimulatedSettings = {
  readonly network: string;
  readonly confirmations: number;
  /** Everyone pays to one address and says with a memo whom it is for. */
  readonly needsMemo?: boolean;
  readonly coinDecimals?: number;
  readonly tokens?: readonly { readonly tokenId: string; readonly decimals: number }[];
  readonly addressFormat?: AddressFormat;
  readonly blocksPerCall?: number;
  readonly pricePerUnitMax?: bigint;
  readonly prices?: SimulatedPrices;
  readonly seed?: string;
  /** Where a chain begins that was never saved; at block 0 unless set. */
  readonly begin?: SimulatedBeginning;
  /**
   * Awaited before every answer: whoever keeps the chain makes it durable first, so that nobody acts on
   * what a crash could take back.
   */
  readonly beforeAnswer?: () => Promise<void>;
};

/** So that nothing of a chain that was lost comes again: no height, no nonce, no transaction. */
export type SimulatedBeginning = {
  readonly height: number;
  readonly hotNonce: number;
  /** Payers outside that there have been, at the least. */
  readonly payers: number;
};

/** What payments cost: units of work, and what a unit costs in parts of the coin at the start. */
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
