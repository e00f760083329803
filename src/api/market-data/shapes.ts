import { ceilDiv, textFromParts } from '../../domain/decimal.ts';
import { entryIdText } from '../../domain/ids.ts';
import {
  type MarketSpec,
  priceText,
  quantityText,
  RATE_ONE,
  RATE_SCALE,
  tickSize,
  withGrid,
} from '../../domain/market.ts';
import { matchIdText } from '../../domain/orders.ts';
import { SOURCES } from '../../domain/terms.ts';
import { type MarketIndex, type NetworkIndex, USD_SCALE } from '../../domain/units.ts';
import type { DepthLevelView, DepthView, Directory, MarketView } from '../../domain/views.ts';
import type {
  CandleRow,
  DayMarks,
  DayStats,
  ExchangeTradeRow,
  TradeRow,
} from '../../history/history.ts';
import type { ReplyOf } from '../../wire/endpoint.ts';
import type {
  getAssets,
  getCandles,
  getDepth,
  getExchangeTrades,
  getLeverageTiers,
  getMarkets,
  getTickers,
} from '../../wire/market-data.ts';
import { DAY_MS } from '../../wire/periods.ts';
import type { getTrades } from '../../wire/trades.ts';
import { nativeScale, nextHourMs } from '../figures.ts';
import { enginePrice, settleAssetOf } from '../orders/shapes.ts';

/** Markets, assets, books and matches in the shapes of the interface. */
type MarketShape = ReplyOf<typeof getMarkets>[number];
type AssetShape = ReplyOf<typeof getAssets>[number];
type TickerShape = ReplyOf<typeof getTickers>[number];
type CandleShape = ReplyOf<typeof getCandles>[number];
type DepthShape = ReplyOf<typeof getDepth>;
type LeverageShape = ReplyOf<typeof getLeverageTiers>[number];
type ExchangeTradeShape = ReplyOf<typeof getExchangeTrades>[number];
type TradeShape = ReplyOf<typeof getTrades>[number];

export function marketShape(spec: MarketSpec, view: MarketView, nowMs: number): MarketShape {
  return {
    marketCode: spec.code,
    name: spec.name,
    referencePair: spec.referencePair,
    base: spec.base,
    counter: spec.counter,
    type: spec.type,
    tickSize: priceText(spec, 1),
    minSize: quantityText(spec, 1),
    listedAt: String(view.listedAtMs),
    upperPriceBound: priceText(spec, view.upperTicks, spec.priceScale),
    lowerPriceBound: priceText(spec, view.lowerTicks, spec.priceScale),
    markPrice: textFromParts(view.mark, USD_SCALE),
    indexPrice: textFromParts(view.index, USD_SCALE),
    lastUpdatedAt: String(view.priceAtMs),
    ...runningShape(spec, view, nowMs),
  };
}

/** Extensions: whether it is open, and why not; for a perpetual, what the current hour would pay. */
function runningShape(spec: MarketSpec, view: MarketView, nowMs: number) {
  const { state, stateReason, isOperational, estimatedFunding } = view;
  const isStale = state === 'OPEN' && !isOperational;
  const reason = isStale ? STALE : stateReason;
  return {
    state: isStale ? ('CANCEL_ONLY' as const) : state,
    ...(reason === '' ? {} : { stateReason: reason }),
    ...(spec.type === 'FUTURE'
      ? {
          estFundingRate: textFromParts(estimatedFunding, RATE_SCALE, RATE_SCALE),
          fundingAt: String(nextHourMs(nowMs)),
        }
      : {}),
  };
}

const STALE = 'index prices are not fresh';

/** The same network may serve several assets; each lists its own terms. */
export function assetShape(directory: Directory, code: string): AssetShape {
  const spec = directory.assets().find((asset) => asset.code === code);
  const scale = spec?.scale ?? 0;
  const loanToValue = spec?.loanToValue ?? 0n;
  const isCollateral = loanToValue > 0n;
  const rate = (parts: bigint): string => textFromParts(parts, RATE_SCALE, RATE_SCALE);
  return {
    asset: code,
    isCollateral,
    ...(isCollateral ? { loanToValue: rate(loanToValue), loanToValueFactor: rate(0n) } : {}),
    networkList: directory.networks().flatMap((network, index) =>
      network.assets
        .filter(({ asset }) => asset === code)
        .map((terms) => ({
          network: network.name,
          ...(terms.tokenId === undefined ? {} : { tokenId: terms.tokenId }),
          transactionPrecision: String(terms.transactionPrecision),
          isWithdrawalFeeChargedToUser: terms.isFeeFree !== true,
          ...openShape(directory, index as NetworkIndex, code),
          minDeposit: textFromParts(terms.minDeposit, scale),
          minWithdrawal: textFromParts(terms.minWithdrawal, scale),
        })),
    ),
  };
}

function openShape(directory: Directory, network: NetworkIndex, code: string) {
  const asset = directory.assetByCode(code);
  const way = asset === undefined ? undefined : directory.way(network, asset);
  return { canDeposit: way?.canDeposit === true, canWithdraw: way?.canWithdraw === true };
}

type Day = { readonly day: DayStats | DayMarks | undefined; readonly nowMs: number };

