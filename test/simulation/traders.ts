import type { ByOperator, SignedBy } from '../../src/domain/actors.ts';
import type { Command } from '../../src/domain/commands.ts';
import { MARKET_STATES, RESTRICTIONS } from '../../src/domain/terms.ts';
import {
  type AccountIndex,
  type AssetIndex,
  amount,
  type KeyIndex,
  type MarketIndex,
  usdPrice,
} from '../../src/domain/units.ts';
import { AccessIdeas } from './access-ideas.ts';
import { fundsMoved } from './fund-ideas.ts';
import { availableOf } from './model/money.ts';
import { type Model, must } from './model/state.ts';
import { OrderIdeas } from './order-ideas.ts';
import { PriceWalk } from './price-walk.ts';
import type { Random } from './random.ts';
import { THEMES, type Theme } from './themes.ts';
import { WalletIdeas } from './wallet-ideas.ts';
import { PERPETUALS } from './world.ts';

/**
 * Generates what users might do next: orders of every kind around the mark, so that books often cross,
 * cancels, amends, transfers, moving prices, halted markets; and absurd requests.
 */
export class Traders {
  readonly #random: Random;
  readonly #theme: Theme;
  readonly #ideas: OrderIdeas;
  readonly #walk: PriceWalk;
  readonly #wallet: WalletIdeas;
  readonly #access: AccessIdeas;
  #fingerprints = 0;

  constructor(random: Random, theme: Theme = THEMES.everything) {
    this.#random = random;
    this.#theme = theme;
    this.#ideas = new OrderIdeas(random, theme);
    this.#walk = new PriceWalk(random);
    this.#wallet = new WalletIdeas(random);
    this.#access = new AccessIdeas(random);
  }

  next(model: Model): Command {
    const mended = this.#mend(model);
    if (mended !== undefined) return mended;
    const { asks } = this.#theme;
    const prices = this.#walk.isTrending ? Math.max(25, asks.prices) : asks.prices;
    switch (this.#random.weighted({ ...asks, prices })) {
      case 'place':
        return this.#place(model);
      case 'cancel':
        return this.#cancel(model);
      case 'cancelAll':
        return this.#cancelAll(model);
      case 'cancelAllAfter':
        return this.#cancelAllAfter(model);
      case 'modify':
        return this.#modify(model);
      case 'transfer':
        return this.#transfer(model);
      case 'prices':
        return this.#walk.round(model);
      case 'backstop':
        return this.#backstop(model);
      case 'orderLimits':
        return this.#orderLimits();
      case 'marketState':
        return this.#marketState(model);
      case 'restrictions':
        return this.#restrictions(model);
      case 'key':
        return this.#key(model);
      case 'operate':
        return this.#operate(model);
      case 'wallet':
        return this.#wallet.next(model, (key) => this.#signed(model, key));
      case 'access':
        return this.#access.next(model, (key) => this.#signed(model, key));
    }
  }

  /** Closed or restricted things do not stay so for long: it would make a dull run. */

  #mend(model: Model): Command | undefined {
    if (!this.#random.chance(this.#theme.mend)) return undefined;
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
      orders: Array.from({ length: count }, () => this.#ideas.order(model, account)),
    };
  }

