import type { KeyRecord } from '../../domain/entries.ts';
import type { AssetSpec, MarketSpec, NetworkSpec } from '../../domain/market.ts';
import type { OrderRecord } from '../../domain/orders.ts';
import type { AccountType, MarketState, Restriction } from '../../domain/terms.ts';
import type { Deadline } from '../memory/deadlines.ts';
import type { NamedBucket } from '../memory/requests.ts';

/**
 * A venue as facts: everything that a later version must know to continue, and nothing about how a version
 * lays it out. Each old layout has a reader that returns these (`v1.ts`); `import.ts` builds the current
 * state from them with the current code. A member is added when the venue starts to remember more; the
 * readers of older layouts then supply its earlier value.
 *
 * Derived data is not included: indexes, sums over open orders, marks and bands, the watch of each account.
 * Queues of pending work are empty whenever a venue stops cleanly. Accounts, families, assets, markets and
 * keys are identified by their index in their lists, which never changes: ids of accounts and remembered
 * requests are built from it.
 */
export type Facts = {
  readonly sequence: number;
  readonly timeMs: number;
  readonly digest: { readonly lo: number; readonly hi: number };
  readonly nextOrderId: number;
  /** The UTC day fee tiers were last set on. */
  readonly feeDay: number;
  /** The minute whose marks were last published. */
  readonly markedMinute: number;
  /** Armed dead-man switches and what waits for halted markets, in the order in which they were first armed. */
  readonly deadlines: readonly Deadline[];
  readonly assets: readonly AssetFacts[];
  readonly networks: readonly NetworkSpec[];
  readonly markets: readonly MarketFacts[];
  /** By place; their accounts follow from `holders`. */
  readonly families: readonly FamilyFacts[];
  /** The holders of the ledger after the venue's own, in order. */
  readonly holders: readonly HolderFacts[];
  readonly keys: readonly KeyFacts[];
  /** Those that were ever touched. */
  readonly purses: readonly PurseFacts[];
  /**
   * Which account has a standing in which market, in the order in which they were created: funding is paid
   * along it.
   */
  readonly standings: readonly StandingFacts[];
  /** The orders of each account, oldest first. */
  readonly orders: readonly OrderFacts[];
  /** By market: ids of the resting orders, bids then asks, each best price first, then by priority. */
  readonly queues: readonly (readonly number[])[];
  readonly requests: RequestFacts;
  /** Accounts in liquidation, in the order in which they take their steps. */
  readonly liquidating: readonly number[];
  readonly backstops: readonly BackstopFacts[];
  /** How many orders an account may have open. */
  readonly orderLimits: { readonly perMarket: number; readonly inAll: number };
  /** Packed as in the state; absent if there was none. */
  readonly wallet?: Uint8Array;
};

export type AssetFacts = {
  readonly spec: AssetSpec;
  readonly indexPrice: bigint;
  readonly indexAtMs: number;
  /** A jump that waits for confirmation; 0 for none. */
  readonly jumpPrice: bigint;
  /** A price has been accepted since genesis. */
  readonly isQuoted: boolean;
  readonly crossed: {
    readonly genesis: bigint;
    readonly deposits: bigint;
    readonly withdrawals: bigint;
    readonly gas: bigint;
  };
};

export type MarketFacts = {
  readonly spec: MarketSpec;
  readonly version: number;
  readonly listedAtMs: number;
  readonly state: MarketState;
  readonly stateReason: string;
  readonly lastTicks: number;
  readonly lastLots: number;
  readonly lastMatchAtMs: number;
  readonly matches: number;
  readonly pricedAtMs: number;
  readonly premium: {
    /** Of (mid - index), oldest first. */
    readonly samples: readonly bigint[];
    readonly hour: number;
    readonly hourSum: bigint;
    readonly hourSeconds: number;
    readonly second: number;
  };
};

export type FamilyFacts = {
  readonly name: string;
  readonly restrictions: readonly Restriction[];
  readonly feeTier: number;
  /** Whole units of native by UTC day modulo their number. */
  readonly volumeByDay: readonly bigint[];
};

export type HolderFacts =
  | { readonly kind: 'clearing'; readonly market: number }
  | ({ readonly kind: 'account' } & AccountFacts);

export type AccountFacts = {
  readonly family: number;
  readonly name: string;
  readonly accountType: AccountType;
  readonly createdAtMs: number;
  readonly isActive: boolean;
  readonly liquidating: boolean;
  readonly stepAtMs: number;
  readonly unsoldSteps: number;
};

export type KeyFacts = Omit<KeyRecord, 'account'> & {
  readonly account: number;
  readonly revokedAtMs: number;
};

export type PurseFacts = {
  /** A holder of the ledger. */
  readonly holder: number;
  readonly asset: number;
  readonly available: bigint;
  readonly reserved: bigint;
  readonly touchedAtMs: number;
};

export type StandingFacts = {
  readonly account: number;
  readonly market: number;
  /** Signed: negative is short. */
  readonly lots: number;
  readonly cost: bigint;
  readonly updatedAtMs: number;
  /** The size when its account went into liquidation. */
  readonly startLots: number;
  readonly unclosedSteps: number;
};

export type OrderFacts = {
  readonly order: OrderRecord;
  readonly heldParts: bigint;
  /** It holds the exact cost of its planned matches, not its limit price. */
  readonly holdsPlan: boolean;
  /** Waits for its trigger; else it rests in the book. */
  readonly isWaiting: boolean;
};

export type RequestFacts = {
  /** The newest second of signing that has been forgotten. */
  readonly forgottenThrough: number;
  readonly sweptAt: number;
  readonly buckets: readonly NamedBucket[];
};

export type BackstopFacts = {
  readonly account: number;
  readonly market: number;
  readonly maxLots: number;
};
