import { textFromParts } from '../../domain/decimal.ts';
import { isNarrow, lotsInParts, narrowTickLots, tickLotsInParts } from '../../domain/market.ts';
import type { OrderRequest } from '../../domain/orders.ts';
import { type Refusal, refuse } from '../../domain/rejections.ts';
import type { AccountIndex, AssetIndex } from '../../domain/units.ts';
import { numberAt } from '../memory/columns.ts';
import { availableIn, purseOf } from '../memory/ledger.ts';
import { NO_STANDING, standingOf } from '../memory/standings.ts';
import { collateralOf } from '../risk/collateral.ts';
import { isBelow50, isUnlevered, lossOfOrder, marginOf } from '../risk/margin.ts';
import type { Hypothesis, Margin } from '../risk/margin-figures.ts';
import { surelyCarries } from '../risk/quick-margin.ts';
import { markValueUp } from '../risk/tiers.ts';
import type { Market, State } from '../state.ts';
import { isStop, mayRest, type Placing } from './placing.ts';

/** What an order needs of its account: funds to hold, or margin. */
export type Demand = {
  /** Its limit, or the edge of the band that protects an order without one. */
  limitTicks: number;
  holdAsset: AssetIndex;
  holdParts: bigint;
  /** It holds the exact cost of its planned matches, not its limit. */
  holdsPlan: boolean;
  /** For orders that cannot rest: what they would be filled by now. */
  planLots: number;
  planCost: bigint;
  /** What those fills would realise of the position they close. */
  planRealised: bigint;
  /** Orders it may meet in the book. */
  ordersMax: number;
  /** A FOK that the book cannot fill whole: it needs nothing, because it ends CANCELED_BY_FOK. */
  isUnfillable: boolean;
};

/**
 * A new record for every order: storing a bigint in a young object is cheaper than in an old one, which
 * needs a write barrier of the garbage collector.
 */
export function demandOf({ market, order, sizeLots }: Placing): Demand {
  const isBuy = order.side === 'BUY';
  const isMarket = order.orderType === 'MARKET' || order.orderType === 'STOP_MARKET';
  const { upperTicks, lowerTicks } = market.price;
  const demand: Demand = {
    limitTicks: isMarket ? (isBuy ? upperTicks : lowerTicks) : order.priceTicks,
    holdAsset: isBuy ? market.settleAsset : market.baseAsset,
    holdParts: 0n,
    holdsPlan: false,
    planLots: 0,
    planCost: 0n,
    planRealised: 0n,
    ordersMax: 0,
    isUnfillable: false,
  };
  if (market.spec.type === 'FUTURE') return demand;
  const { limitTicks } = demand;
  if (!isBuy) demand.holdParts = lotsInParts(market.perLot, sizeLots);
  // A purchase that cannot rest holds what its plan costs, once there is a plan.
  else if (isMarket || (order.timeInForce === 'FOK' && !isStop(order))) demand.holdsPlan = true;
  else if (isNarrow(market.perTickLot, limitTicks, sizeLots)) {
    demand.holdParts = narrowTickLots(market.perTickLot, limitTicks, sizeLots);
  } else demand.holdParts = tickLotsInParts(market.perTickLot, limitTicks, sizeLots);
  return demand;
}

/** Margin, then balance; neither for a FOK that the book cannot fill whole. */
export function checkFunds(state: State, placing: Placing, demand: Demand): Refusal | undefined {
  if (demand.isUnfillable) return undefined;
  return checkMargin(state, placing, demand) ?? checkBalance(state, placing, demand);
}

/** Whether the order needs margin, and whether the account has it. */
export function checkMargin(state: State, placing: Placing, demand: Demand): Refusal | undefined {
  const { accountIndex, account, market, order } = placing;
  if (market.spec.type === 'SPOT') return checkSpotMargin(state, placing, demand);
  if (onlyReduces(state, placing)) return undefined;
  if (isStop(order)) return checkStopMargin(state, placing);
  if (mayRest(order) && surelyCarries(state, placing, placing)) return undefined;
  const standing = standingOf(state.standings, accountIndex, order.market);
  const hypothesis = hypothesisOf(market, placing, standing, demand);
  const limit = checkPositionLimit(state, market, standing, hypothesis);
  if (limit !== undefined) return limit;
  const margin = marginOf(state, accountIndex, account, hypothesis);
  if (margin.collateral >= margin.initial && isBelow50(margin)) return undefined;
  return marginRefusal(state, margin);
}

/** A stop is checked for margin when it triggers, but at ratio 50 one that adds risk is refused now. */
function checkStopMargin(state: State, { accountIndex, account }: Placing): Refusal | undefined {
  if (isUnlevered(state, accountIndex, account)) return undefined;
  const margin = marginOf(state, accountIndex, account);
  return isBelow50(margin) ? undefined : marginRefusal(state, margin);
}

/** The account as if the order were filled by its plan, or resting whole. */
function hypothesisOf(
  market: Market,
  { order, sizeLots }: Placing,
  standing: number,
  demand: Demand,
): Hypothesis {
  const isBuy = order.side === 'BUY';
  if (mayRest(order)) {
    return {
      market: order.market,
      standing,
      lots: 0,
      cost: 0n,
      realised: 0n,
      buyLots: isBuy ? sizeLots : 0,
      sellLots: isBuy ? 0 : sizeLots,
      orderLoss: lossOfOrder(market, order.side, order.priceTicks, sizeLots),
    };
  }
  return {
    market: order.market,
    standing,
    lots: isBuy ? demand.planLots : -demand.planLots,
    cost: isBuy ? demand.planCost : -demand.planCost,
    realised: demand.planRealised,
    buyLots: 0,
    sellLots: 0,
    orderLoss: 0n,
  };
}

