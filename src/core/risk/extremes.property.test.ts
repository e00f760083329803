import fc from 'fast-check';
import { expect, test } from 'vitest';
import { venueWith } from '../../../test/support/core-venue.ts';
import { limitOrder } from '../../../test/support/limit-order.ts';
import { overlookedAccounts } from '../../../test/support/plain-margin.ts';
import type { Command } from '../../domain/commands.ts';
import { INDEX_PRICE_MAX } from '../../domain/index-price.ts';
import type { OrderRequest } from '../../domain/orders.ts';
import { usdPrice } from '../../domain/units.ts';
import { audit } from '../audit/audit.ts';
import type { Market } from '../state.ts';
import { hasPendingWork } from '../venue.ts';

/** Rich enough to hold positions of the largest tier, and together more than half of what can be counted. */
const FUNDS = {
  a: { main: { OX: '8000000000' } },
  b: { main: { OX: '8000000000' } },
  c: { main: { OX: '3000000', USDT: '10000000', BTC: '100' } },
  d: { main: { OX: '10000000000', BTC: '10000', USDT: '1000000000' } },
};
const WHO = ['a', 'b', 'c', 'd'] as const;
type Who = (typeof WHO)[number];
const MARKETS = [
  'BTC-USD-SWAP-LIN',
  'BTC-USD-SWAP-LIN',
  'ETH-USD-SWAP-LIN',
  'OX-USD-SWAP-LIN',
  'BTC-USDT',
  'OX-USDT',
] as const;

const nat = (below: number) => fc.nat(below - 1);
const anyAct = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('trade' as const),
      market: nat(MARKETS.length),
      makerAndTaker: fc.tuple(fc.constantFrom(...WHO), fc.constantFrom(...WHO)),
      isBuy: fc.boolean(),
      // Of the largest order.
      size: fc.constantFrom(0, 0.001, 0.1, 1),
      where: fc.constantFrom('floorTicks' as const, 'upperTicks' as const, 'lowerTicks' as const),
      form: fc.constantFrom('limit', 'limit', 'limit', 'market', 'stop'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('price' as const),
      asset: fc.constantFrom('BTC', 'ETH', 'OX'),
      factor: fc.constantFrom(2n, 5n, 19n),
      isUp: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('time' as const), laterMs: fc.nat(1_000) }),
  },
);

class Extremes {
  readonly venue = venueWith(FUNDS);
  readonly #prices = new Map(
    this.venue.state.assets.map(({ spec, indexPrice }) => [spec.code, indexPrice as bigint]),
  );

  play(act: typeof anyAct extends fc.Arbitrary<infer Act> ? Act : never): void {
    const { venue } = this;
    if (act.kind === 'time') {
      venue.nowMs += act.laterMs;
      for (let half = 0; half < 6; half++) {
        venue.nowMs += 500;
        if (half % 2 === 1) this.#settle(this.#round());
        this.#settle({ kind: 'tick' });
      }
    } else if (act.kind === 'price') {
      const before = this.#prices.get(act.asset) ?? 1n;
      const after = act.isUp ? before * act.factor : before / act.factor;
      const most = after > INDEX_PRICE_MAX ? INDEX_PRICE_MAX : after;
      this.#prices.set(act.asset, most < 1n ? 1n : most);
      venue.nowMs += 1_000;
      for (let round = 0; round < 2; round++) this.#settle(this.#round());
    } else this.#trade(act);
  }

  #trade(act: Extract<Parameters<Extremes['play']>[0], { readonly kind: 'trade' }>): void {
    const index = this.venue.market(MARKETS[act.market] ?? 'BTC-USDT');
    const { price, spec } = this.venue.state.markets[index] as Market;
    const lots = Math.max(1, Math.floor(spec.maxOrderLots * act.size));
    const ticks = Math.max(1, price[act.where]);
    const [maker, taker] = act.makerAndTaker;
    this.#place(maker, limitOrder(index, act.isBuy ? 'BUY' : 'SELL', ticks, lots));
    const order = limitOrder(index, act.isBuy ? 'SELL' : 'BUY', ticks, lots);
    const market = { ...order, priceTicks: 0, timeInForce: 'IOC' } as const;
    if (act.form === 'limit') this.#place(taker, order);
    else if (act.form === 'market') this.#place(taker, { ...market, orderType: 'MARKET' });
    else if (spec.type === 'FUTURE') {
      const stopTicks = Math.max(1, Math.floor(price.floorTicks * (act.isBuy ? 0.8 : 1.3)));
      this.#place(taker, { ...market, orderType: 'STOP_MARKET', stopTicks });
    }
  }

  /** A position at the cap of the last tier, at the mark. */
  build(code: string, { seller, buyer }: Readonly<Record<'seller' | 'buyer', Who>>): void {
    const index = this.venue.market(code);
    const { price, spec } = this.venue.state.markets[index] as Market;
    for (let i = 0; i < 5; i++) {
      const size = spec.maxOrderLots;
      this.#place(seller, limitOrder(index, 'SELL', price.floorTicks, size));
      this.#place(buyer, limitOrder(index, 'BUY', price.floorTicks, size));
    }
  }

  #place(who: Who, order: OrderRequest): void {
    const by = { key: this.venue.key(who, 'main', 'trade') };
    this.#settle({ kind: 'place-orders', by, source: 11, orders: [order] });
  }

  #round(): Command {
    const prices = [...this.#prices].map(([asset, price]) => ({
      asset,
      price: usdPrice(price),
      byOperator: true as const,
    }));
    return { kind: 'set-index-prices', prices };
  }

  #settle(command: Command): void {
    this.venue.apply(command);
    while (hasPendingWork(this.venue.state)) this.venue.apply({ kind: 'continue' });
    expect(overlookedAccounts(this.venue.state)).toEqual([]);
  }
}

test('accounts that fail with more than can be counted are met as far as it can, and the venue goes on', () => {
  const extremes = new Extremes();
  // The largest positions there are: a is short of bitcoin against b, b of ether against d.
  extremes.build('BTC-USD-SWAP-LIN', { seller: 'a', buyer: 'b' });
  extremes.build('ETH-USD-SWAP-LIN', { seller: 'b', buyer: 'd' });
  for (const [asset, factor] of [
    ['BTC', 19n],
    ['ETH', 19n],
    ['ETH', 5n],
  ] as const) {
    extremes.play({ kind: 'price', asset, factor, isUp: true });
  }
  // Both fail, and are to meet at a mark at which their positions are worth more than 2^62 parts.
  const { state } = extremes.venue;
  const failing = ['a', 'b'].map((who) => extremes.venue.account(who, 'main'));
  expect(state.liquidating).toEqual(failing);
  for (let i = 0; i < 20; i++) extremes.play({ kind: 'time', laterMs: 0 });
  expect(audit(state).faults).toEqual([]);
  // When prices come back, so does everything else.
  for (let i = 0; i < 2; i++) {
    extremes.play({ kind: 'price', asset: 'BTC', factor: 19n, isUp: false });
    extremes.play({ kind: 'price', asset: 'ETH', factor: 19n, isUp: false });
  }
  for (let i = 0; i < 60; i++) extremes.play({ kind: 'time', laterMs: 0 });
  expect(state.liquidating).toEqual([]);
});

test('no price stops the venue, whatever is held: what cannot be counted is not matched', () => {
  fc.assert(
    fc.property(fc.array(anyAct, { minLength: 60, maxLength: 160 }), (acts) => {
      const extremes = new Extremes();
      for (const act of acts) extremes.play(act);
      expect(audit(extremes.venue.state).faults).toEqual([]);
    }),
    { numRuns: 15 },
  );
});
