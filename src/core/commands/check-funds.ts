import { textFromParts } from '../../domain/decimal.ts';
import { lotsInParts, tickLotsInParts } from '../../domain/market.ts';
import { type Refusal, refuse } from '../../domain/rejections.ts';
import { codeOf, STP_MODES } from '../../domain/terms.ts';
import {
  type AccountIndex,
  type AssetIndex,
  amount,
  type FamilyIndex,
  type Lots,
  type Ticks,
} from '../../domain/units.ts';
import { BUY, SELL, type StpCode } from '../book/codes.ts';
import { newTaker } from '../book/match.ts';
import { newPlan, planMatches } from '../book/plan.ts';
import { availableIn, purseOf } from '../ledger/ledger.ts';
import {
  collateralValue,
  type Hypothesis,
  isBelow50,
  isCounted,
  isUnlevered,
  lossOfOrder,
  type Margin,
  marginOf,
} from '../risk/margin.ts';
import { valueUp } from '../risk/tiers.ts';
import type { Market, State } from '../state.ts';
import { isByAmount, isStop, mayRest, type Placing, standingIn } from './placing.ts';
import { planAroundReducers } from './plan-around-reducers.ts';

/** What an order asks of its account: to hold, or to be able to carry. */
export type Demand = {
  /** Its limit, or the edge of the band that protects an order without one. */
  limitTicks: number;
  holdAsset: AssetIndex;
  holdParts: bigint;
  /** It holds the exact cost of its planned matches, not its limit. */
  isPlanned: boolean;
  /** For orders that cannot rest: what they would be filled by now. */
  planLots: number;
  planCost: bigint;
  /** A FOK that the book cannot fill whole: it asks for nothing, because it ends CANCELED_BY_FOK. */
  isUnfillable: boolean;
};

const taker = newTaker();
const plan = newPlan();

/**
 * A record of its own for every order: a bigint stored in a young record is cheaper than in one that
 * is kept for ever, which the garbage collector would have to be told of.
 */
export function demandOf(state: State, placing: Placing): Demand {
  const { market, order, sizeLots } = placing;
  const isBuy = order.side === 'BUY';
  const isMarket = order.orderType === 'MARKET' || order.orderType === 'STOP_MARKET';
  const { upperTicks, lowerTicks } = market.price;
  const demand: Demand = {
    limitTicks: isMarket ? (isBuy ? upperTicks : lowerTicks) : order.priceTicks,
    holdAsset: isBuy ? market.settleAsset : market.baseAsset,
    holdParts: 0n,
    isPlanned: false,
    planLots: 0,
    planCost: 0n,
    isUnfillable: false,
  };
  const isFok = order.timeInForce === 'FOK' && !isStop(order);
  const needsPlan = market.spec.type === 'FUTURE' ? !mayRest(order) : isFok || (isMarket && isBuy);
  if (needsPlan && !isStop(order)) planFills(state, placing, demand);
  // An amount has no size that could be filled whole.
  demand.isUnfillable = isFok && !isByAmount(order) && demand.planLots < sizeLots;
  if (market.spec.type === 'FUTURE' || demand.isUnfillable) return demand;
  if (!isBuy) demand.holdParts = lotsInParts(market.perLot, sizeLots);
  else if (isMarket || isFok) {
    demand.holdParts = demand.planCost;
    demand.isPlanned = true;
  } else {
    demand.holdParts = tickLotsInParts(market.perTickLot, demand.limitTicks, sizeLots);
  }
  return demand;
}

function planFills(
  state: State,
  { row, account, market, order, sizeLots }: Placing,
  demand: Demand,
): void {
  taker.side = order.side === 'BUY' ? BUY : SELL;
  taker.limitTicks = demand.limitTicks as Ticks;
  taker.openLots = (isByAmount(order) ? Number.MAX_SAFE_INTEGER : sizeLots) as Lots;
  taker.family = account.family as FamilyIndex;
  taker.stpMode = codeOf(STP_MODES, order.stpMode) as StpCode;
  const { perTickLot } = market;
  const { amountParts } = order;
  const budget = isByAmount(order) ? { amountParts, perTickLot } : undefined;
  // A FOK does not count on orders that only reduce; whatever else takes them must carry them.
  if (market.book.reduceOnlyOrders > 0 && order.timeInForce !== 'FOK') {
    planAroundReducers(state, { market, index: order.market, account: row }, taker, plan);
  } else planMatches(market.book, state.orders, taker, plan, budget);
  demand.planLots = plan.lots;
  demand.planCost = plan.tickLots * perTickLot;
}