/** Beyond the last tier's cap no position may be built. */
function checkPositionLimit(
  state: State,
  market: Market,
  standing: number,
  hypothesis: Hypothesis,
): Refusal | undefined {
  const { standings } = state;
  const lots = (standings.lots[standing] ?? 0) + hypothesis.lots;
  const long = lots + (standings.buyLots[standing] ?? 0) + hypothesis.buyLots;
  const short = lots - (standings.sellLots[standing] ?? 0) - hypothesis.sellLots;
  const notional = markValueUp(market, Math.max(Math.abs(long), Math.abs(short)));
  const cap = market.marginTiers.at(-1)?.notionalCap ?? 0n;
  if (notional <= cap) return undefined;
  const text = (parts: bigint): string => nativeText(state, parts);
  return refuse(
    'SIZE_TOO_LARGE',
    `position with open orders ${text(notional)} > position limit ${text(cap)}`,
  );
}

/** Cannot exceed the opposite position, even if every open order on its side were filled. */
export function onlyReduces(
  { standings }: State,
  { accountIndex, order, sizeLots }: Pick<Placing, 'accountIndex' | 'order' | 'sizeLots'>,
): boolean {
  if (order.reduceOnly) return true;
  const standing = standingOf(standings, accountIndex, order.market);
  if (standing === NO_STANDING) return false;
  const lots = numberAt(standings.lots, standing);
  if (order.side === 'BUY') {
    const open =
      numberAt(standings.buyLots, standing) + numberAt(standings.reduceBuyLots, standing);
    return -lots >= open + sizeLots;
  }
  const open =
    numberAt(standings.sellLots, standing) + numberAt(standings.reduceSellLots, standing);
  return lots >= open + sizeLots;
}

/** What a spot order holds no longer counts as collateral. */
function checkSpotMargin(
  state: State,
  { accountIndex, account }: Placing,
  demand: Demand,
): Refusal | undefined {
  if (isUnlevered(state, accountIndex, account)) return undefined;
  const margin = marginOf(state, accountIndex, account);
  // Without anything that needs margin there is nothing to check here; the balance is checked next.
  if (margin.initial === 0n) return undefined;
  margin.collateral -= collateralOf(state, accountIndex, demand.holdAsset, demand.holdParts);
  if (margin.collateral >= margin.initial && isBelow50(margin)) return undefined;
  return marginRefusal(state, margin);
}

function marginRefusal(state: State, margin: Margin): Refusal {
  const text = (parts: bigint): string => nativeText(state, parts);
  if (!isBelow50(margin)) {
    return refuse(
      'MARGIN_TOO_LOW',
      `margin ratio has reached 50: maintenance margin ${text(margin.maintenance)}, collateral ${text(margin.collateral)}`,
    );
  }
  return refuse(
    'MARGIN_TOO_LOW',
    `collateral ${text(margin.collateral)} < initial margin ${text(margin.initial)} after this order`,
  );
}

/**
 * Checks that no plan can change, made before planning: an account at ratio 50 or below its initial margin
 * may not add to a position; an account without funds cannot buy.
 */
export function checkBeforePlan(
  state: State,
  { accountIndex, account, market, order }: Placing,
  { holdAsset }: Demand,
): Refusal | undefined {
  const isSpot = market.spec.type === 'SPOT';
  if (!isSpot && !addsToPosition(state, accountIndex, order)) return undefined;
  const margin = marginOf(state, accountIndex, account);
  const isShort = margin.collateral < margin.initial || !isBelow50(margin);
  if (margin.initial !== 0n && isShort) return marginRefusal(state, margin);
  if (!isSpot) return undefined;
  const available = availableIn(state.ledger, purseOf(state.ledger, accountIndex, holdAsset));
  if (available > 0n) return undefined;
  const asset = state.assets[holdAsset]?.spec;
  return refuse(
    'BALANCE_TOO_LOW',
    `nothing to pay with: balance ${textFromParts(available, asset?.scale ?? 0)} ${asset?.code}`,
  );
}

function addsToPosition(state: State, accountIndex: AccountIndex, order: OrderRequest): boolean {
  const lots = state.standings.lots[standingOf(state.standings, accountIndex, order.market)] ?? 0;
  return order.side === 'BUY' ? lots >= 0 : lots <= 0;
}

/** Whether the account has what the order would hold. */
export function checkBalance(
  state: State,
  { accountIndex }: { readonly accountIndex: AccountIndex },
  { holdAsset, holdParts }: Demand,
): Refusal | undefined {
  if (holdParts <= 0n) return undefined;
  const available = availableIn(state.ledger, purseOf(state.ledger, accountIndex, holdAsset));
  if (available >= holdParts) return undefined;
  const asset = state.assets[holdAsset]?.spec;
  const text = (parts: bigint): string =>
    `${textFromParts(parts, asset?.scale ?? 0)} ${asset?.code}`;
  return refuse('BALANCE_TOO_LOW', `balance ${text(available)} < value ${text(holdParts)}`);
}

const nativeText = (state: State, parts: bigint): string => {
  const native = state.assets[state.native]?.spec;
  return `${textFromParts(parts, native?.scale ?? 0)} ${native?.code ?? ''}`;
};
