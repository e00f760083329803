import type { Digest } from '../bytes/digest.ts';
import { assert } from '../domain/assert.ts';
import type { Ratio } from '../domain/decimal.ts';
import type { KeyRecord } from '../domain/entries.ts';
import { ORDER_ID_START } from '../domain/ids.ts';
import type { AssetSpec, MarketSpec, NetworkSpec } from '../domain/market.ts';
import type { AccountType, MarketState, Restriction } from '../domain/terms.ts';
import type { AccountIndex, Amount, AssetIndex, FamilyIndex, UsdPrice } from '../domain/units.ts';
import type { Book } from './book/book.ts';
import type { Stops } from './book/stops.ts';
import { type Access, newAccess } from './memory/access.ts';
import { type Deadlines, newDeadlines } from './memory/deadlines.ts';
import { type FamilyColumns, newFamilyColumns } from './memory/family-columns.ts';
import { addLedgerHolder, type Ledger, newLedger } from './memory/ledger.ts';
import { newOrders, type OrderSlot, type Orders } from './memory/order-rows.ts';
import { ensureReviewable, newPending, type Pending } from './memory/pending.ts';
import type { Premium } from './memory/premium-samples.ts';
import { newRequests, type Requests } from './memory/requests.ts';
import { newStandings, type Standings } from './memory/standings.ts';
import { newWallet, type Wallet } from './memory/wallet.ts';
import { ensureWatched, newWatch, type Watch } from './memory/watch.ts';

/**
 * The whole memory of the venue. What is remembered elsewhere, the ranking of opponents while an account is being
 * liquidated (liquidation/opponents.ts), can be computed from it at any time.
 *
 * Plain data throughout (records, lists, maps, typed arrays), so that a snapshot is the packed state and a
 * new field needs no code to be saved, restored and digested.
 */
export type State = {
  sequence: number;
  timeMs: number;
  /** Chained over all events so far: two venues have equal digests if and only if they did the same. */
  readonly digest: Digest;
  readonly assets: Asset[];
  readonly assetByCode: Map<string, number>;
  /** The native asset and USDT, cached because every fee needs them; -1 until defined. */
  native: AssetIndex;
  usdt: AssetIndex;
  readonly networks: NetworkSpec[];
  readonly markets: Market[];
  /** Two perpetuals are on one base: legs can be netted. */
  hasSharedBase: boolean;
  readonly marketByCode: Map<string, number>;
  readonly families: Family[];
  readonly familyByName: Map<string, number>;
  readonly familyColumns: FamilyColumns;
  /** By holder of the ledger; null for holders that are not accounts. */
  readonly accounts: (Account | null)[];
  readonly keys: Key[];
  readonly keyByAccess: Map<string, number>;
  readonly ledger: Ledger;
  readonly requests: Requests;
  nextOrderId: number;
  readonly orders: Orders;
  readonly standings: Standings;
  readonly pending: Pending;
  /** The UTC day fee tiers were last set on. */
  feeDay: number;
  /** The minute whose marks were last published. */
  markedMinute: number;
  /** Which accounts a price change could move across a margin threshold; see memory/watch.ts. */
  readonly watch: Watch;
  readonly liquidating: AccountIndex[];
  readonly backstops: Backstop[];
  readonly wallet: Wallet;
  readonly access: Access;
  readonly orderLimits: OrderLimits;
  /** Armed dead-man switches, and what waits for halted markets to open. */
  readonly deadlines: Deadlines;
};

/** Open orders an account may have: in one market, and in all. */
export type OrderLimits = { perMarket: number; inAll: number };

/** Takes over positions of failing accounts in a market, up to a size. */
export type Backstop = {
  readonly account: AccountIndex;
  readonly market: number;
  maxLots: number;
};

export type Asset = {
  readonly spec: AssetSpec;
  /** Index price in 10^-8 USD; 0 until there is one. */
  indexPrice: UsdPrice;
  indexAtMs: number;
  /** A jump that waits for the next round to confirm it; 0 for none. */
  jumpPrice: UsdPrice;
  /** A price has been accepted since genesis: the next must be within a factor of it. */
  isQuoted: boolean;
  /** For these prices: the factor of a holding as collateral (risk/collateral.ts). */
  readonly collateral: { price: bigint; nativePrice: bigint; ratio: Ratio };
  /** What has entered and left the venue, by reason: the other side of the audit's equation. */
  readonly crossed: { genesis: Amount; deposits: Amount; withdrawals: Amount; gas: Amount };
};

export type Market = {
  spec: MarketSpec;
  /** Increases when the specification changes; commands in ticks and lots name the version they mean. */
  version: number;
  readonly baseAsset: AssetIndex;
  /** The asset trades are settled in: the counter asset on spot, the native one on perpetuals. */
  readonly settleAsset: AssetIndex;
  /** The holder of its clearing purse; perpetuals only, else -1. */
  readonly clearing: number;
  readonly perTickLot: bigint;
  readonly perLot: bigint;
  /** lots x price (10^-8 USD) x numerator / denominator is a value in the settling asset's parts. */
  readonly valueNumerator: bigint;
  readonly valueDenominator: bigint;
  marginTiers: readonly MarginTier[];
  readonly listedAtMs: number;
  state: MarketState;
  stateReason: string;
  readonly book: Book;
  readonly stops: Stops;
  /** The last match, 0 before the first. */
  lastTicks: number;
  lastLots: number;
  lastMatchAtMs: number;
  /** Matches so far; numbers the next one. */
  matches: number;
  /** Sum of the long positions. */
  openInterestLots: number;
  readonly price: MarketPrice;
  /** For these prices: counter parts x rate as a fee in native, and a value as volume (trading/fees.ts). */
  readonly feeTerms: {
    counterPrice: bigint;
    nativePrice: bigint;
    inNative: Ratio;
    inUsd: Ratio;
    volumeUnit: Ratio;
  };
  /** How far its book is from the index; perpetuals only. */
  readonly premium: Premium;
  /** All its standings, a list through their rows; -1 for none. */
  firstStanding: number;
};

