import type { Amendment, OrderRef, OrderRequest } from '../../src/domain/orders.ts';
import {
  ORDER_TYPES,
  SIDES,
  type Side,
  STP_MODES,
  TIMES_IN_FORCE,
} from '../../src/domain/terms.ts';
import type { MarketIndex } from '../../src/domain/units.ts';
import { findOrder } from './model/cancel.ts';
import { lowerTicks, upperTicks } from './model/checks.ts';
import { marginOf } from './model/margin.ts';
import { availableOf } from './model/money.ts';
import {
  assetOf,
  isPerpetual,
  type Model,
  type ModelMarket,
  type ModelOrder,
  must,
  positionOf,
} from './model/state.ts';
import { bigMin, tickSize, valueAt } from './model/values.ts';
import type { Random } from './random.ts';
import type { Theme } from './themes.ts';
import { BITCOIN_PERPETUALS, MARKETS, PERPETUALS } from './world.ts';

/** Orders that traders might place: around the mark, so that they match; and absurd ones. */
export class OrderIdeas {
  readonly #random: Random;
  readonly #theme: Theme;
  /** The markets of this run: few, so that orders match. */
  readonly #markets: readonly number[];

  constructor(random: Random, theme: Theme) {
    this.#random = random;
    this.#theme = theme;
    const { marketsMax, isPerpetual: isAllPerpetual } = theme;
    const all = Array.from({ length: MARKETS }, (_, index) => index);
    const pool = isAllPerpetual ? PERPETUALS : all;
    const chosen = random.shuffled(pool).slice(0, random.between(1, marketsMax));
    // Without perpetuals no account can fail.
    if (!isAllPerpetual && random.chance(0.9)) chosen.push(random.pick(PERPETUALS));
    if (marketsMax > 1 && random.chance(0.2)) chosen.push(...BITCOIN_PERPETUALS);
    const few = [...new Set(chosen)];
    // Perpetuals twice: they have the risks.
    this.#markets = [...few, ...few.filter((market) => PERPETUALS.includes(market))];
  }

