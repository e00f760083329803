import type { NetworkWork } from './chain-work.ts';
import type { AccountEntry, FamilyEntry, KeyEntry } from './entries.ts';
import type { AssetSpec, MarketSpec, NetworkSpec } from './market.ts';
import type { OperatorViews } from './operator-views.ts';
import type { OrderTexts } from './order-layout.ts';
import type { OrderRecord, OrderRequest } from './orders.ts';
import type { Refusal, Rejection } from './rejections.ts';
import type { AccountType, MarketState, OrderState, Side } from './terms.ts';
import type {
  AccountIndex,
  Amount,
  AssetIndex,
  FamilyIndex,
  KeyIndex,
  MarketIndex,
  NetworkIndex,
  TimeMs,
  UsdPrice,
} from './units.ts';
import type { Destination, HoldReason, StepsUsed, WithdrawalStatus } from './wallet.ts';

export type { AccountEntry, FamilyEntry, KeyEntry } from './entries.ts';

/** Reads of the current state: for each view its query and its result. */
export type Views = OperatorViews & {
  readonly accounts: {
    readonly query: { readonly accounts: readonly AccountIndex[] };
    readonly result: readonly AccountView[];
  };
  readonly balances: {
    readonly query: { readonly accounts: readonly AccountIndex[]; readonly asset?: AssetIndex };
    readonly result: readonly BalancesView[];
  };
  readonly positions: {
    readonly query: { readonly accounts: readonly AccountIndex[]; readonly market?: MarketIndex };
    readonly result: readonly PositionsView[];
  };
  /** The index price of every asset; `isQuoted` if one was accepted since genesis. */
  readonly indexPrices: {
    readonly query: object;
    readonly result: readonly IndexPriceView[];
  };
  readonly clock: { readonly query: object; readonly result: { readonly timeMs: TimeMs } };
  /** Open orders of an account, newest first. */
  readonly orders: {
    readonly query: {
      readonly account: AccountIndex;
      readonly market?: MarketIndex;
      readonly orderId?: number;
      readonly clientOrderId?: bigint;
      readonly named?: OrderTexts;
      /** At most this many, of those with a lower id than `beforeId`. */
      readonly limit?: number;
      readonly beforeId?: number;
    };
    readonly result: readonly OrderRecord[];
  };
  readonly depth: {
    readonly query: { readonly market: MarketIndex; readonly levels: number };
    readonly result: DepthView;
  };
  /**
   * The account after hypothetical index prices, fills as a taker, and open orders; undefined if it could not
   * hold what the fills bring or the orders reserve.
   */
  readonly estimate: {
    readonly query: {
      readonly account: AccountIndex;
      readonly prices: readonly { readonly asset: AssetIndex; readonly price: bigint }[];
      readonly fills: readonly HypotheticalOrder[];
      readonly orders: readonly HypotheticalOrder[];
      /** What is added to its balances, or subtracted from them. */
      readonly changes?: readonly { readonly asset: AssetIndex; readonly parts: Amount }[];
    };
    readonly result: AccountView | undefined;
  };
  /** What an order would get if it were placed now. */
  readonly preview: {
    readonly query: { readonly account: AccountIndex; readonly order: OrderRequest };
    readonly result: PreviewView;
  };
  /** Pending work for the connectors of chains, by network. */
  readonly chainWork: {
    readonly query: {
      /** Which deposits: all that are remembered, none, or those that wait for confirmations. */
      readonly deposits?: 'all' | 'none' | 'waiting';
    };
    readonly result: readonly NetworkWork[];
  };
  /** A family's settings for withdrawals: addresses, whitelist mode, second factors, blocks after wrong codes. */
  readonly familyWallet: {
    readonly query: { readonly family: FamilyIndex };
    readonly result: FamilyWalletView;
  };
  /** The unfinished withdrawals of an account, and the daily limit of its family with how much of it is used. */
  readonly unfinished: {
    readonly query: { readonly account: AccountIndex };
    readonly result: UnfinishedView;
  };
  /** What a withdrawal would cost now, or why it would be refused for any account. */
  readonly withdrawalCosts: {
    readonly query: Destination & {
      readonly asset: AssetIndex;
      readonly quantity: Amount;
      readonly externalFee: boolean;
    };
    readonly result: Refusal | { readonly fee: Amount; readonly burnFee: Amount };
  };
  readonly markets: {
    readonly query: { readonly market?: MarketIndex };
    readonly result: readonly MarketView[];
  };
  /** A family's password, as it is stored. */
  readonly familyAccess: {
    readonly query: { readonly family: FamilyIndex };
    readonly result: {
      /** Undefined if it has none. */
      readonly sealedPassword: Uint8Array | undefined;
      readonly passwordVersion: number;
    };
  };
  /** Families whose delays genesis has waived. */
  readonly demoFamilies: { readonly query: object; readonly result: readonly FamilyIndex[] };
  readonly invitation: {
    readonly query: { readonly tokenHash: string };
    readonly result: { readonly family: FamilyIndex } | undefined;
  };
};
export type ViewName = keyof Views;

export type IndexPriceView = {
  readonly asset: AssetIndex;
  readonly price: UsdPrice;
  readonly isQuoted: boolean;
};

