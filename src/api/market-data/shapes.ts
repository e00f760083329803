import { ceilDiv, textFromParts } from '../../domain/decimal.ts';
import { entryIdText } from '../../domain/ids.ts';
import {
  type MarketSpec,
  priceText,
  quantityText,
  RATE_ONE,
  RATE_SCALE,
} from '../../domain/market.ts';
import { matchIdText } from '../../domain/orders.ts';
import { SOURCES } from '../../domain/terms.ts';
import { USD_SCALE } from '../../domain/units.ts';
import type { DepthLevelView, DepthView, Directory, MarketView } from '../../domain/views.ts';
import type { DayStats, ExchangeTradeRow, TradeRow } from '../../history/history.ts';
import type { ReplyOf } from '../../wire/endpoint.ts';
import type {
  getAssets,
  getDepth,
  getExchangeTrades,
  getLeverageTiers,
  getMarkets,
  getTickers,
} from '../../wire/market-data.ts';
import type { getTrades } from '../../wire/trades.ts';
import { nativeScale } from '../figures.ts';
import { enginePrice, settleAssetOf } from '../orders/shapes.ts';

/** Markets, assets, books and matches as the shapes of the interface. */
type MarketShape = ReplyOf<typeof getMarkets>[number];
type AssetShape = ReplyOf<typeof getAssets>[number];
type TickerShape = ReplyOf<typeof getTickers>[number];
type DepthShape = ReplyOf<typeof getDepth>;
type LeverageShape = ReplyOf<typeof getLeverageTiers>[number];
type ExchangeTradeShape = ReplyOf<typeof getExchangeTrades>[number];
type TradeShape = ReplyOf<typeof getTrades>[number];

export function marketShape(spec: MarketSpec, view: MarketView): MarketShape {
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
  };
}

/** The same network may serve several assets; each lists what it goes by. */
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
    networkList: directory.networks().flatMap((network) =>
      network.assets
        .filter(({ asset }) => asset === code)
        .map((way) => ({
          network: network.name,
          ...(way.tokenId === undefined ? {} : { tokenId: way.tokenId }),
          transactionPrecision: String(way.transactionPrecision),
          isWithdrawalFeeChargedToUser: true,
          canDeposit: true,
          canWithdraw: true,
          minDeposit: textFromParts(way.minDeposit, scale),
          minWithdrawal: textFromParts(way.minWithdrawal, scale),
        })),
    ),
  };
}

/** Without a match in the last day the mark price stands for open, high and low. */
export function tickerShape(
  directory: Directory,
  view: MarketView,
  day: DayStats | undefined,
): TickerShape {
  const spec = directory.market(view.market);
  const { scale } = directory.asset(settleAssetOf(directory, spec));
  const mark = textFromParts(view.mark, USD_SCALE);
  const price = (priceTicks: number | undefined): string =>
    priceTicks === undefined ? mark : priceText(spec, priceTicks);
  return {
    marketCode: spec.code,
    markPrice: mark,
    open24h: price(day?.openTicks),
    high24h: price(day?.highTicks),
    low24h: price(day?.lowTicks),
    volume24h: textFromParts(day?.value ?? 0n, scale),
    currencyVolume24h: quantityText(spec, day?.lots ?? 0),
    openInterest: quantityText(spec, view.openInterestLots),
    lastTradedPrice: priceText(spec, view.lastTicks),
    lastTradedQuantity: quantityText(spec, view.lastLots),
    lastUpdatedAt: String(Math.max(view.priceAtMs, view.lastMatchAtMs)),
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

export const exchangeTradeShape = (
  directory: Directory,
  row: ExchangeTradeRow,
): ExchangeTradeShape => {
  const spec = directory.market(row.market);
  return {
    marketCode: spec.code,
    matchPrice: priceText(spec, row.priceTicks),
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
    matchPrice: enginePrice(spec, row.priceTicks),
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