/** Without a match in the last day, open, high and low are those of the mark. */
export function tickerShape(
  directory: Directory,
  view: MarketView,
  { day, nowMs }: Day,
): TickerShape {
  const spec = directory.market(view.market);
  const { scale } = directory.asset(settleAssetOf(directory, spec));
  const mark = textFromParts(view.mark, USD_SCALE);
  const traded = day !== undefined && 'lots' in day ? day : undefined;
  return {
    marketCode: spec.code,
    markPrice: mark,
    ...dayPrices(spec, view, { day, nowMs }),
    volume24h: textFromParts(traded?.value ?? 0n, scale),
    currencyVolume24h: quantityText(spec, traded?.lots ?? 0),
    openInterest: quantityText(spec, view.openInterestLots),
    lastTradedPrice: priceText(spec, view.lastTicks),
    lastTradedQuantity: quantityText(spec, view.lastLots),
    lastUpdatedAt: String(Math.max(view.priceAtMs, view.lastMatchAtMs)),
    ...runningShape(spec, view, nowMs),
  };
}

/**
 * The stream publishes a match a moment before history has it: the day's range always includes the last
 * match.
 */
function dayPrices(
  spec: MarketSpec,
  { mark, lastTicks, lastMatchAtMs }: MarketView,
  { day = { open: mark, high: mark, low: mark }, nowMs }: Day,
) {
  const last = BigInt(lastTicks) * tickSize(spec);
  const isOfDay = lastMatchAtMs > nowMs - DAY_MS;
  const high = isOfDay && last > day.high ? last : day.high;
  const low = isOfDay && last < day.low ? last : day.low;
  const price = (parts: bigint): string => textFromParts(parts, USD_SCALE);
  return { open24h: price(day.open), high24h: price(high), low24h: price(low) };
}

/** Prices of candles have eight decimals, whatever the tick. */
export function candleShape(
  directory: Directory,
  market: MarketIndex,
  row: CandleRow,
): CandleShape {
  const spec = directory.market(market);
  const { scale } = directory.asset(settleAssetOf(directory, spec));
  const price = (value: bigint): string => textFromParts(value, USD_SCALE, USD_SCALE);
  return {
    open: price(row.open),
    high: price(row.high),
    low: price(row.low),
    close: price(row.close),
    volume: textFromParts(row.value, scale),
    currencyVolume: quantityText(spec, row.lots),
    openedAt: String(row.openedAtMs),
  };
}

export const depthShape = (spec: MarketSpec, { timeMs, asks, bids }: DepthView): DepthShape => ({
  marketCode: spec.code,
  lastUpdatedAt: String(timeMs),
  asks: asks.map((level) => levelShape(spec, level)),
  bids: bids.map((level) => levelShape(spec, level)),
});

/** JSON numbers: the shortest text that reads back as the same double is the decimal itself. */
const levelShape = (spec: MarketSpec, { priceTicks, lots }: DepthLevelView): [number, number] => [
  Number(priceText(spec, priceTicks)),
  Number(quantityText(spec, lots)),
];

/** Rates without a finite decimal are rounded up, never below the rate that applies. */
export function leverageShape(directory: Directory, spec: MarketSpec): LeverageShape {
  const native = (parts: bigint): string => textFromParts(parts, nativeScale(directory));
  const oneIn = (divisor: number): string =>
    textFromParts(ceilDiv(RATE_ONE, BigInt(divisor)), RATE_SCALE);
  return {
    marketCode: spec.code,
    tiers: spec.tiers.map(({ leverage, notionalCap }, at) => ({
      tier: String(at + 1),
      leverage: String(leverage),
      positionFloor: native(spec.tiers[at - 1]?.notionalCap ?? 0n),
      positionCap: native(notionalCap),
      initialMargin: oneIn(leverage),
      maintenanceMargin: oneIn(2 * leverage),
    })),
  };
}

/** With the ids only if somebody has asked for them: clients that know the resource know it without. */
export const exchangeTradeShape = (
  directory: Directory,
  row: ExchangeTradeRow,
  hasIds: boolean,
): ExchangeTradeShape => {
  const spec = directory.market(row.market);
  return {
    ...(hasIds ? { id: entryIdText(row.id), matchId: matchIdText(row.market, row.match) } : {}),
    marketCode: spec.code,
    matchPrice: priceText(withGrid(spec, row.grid), row.priceTicks),
    matchQuantity: quantityText(spec, row.lots),
    side: row.takerSide,
    matchType: 'TAKER',
    matchedAt: String(row.timeMs),
  };
};

export function tradeShape(directory: Directory, row: TradeRow): TradeShape {
  const spec = directory.market(row.market);
  const settle = directory.asset(settleAssetOf(directory, spec));
  const feeAsset = directory.asset(row.feeAsset);
  return {
    id: entryIdText(row.id),
    orderId: String(row.orderId),
    clientOrderId: String(row.clientOrderId),
    ...row.texts,
    matchId: matchIdText(row.market, row.match),
    marketCode: spec.code,
    side: row.side,
    matchedQuantity: quantityText(spec, row.lots, spec.quantityScale),
    matchPrice: enginePrice(withGrid(spec, row.grid), row.priceTicks),
    total: textFromParts(row.value, settle.scale, 2),
    orderMatchType: row.matchType,
    feeAsset: feeAsset.code,
    fee: textFromParts(row.fee, feeAsset.scale, 1),
    source: String(tradeSource(row.source)),
    matchedAt: String(row.timeMs),
  };
}

/** Trades show one source for every kind of forced closing. */
function tradeSource(source: number): number {
  const isTaken = source === SOURCES.ADL || source === SOURCES.BLP_ASSIGNMENT;
  return isTaken ? SOURCES.POSITION_LIQUIDATION : source;
}
