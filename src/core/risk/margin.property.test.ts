import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CoreVenue, parts, venueWith } from '../../../test/support/core-venue.ts';
import { overlookedAccounts, plainMargin } from '../../../test/support/plain-margin.ts';
import type { Command } from '../../domain/commands.ts';
import { usdPrice } from '../../domain/units.ts';
import { audit } from '../audit/audit.ts';
import { standingOf } from '../memory/standings.ts';
import type { State } from '../state.ts';
import { hasPendingWork } from '../venue.ts';
import { isBelow50, lossOfOrder, marginOf } from './margin.ts';
import { surelyCarries } from './quick-margin.ts';
import { markValueUp } from './tiers.ts';

const TRADERS = ['a', 'b', 'c', 'd', 'rich'] as const;
const FUNDS = {
  a: { main: { OX: '60000' } },
  b: { main: { OX: '20000', USDT: '500' } },
  c: { main: { USDT: '900', BTC: '0.01' } },
  d: { main: { OX: '150000', ETH: '0.2' } },
  rich: { main: { OX: '100000000', USDT: '1000000' } },
};
const MARKETS = ['BTC-USD-SWAP-LIN', 'ETH-USD-SWAP-LIN', 'BTC-USDT'] as const;

type Act =
  | {
      readonly kind: 'order';
      readonly who: number;
      readonly market: number;
      readonly buy: boolean;
      readonly size: number;
      readonly off: number;
      readonly ioc: boolean;
      readonly reduce: boolean;
    }
  | { readonly kind: 'price'; readonly btc: number; readonly eth: number; readonly ox: number }
  | { readonly kind: 'tick'; readonly laterMs: number }
  | { readonly kind: 'cancel'; readonly who: number };
const nat = (max: number) => fc.nat(max);
const anyAct: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('order' as const),
      who: nat(4),
      market: nat(2),
      buy: fc.boolean(),
      size: fc.integer({ min: 1, max: 400 }),
      off: fc.integer({ min: -30, max: 30 }),
      ioc: fc.boolean(),
      reduce: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('price' as const),
      btc: fc.integer({ min: -60, max: 60 }),
      eth: fc.integer({ min: -60, max: 60 }),
      ox: fc.integer({ min: -20, max: 20 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('tick' as const),
      laterMs: fc.integer({ min: 1, max: 900 }),
    }),
  },
  fc.record({ kind: fc.constant('cancel' as const), who: nat(4) }),
);

class Player {
  readonly venue: CoreVenue = venueWith(FUNDS);
  readonly prices = { BTC: 60_000_000, ETH: 3_000_000, OX: 10 };

  play(act: Act): void {
    this.#apply(this.#commandOf(act));
    while (hasPendingWork(this.venue.state)) this.#apply({ kind: 'continue' });
  }

  #apply(command: Command): void {
    this.venue.apply(command);
  }

  #commandOf(act: Act): Command {
    if (act.kind === 'tick') {
      this.venue.nowMs += act.laterMs;
      return { kind: 'tick' };
    }
    if (act.kind === 'price') {
      const { prices } = this;
      prices.BTC = Math.round(prices.BTC * (1 + act.btc / 1_000));
      prices.ETH = Math.round(prices.ETH * (1 + act.eth / 1_000));
      const ox = 0.01 * (1 + act.ox / 1_000);
      const price = (asset: string, text: string) => ({ asset, price: usdPrice(parts(text)) });
      return {
        kind: 'set-index-prices',
        prices: [
          price('BTC', (prices.BTC / 1_000).toFixed(3)),
          price('ETH', (prices.ETH / 1_000).toFixed(3)),
          price('OX', ox.toFixed(8)),
          price('USDT', '1'),
        ],
      };
    }
    const by = { key: this.venue.key(TRADERS[act.who] ?? 'a', 'main', 'trade') };
    if (act.kind === 'cancel') return { kind: 'cancel-all', by };
    const market = this.venue.market(MARKETS[act.market] ?? 'BTC-USDT');
    const { price, spec } = this.venue.state.markets[market] ?? {
      price: undefined,
      spec: undefined,
    };
    const priceTicks = Math.max(1, Math.round((price?.floorTicks ?? 1) * (1 + act.off / 1_000)));
    return {
      kind: 'place-orders',
      by,
      source: 11,
      orders: [
        {
          market,
          version: 1,
          side: act.buy ? 'BUY' : 'SELL',
          orderType: 'LIMIT',
          timeInForce: act.ioc ? 'IOC' : 'GTC',
          stpMode: 'NONE',
          triggerType: 'MARK_PRICE',
          clientOrderId: 0n,
          priceTicks,
          stopTicks: 0,
          sizeLots: act.size,
          displayLots: 0,
          amountParts: 0n,
          reduceOnly: act.reduce && spec?.type === 'FUTURE',
        },
      ],
    };
  }
}

test('whatever happens: margin kept along the way is margin computed by hand, nobody is overlooked, value stays', () => {
  let sure = 0;
  fc.assert(
    fc.property(fc.array(anyAct, { minLength: 20, maxLength: 150 }), (acts) => {
      const player = new Player();
      const { state } = player.venue;
      for (const act of acts) {
        player.play(act);
        expect(audit(state).faults).toEqual([]);
        state.accounts.forEach((account, row) => {
          if (account === null) return;
          const margin = { ...marginOf(state, row as never, account) };
          expect(margin).toMatchObject(plainMargin(state, row));
        });
        expect(overlookedAccounts(state)).toEqual([]);
        sure += sureOrders(state);
      }
    }),
    { numRuns: 60 },
  );
  expect(sure).toBeGreaterThan(1_000);
});

/**
 * Orders of several sizes, in both perpetuals and by everybody: whoever surely carries one does so by exact margin and
 * position limit. Counts them.
 */
function sureOrders(state: State): number {
  let sure = 0;
  state.accounts.forEach((account, row) => {
    if (account === null) return;
    const who = { accountIndex: row as never, account };
    const now = marginOf(state, who.accountIndex, account);
    if (surelyCarries(state, who)) {
      expect(now.collateral >= now.initial && isBelow50(now)).toBe(true);
    }
    state.markets.forEach((market, index) => {
      if (market.spec.type !== 'FUTURE') return;
      for (const sizeLots of [1, 300, 9_000, 2_000_000, 2 ** 40]) {
        for (const side of ['BUY', 'SELL'] as const) {
          const priceTicks = market.price.floorTicks + (sizeLots % 7) - 3;
          const order = { market: index as never, side, priceTicks };
          if (!surelyCarries(state, who, { market, order, sizeLots })) continue;
          sure++;
          const standing = standingOf(state.standings, row, index);
          const [buyLots, sellLots] = side === 'BUY' ? [sizeLots, 0] : [0, sizeLots];
          const orderLoss = lossOfOrder(market, side, priceTicks, sizeLots);
          const added = {
            market: index,
            standing,
            lots: 0,
            cost: 0n,
            realised: 0n,
            buyLots,
            sellLots,
            orderLoss,
          };
          const margin = marginOf(state, who.accountIndex, account, added);
          expect(margin.collateral >= margin.initial && isBelow50(margin)).toBe(true);
          const lots = state.standings.lots[standing] ?? 0;
          const long = lots + (state.standings.buyLots[standing] ?? 0) + buyLots;
          const short = lots - (state.standings.sellLots[standing] ?? 0) - sellLots;
          const notional = markValueUp(market, Math.max(Math.abs(long), Math.abs(short)));
          expect(notional <= (market.marginTiers.at(-1)?.notionalCap ?? 0n)).toBe(true);
        }
      }
    });
  });
  return sure;
}