  #cancel(model: Model): Command {
    const { key, account } = this.#signerWithOrders(model);
    const count = this.#random.between(1, 3);
    return {
      kind: 'cancel-orders',
      // DELETE requests are not tracked: their signatures may repeat.
      by: { key: key as KeyIndex },
      ...(this.#random.chance(0.1) ? this.#lateness(model) : {}),
      orders: Array.from({ length: count }, () => this.#ideas.reference(model, account)),
    };
  }

  #cancelAll(model: Model): Command {
    const { key } = this.#signer(model);
    const market = this.#random.chance(0.5) ? { market: this.#ideas.market() as MarketIndex } : {};
    const by = { key: key as KeyIndex };
    if (this.#random.chance(0.2)) return { kind: 'cancel-all', by, afterDisconnect: true };
    return { kind: 'cancel-all', by, ...market };
  }

  /** Mostly soon enough to fire in this run, and with orders to cancel. */
  #cancelAllAfter(model: Model): Command {
    const random = this.#random;
    const { key } = this.#signerWithOrders(model);
    const market = random.chance(0.4) ? { market: this.#ideas.market() as MarketIndex } : {};
    const timeoutMs = random.pick([0, 999, 1_000, 1_000, 2_000, 5_000, 30_000, 86_400_001]);
    return { kind: 'cancel-all-after', by: this.#signed(model, key), ...market, timeoutMs };
  }

  #modify(model: Model): Command {
    const { key, account } = this.#signerWithOrders(model);
    const count = this.#random.chance(0.8) ? 1 : this.#random.between(2, 4);
    return {
      kind: 'modify-orders',
      by: this.#signed(model, key),
      ...this.#lateness(model),
      orders: Array.from({ length: count }, () => this.#ideas.amendment(model, account)),
    };
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

  /** All assets get a price, so that markets stay open, and liquidations continue. */
  wholeRound(model: Model): Command {
    return this.#walk.wholeRound(model);
  }

  get isTrending(): boolean {
    return this.#walk.isTrending;
  }

  /** Rounds in which one asset goes far. */
  longWay(model: Model): Command[] {
    return this.#walk.longWay(model);
  }

  /** Some assets get none, and become stale. */
  partRound(model: Model): Command {
    return this.#walk.partRound(model);
  }

  /** Prices do not move. */
  sameRound(model: Model): Command {
    const prices = model.assets.map(({ spec, index }) => ({
      asset: spec.code,
      price: usdPrice(index),
    }));
    return { kind: 'set-index-prices', prices };
  }

  /** A backstop provider for failing accounts, with a large or small size; or none any more. */
  #backstop(model: Model): Command {
    const random = this.#random;
    const { family, name } = random.pick([...model.accounts.values()]);
    const account = { family: must(model.families[family]).name, name };
    const { spec } = must(model.markets[random.pick(PERPETUALS)]);
    const maxLots = random.pick([0, 5, 1_000, spec.maxOrderLots]);
    return { kind: 'set-backstop', ...this.#operator(model), account, market: spec.code, maxLots };
  }

  /** Sometimes so few that they are reached. */
  #orderLimits(): Command {
    const [perMarket = 0, inAll = 0] = this.#random.pick([
      [2_000, 10_000],
      [2_000, 10_000],
      [3, 9],
      [4, 5],
      [0, 10_000],
    ]);
    return { kind: 'set-order-limits', actor: 'simulation', perMarket, inAll };
  }

