import type { AccessEvent } from './access-commands.ts';
import type { AssetSpec, MarketSpec, NetworkSpec } from './market.ts';
import type { MatchSide, OrderRecord } from './orders.ts';
import type { Rejection } from './rejections.ts';
import type {
  AccountType,
  Fund,
  MarketState,
  OrderState,
  Permission,
  Restriction,
  Side,
} from './terms.ts';
import type {
  AccountIndex,
  Amount,
  AssetIndex,
  FamilyIndex,
  KeyIndex,
  Lots,
  MarketIndex,
  NetworkIndex,
  Sequence,
  Ticks,
  TimeMs,
  UsdPrice,
} from './units.ts';
import type { WalletEvent } from './wallet-events.ts';

/** Every event of the venue. Responses, history and stream are derived from events. */
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
  | IndexPriceRefused
  | GenesisCredited
  | Transferred
  | OrderRefused
  | OrderOpened
  | OrderMatched
  | OrderModified
  | OrderTriggered
  | OrderClosed
  | DeadlineSet
  | DeadlinePassed
  | MarketStateSet
  | FeeTierSet
  | FundingSet
  | FundingPaid
  | LiquidationStarted
  | LiquidationStep
  | CollateralSold
  | LiquidationEnded
  | BackstopSet
  | OrderLimitsSet
  | FundsMoved
  | OperatorActed
  | OperatorRefused
  | WalletEvent
  | AccessEvent;

/** The events of one command, with its sequence and time. */
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
  /** Created by signing in. */
  readonly isSession?: true;
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
/** The prices in range: accepted, or a jump that waits for the next round. */
export type IndexPricesSet = {
  readonly kind: 'index-prices-set';
  readonly prices: readonly { readonly asset: AssetIndex; readonly price: UsdPrice }[];
  /** In the first round of a minute all current marks: candles show them if nothing was matched. */
  readonly marks?: readonly { readonly market: MarketIndex; readonly mark: UsdPrice }[];
};
/** Out of range: the asset keeps its price. */
export type IndexPriceRefused = {
  readonly kind: 'index-price-refused';
  readonly asset: AssetIndex;
  readonly price: UsdPrice;
  readonly message: string;
};
export type GenesisCredited = {
  readonly kind: 'genesis-credited';
  readonly account: AccountIndex;
  readonly asset: AssetIndex;
  readonly amount: Amount;
};
export type Transferred = {
  readonly kind: 'transferred';
  readonly family: FamilyIndex;
  readonly asset: AssetIndex;
  readonly amount: Amount;
  readonly from: AccountIndex;
  readonly to: AccountIndex;
};

/** The element of the request that an event belongs to; NO_ELEMENT for a consequence. */
export const NO_ELEMENT = 255;

/** One element of a request was refused; the others are not affected. */
export type OrderRefused = {
  readonly kind: 'order-refused';
  readonly element: number;
  readonly reason: Rejection;
  readonly message: string;
};
/** The order rests in the book, or waits for its trigger. */
export type OrderOpened = {
  readonly kind: 'order-opened';
  readonly element: number;
  readonly order: OrderRecord;
};
export type OrderMatched = {
  readonly kind: 'order-matched';
  readonly market: MarketIndex;
  /** Numbers the market's matches; see domain/orders.ts for the printed id. */
  readonly match: number;
  readonly priceTicks: Ticks;
  readonly lots: Lots;
  /** Price x quantity in parts of the market's settlement asset. */
  readonly value: Amount;
  readonly takerSide: Side;
  readonly taker: MatchSide;
  readonly maker: MatchSide;
};
export type OrderModified = {
  readonly kind: 'order-modified';
  readonly element: number;
  readonly order: OrderRecord;
};
/** A stop has triggered; its effect as an order follows. */
export type OrderTriggered = {
  readonly kind: 'order-triggered';
  readonly element: number;
  readonly order: OrderRecord;
};
/** The order is closed: filled, cancelled, or closed by a rule, which `reason` then names. */
export type OrderClosed = {
  readonly kind: 'order-closed';
  readonly element: number;
  readonly state: OrderState;
  readonly reason: Rejection | undefined;
  readonly order: OrderRecord;
};
/** A dead-man switch was armed, or disarmed if it has no time. For all markets if it names none. */
export type DeadlineSet = {
  readonly kind: 'deadline-set';
  readonly account: AccountIndex;
  readonly market?: MarketIndex;
  readonly atMs?: number;
};
/** A dead-man switch has fired, or a market has opened that kept orders of an absent owner: those cancelled follow. */
export type DeadlinePassed = {
  readonly kind: 'deadline-passed';
  readonly account: AccountIndex;
  readonly market?: MarketIndex;
};
export type MarketStateSet = {
  readonly kind: 'market-state-set';
  readonly market: MarketIndex;
  readonly state: MarketState;
  readonly reason: string;
};
export type FeeTierSet = {
  readonly kind: 'fee-tier-set';
  readonly family: FamilyIndex;
  readonly feeTier: number;
};

