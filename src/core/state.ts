import type { Digest } from '../domain/digest.ts';
import type { AssetSpec, MarketSpec, NetworkSpec } from '../domain/market.ts';
import type { AccountType, Permission, Restriction } from '../domain/terms.ts';
import type { AccountIndex, Amount, AssetIndex, FamilyIndex, UsdPrice } from '../domain/units.ts';
import { addRow, type Ledger, newLedger } from './ledger/ledger.ts';
import { newRequests, type Requests } from './requests.ts';

/**
 * What the venue remembers; nothing is remembered elsewhere.
 *
 * Plain data throughout (records, lists, maps, typed arrays), so that a snapshot is the packed
 * state and a new field needs no line of its own to be saved, restored and digested.
 */
export type State = {
  sequence: number;
  timeMs: number;
  /** Chained over every event ever: two venues agree if and only if they have done the same. */
  readonly digest: Digest;
  /** Numbers wallet entries, transfers and the like; see domain/ids.ts. */
  nextEntry: number;
  readonly assets: Asset[];
  readonly assetByCode: Map<string, number>;
  readonly networks: NetworkSpec[];
  readonly markets: Market[];
  readonly marketByCode: Map<string, number>;
  readonly families: Family[];
  readonly familyByName: Map<string, number>;
  /** By row of the ledger; undefined for rows that are no account. */
  readonly accounts: (Account | null)[];
  readonly keys: Key[];
  readonly keyByAccess: Map<string, number>;
  readonly ledger: Ledger;
  readonly requests: Requests;
};

export type Asset = {
  readonly spec: AssetSpec;
  /** Index price in 10^-8 USD; 0 until there is one. */
  indexPrice: UsdPrice;
  indexAtMs: number;
  /** What has crossed the border of the venue, by reason: the audit's other side of the equation. */
  readonly crossed: { genesis: Amount; deposits: Amount; withdrawals: Amount; gas: Amount };
};

export type Market = {
  spec: MarketSpec;
  /** Grows when the specification changes; commands in ticks and lots name the one they mean. */
  version: number;
  readonly baseAsset: AssetIndex;
  /** The asset trades are settled in: the counter asset on spot, the native one on perpetuals. */
  readonly settleAsset: AssetIndex;
  /** The row of the clearing purse; perpetuals only, else -1. */
  readonly clearing: number;
  readonly perTickLot: bigint;
  readonly perLot: bigint;
  readonly listedAtMs: number;
};

export type Family = {
  readonly name: string;
  restrictions: readonly Restriction[];
  feeTier: number;
  readonly accounts: AccountIndex[];
};

export type Account = {
  readonly family: FamilyIndex;
  readonly name: string;
  readonly accountType: AccountType;
  readonly createdAtMs: number;
  isActive: boolean;
};

export type Key = {
  readonly account: AccountIndex;
  readonly accessKey: string;
  readonly sealedSecret: Uint8Array;
  readonly permissions: readonly Permission[];
  readonly expiresAtMs: number | undefined;
  readonly addresses: readonly string[] | undefined;
  isRevoked: boolean;
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

export const holderRow = (holder: VenueHolder): AccountIndex =>
  VENUE_HOLDERS.indexOf(holder) as AccountIndex;

/** Of the venue's own, only the outside world and the deficit may owe. */
export const MAY_OWE: ReadonlySet<VenueHolder> = new Set(['outside', 'deficit']);

export function newState(): State {
  const state: State = {
    sequence: 0,
    timeMs: 0,
    digest: { lo: 0, hi: 0 },
    nextEntry: 1,
    assets: [],
    assetByCode: new Map(),
    networks: [],
    markets: [],
    marketByCode: new Map(),
    families: [],
    familyByName: new Map(),
    accounts: [],
    keys: [],
    keyByAccess: new Map(),
    ledger: newLedger(),
    requests: newRequests(),
  };
  for (const _ of VENUE_HOLDERS) addHolder(state, null);
  return state;
}

/** A row of the ledger and its account, if it is one: the two lists grow together. */
export function addHolder(state: State, account: Account | null): AccountIndex {
  const row = addRow(state.ledger);
  state.accounts.push(account);
  return row;
}

export const assetIndexOf = (state: State, code: string): AssetIndex | undefined =>
  state.assetByCode.get(code) as AssetIndex | undefined;

/** Takes a number for something that will be listed by id. */
export function takeEntries(state: State, count: number): number {
  const first = state.nextEntry;
  state.nextEntry += count;
  return first;
}
