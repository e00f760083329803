import { assert } from '../../domain/assert.ts';
import { WORK_BOUNDS } from '../../domain/bounds.ts';
import {
  decimalFromText,
  partsFromDecimal,
  partsFromText,
  textFromParts,
} from '../../domain/decimal.ts';
import type { Outcome } from '../../domain/events.ts';
import {
  type LeverageTier,
  type PriceGrid,
  priceText,
  quantityText,
  tickSize as sizeOfTick,
  TICK_SIZE_MAX,
} from '../../domain/market.ts';
import { isRefusal, refuse } from '../../domain/rejections.ts';
import { MAIN_ACCOUNT_NAME } from '../../domain/terms.ts';
import { type MarketIndex, USD_SCALE, usdPrice } from '../../domain/units.ts';
import type { Directory, IndexPriceView, MarketView } from '../../domain/views.ts';
import type { Engine } from '../../engine/engine.ts';
import type { ReplyOf } from '../../wire/endpoint.ts';
import {
  cancelMarketOrders,
  getLimits,
  listBackstops,
  listMarkets,
  listPrices,
  setBackstop,
  setMarketState,
  setOrderLimits,
  setPrice,
  setTick,
  setTiers,
} from '../../wire/operator-markets.ts';
import { nativeScale, nativeText } from '../figures.ts';
import { type Route, route } from '../http/mount.ts';
import { readQuantity } from '../orders/intake.ts';
import { byOperator, eventOf } from './acting.ts';
import { holderShape } from './wallet-shapes.ts';

/** The last prices of an index source; requested from the component that runs the sources. */
export type SourcePrices = {
  readonly source: string;
  readonly atMs: number;
  readonly counts: boolean;
  /** By asset, as reported. */
  readonly prices: ReadonlyMap<string, string>;
};

export const marketRoutes = (
  engine: Engine,
  sourcePrices: () => readonly SourcePrices[] = () => [],
): Route[] => [
  route(listMarkets, async () => {
    const views = await engine.view('markets', {});
    return { data: views.map((view) => operatorMarketShape(engine.directory, view)) };
  }),

  route(setMarketState, async ({ request, caller }) => {
    const { marketCode, state, reason } = request;
    const { outcome, isRepeat } = await engine.submit({
      kind: 'set-market-state',
      ...byOperator(caller),
      market: marketCode,
      state,
      reason,
    });
    const set = eventOf(outcome, 'market-state-set');
    if (isRefusal(set)) return { ...set, isRepeat };
    return { data: { marketCode, state: set.state, reason: set.reason }, isRepeat };
  }),

  route(setTiers, async ({ request, caller }) => {
    const { directory } = engine;
    const { marketCode, reason } = request;
    const tiers: LeverageTier[] = [];
    for (const { leverage, notionalCap } of request.tiers) {
      const cap = partsFromText(notionalCap, nativeScale(directory));
      if (cap === undefined) {
        return refuse('PARAMETER_INVALID', `notionalCap ${notionalCap} is no amount of native`);
      }
      tiers.push({ leverage: Number(leverage), notionalCap: cap });
    }
    const { outcome, isRepeat } = await engine.submit({
      kind: 'change-market',
      ...byOperator(caller),
      ...{ market: marketCode, tiers, reason },
    });
    return changedMarket(engine, outcome, isRepeat);
  }),

  route(setTick, async ({ request, caller }) => {
    const { marketCode, tickSize, reason } = request;
    const grid = gridOf(tickSize);
    if (grid === undefined) {
      const rule = `has more than ${USD_SCALE} decimals, or is none`;
      return refuse('PARAMETER_INVALID', `tickSize ${tickSize} ${rule}`);
    }
    if (sizeOfTick(grid) > TICK_SIZE_MAX) {
      const most = textFromParts(TICK_SIZE_MAX, USD_SCALE);
      return refuse('PARAMETER_INVALID', `tickSize ${tickSize} is more than the most, ${most}`);
    }
    const { outcome, isRepeat } = await engine.submit({
      kind: 'change-market',
      ...byOperator(caller),
      ...{ market: marketCode, grid, reason },
    });
    return changedMarket(engine, outcome, isRepeat);
  }),

  route(cancelMarketOrders, async ({ request, caller }) => {
    const { marketCode, reason } = request;
    const { outcome, isRepeat } = await engine.submit({
      kind: 'cancel-market',
      ...byOperator(caller),
      ...{ market: marketCode, reason },
    });
    const acted = eventOf(outcome, 'operator-acted');
    if (isRefusal(acted)) return { ...acted, isRepeat };
    const canceled = outcome.events.filter(({ kind }) => kind === 'order-closed').length;
    const left = canceled >= WORK_BOUNDS.cancelsPerAct;
    return { data: { marketCode, canceled: String(canceled), left }, isRepeat };
  }),

  route(listPrices, async () => {
    const prices = await engine.view('indexPrices', {});
    const reported = sourcePrices();
    return {
      data: prices.map((one) => {
        const shape = priceShape(engine.directory, one);
        return { ...shape, sources: reported.flatMap((source) => reportedBy(source, shape.asset)) };
      }),
    };
  }),

  route(setPrice, async ({ request, caller }) => {
    const { asset, reason } = request;
    const read = decimalFromText(request.price);
    const price = read === undefined ? undefined : partsFromDecimal(read, USD_SCALE);
    if (price === undefined) {
      return refuse(
        'PARAMETER_INVALID',
        `price ${request.price} has more than ${USD_SCALE} decimals, or is none`,
      );
    }
    const { outcome, isRepeat } = await engine.submit({
      kind: 'set-price',
      ...byOperator(caller),
      ...{ asset, price: usdPrice(price), reason },
    });
    const acted = eventOf(outcome, 'operator-acted');
    if (isRefusal(acted)) return { ...acted, isRepeat };
    const prices = await engine.view('indexPrices', {});
    const found = prices.find((one) => engine.directory.asset(one.asset).code === asset);
    assert(found !== undefined, 'a price was set of an asset');
    return { data: priceShape(engine.directory, found), isRepeat };
  }),

  route(getLimits, async () => {
    const { perMarket, inAll, daily, automatic } = await engine.view('venueLimits', {});
    const native = (parts: bigint): string => nativeText(engine.directory, parts);
    return {
      data: {
        perMarket: String(perMarket),
        inAll: String(inAll),
        daily: native(daily),
        automatic: native(automatic),
      },
    };
  }),

  route(setOrderLimits, async ({ request, caller }) => {
    const { outcome, isRepeat } = await engine.submit({
      kind: 'set-order-limits',
      ...byOperator(caller),
      perMarket: Number(request.perMarket),
      inAll: Number(request.inAll),
    });
    const set = eventOf(outcome, 'order-limits-set');
    if (isRefusal(set)) return { ...set, isRepeat };
    return { data: { perMarket: String(set.perMarket), inAll: String(set.inAll) }, isRepeat };
  }),

  route(listBackstops, async () => {
    const { directory } = engine;
    const { backstops } = await engine.view('venueLimits', {});
    return {
      data: backstops.map(({ account, market, maxLots }) => {
        const spec = directory.market(market as MarketIndex);
        const { family, name } = holderShape(directory, account);
        const quantity = quantityText(spec, maxLots);
        return { family, name, marketCode: spec.code, quantity };
      }),
    };
  }),

  route(setBackstop, async ({ request, caller }) => {
    const { family, name = MAIN_ACCOUNT_NAME, marketCode, quantity } = request;
    const index = engine.directory.marketByCode(marketCode);
    if (index === undefined) return refuse('MARKET_UNKNOWN', `there is no ${marketCode}`);
    const spec = engine.directory.market(index);
    const isNone = decimalFromText(quantity)?.digits === 0n;
    const maxLots = isNone ? 0 : readQuantity(quantity, spec);
    if (typeof maxLots === 'object') return maxLots;
    const { outcome, isRepeat } = await engine.submit({
      kind: 'set-backstop',
      ...byOperator(caller),
      account: { family, name },
      market: marketCode,
      maxLots,
    });
    const set = eventOf(outcome, 'backstop-set');
    if (isRefusal(set)) return { ...set, isRepeat };
    return {
      data: { family, name, marketCode, quantity: quantityText(spec, set.maxLots) },
      isRepeat,
    };
  }),
];

