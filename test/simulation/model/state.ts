import type { AssetSpec, MarketSpec } from '../../../src/domain/market.ts';
import type { Rejection } from '../../../src/domain/rejections.ts';
import type {
  AccountType,
  Fund,
  MarketState,
  OrderType,
  Permission,
  Restriction,
  Side,
  StpMode,
  TimeInForce,
  TriggerType,
} from '../../../src/domain/terms.ts';
import type { EventLine } from './event-lines.ts';

import { type ModelWallet, newModelWallet } from './wallet-state.ts';

/**
 * A second venue, written only from the rules: plain objects, lists that are sorted when they are read, sums
 * that are computed from scratch each time. It is slow and stores nothing that could be computed, so that
 * little in it can be wrong.
 */
export type Model = {
  timeMs: number;
  assets: ModelAsset[];
  markets: ModelMarket[];
  families: ModelFamily[];
  /** By the index used in commands; the gaps are purses of the venue. */
  accounts: Map<number, ModelAccount>;
  keys: ModelKey[];
  /** All open orders of the venue, resting or waiting for their trigger. */
  orders: ModelOrder[];
  /** "account/asset" -> available + reserved. What is reserved is what open orders need. */
  totals: Map<string, bigint>;
  /** "holder/asset" of the venue's own purses; each perpetual's clearing purse is with its market. */
  purses: Map<string, bigint>;
  /** Payments to accounts that one operator has asked for, oldest first. */
  payOuts: ModelPayOut[];
  /** "key:fingerprint" of signed requests -> when they expire. */
  requests: Map<string, number>;
  /** Markets whose stops must be checked, first in first out. */
  stopSweeps: number[];
  /** Positions that have shrunk: orders on the closing side are tested again. */
  reviews: Review[];
  /** Accounts in liquidation, in the order in which they entered it; of them, those whose step is due. */
  liquidating: number[];
  liquidationSteps: number[];
  backstops: Backstop[];
  /** Maximum open orders of an account: in one market, and in all. */
  orderLimits: { perMarket: number; inAll: number };
  /**
   * The order in which the venue reviewed accounts: the rules leave that open, and the model follows it.
   * Whether an account needs a review, the model decides by itself.
   */
  reviewedByVenue: number[];
  nextOrderId: number;
  /** Rows of accounts and purses are assigned consecutively. */
  nextAccountIndex: number;
  /** Time priority: a later order has a larger one. */
  nextSeat: number;
  wallet: ModelWallet;
  feeDay: number;
  /** Armed dead-man switches, and those that have fired and are not processed yet. */
  switches: ModelSwitch[];
  firedSwitches: ModelSwitch[];
  /** Whose orders in a halted market are cancelled when it opens. */
  whenOpen: { readonly account: number; readonly market: number }[];
  /** The minute whose marks were last published. */
  markedMinute: number;
  /** Opponents that ADL has ranked so far: they count as work. */
  rankedOpponents: number;
  /** Orders that dead-man switches have passed over so far: they count as work. */
  passedOrders: number;
  /** Assets of liquidated accounts that were looked at so far, to sell them: they count as work. */
  offeredAssets: number;
  /** What the current request may still plan, and match. */
  work: Work;
  /** The events of the current command so far. */
  emitted: EventLine[];
};

export type ModelPayOut = {
  readonly from: Fund;
  readonly to: number;
  readonly asset: number;
  readonly amount: bigint;
  readonly actor: string;
  readonly askedAtMs: number;
};

/** Bounded work, counted in orders met, for all elements of a request together. */
export type Work = { plans: number; matches: number };
export const FILLS_MAX = 10_000;
export const freshWork = (): Work => ({ plans: FILLS_MAX, matches: FILLS_MAX });

export type ModelAsset = {
  readonly spec: AssetSpec;
  index: bigint;
  indexAtMs: number;
  /** A jump that waits for the next round; 0 for none. */
  jump: bigint;
  /** A price has been accepted since genesis. */
  isQuoted: boolean;
};

export type Review = { readonly account: number; readonly market: number; readonly side: Side };

export type Backstop = { readonly account: number; readonly market: number; maxLots: number };

export type VenuePurse =
  | 'fees'
  | 'insurance'
  | 'rounding'
  | 'deficit'
  | 'suspense'
  | 'network-costs';

export type ModelMarket = {
  spec: MarketSpec;
  /** Increases when the terms change: orders name the version they mean. */
  version: number;
  state: MarketState;
  /** In 10^-8 of a dollar, or of the counter asset; 0 while there is none. */
  mark: bigint;
  lastTicks: number;
  matches: number;
  /** Perpetuals only. */
  clearing: bigint;
  /** Book against index: (mid - index) of the last two minutes, one per second. */
  samples: bigint[];
  listedSecond: number;
  sampledSecond: number;
  /** The current hour, and (mark - index) / index of its seconds, in 10^-12. */
  hour: number;
  hourPremiums: bigint[];
};

export type ModelFamily = {
  readonly name: string;
  readonly accounts: number[];
  restrictions: readonly Restriction[];
  /** The number of passwords so far. */
  passwords: number;
  invitation: { readonly token: string; readonly endMs: number } | undefined;
  feeTier: number;
  /** UTC day -> volume with other families, in whole native units. */
  volumeByDay: Map<number, bigint>;
};