  order(model: Model, account: number): OrderRequest {
    const random = this.#random;
    const index = this.market();
    const market = must(model.markets[index]);
    const perpetual = isPerpetual(market);
    const { lots: held } = positionOf(model, account, index);
    const isClosing = held !== 0 && random.chance(this.#theme.closing);
    const side = isClosing ? (held > 0 ? 'SELL' : 'BUY') : random.pick(SIDES);
    const orderType = this.#orderType(perpetual);
    const isStop = orderType === 'STOP_LIMIT' || orderType === 'STOP_MARKET';
    const priced = orderType === 'LIMIT' || orderType === 'STOP_LIMIT';
    const isByAmount = !perpetual && side === 'BUY' && random.chance(0.15);
    const sizeLots = isByAmount
      ? 0
      : isClosing
        ? Math.ceil(Math.abs(held) * random.pick([0.2, 0.5, 1, 1]))
        : this.#lots(model, market, account, side);
    const priceTicks = priced ? this.#ticks(market) : 0;
    const mayShowLess = priced && sizeLots > 1 && random.chance(this.#theme.iceberg);
    return {
      market: (random.chance(0.003) ? 99 : index) as MarketIndex,
      version: market.version + (random.chance(0.003) ? 1 : 0),
      side,
      orderType,
      timeInForce: this.#timeInForce(orderType),
      stpMode: random.chance(0.5) ? 'NONE' : random.pick(STP_MODES),
      triggerType: random.chance(0.6) ? 'MARK_PRICE' : 'LAST_PRICE',
      clientOrderId: BigInt(random.below(6)),
      priceTicks,
      stopTicks: isStop ? this.#stopTicks(market, side, orderType, priceTicks) : 0,
      sizeLots,
      displayLots: mayShowLess ? random.between(1, sizeLots) : 0,
      amountParts: isByAmount ? this.#amount(model, market, account, priceTicks) : 0n,
      reduceOnly: perpetual && random.chance(this.#theme.reduceOnly),
      ...(random.chance(0.2) ? { texts: { label: random.pick(LABELS) } } : {}),
    };
  }

  amendment(model: Model, account: number): Amendment {
    const random = this.#random;
    const ref = this.reference(model, account);
    const market = must(model.markets[ref.market]);
    const order = findOrder(model, account, ref);
    const newPrice = random.chance(0.5);
    const newStop = random.chance(order?.isWaiting === true ? 0.5 : 0.02);
    const repeats = order !== undefined && random.chance(0.1);
    return {
      ...ref,
      version: market.version + (random.chance(0.01) ? 1 : 0),
      priceTicks: newPrice ? this.#ticks(market) : 0,
      stopTicks: newStop ? this.#ticks(market) : 0,
      sizeLots: random.chance(0.65) ? this.#newSize(model, market, account, order) : 0,
      ...(repeats ? { side: random.chance(0.1) ? random.pick(SIDES) : order.side } : {}),
      ...(repeats
        ? { orderType: random.chance(0.3) ? random.pick(ORDER_TYPES) : order.orderType }
        : {}),
    };
  }

  reference(model: Model, account: number): OrderRef {
    const random = this.#random;
    const own = model.orders.filter((order) => order.account === account);
    const pool = random.chance(0.92) ? own : model.orders;
    const order = pool.length > 0 ? random.pick(pool) : undefined;
    if (order === undefined || random.chance(0.03)) {
      return { market: this.market() as MarketIndex, orderId: 12, clientOrderId: 0n };
    }
    const market = (random.chance(0.02) ? this.market() : order.market) as MarketIndex;
    if (order.label !== undefined && random.chance(0.4)) {
      const label = random.chance(0.05) ? random.pick(LABELS) : order.label;
      return { market, orderId: 0, clientOrderId: 0n, named: { label } };
    }
    if (random.chance(0.2)) return { market, orderId: 0, clientOrderId: order.clientOrderId };
    const clientOrderId = random.chance(0.2) ? order.clientOrderId : 0n;
    return { market, orderId: random.chance(0.05) ? 12 : order.orderId, clientOrderId };
  }

  market(): number {
    return this.#random.pick(this.#markets);
  }

  wealthUsd(model: Model, account: number): number {
    return model.assets.reduce((sum, _, asset) => sum + usdOf(model, account, asset), 0);
  }

  #orderType(perpetual: boolean): OrderRequest['orderType'] {
    const random = this.#random;
    if (!random.chance(this.#theme.stop)) return random.chance(0.875) ? 'LIMIT' : 'MARKET';
    return perpetual && random.chance(0.5) ? 'STOP_MARKET' : 'STOP_LIMIT';
  }

  #timeInForce(orderType: OrderRequest['orderType']): OrderRequest['timeInForce'] {
    if (orderType === 'LIMIT' || orderType === 'STOP_LIMIT') {
      return this.#random.chance(0.5) ? 'GTC' : this.#random.pick(TIMES_IN_FORCE);
    }
    return this.#random.pick(['GTC', 'IOC', 'FOK']);
  }

  #ticks(market: ModelMarket): number {
    const random = this.#random;
    const mark = Number(market.mark / tickSize(market));
    const step = Math.max(1, Math.floor(mark / 400));
    const where = random.weighted({ close: 88, band: 6, far: 4, silly: 2 });
    if (where === 'close') return Math.max(1, mark + step * random.between(-4, 4));
    if (where === 'band') {
      const edge = random.pick([lowerTicks(market), upperTicks(market)]);
      return Math.max(1, edge + random.between(-1, 1));
    }
    if (where === 'far') return Math.max(1, Math.floor(mark * (0.7 + 0.6 * random.next())));
    return random.pick([1, 2, mark * 50]);
  }

  #stopTicks(
    market: ModelMarket,
    side: Side,
    orderType: OrderRequest['orderType'],
    priceTicks: number,
  ): number {
    // Just below or above the mark, where a fraction of a tick decides whether it triggers.
    const mark = Number(market.mark / tickSize(market));
    const isClose = this.#random.chance(0.25);
    const stop = isClose ? Math.max(1, mark + this.#random.between(-1, 2)) : this.#ticks(market);
    if (orderType !== 'STOP_LIMIT') return stop;
    return side === 'BUY' ? Math.min(stop, priceTicks) : Math.max(stop, priceTicks);
  }

  #lots(model: Model, market: ModelMarket, account: number, side: Side): number {
    const random = this.#random;
    if (random.chance(0.08)) return random.between(1, 3);
    if (random.chance(0.02)) return market.spec.maxOrderLots + random.between(-1, 1);
    const lotUsd =
      (Number(market.mark) * Number(market.spec.lotParts)) / 1e8 / 10 ** market.spec.quantityScale;
    // Some take about as much as they can carry: the next price move ruins them.
    if (isPerpetual(market) && random.chance(this.#theme.levered)) {
      const leverage = (market.spec.tiers[0]?.leverage ?? 1) * (0.6 + 0.45 * random.next());
      const most = (freeUsd(model, account) * leverage) / lotUsd;
      const capUsd = Number((market.spec.tiers.at(-1)?.notionalCap ?? 0n) / 10_000_000_000n);
      const least = Math.min(most, market.spec.maxOrderLots, (capUsd * 0.4) / lotUsd);
      return Math.max(1, Math.floor(least));
    }
    const spendableUsd = this.#spendableUsd(model, market, account, side);
    // Sometimes the whole balance, so that nothing is left for the fee.
    if (random.chance(0.06)) return Math.max(1, Math.floor((spendableUsd * 0.9999) / lotUsd));
    const wanted = spendableUsd * 10 ** (random.next() * 2.6 - 2.5);
    const lots = Math.max(1, Math.floor(wanted / lotUsd));
    // Round sizes lead to exact fills and equal queues.
    const rounded = lots > 20 && random.chance(0.7) ? lots - (lots % 10) : lots;
    return Math.min(rounded, market.spec.maxOrderLots + 1);
  }

  #spendableUsd(model: Model, market: ModelMarket, account: number, side: Side): number {
    if (isPerpetual(market)) return freeUsd(model, account) * 8;
    const asset = assetOf(model, side === 'BUY' ? market.spec.counter : market.spec.base);
    return usdOf(model, account, asset);
  }

  #amount(model: Model, market: ModelMarket, account: number, priceTicks: number): bigint {
    const random = this.#random;
    const lotCost = priceTicks === 0 ? 1n : valueAt(market, priceTicks, 1);
    const wish = random.weighted({ little: 10, huge: 3, all: 20, some: 67 });
    const all = availableOf(model, account, assetOf(model, market.spec.counter));
    if (wish === 'all' && all >= lotCost) return all;
    if (wish === 'little') return lotCost + BigInt(random.between(0, 5_000));
    if (wish === 'huge') return bigMin(2n ** 61n, lotCost * 2n ** 52n);
    return lotCost + BigInt(Math.floor(this.wealthUsd(model, account) * random.next() * 1.2 * 1e8));
  }

  #newSize(
    model: Model,
    market: ModelMarket,
    account: number,
    order: ModelOrder | undefined,
  ): number {
    const random = this.#random;
    if (order === undefined || random.chance(0.1)) {
      return this.#lots(model, market, account, 'BUY');
    }
    return Math.max(1, Math.floor(order.totalLots * (0.3 + 1.2 * random.next())));
  }
}

/** Few, so that they are used, freed and used again; one of maximum length. */
const LABELS = ['a', 'b', 'grid 1', 'grid 2', '~', '"}', '/'.repeat(36)];

/** What an account has beyond the needs of its positions and orders, in dollars: 100 native parts each. */
function freeUsd(model: Model, account: number): number {
  const { collateral, initial } = marginOf(model, account);
  return Math.max(0, Number(collateral - initial) / 1e10);
}

/** What is available of an asset, in dollars. */
const usdOf = (model: Model, account: number, asset: number): number => {
  const units = Number(availableOf(model, account, asset)) / 1e8;
  return Math.max(0, (units * Number(model.assets[asset]?.index ?? 0n)) / 1e8);
};