/** Margin, then balance; neither for a FOK that the book cannot fill whole. */
export function checkFunds(state: State, placing: Placing, asked: Demand): Refusal | undefined {
  if (asked.isUnfillable) return undefined;
  return checkMargin(state, placing, asked) ?? checkBalance(state, placing, asked);
}

/** Whether the order needs margin, and whether the account has it. */
export function checkMargin(state: State, placing: Placing, asked: Demand): Refusal | undefined {
  const { row, account, market, order } = placing;
  if (market.spec.type === 'SPOT') return checkSpotMargin(state, placing, asked);
  if (onlyReduces(state, placing)) return undefined;
  if (isStop(order)) return checkStopMargin(state, placing);
  const standing = standingIn(state, placing);
  const hypothesis = hypothesisOf(market, placing, standing, asked);
  const limit = checkPositionLimit(state, market, standing, hypothesis);
  if (limit !== undefined) return limit;
  const margin = marginOf(state, row, account, hypothesis);
  if (margin.collateral >= margin.initial && isBelow50(margin)) return undefined;
  return marginRefusal(state, margin);
}

/** A stop is margined when it triggers; one that adds is not taken at 50 all the same. */
function checkStopMargin(state: State, { row, account }: Placing): Refusal | undefined {
  if (isUnlevered(state, row, account)) return undefined;
  const margin = marginOf(state, row, account);
  return isBelow50(margin) ? undefined : marginRefusal(state, margin);
}

/** As if it had been filled by its plan, or stood in the book whole. */
function hypothesisOf(
  market: Market,
  { order, sizeLots }: Placing,
  standing: number,
  asked: Demand,
): Hypothesis {
  const isBuy = order.side === 'BUY';
  if (mayRest(order)) {
    return {
      standing,
      lots: 0,
      cost: 0n,
      buyLots: isBuy ? sizeLots : 0,
      sellLots: isBuy ? 0 : sizeLots,
      orderLoss: lossOfOrder(market, order.side, order.priceTicks, sizeLots),
    };
  }
  return {
    standing,
    lots: isBuy ? asked.planLots : -asked.planLots,
    cost: isBuy ? asked.planCost : -asked.planCost,
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
  const lots = (standings.lots[standing] as number) + hypothesis.lots;
  const long = lots + (standings.buyLots[standing] as number) + hypothesis.buyLots;
  const short = lots - (standings.sellLots[standing] as number) - hypothesis.sellLots;
  const notional = valueUp(market, Math.max(Math.abs(long), Math.abs(short)), market.price.mark);
  const cap = market.spec.tiers.at(-1)?.notionalCap ?? 0n;
  if (notional <= cap) return undefined;
  const text = (parts: bigint): string => nativeText(state, parts);
  return refuse(
    'SIZE_TOO_LARGE',
    `position with open orders ${text(notional)} > position limit ${text(cap)}`,
  );
}

/** Cannot exceed the opposite position, even if every open order on its side were filled. */
export function onlyReduces(state: State, placing: Placing): boolean {
  const { order, sizeLots } = placing;
  if (order.reduceOnly) return true;
  const { standings } = state;
  const at = standingIn(state, placing);
  const lots = standings.lots[at] as number;
  if (order.side === 'BUY') {
    const open = (standings.buyLots[at] as number) + (standings.reduceBuyLots[at] as number);
    return -lots >= open + sizeLots;
  }
  const open = (standings.sellLots[at] as number) + (standings.reduceSellLots[at] as number);
  return lots >= open + sizeLots;
}

/** Money that a spot order sets aside no longer backs the account's positions. */
function checkSpotMargin(
  state: State,
  { row, account }: Placing,
  asked: Demand,
): Refusal | undefined {
  if (isUnlevered(state, row, account)) return undefined;
  const margin = marginOf(state, row, account);
  // Where nothing needs margin nothing can be short of it: whether the money is there is asked next.
  if (margin.initial === 0n) return undefined;
  if (isCounted(state, account, asked.holdAsset)) {
    margin.collateral -= collateralValue(state, asked.holdAsset, amount(asked.holdParts));
  }
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

/** Whether what the order sets aside is there. */
export function checkBalance(
  state: State,
  { row }: { readonly row: AccountIndex },
  { holdAsset, holdParts }: Demand,
): Refusal | undefined {
  if (holdParts <= 0n) return undefined;
  const available = availableIn(state.ledger, purseOf(state.ledger, row, holdAsset));
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
