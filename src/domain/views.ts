import type { AssetSpec, MarketSpec, NetworkSpec } from './market.ts';
import type { AccountType, Permission, Restriction } from './terms.ts';
import type {
  AccountIndex,
  Amount,
  AssetIndex,
  FamilyIndex,
  KeyIndex,
  MarketIndex,
  TimeMs,
  UsdPrice,
} from './units.ts';

/** The shapes of answers about now. What is asked by name, and what comes back. */
export type Views = {
  readonly accounts: {
    readonly ask: { readonly accounts: readonly AccountIndex[] };
    readonly answer: readonly AccountView[];
  };
  readonly balances: {
    readonly ask: { readonly accounts: readonly AccountIndex[]; readonly asset?: AssetIndex };
    readonly answer: readonly BalancesView[];
  };
  readonly positions: {
    readonly ask: { readonly accounts: readonly AccountIndex[]; readonly market?: MarketIndex };
    readonly answer: readonly PositionsView[];
  };
  readonly clock: { readonly ask: object; readonly answer: { readonly timeMs: TimeMs } };
};
export type ViewName = keyof Views;

export type BalanceView = {
  readonly asset: AssetIndex;
  readonly available: Amount;
  readonly reserved: Amount;
  readonly lastUpdatedAtMs: number;
};
export type BalancesView = {
  readonly account: AccountIndex;
  readonly balances: readonly BalanceView[];
};

export type PositionView = {
  readonly market: MarketIndex;
  /** Signed: negative is short. */
  readonly lots: number;
  /** Exact signed sum of price x quantity in native parts. */
  readonly cost: Amount;
  readonly mark: UsdPrice;
  readonly unrealised: Amount;
  readonly liquidationPrice: UsdPrice;
  readonly lastUpdatedAtMs: number;
};
export type PositionsView = {
  readonly account: AccountIndex;
  readonly positions: readonly PositionView[];
};

/** Money figures are native parts; the ratios are counted in 10^-6. */
export type AccountView = {
  readonly account: AccountIndex;
  readonly accountType: AccountType;
  readonly balances: readonly BalanceView[];
  readonly positions: readonly PositionView[];
  readonly collateral: Amount;
  readonly notional: Amount;
  readonly initialMargin: Amount;
  readonly maintenanceMargin: Amount;
  readonly marginRatio: bigint;
  readonly riskRatio: bigint;
  readonly liquidating: boolean;
  readonly feeTier: number;
  readonly createdAtMs: number;
};

/** What a gateway needs at hand for every request: names to indexes and back, keys, catalogue. */
export interface Directory {
  keyByAccess(accessKey: string): KeyEntry | undefined;
  keys(): readonly KeyEntry[];
  account(index: AccountIndex): AccountEntry | undefined;
  family(index: FamilyIndex): FamilyEntry;
  families(): readonly FamilyEntry[];
  asset(index: AssetIndex): AssetSpec;
  assetByCode(code: string): AssetIndex | undefined;
  assets(): readonly AssetSpec[];
  market(index: MarketIndex): MarketSpec;
  marketByCode(code: string): MarketIndex | undefined;
  markets(): readonly MarketSpec[];
  networks(): readonly NetworkSpec[];
}

export type KeyEntry = {
  readonly key: KeyIndex;
  readonly account: AccountIndex;
  readonly accessKey: string;
  readonly sealedSecret: Uint8Array;
  readonly permissions: readonly Permission[];
  readonly expiresAtMs: number | undefined;
  readonly addresses: readonly string[] | undefined;
  readonly isRevoked: boolean;
};
export type AccountEntry = {
  readonly account: AccountIndex;
  readonly family: FamilyIndex;
  readonly name: string;
  readonly isMain: boolean;
  readonly isActive: boolean;
};
export type FamilyEntry = {
  readonly family: FamilyIndex;
  readonly name: string;
  readonly restrictions: readonly Restriction[];
  /** `main` first, then in order of creation. */
  readonly accounts: readonly AccountIndex[];
};
