import type { AccountEntry, FamilyEntry, KeyEntry } from './entries.ts';
import type { OrderRecord } from './orders.ts';
import type {
  AccountIndex,
  Amount,
  AssetIndex,
  FamilyIndex,
  MarketIndex,
  NetworkIndex,
} from './units.ts';
import type { DepositRecord, SecondFactor, WithdrawalRecord } from './wallet.ts';

/**
 * Views of the current state for operators only. Lists are paged by ascending number, after `after`; -1 for
 * the first page. Each call reads a bounded number of rows.
 */
export type OperatorViews = {
  readonly familyPage: {
    readonly query: PageFrom & { readonly name?: string };
    readonly result: readonly FamilySummary[];
  };
  readonly accountPage: { readonly query: PageFrom; readonly result: readonly AccountEntry[] };
  readonly keyPage: {
    readonly query: PageFrom & { readonly accounts?: readonly AccountIndex[] };
    readonly result: readonly KeyEntry[];
  };
  /** Unfinished ones. */
  readonly openWithdrawals: {
    readonly query: PageFrom & { readonly isHeld?: boolean };
    readonly result: readonly OpenWithdrawalView[];
  };
  readonly openWithdrawal: {
    readonly query: { readonly id: number };
    readonly result: OpenWithdrawalView | undefined;
  };
  /** Those that their chain could still undo; `isWaiting` for those that need an operator. */
  readonly openDeposits: {
    readonly query: PageFrom & { readonly isWaiting?: boolean };
    readonly result: readonly OpenDepositView[];
  };
  readonly ways: { readonly query: object; readonly result: readonly WayView[] };
  readonly venueLimits: { readonly query: object; readonly result: VenueLimitsView };
  /** Counts of the whole venue, for metrics. */
  readonly activity: { readonly query: object; readonly result: ActivityView };
  readonly solvency: { readonly query: object; readonly result: readonly SolvencyView[] };
  /** Accounts with positions, orders on margin or a debt. */
  readonly riskPage: {
    readonly query: PageFrom;
    readonly result: {
      readonly accounts: readonly RiskView[];
      /** The next page begins after it; undefined after the last page. */
      readonly next: number | undefined;
    };
  };
  /** Everything with the text in its name, id, address or transaction. */
  readonly search: {
    readonly query: { readonly text: string; readonly limit: number };
    readonly result: SearchView;
  };
};

export type ActivityView = {
  /** The number of orders ever placed. */
  readonly orders: number;
  readonly openOrders: number;
  readonly liquidating: number;
  readonly markets: readonly {
    readonly marketCode: string;
    readonly matches: number;
    /** It accepts orders. */
    readonly isOpen: boolean;
    /** When the index price of its base asset was set; 0 if never. */
    readonly indexAtMs: number;
  }[];
};

type PageFrom = { readonly after: number; readonly limit: number };

export type FamilySummary = FamilyEntry & {
  readonly feeTier: number;
  readonly isWhitelistOn: boolean;
  readonly factors: readonly SecondFactor[];
  /** Withdrawals are refused until then, after wrong codes. */
  readonly blockedUntilMs: number;
  /** Credited deposits that have vanished from their chain. */
  readonly vanishedDeposits: number;
  readonly openWithdrawals: number;
};

/** What the request was checked against when it was made. Values are native parts at index. */
export type WithdrawalChecks = {
  readonly factor?: SecondFactor;
  readonly isWhitelisted: boolean;
  /** Since when the family has used this address. */
  readonly addressSinceMs: number;
  readonly value: Amount;
  /** What the family had withdrawn in the preceding 24 hours, and its limit. */
  readonly spent: Amount;
  readonly daily: Amount;
  readonly automatic: Amount;
  /** After the withdrawal, without unrealised profit. */
  readonly collateral: Amount;
  readonly initialMargin: Amount;
};

export type OpenWithdrawalView = {
  readonly withdrawal: WithdrawalRecord;
  /** When the hold for a new address ends. */
  readonly holdEndMs: number;
  /** Operators who have released it above the limit. */
  readonly approvals: readonly string[];
  readonly checks: WithdrawalChecks;
};

export type OpenDepositView = {
  readonly deposit: DepositRecord;
  /** Operators who have requested its reversal. */
  readonly approvals: readonly string[];
};

/** An asset on a network. */
export type WayView = {
  readonly network: NetworkIndex;
  readonly asset: AssetIndex;
  readonly canDeposit: boolean;
  readonly canWithdraw: boolean;
  readonly fee: Amount;
  readonly feeSetAtMs: number;
  readonly isFeeFixed: boolean;
  readonly height: number;
};

export type VenueLimitsView = {
  readonly perMarket: number;
  readonly inAll: number;
  /** Native parts. */
  readonly daily: Amount;
  readonly automatic: Amount;
  readonly backstops: readonly {
    readonly account: AccountIndex;
    readonly market: number;
    readonly maxLots: number;
  }[];
};

/** Per asset. inside = liabilities - debt + the venue's own purses = what came in and did not leave. */
export type SolvencyView = {
  readonly asset: AssetIndex;
  /** Balances of accounts, available and reserved, where above zero. */
  readonly liabilities: Amount;
  /** What accounts owe; native only. */
  readonly debt: Amount;
  /** What the venue's wallets must hold: genesis + deposits - withdrawals - gas. */
  readonly wallets: Amount;
  readonly clearing: Amount;
  readonly deficit: Amount;
  readonly fees: Amount;
  readonly insurance: Amount;
  readonly rounding: Amount;
  readonly networkCosts: Amount;
  readonly suspense: Amount;
};

/** Amounts are native parts, the ratio is in 10^-6 percent. */
export type RiskView = {
  readonly account: AccountIndex;
  readonly marginRatio: bigint;
  readonly collateral: Amount;
  readonly maintenanceMargin: Amount;
  readonly notional: Amount;
  readonly liquidating: boolean;
  readonly positions: readonly RankedPosition[];
};

/** ADL closes positions of one side by descending (profit / cost) x (notional / collateral) = top / bottom. */
export type RankedPosition = {
  readonly market: MarketIndex;
  readonly lots: number;
  readonly top: bigint;
  readonly bottom: bigint;
};

export type SearchView = {
  readonly families: readonly FamilyIndex[];
  readonly accounts: readonly AccountIndex[];
  readonly keys: readonly KeyEntry[];
  readonly orders: readonly OrderRecord[];
  readonly withdrawals: readonly OpenWithdrawalView[];
  readonly deposits: readonly OpenDepositView[];
  /** Not everything was searched, or not everything found is included. */
  readonly isCut: boolean;
};