/** A tier in the form that margin needs. */
export type MarginTier = {
  readonly notionalCap: bigint;
  readonly leverage: bigint;
  readonly twiceLeverage: bigint;
  /** What makes the maintenance margin continuous. */
  readonly maintenanceAmount: bigint;
};

/** What is derived from the index: see risk/marks.ts. */
export type MarketPrice = {
  /** In 10^-8 USD, or of the counter asset on spot; 0 until there is one. */
  index: bigint;
  mark: bigint;
  /** The value of a lot at the mark: whole parts, and a remainder in units of 1/valueDenominator. */
  lotParts: bigint;
  lotRest: bigint;
  /** Up to this many lots are valued with them in 64 bits. */
  lotsCounted: number;
  updatedAtMs: number;
  /** The band: prices outside are refused. */
  lowerTicks: number;
  upperTicks: number;
  /** The mark between two ticks: a BUY above the floor, a SELL below the ceiling is worse than it. */
  floorTicks: number;
  ceilTicks: number;
};

export type Family = {
  readonly name: string;
  restrictions: readonly Restriction[];
  accounts: readonly AccountIndex[];
};

export type Account = {
  readonly family: FamilyIndex;
  name: string;
  readonly accountType: AccountType;
  readonly createdAtMs: number;
  isActive: boolean;
  /** Frozen by its owner, who may unfreeze it. */
  isFrozenByOwner: boolean;
  liquidating: boolean;
  /** In liquidation: the next point of its grid, and steps in which no collateral could be sold. */
  stepAtMs: number;
  unsoldSteps: number;
  /** Its open orders, a ring through the orders' rows, oldest first. */
  firstOrder: OrderSlot;
  openOrders: number;
  /** Its standings in perpetual markets, a list through their rows; -1 for none. */
  firstStanding: number;
};

export type Key = Omit<KeyRecord, 'isRevoked'> & {
  /** Whether `trade` is among its permissions: every signed command checks it. */
  readonly mayTrade: boolean;
  isRevoked: boolean;
  revokedAtMs: number;
};

/** The venue's own holders, in the first rows of the ledger. Their order is part of the format. */
export const VENUE_HOLDERS = [
  'outside',
  'fees',
  'insurance',
  'rounding',
  'deficit',
  'suspense',
  'network-costs',
] as const;
export type VenueHolder = (typeof VENUE_HOLDERS)[number];

export const holderIndex = (holder: VenueHolder): AccountIndex =>
  VENUE_HOLDERS.indexOf(holder) as AccountIndex;

/** Of the venue's own, only the outside world and the deficit may owe. */
export const MAY_OWE: ReadonlySet<VenueHolder> = new Set(['outside', 'deficit']);

const NO_ASSET = -1 as AssetIndex;

export function newState(): State {
  const state: State = {
    sequence: 0,
    timeMs: 0,
    digest: { lo: 0, hi: 0 },
    assets: [],
    assetByCode: new Map(),
    native: NO_ASSET,
    usdt: NO_ASSET,
    networks: [],
    markets: [],
    hasSharedBase: false,
    marketByCode: new Map(),
    families: [],
    familyByName: new Map(),
    familyColumns: newFamilyColumns(),
    accounts: [],
    keys: [],
    keyByAccess: new Map(),
    ledger: newLedger(),
    requests: newRequests(),
    nextOrderId: ORDER_ID_START,
    orders: newOrders(64),
    standings: newStandings(),
    pending: newPending(),
    feeDay: 0,
    markedMinute: 0,
    watch: newWatch(),
    liquidating: [],
    backstops: [],
    wallet: newWallet(),
    access: newAccess(),
    orderLimits: { perMarket: 2_000, inAll: 10_000 },
    deadlines: newDeadlines(),
  };
  for (const _ of VENUE_HOLDERS) addHolder(state, null);
  return state;
}

/** Adds a holder to the ledger, and its account if it is one: the two lists grow together. */
export function addHolder(state: State, account: Account | null): AccountIndex {
  const holder = addLedgerHolder(state.ledger);
  ensureWatched(state.watch, holder);
  ensureReviewable(state.pending, holder);
  state.accounts.push(account);
  return holder;
}

export const assetIndexOf = (state: State, code: string): AssetIndex | undefined =>
  state.assetByCode.get(code) as AssetIndex | undefined;

/** What has entered and left the venue in an asset. */
export function crossedOf(state: State, asset: AssetIndex): Asset['crossed'] {
  const crossed = state.assets[asset]?.crossed;
  assert(crossed !== undefined, 'an asset index names an asset');
  return crossed;
}