export type BalanceView = {
  readonly asset: AssetIndex;
  readonly available: Amount;
  readonly reserved: Amount;
  readonly lastUpdatedAtMs: number;
};
/** The same with its value and its contribution to the collateral, in native parts. */
export type ValuedBalanceView = BalanceView & {
  readonly value: Amount;
  readonly collateralValue: Amount;
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

export type HypotheticalOrder = {
  readonly market: MarketIndex;
  readonly side: Side;
  readonly lots: number;
  readonly priceTicks: number;
  /** An open order that does not count towards margin; perpetuals only. */
  readonly reduceOnly?: boolean;
};
export type PreviewView = {
  /** Why it would be refused, if so: then nothing else happens. */
  readonly refused: { readonly reason: Rejection; readonly message: string } | undefined;
  /** Its state after meeting the book; undefined if it would be refused. */
  readonly status: OrderState | undefined;
  /** By price, best first. */
  readonly fills: readonly { readonly priceTicks: number; readonly lots: number }[];
  readonly matches: number;
  /** It would meet as many orders as one request may, and the rest of it would be cancelled. */
  readonly isCut: boolean;
  readonly fees: readonly { readonly asset: AssetIndex; readonly amount: Amount }[];
  /** The account after it. */
  readonly account: AccountView;
};

export type DepthLevelView = { readonly priceTicks: number; readonly lots: number };
export type DepthView = {
  readonly timeMs: TimeMs;
  /** Best first. */
  readonly asks: readonly DepthLevelView[];
  readonly bids: readonly DepthLevelView[];
};

export type MarketView = {
  readonly market: MarketIndex;
  readonly version: number;
  readonly state: MarketState;
  readonly stateReason: string;
  /** Open, with current prices. */
  readonly isOperational: boolean;
  /** Perpetuals: the rate with which the current hour would end now, in 10^-9. */
  readonly estimatedFunding: bigint;
  readonly listedAtMs: number;
  readonly index: UsdPrice;
  readonly mark: UsdPrice;
  readonly priceAtMs: number;
  readonly lowerTicks: number;
  readonly upperTicks: number;
  /** The last match; 0 before the first. */
  readonly lastTicks: number;
  readonly lastLots: number;
  readonly lastMatchAtMs: number;
  readonly openInterestLots: number;
};

export type UnfinishedView = {
  readonly withdrawals: readonly {
    readonly id: number;
    readonly network: NetworkIndex;
    readonly status: WithdrawalStatus;
    readonly holds: readonly HoldReason[];
    readonly holdEndMs: number;
    /** None of its transactions is in this block or below. */
    readonly sinceHeight: number;
  }[];
  /** Native parts: the limit for 24 hours, and how much of it is used. */
  readonly daily: Amount;
  readonly spent: Amount;
};

export type FamilyWalletView = {
  readonly isWhitelistOn: boolean;
  readonly addresses: readonly SavedAddressView[];
  /** Those that are currently required. */
  readonly factors: readonly FactorView[];
  /** Withdrawals are refused until then after wrong codes, for seconds or for a day. */
  readonly blockedUntilMs: number;
  readonly lockedUntilMs: number;
};
export type SavedAddressView = Destination & {
  readonly asset: AssetIndex;
  readonly label: string;
  readonly whitelisted: boolean;
  readonly savedAtMs: number;
};
export type FactorView = StepsUsed & {
  readonly sealedSecret: Uint8Array;
  /** It is being removed, and required until then. */
  readonly removedAtMs?: number;
};

/** Amounts are native parts; ratios are in 10^-6. */
export type AccountView = {
  readonly account: AccountIndex;
  readonly accountType: AccountType;
  readonly balances: readonly ValuedBalanceView[];
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

/** What the edge needs for every request: names to indexes and back, keys, catalogue. */
export interface Directory {
  keyByAccess(accessKey: string): KeyEntry | undefined;
  key(index: KeyIndex): KeyEntry | undefined;
  /** All of them: for a start, not for a request. */
  keys(): readonly KeyEntry[];
  keysOf(family: FamilyIndex): readonly KeyEntry[];
  account(index: AccountIndex): AccountEntry | undefined;
  /** Accounts from this place on: those created since an earlier look. */
  accountsFrom(first: number): readonly AccountIndex[];
  /** How many orders it has open: how long lists and previews of them are. */
  openOrders(account: AccountIndex): number;
  family(index: FamilyIndex): FamilyEntry;
  families(): readonly FamilyEntry[];
  familyByName(name: string): FamilyEntry | undefined;
  asset(index: AssetIndex): AssetSpec;
  assetByCode(code: string): AssetIndex | undefined;
  assets(): readonly AssetSpec[];
  market(index: MarketIndex): MarketSpec;
  marketByCode(code: string): MarketIndex | undefined;
  /** The version of its specification that defines ticks and lots. */
  marketVersion(index: MarketIndex): number;
  markets(): readonly MarketSpec[];
  networks(): readonly NetworkSpec[];
  networkByName(name: string): NetworkIndex | undefined;
  /** Second factors that a family's withdrawals currently need. */
  factors(family: FamilyIndex): readonly FactorView[];
  /** Undefined if the network does not carry the asset. */
  way(network: NetworkIndex, asset: AssetIndex): WayEntry | undefined;
}

/** An asset on a network, as configured by operators. */
export type WayEntry = { readonly canDeposit: boolean; readonly canWithdraw: boolean };