/** With as few decimals as possible. */
function gridOf(tickSize: string): PriceGrid | undefined {
  const read = decimalFromText(tickSize);
  if (read === undefined) return undefined;
  for (let priceScale = 0; priceScale <= USD_SCALE; priceScale++) {
    const tickParts = partsFromDecimal(read, priceScale);
    if (tickParts !== undefined) return { priceScale, tickParts };
  }
  return undefined;
}

async function changedMarket(engine: Engine, outcome: Outcome, isRepeat: boolean) {
  const changed = eventOf(outcome, 'market-defined');
  if (isRefusal(changed)) return { ...changed, isRepeat };
  const [view] = await engine.view('markets', { market: changed.market });
  assert(view !== undefined, 'a market that was changed can be seen');
  return { data: operatorMarketShape(engine.directory, view), isRepeat };
}

function operatorMarketShape(
  directory: Directory,
  view: MarketView,
): ReplyOf<typeof listMarkets>[number] {
  const spec = directory.market(view.market);
  const usd = (price: bigint): string => textFromParts(price, USD_SCALE);
  return {
    marketCode: spec.code,
    type: spec.type,
    state: view.state,
    reason: view.stateReason,
    operational: view.isOperational,
    index: usd(view.index),
    mark: usd(view.mark),
    ...(view.priceAtMs === 0 ? {} : { priceAt: String(view.priceAtMs) }),
    lastTradedPrice: priceText(spec, view.lastTicks),
    openInterest: quantityText(spec, view.openInterestLots),
    tickSize: priceText(spec, 1),
    minSize: quantityText(spec, 1),
    maxSize: quantityText(spec, spec.maxOrderLots),
    version: String(view.version),
    tiers: spec.tiers.map(({ leverage, notionalCap }) => ({
      leverage: String(leverage),
      notionalCap: nativeText(directory, notionalCap),
    })),
  };
}

const PRICE_TEXT_MAX = 40;

/** A source may report anything: what is shown of it is shortened. */
function reportedBy(
  { source, atMs, counts, prices }: SourcePrices,
  asset: string,
): ReplyOf<typeof listPrices>[number]['sources'] {
  const price = prices.get(asset)?.slice(0, PRICE_TEXT_MAX);
  return price === undefined ? [] : [{ source, price, at: String(Math.floor(atMs)), counts }];
}

const priceShape = (
  directory: Directory,
  { asset, price, isQuoted }: IndexPriceView,
): ReplyOf<typeof setPrice> => ({
  asset: directory.asset(asset).code,
  price: textFromParts(price, USD_SCALE),
  quoted: isQuoted,
});
