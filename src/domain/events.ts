import type { AssetSpec, MarketSpec, NetworkSpec } from './market.ts';
import type { Rejection } from './rejections.ts';
import type { AccountType, Permission, Restriction } from './terms.ts';
import type {
  AccountIndex,
  Amount,
  AssetIndex,
  FamilyIndex,
  KeyIndex,
  MarketIndex,
  NetworkIndex,
  Sequence,
  TimeMs,
  UsdPrice,
} from './units.ts';

/** Everything that can have happened. Events are what answers, history and stream are made from. */
export type Event =
  | Refused
  | AssetDefined
  | NetworkDefined
  | MarketDefined
  | AccountCreated
  | KeyCreated
  | KeyRevoked
  | RestrictionsSet
  | IndexPricesSet
  | GenesisCredited
  | Transferred;

/** What one command brought about, in its place. */
export type Outcome = {
  readonly sequence: Sequence;
  readonly timeMs: TimeMs;
  readonly events: readonly Event[];
};

export type Refused = {
  readonly kind: 'refused';
  readonly reason: Rejection;
  readonly message: string;
};
export type AssetDefined = {
  readonly kind: 'asset-defined';
  readonly asset: AssetIndex;
  readonly spec: AssetSpec;
};
export type NetworkDefined = {
  readonly kind: 'network-defined';
  readonly network: NetworkIndex;
  readonly spec: NetworkSpec;
};
export type MarketDefined = {
  readonly kind: 'market-defined';
  readonly market: MarketIndex;
  readonly version: number;
  readonly spec: MarketSpec;
};
export type AccountCreated = {
  readonly kind: 'account-created';
  readonly account: AccountIndex;
  readonly family: FamilyIndex;
  readonly familyName: string;
  readonly name: string;
  readonly accountType: AccountType;
};
export type KeyCreated = {
  readonly kind: 'key-created';
  readonly key: KeyIndex;
  readonly account: AccountIndex;
  readonly accessKey: string;
  readonly permissions: readonly Permission[];
};
export type KeyRevoked = {
  readonly kind: 'key-revoked';
  readonly key: KeyIndex;
  readonly accessKey: string;
};
export type RestrictionsSet = {
  readonly kind: 'restrictions-set';
  readonly family: FamilyIndex;
  readonly account?: AccountIndex;
  readonly restrictions: readonly Restriction[];
};
export type IndexPricesSet = {
  readonly kind: 'index-prices-set';
  readonly prices: readonly { readonly asset: AssetIndex; readonly price: UsdPrice }[];
};
export type GenesisCredited = {
  readonly kind: 'genesis-credited';
  readonly entry: number;
  readonly account: AccountIndex;
  readonly asset: AssetIndex;
  readonly amount: Amount;
};
/** `entry` numbers the transfer itself, `entry + 1` the wallet entry of the giver, `+ 2` the taker's. */
export type Transferred = {
  readonly kind: 'transferred';
  readonly entry: number;
  readonly family: FamilyIndex;
  readonly asset: AssetIndex;
  readonly amount: Amount;
  readonly from: AccountIndex;
  readonly to: AccountIndex;
};