export type ModelAccount = {
  readonly accountIndex: number;
  readonly family: number;
  name: string;
  readonly accountType: AccountType;
  isActive: boolean;
  isFrozenByOwner: boolean;
  /** By market. */
  positions: Map<number, Position>;
  liquidation: Liquidation | undefined;
};

export type Liquidation = {
  /** The next point of the 500 ms grid that started with the liquidation. */
  stepAtMs: number;
  /** By market: the size of the position when it began. */
  readonly startLots: ReadonlyMap<number, number>;
  /** By market: steps since the slice was last closed completely. */
  readonly unclosedSteps: Map<number, number>;
  /** Steps in which no collateral could be sold. */
  unsoldSteps: number;
};

/** `cost` is the exact signed sum of price x quantity x 100, in native parts. */
export type Position = { lots: number; cost: bigint };

export type ModelKey = {
  readonly account: number;
  readonly accessKey: string;
  readonly permissions: readonly Permission[];
  readonly expiresAtMs: number | undefined;
  readonly createdAtMs: number;
  readonly isSession: boolean;
  readonly mayWithdrawFromMs: number;
  isRevoked: boolean;
  revokedAtMs: number;
};

export type ModelOrder = {
  readonly orderId: number;
  readonly clientOrderId: bigint;
  /** The client's own name for it. */
  readonly label: string | undefined;
  readonly account: number;
  readonly family: number;
  readonly market: number;
  readonly side: Side;
  readonly orderType: OrderType;
  readonly timeInForce: TimeInForce;
  readonly stpMode: StpMode;
  readonly triggerType: TriggerType;
  readonly reduceOnly: boolean;
  readonly source: number;
  priceTicks: number;
  stopTicks: number;
  totalLots: number;
  openLots: number;
  /** Icebergs show this much at a time; undefined: everything. */
  displayLots: number | undefined;
  /** What is currently shown. */
  sliceLots: number;
  /** Spot BUY by counter amount; 0 for none. */
  readonly amountParts: bigint;
  /** A spot MARKET BUY reserves what its planned matches cost; undefined for all others. */
  plannedCost: bigint | undefined;
  /** The sum of price x quantity of its matches. */
  filledCost: bigint;
  /** By asset. */
  paidFees: Map<number, bigint>;
  isWaiting: boolean;
  isTriggered: boolean;
  /** Neither in the book nor waiting: it is being executed right now. */
  isOnItsWay: boolean;
  seat: number;
};

/** Cancels the orders of an account in a market, or in all of them, from some time on. */
export type ModelSwitch = {
  readonly account: number;
  readonly market: number | undefined;
  atMs: number;
};

export const NO_ELEMENT = 255;

/** The venue's own purses: outside, fees, insurance, rounding, deficit, suspense, network costs. */
const VENUE_ROWS = 7;

export const newModel = (): Model => ({
  timeMs: 0,
  assets: [],
  markets: [],
  families: [],
  accounts: new Map(),
  keys: [],
  orders: [],
  totals: new Map(),
  purses: new Map(),
  payOuts: [],
  requests: new Map(),
  stopSweeps: [],
  reviews: [],
  liquidating: [],
  liquidationSteps: [],
  backstops: [],
  orderLimits: { perMarket: 2_000, inAll: 10_000 },
  reviewedByVenue: [],
  nextOrderId: 1_000_200_000_000,
  nextAccountIndex: VENUE_ROWS,
  nextSeat: 1,
  wallet: newModelWallet(),
  feeDay: 0,
  switches: [],
  firedSwitches: [],
  whenOpen: [],
  markedMinute: 0,
  rankedOpponents: 0,
  passedOrders: 0,
  offeredAssets: 0,
  work: freshWork(),
  emitted: [],
});

/** Why it is refused; undefined if it is not. */
export type Refusal = Rejection | undefined;

export function must<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('the model asks for something that is not there');
  return value;
}

export const assetAt = (model: Model, index: number): ModelAsset => must(model.assets[index]);
export const marketAt = (model: Model, index: number): ModelMarket => must(model.markets[index]);
export const familyAt = (model: Model, index: number): ModelFamily => must(model.families[index]);
export const accountAt = (model: Model, accountIndex: number): ModelAccount =>
  must(model.accounts.get(accountIndex));

export const assetOf = (model: Model, code: string): number => {
  const index = model.assets.findIndex(({ spec }) => spec.code === code);
  if (index < 0) throw new Error(`the model knows no asset ${code}`);
  return index;
};
export const nativeOf = (model: Model): number => assetOf(model, 'OX');
export const usdtOf = (model: Model): number => assetOf(model, 'USDT');

export const isPerpetual = (market: ModelMarket): boolean => market.spec.type === 'FUTURE';

/** A MARKET order that spends an amount has no size of its own. */
export const isByAmount = (order: ModelOrder): boolean =>
  order.orderType === 'MARKET' && order.amountParts > 0n;

export const positionOf = (model: Model, account: number, market: number): Position =>
  accountAt(model, account).positions.get(market) ?? { lots: 0, cost: 0n };

/** Something that triggers stops of a market has moved. */
export function sweepStops(model: Model, market: number): void {
  must(model.markets[market]);
  if (!model.stopSweeps.includes(market)) model.stopSweeps.push(market);
}
