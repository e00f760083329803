import type { Command, SignedBy } from '../../src/domain/commands.ts';
import type { Amendment, OrderRef, OrderRequest } from '../../src/domain/orders.ts';
import {
  MARKET_STATES,
  ORDER_TYPES,
  RESTRICTIONS,
  SIDES,
  type Side,
  STP_MODES,
  TIMES_IN_FORCE,
} from '../../src/domain/terms.ts';
import {
  type AccountIndex,
  type AssetIndex,
  amount,
  type KeyIndex,
  type MarketIndex,
  usdPrice,
} from '../../src/domain/units.ts';
import { lowerTicks, upperTicks } from './model/checks.ts';
import { availableOf } from './model/money.ts';
import {
  assetOf,
  isPerpetual,
  type Model,
  type ModelMarket,
  type ModelOrder,
  must,
} from './model/state.ts';
import { bigMin, tickSize, valueAt } from './model/values.ts';
import type { Random } from './random.ts';

/**
 * Thinks of what people might ask next: orders of every kind around the mark, so that books cross
 * often, cancels, amends, transfers, prices that move, markets that halt; and silly things.
 */
export class Traders {
  readonly #random: Random;
  /** The markets of this run: few, so that people meet. */
  readonly #markets: readonly number[];
  #fingerprints = 0;

  constructor(random: Random, markets: number) {
    this.#random = random;
    const all = Array.from({ length: markets }, (_, index) => index);
    this.#markets = random.shuffled(all).slice(0, random.between(2, 4));
  }