/** The rate of a finished hour, in 10^-9; recorded even if it is 0. */
export type FundingSet = {
  readonly kind: 'funding-set';
  readonly market: MarketIndex;
  readonly rate: bigint;
  readonly index: UsdPrice;
  /** The full hour at which it was due. */
  readonly atMs: number;
  /** Seconds of fresh prices in the hour. */
  readonly seconds: number;
};
export type FundingPaid = {
  readonly kind: 'funding-paid';
  readonly account: AccountIndex;
  readonly market: MarketIndex;
  /** Positive if received. */
  readonly payment: Amount;
  readonly rate: bigint;
  readonly lots: number;
  readonly index: UsdPrice;
  /** The account after the payment; absent in events of the first version. */
  readonly collateral?: Amount;
  readonly unrealised?: Amount;
};
export type LiquidationStarted = {
  readonly kind: 'liquidation-started';
  readonly account: AccountIndex;
  readonly collateral: Amount;
  readonly maintenanceMargin: Amount;
};
/** Who took the other side of a step: nobody, the book, the book with the fund's help, ADL, ... */
export type LiquidationPhase =
  | 'nobody'
  | 'book'
  | 'backstop'
  | 'insured'
  | 'adl'
  | 'fund'
  | 'taken-over'
  | 'paid-out';
/**
 * A part of a liquidation step with its arithmetic: what one of book, backstops, fund and ADL took of the
 * slice. The last part of a step has its fee.
 */
export type LiquidationStep = {
  readonly kind: 'liquidation-step';
  readonly account: AccountIndex;
  readonly market: MarketIndex;
  readonly phase: LiquidationPhase;
  readonly collateral: Amount;
  readonly maintenanceMargin: Amount;
  readonly lots: number;
  readonly sliceLots: number;
  readonly bankruptcyTicks: number;
  readonly mark: UsdPrice;
  readonly filledLots: number;
  /** What the fund, and after it the deficit, paid. */
  readonly help: Amount;
  /** What the fund received. */
  readonly fee: Amount;
};
/** Other assets converted into native, to repay what the account owes. */
export type CollateralSold = {
  readonly kind: 'collateral-sold';
  readonly account: AccountIndex;
  readonly phase: LiquidationPhase;
  readonly asset?: AssetIndex;
  /** What the account gave of the asset to the fund; 0 if it was sold in the book. */
  readonly given: Amount;
  readonly repaid: Amount;
  readonly debt: Amount;
};
export type LiquidationEnded = {
  readonly kind: 'liquidation-ended';
  readonly account: AccountIndex;
  readonly collateral: Amount;
  readonly maintenanceMargin: Amount;
};
export type BackstopSet = {
  readonly kind: 'backstop-set';
  readonly account: AccountIndex;
  readonly market: MarketIndex;
  readonly maxLots: number;
};
/** Between purses of the venue, or between one of them and an account. */
export type FundsMoved = {
  readonly kind: 'funds-moved';
  readonly from: Fund | AccountIndex;
  readonly to: Fund | AccountIndex;
  readonly asset: AssetIndex;
  readonly amount: Amount;
};
/** Follows the other events of an operator's command, for the audit log. */
export type OperatorActed = {
  readonly kind: 'operator-acted';
  readonly actor: string;
  /** The command, and its act if it has several: `operate-withdrawal release`. */
  readonly act: string;
  /** What was acted upon: a market, a family, a key. */
  readonly subject: string;
  /** The state of the subject before and after, as text. */
  readonly before: string;
  readonly after: string;
  readonly reason: string;
};
/** An operator's attempt that was refused. */
export type OperatorRefused = {
  readonly kind: 'operator-refused';
  readonly actor: string;
  /** The endpoint, and what was sent. */
  readonly act: string;
  readonly subject: string;
  /** Why it was refused. */
  readonly reason: string;
};
export type OrderLimitsSet = {
  readonly kind: 'order-limits-set';
  readonly perMarket: number;
  readonly inAll: number;
};