  #marketState(model: Model): Command {
    const state = this.#random.pick(MARKET_STATES);
    const market = must(model.markets[this.#ideas.market()]).spec.code;
    return { kind: 'set-market-state', ...this.#operator(model), market, state, reason: 'chance' };
  }

  #restrictions(model: Model): Command {
    const random = this.#random;
    const { name: family, accounts } = random.pick(model.families);
    if (random.chance(0.4)) {
      const { name: subAccount, isActive } = must(model.accounts.get(random.pick(accounts)));
      const restrictions = isActive ? (['inactive'] as const) : [];
      return {
        kind: 'set-restrictions',
        ...this.#operator(model),
        family,
        subAccount,
        restrictions,
      };
    }
    const restrictions = [random.pick(RESTRICTIONS)];
    return { kind: 'set-restrictions', ...this.#operator(model), family, restrictions };
  }

  /** Operators' own prices, new tiers, markets cleared of orders, funds moved between the venue's purses. */
  #operate(model: Model): Command {
    const random = this.#random;
    const by = { ...this.#operator(model), reason: 'chance' };
    const { spec } = must(model.markets[this.#ideas.market()]);
    const { spec: asset, index } = random.pick(model.assets);
    switch (random.weighted({ price: 1, tiers: 2, tick: 4, clear: 1, funds: 4 })) {
      case 'price': {
        const price = (index * BigInt(random.pick([0, 900, 990, 1_010, 1_300]))) / 1_000n;
        return { kind: 'set-price', ...by, asset: asset.code, price: usdPrice(price) };
      }
      case 'tiers': {
        const tiers = spec.tiers.map((tier) => ({
          ...tier,
          leverage: tier.leverage + random.below(3),
        }));
        return { kind: 'change-market', ...by, market: spec.code, tiers };
      }
      case 'tick':
        return this.#towardsAnotherTick(model, by);
      case 'clear':
        return { kind: 'cancel-market', ...by, market: spec.code };
      case 'funds':
        return fundsMoved(random, model, by, asset.code);
    }
  }

  /** A market is halted, cleared and then changed: three acts that rarely coincide at random. */
  #towardsAnotherTick(model: Model, by: ByOperator & { readonly reason: string }): Command {
    const random = this.#random;
    const positions = [...model.accounts.values()].flatMap((account) => [...account.positions]);
    const free = model.markets.filter(
      (_, index) => !positions.some(([market, { lots }]) => market === index && lots !== 0),
    );
    const market =
      free.find(({ state }) => state === 'HALTED') ?? free[0] ?? must(model.markets[0]);
    const at = model.markets.indexOf(market);
    const { spec, state } = market;
    const act = { ...by, market: spec.code };
    if (state !== 'HALTED' && random.chance(0.9)) {
      return { kind: 'set-market-state', ...act, state: 'HALTED' };
    }
    const hasOrders = model.orders.some((order) => order.market === at);
    if (hasOrders && random.chance(0.9)) return { kind: 'cancel-market', ...act };
    const tickParts = BigInt(random.pick([0, 1, 2, 5, 10]));
    const priceScale = Math.max(0, spec.priceScale + random.pick([-1, 0, 0, 1]));
    return { kind: 'change-market', ...act, grid: { tickParts, priceScale } };
  }

  /** Revokes a key, or gives an account another one. */

  #key(model: Model): Command {
    const random = this.#random;
    const { account: accountIndex, accessKey } = random.pick(model.keys);
    if (random.chance(0.2)) return { kind: 'revoke-key', ...this.#operator(model), accessKey };
    const { family, name } = must(model.accounts.get(accountIndex));
    const account = { family: must(model.families[family]).name, name };
    return {
      kind: 'create-key',
      ...this.#operator(model),
      account,
      accessKey: `${account.family}/${name}/${model.keys.length}`,
      sealedSecret: new Uint8Array([1]),
      permissions: ['read', 'trade'],
      ...(random.chance(0.3) ? { expiresAtMs: model.timeMs + random.between(0, 300_000) } : {}),
    };
  }

  #signer(model: Model): { readonly key: number; readonly account: number } {
    const random = this.#random;
    const trading = model.keys.flatMap((key, index) =>
      key.permissions.includes('trade') && !key.isRevoked ? [index] : [],
    );
    const isAnyKey = trading.length === 0 || random.chance(0.02);
    const key = isAnyKey ? random.below(model.keys.length) : random.pick(trading);
    const { account } = must(model.keys[key]);
    const isPoor = this.#ideas.wealthUsd(model, account) < 1;
    return isPoor && random.chance(0.8) ? this.#signer(model) : { key, account };
  }

  /** Mostly an account with something to cancel or amend. */
  #signerWithOrders(model: Model): { readonly key: number; readonly account: number } {
    const order = model.orders.length > 0 ? this.#random.pick(model.orders) : undefined;
    const key = model.keys.findIndex(
      ({ account, isRevoked, permissions }) =>
        account === order?.account && !isRevoked && permissions.includes('trade'),
    );
    if (order === undefined || key < 0 || this.#random.chance(0.1)) return this.#signer(model);
    return { key, account: order.account };
  }

  /** Expires at the last millisecond of a second, as the engine forgets by the second. */

  #signed(model: Model, key: number): SignedBy {
    const toleranceMs = this.#random.chance(0.01) ? -2_000 : 60_000;
    const second = Math.floor((model.timeMs + toleranceMs) / 1_000);
    const fingerprint = `request-${++this.#fingerprints}`;
    return { key: key as KeyIndex, fingerprint, expiresAtMs: second * 1_000 + 999 };
  }

  /** Half of the acts are signed, as over the interface; the others are done on the machine, unsigned. */
  #operator(model: Model): ByOperator {
    const fingerprint = `request-${++this.#fingerprints}`;
    const actor = 'simulation';
    if (this.#fingerprints % 2 === 0) return { actor };
    const second = Math.floor(model.timeMs / 1_000);
    const signedAtMs = second * 1_000 + 999;
    return { actor, once: { fingerprint, signedAtMs, expiresAtMs: signedAtMs + 60_000 } };
  }

  #lateness(model: Model): { lateAfterMs?: number; recvWindowMs?: number } {
    if (this.#random.chance(0.9)) return {};
    // Often at the very end of the window, where a millisecond decides.
    const leftMs = this.#random.chance(0.5)
      ? this.#random.between(-1, 1)
      : this.#random.between(-250, 750);
    return { lateAfterMs: model.timeMs + leftMs, recvWindowMs: 1_000 };
  }
}