  next(model: Model): Command {
    const mended = this.#mend(model);
    if (mended !== undefined) return mended;
    const what = this.#random.weighted({
      place: 70,
      cancel: 5,
      cancelAll: 0.5,
      modify: 11,
      transfer: 4,
      prices: 7,
      marketState: 1,
      restrictions: 0.5,
      key: 0.3,
    });
    switch (what) {
      case 'place':
        return this.#place(model);
      case 'cancel':
        return this.#cancel(model);
      case 'cancelAll':
        return this.#cancelAll(model);
      case 'modify':
        return this.#modify(model);
      case 'transfer':
        return this.#transfer(model);
      case 'prices':
        return this.#prices(model);
      case 'marketState':
        return this.#marketState(model);
      case 'restrictions':
        return this.#restrictions(model);
      case 'key':
        return this.#key(model);
    }
  }

  /** What is closed or barred does not stay so for long: it would make for a dull run. */
  #mend(model: Model): Command | undefined {
    if (!this.#random.chance(0.06)) return undefined;
    const actor = 'simulation';
    const closed = model.markets.find(({ state }) => state !== 'OPEN');
    if (closed !== undefined) {
      const market = closed.spec.code;
      return { kind: 'set-market-state', actor, market, state: 'OPEN', reason: 'chance' };
    }
    const barred = model.families.find(({ restrictions }) => restrictions.length > 0);
    if (barred !== undefined) {
      return { kind: 'set-restrictions', actor, family: barred.name, restrictions: [] };
    }
    const idle = [...model.accounts.values()].find(({ isActive }) => !isActive);
    if (idle === undefined) return undefined;
    const family = must(model.families[idle.family]).name;
    return { kind: 'set-restrictions', actor, family, subAccount: idle.name, restrictions: [] };
  }

  #place(model: Model): Command {
    const { key, account } = this.#signer(model);
    const count = this.#random.chance(0.8) ? 1 : this.#random.between(2, 8);
    return {
      kind: 'place-orders',
      by: this.#signed(model, key),
      source: 11,
      ...this.#lateness(model),
      orders: Array.from({ length: count }, () => this.#order(model, account)),
    };
  }

  #order(model: Model, account: number): OrderRequest {
    const random = this.#random;
    const index = this.#market();
    const market = must(model.markets[index]);
    const perpetual = isPerpetual(market);
    const side = random.pick(SIDES);
    const orderType = random.chance(0.6) ? 'LIMIT' : this.#orderType(perpetual);
    const isStop = orderType === 'STOP_LIMIT' || orderType === 'STOP_MARKET';
    const priced = orderType === 'LIMIT' || orderType === 'STOP_LIMIT';
    const isByAmount = !perpetual && side === 'BUY' && random.chance(0.15);
    const sizeLots = isByAmount ? 0 : this.#lots(model, market, account, side);
    const priceTicks = priced ? this.#ticks(market) : 0;
    const mayShowLess = priced && sizeLots > 1 && random.chance(0.15);
    return {
      market: (random.chance(0.003) ? 99 : index) as MarketIndex,
      version: random.chance(0.003) ? 2 : 1,
      side,
      orderType,
      timeInForce: this.#timeInForce(orderType, isByAmount),
      stpMode: random.chance(0.5) ? 'NONE' : random.pick(STP_MODES),
      triggerType: random.chance(0.6) ? 'MARK_PRICE' : 'LAST_PRICE',
      clientOrderId: BigInt(random.below(6)),
      priceTicks,
      stopTicks: isStop ? this.#stopTicks(market, side, orderType, priceTicks) : 0,
      sizeLots,
      displayLots: mayShowLess ? random.between(1, sizeLots) : 0,
      amountParts: isByAmount ? this.#amount(model, market, account, priceTicks) : 0n,
      reduceOnly: perpetual && random.chance(0.12),
    };
  }

  #orderType(perpetual: boolean): OrderRequest['orderType'] {
    const types = ORDER_TYPES.filter((type) => perpetual || type !== 'STOP_MARKET');
    return this.#random.pick(types);
  }

  /** A MARKET order is IOC whatever it says, unless it says FOK. */
  #timeInForce(
    orderType: OrderRequest['orderType'],
    isByAmount: boolean,
  ): OrderRequest['timeInForce'] {
    if (orderType === 'LIMIT' || orderType === 'STOP_LIMIT') {
      return this.#random.chance(0.5) ? 'GTC' : this.#random.pick(TIMES_IN_FORCE);
    }
    return this.#random.pick(isByAmount ? ['GTC', 'IOC'] : ['GTC', 'IOC', 'FOK']);
  }

  /** Mostly on a coarse grid close to the mark, so that orders meet; sometimes anywhere. */
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
    const stop = this.#ticks(market);
    if (orderType !== 'STOP_LIMIT') return stop;
    return side === 'BUY' ? Math.min(stop, priceTicks) : Math.max(stop, priceTicks);
  }

  /** From a lot to somewhat more than the account can pay or carry. */
  #lots(model: Model, market: ModelMarket, account: number, side: Side): number {
    const random = this.#random;
    if (random.chance(0.08)) return random.between(1, 3);
    if (random.chance(0.02)) return market.spec.maxOrderLots + random.between(-1, 1);
    const lotUsd =
      (Number(market.mark) * Number(market.spec.lotParts)) / 1e8 / 10 ** market.spec.quantityScale;
    // Now and then all there is, so that nothing is left for the fee.
    const share = random.chance(0.08) ? 0.999 : 10 ** (random.next() * 2.6 - 2.5);
    const wanted = this.#spendableUsd(model, market, account, side) * share;
    const lots = Math.max(1, Math.floor(wanted / lotUsd));
    // Round sizes leave exact fills and equal queues behind.
    const rounded = lots > 20 && random.chance(0.7) ? lots - (lots % 10) : lots;
    return Math.min(rounded, market.spec.maxOrderLots + 1);
  }

  /** What a spot order can be paid with; a perpetual one can be levered. */
  #spendableUsd(model: Model, market: ModelMarket, account: number, side: Side): number {
    if (isPerpetual(market)) return this.#wealthUsd(model, account) * 8;
    const asset = assetOf(model, side === 'BUY' ? market.spec.counter : market.spec.base);
    return usdOf(model, account, asset);
  }

  /** With a limit it buys a lot at the least, and no more than can be counted: the gateway sees to it. */
  #amount(model: Model, market: ModelMarket, account: number, priceTicks: number): bigint {
    const random = this.#random;
    const lotCost = priceTicks === 0 ? 1n : valueAt(market, priceTicks, 1);
    const wish = random.weighted({ little: 10, huge: 3, some: 87 });
    if (wish === 'little') return lotCost + BigInt(random.between(0, 5_000));
    if (wish === 'huge') return bigMin(2n ** 61n, lotCost * 2n ** 52n);
    return (
      lotCost + BigInt(Math.floor(this.#wealthUsd(model, account) * random.next() * 1.2 * 1e8))
    );
  }

  #wealthUsd(model: Model, account: number): number {
    return model.assets.reduce((sum, _, asset) => sum + usdOf(model, account, asset), 0);
  }

  #cancel(model: Model): Command {
    const { key, account } = this.#signer(model);
    const count = this.#random.between(1, 3);
    return {
      kind: 'cancel-orders',
      // DELETE requests are not tracked: their signatures may repeat.
      by: { key: key as KeyIndex },
      ...(this.#random.chance(0.1) ? this.#lateness(model) : {}),
      orders: Array.from({ length: count }, () => this.#reference(model, account)),
    };
  }

  #cancelAll(model: Model): Command {
    const { key } = this.#signer(model);
    const market = this.#random.chance(0.5) ? { market: this.#market() as MarketIndex } : {};
    return { kind: 'cancel-all', by: { key: key as KeyIndex }, ...market };
  }

  #modify(model: Model): Command {
    const { key, account } = this.#signer(model);
    const count = this.#random.chance(0.8) ? 1 : this.#random.between(2, 4);
    return {
      kind: 'modify-orders',
      by: this.#signed(model, key),
      ...this.#lateness(model),
      orders: Array.from({ length: count }, () => this.#amendment(model, account)),
    };
  }

  #amendment(model: Model, account: number): Amendment {
    const random = this.#random;
    const ref = this.#reference(model, account);
    const market = must(model.markets[ref.market]);
    const order = model.orders.find(({ orderId }) => orderId === ref.orderId);
    const newPrice = random.chance(0.5);
    const newStop = order?.isWaiting === true && random.chance(0.5);
    return {
      ...ref,
      version: random.chance(0.01) ? 2 : 1,
      priceTicks: newPrice ? this.#ticks(market) : 0,
      stopTicks: newStop ? this.#ticks(market) : 0,
      sizeLots: random.chance(0.65) ? this.#newSize(model, market, account, order) : 0,
    };
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

  /** An open order of the account, mostly; or one of somebody else, or none at all. */
  #reference(model: Model, account: number): OrderRef {
    const random = this.#random;
    const own = model.orders.filter((order) => order.account === account);
    const pool = random.chance(0.92) ? own : model.orders;
    const order = pool.length > 0 ? random.pick(pool) : undefined;
    if (order === undefined || random.chance(0.03)) {
      return { market: this.#market() as MarketIndex, orderId: 12, clientOrderId: 0n };
    }
    const market = (random.chance(0.02) ? this.#market() : order.market) as MarketIndex;
    if (random.chance(0.2)) return { market, orderId: 0, clientOrderId: order.clientOrderId };
    const clientOrderId = random.chance(0.2) ? order.clientOrderId : 0n;
    return { market, orderId: random.chance(0.05) ? 12 : order.orderId, clientOrderId };
  }

  #transfer(model: Model): Command {
    const random = this.#random;
    const { key: anyKey, account } = this.#signer(model);
    const family = must(model.accounts.get(account)).family;
    const own = must(model.families[family]).accounts;
    // Only a key of the main account may; others try now and then.
    const mainKey = model.keys.findIndex((one) => one.account === own[0] && !one.isRevoked);
    const key = mainKey >= 0 && random.chance(0.9) ? mainKey : anyKey;
    const someone = (): number =>
      random.chance(0.97) ? random.pick(own) : random.pick([...model.accounts.keys(), 3]);
    const asset = random.chance(0.5) ? 0 : random.below(model.assets.length);
    const from = someone();
    const available = model.accounts.has(from) ? availableOf(model, from, asset) : 5n;
    const share = random.pick([0.1, 0.3, 0.5, 0.9, 1, 1.1, -1]);
    const parts = share === 1 ? available : BigInt(Math.floor(Number(available) * share));
    return {
      kind: 'transfer',
      by: this.#signed(model, key),
      asset: asset as AssetIndex,
      amount: amount(parts),
      from: from as AccountIndex,
      to: someone() as AccountIndex,
    };
  }

  /** One round. Small steps mostly, now and then a jump; to eight decimals or to few. */
  #prices(model: Model): Command {
    const random = this.#random;
    const widest = random.weighted({ '0.002': 60, '0.01': 25, '0.05': 14, '0.3': 1 });
    const digits = random.pick([1n, 1n, 100n, 1_000_000n]);
    const assets = random.chance(0.8) ? model.assets : [random.pick(model.assets)];
    return {
      kind: 'set-index-prices',
      prices: assets.map(({ spec, index }) => {
        const isDollar = spec.code === 'USDT' || spec.code === 'USDC';
        const by = 1 + (2 * random.next() - 1) * Number(widest) * (isDollar ? 0.05 : 1);
        const price = BigInt(Math.floor(Number(index) * by));
        const coarse = price > digits * 1_000n ? price - (price % digits) : price;
        return { asset: spec.code, price: usdPrice(coarse > 0n ? coarse : 1n) };
      }),
    };
  }

  #marketState(model: Model): Command {
    const state = this.#random.pick(MARKET_STATES);
    const market = must(model.markets[this.#market()]).spec.code;
    return { kind: 'set-market-state', actor: 'simulation', market, state, reason: 'chance' };
  }

  #restrictions(model: Model): Command {
    const random = this.#random;
    const { name: family, accounts } = random.pick(model.families);
    if (random.chance(0.4)) {
      const { name: subAccount, isActive } = must(model.accounts.get(random.pick(accounts)));
      const restrictions = isActive ? (['inactive'] as const) : [];
      return { kind: 'set-restrictions', actor: 'simulation', family, subAccount, restrictions };
    }
    const restrictions = [random.pick(RESTRICTIONS)];
    return { kind: 'set-restrictions', actor: 'simulation', family, restrictions };
  }

  /** Takes a key away, or gives an account another one. */
  #key(model: Model): Command {
    const random = this.#random;
    const { account: row, accessKey } = random.pick(model.keys);
    if (random.chance(0.2)) return { kind: 'revoke-key', actor: 'simulation', accessKey };
    const { family, name } = must(model.accounts.get(row));
    const account = { family: must(model.families[family]).name, name };
    return {
      kind: 'create-key',
      actor: 'simulation',
      account,
      accessKey: `${account.family}/${name}/${model.keys.length}`,
      sealedSecret: new Uint8Array([1]),
      permissions: ['read', 'trade'],
      ...(random.chance(0.3) ? { expiresAtMs: model.timeMs + random.between(0, 300_000) } : {}),
    };
  }

  #market(): number {
    return this.#random.pick(this.#markets);
  }

  #signer(model: Model): { readonly key: number; readonly account: number } {
    const random = this.#random;
    const trading = model.keys.flatMap((key, index) =>
      key.permissions.includes('trade') && !key.isRevoked ? [index] : [],
    );
    const isAnyKey = trading.length === 0 || random.chance(0.02);
    const key = isAnyKey ? random.below(model.keys.length) : random.pick(trading);
    const { account } = must(model.keys[key]);
    const isPoor = this.#wealthUsd(model, account) < 1;
    return isPoor && random.chance(0.8) ? this.#signer(model) : { key, account };
  }

  /** Expires at the last millisecond of a second, as the engine forgets by the second. */
  #signed(model: Model, key: number): SignedBy {
    const toleranceMs = this.#random.chance(0.01) ? -2_000 : 60_000;
    const second = Math.floor((model.timeMs + toleranceMs) / 1_000);
    const fingerprint = `request-${++this.#fingerprints}`;
    return { key: key as KeyIndex, fingerprint, expiresAtMs: second * 1_000 + 999 };
  }

  #lateness(model: Model): { lateAfterMs?: number; recvWindowMs?: number } {
    if (this.#random.chance(0.9)) return {};
    return { lateAfterMs: model.timeMs + this.#random.between(-250, 750), recvWindowMs: 1_000 };
  }
}

const usdOf = (model: Model, account: number, asset: number): number => {
  const units = Number(availableOf(model, account, asset)) / 1e8;
  return Math.max(0, (units * Number(model.assets[asset]?.index ?? 0n)) / 1e8);
};
