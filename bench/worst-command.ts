import { ByteWriter } from '../src/bytes/pack.ts';
import { newState, type State } from '../src/core/state.ts';
import { apply, hasPendingWork } from '../src/core/venue.ts';
import { view } from '../src/core/views/views.ts';
import { defaultCatalogue } from '../src/defaults/catalogue.ts';
import type { Command, CreditGenesis, SetupCommand } from '../src/domain/commands.ts';
import type { OrderRequest } from '../src/domain/orders.ts';
import {
  type AccountIndex,
  amount,
  type KeyIndex,
  type MarketIndex,
  type Sequence,
  type TimeMs,
  type UsdPrice,
} from '../src/domain/units.ts';
import { limitOrder } from '../test/support/limit-order.ts';
import { cpuNanoseconds, type Figure } from './figures.ts';

/**
 * The most expensive command of each kind: what one request, one price or one tick may cost the thread that
 * serves everybody, in the core alone. Each kind is tried with the most expensive states that its bounds
 * allow (src/domain/bounds.ts, the open-order limits), and the most expensive of them is shown.
 */
export function benchWorstCommands({ scale }: { readonly scale: number }): Figure[] {
  const dearest = new Map<string, { readonly name: string; readonly ms: number }>();
  for (const { kind, name, ms } of taken(scale)) {
    if (ms > (dearest.get(kind)?.ms ?? -1)) dearest.set(kind, { name, ms });
  }
  return [...dearest].map(([kind, { name, ms }]) => ({
    id: 'W',
    name: `worst ${kind}: ${name}`,
    value: ms,
    unit: 'ms CPU',
  }));
}

/** Every scenario runs once to warm up, then it is measured, in its own venue. */
function* taken(
  scale: number,
): Generator<{ readonly kind: string; readonly name: string; readonly ms: number }> {
  for (const { prepare } of scenarios(Math.min(scale, WARM_SCALE))) prepare()();
  for (const { kind, name, prepare } of scenarios(scale)) {
    const run = prepare();
    yield { kind, name, ms: cpuNanoseconds(run) / 1e6 };
  }
}
const WARM_SCALE = 0.1;

type Scenario = {
  readonly kind: string;
  readonly name: string;
  /** Brings the venue into the state, and returns the function to measure. */
  readonly prepare: () => () => void;
};

const BTC = 0 as MarketIndex;
const START_MS = 1_750_000_000_000;
const RICH = 1_000_000_000n;

function scenarios(scale: number): Scenario[] {
  const count = (full: number): number => Math.max(8, Math.round(full * scale));
  return [
    ...placing(count),
    ...changing(count),
    ...looking(count),
    ...priced(count),
    ...consequences(count),
  ];
}

type Count = (full: number) => number;

function placing(count: Count): Scenario[] {
  const ioc = { ...limitOrder(BTC, 'BUY', 60_001, 1_000_000), timeInForce: 'IOC' } as const;
  const sweep = limitOrder(BTC, 'BUY', 60_001, count(10_000));
  return [
    {
      kind: 'place',
      name: 'eight IOC orders without money, icebergs with a reduce-only order among them',
      prepare: () => {
        const venue = new Bench({ poor: 0n, maker: RICH, reducer: RICH });
        venue.trade(1, 2, 10);
        venue.place(2, [{ ...limitOrder(BTC, 'SELL', 60_000, 5), reduceOnly: true }]);
        venue.offerSlices(1, count(2_000));
        return venue.timed(placeBy(0, Array(8).fill(ioc)));
      },
    },
    {
      kind: 'place',
      name: 'eight orders against slices of icebergs, as many matches as a request may make',
      prepare: () => {
        const venue = new Bench({ taker: RICH, maker: RICH });
        venue.offerSlices(1, count(100));
        return venue.timed(placeBy(0, Array(8).fill(sweep)));
      },
    },
    {
      kind: 'place',
      name: 'one order against as many makers as a request may match, each of an account of its own',
      prepare: () => {
        const venue = crowd(count(10_000));
        return venue.timed(placeBy(0, [sweep]));
      },
    },
    {
      kind: 'place',
      name: 'one order that expires as many of its own family',
      prepare: () => {
        const venue = new Bench({}, 6);
        for (let key = 1; key < 6; key++) venue.offer(key, count(2_000));
        return venue.timed(placeBy(0, [{ ...sweep, stpMode: 'EXPIRE_MAKER' }]));
      },
    },
    {
      kind: 'place',
      name: 'eight FOK orders that the book cannot fill',
      prepare: () => {
        const venue = crowd(count(10_000));
        const fok = { ...sweep, sizeLots: sweep.sizeLots + 1, timeInForce: 'FOK' } as const;
        return venue.timed(placeBy(0, Array(8).fill(fok)));
      },
    },
  ];
}

function changing(count: Count): Scenario[] {
  return [
    {
      kind: 'modify',
      name: 'an order amended across as many makers as a request may match',
      prepare: () => {
        const venue = crowd(count(10_000));
        const orderId = venue.state.nextOrderId;
        venue.place(0, [limitOrder(BTC, 'BUY', 59_000, count(10_000))]);
        const to = { priceTicks: 60_001, stopTicks: 0, sizeLots: 0, version: 1 };
        const orders = [{ market: BTC, orderId, clientOrderId: 0n, ...to }];
        return venue.timed({ kind: 'modify-orders', by: { key: 0 as KeyIndex }, orders });
      },
    },
    {
      kind: 'cancel',
      name: 'eight by client ids that are not there, beside as many orders as an account may have',
      prepare: () => {
        const venue = fullAccount(count);
        const orders = Array(8).fill({ market: BTC, orderId: 0, clientOrderId: 9n });
        return venue.timed({ kind: 'cancel-orders', by: { key: 0 as KeyIndex }, orders });
      },
    },
    {
      kind: 'cancel-all',
      name: 'as many orders as an account may have',
      prepare: () => fullAccount(count).timed({ kind: 'cancel-all', by: { key: 0 as KeyIndex } }),
    },
    {
      kind: 'transfer',
      name: 'from an account with positions and as many orders as it may have',
      prepare: () => {
        const venue = fullAccount(count);
        const [from, to] = [venue.accountOf(0), venue.accountOf(1)];
        const asset = 0 as never;
        const by = { key: 0 as KeyIndex };
        return venue.timed({ kind: 'transfer', by, asset, amount: amount(1n), from, to });
      },
    },
  ];
}

function looking(count: Count): Scenario[] {
  return [
    {
      kind: 'preview',
      name: 'an order that would match as often as a request may',
      prepare: () => {
        const venue = crowd(count(10_000));
        const order = limitOrder(BTC, 'BUY', 60_001, count(10_000));
        const account = venue.accountOf(0);
        return () => void view(venue.state, 'preview', { account, order });
      },
    },
    {
      kind: 'estimate',
      name: 'fifty prices, fills and orders, with as many orders as an account may have',
      prepare: () => {
        const venue = fullAccount(count);
        const one = { market: BTC, side: 'BUY', lots: 1, priceTicks: 60_000 } as const;
        const prices = Array(50).fill({ asset: 2, price: 5_900_000_000_000n });
        const supposed = { prices, fills: Array(50).fill(one), orders: Array(50).fill(one) };
        const account = venue.accountOf(0);
        return () => void view(venue.state, 'estimate', { account, ...supposed });
      },
    },
  ];
}

function priced(count: Count): Scenario[] {
  return [
    {
      kind: 'set-price',
      name: 'the mark passes 100,000 orders and 10,000 positions',
      prepare: () => {
        const venue = crowd(count(10_000), 50);
        venue.place(0, [limitOrder(BTC, 'BUY', 60_001, count(10_000))]);
        venue.settle();
        for (let key = 1; key <= 50; key++) venue.offer(key, count(2_000));
        return venue.timed(priceOf(6_500_000_000_000n));
      },
    },
    {
      kind: 'tick',
      name: 'a second later, with 100,000 orders in the book',
      prepare: () => {
        const venue = crowd(50, 50);
        for (let key = 1; key <= 50; key++) venue.offer(key, count(2_000));
        venue.later(1_000);
        return venue.timed({ kind: 'tick' });
      },
    },
    {
      kind: 'pay-funding',
      name: 'the tick of a full hour, 100,000 positions in one market',
      prepare: () => {
        const venue = crowd(count(100_000));
        for (let left = count(100_000); left > 0; left -= 10_000) {
          venue.place(0, [limitOrder(BTC, 'BUY', 60_001, Math.min(left, 10_000))]);
          venue.settle();
        }
        venue.later(3_600_000 - (venue.nowMs % 3_600_000) + 1);
        for (let second = 0; second < 1_900; second++) {
          if (second % 20 === 0) venue.apply(priceOf(6_000_000_000_000n));
          venue.later(1_000);
          venue.apply({ kind: 'tick' });
        }
        venue.later(3_600_000 - (venue.nowMs % 3_600_000));
        return venue.timed({ kind: 'tick' });
      },
    },
  ];
}

function consequences(count: Count): Scenario[] {
  const stops = (venue: Bench, keys: number, each: number, sizeLots: number): void => {
    const stop = {
      ...limitOrder(BTC, 'BUY', 61_000, sizeLots),
      orderType: 'STOP_LIMIT',
      stopTicks: 60_500,
    } as const;
    for (let key = 1; key <= keys; key++) venue.placeMany(key, Array(each).fill(stop));
  };
  return [
    {
      kind: 'continue',
      name: 'stops that fire, ten matches each',
      prepare: () => {
        // At any scale more than the command that moves the price completes.
        const venue = crowd(20_000, 1_000);
        stops(venue, 1, 2_000, 10);
        venue.apply(priceOf(6_050_000_000_000n));
        return venue.timed({ kind: 'continue' });
      },
    },
    {
      kind: 'continue',
      name: 'accounts that fall, ten orders each',
      prepare: () => fallen(count, 10).timed({ kind: 'continue' }),
    },
    {
      kind: 'tick',
      name: 'failing accounts are due, each closed against 1,000 others',
      prepare: () => {
        const venue = fallen(count, 0);
        venue.settle();
        venue.later(600);
        return venue.timed({ kind: 'tick' });
      },
    },
  ];
}

const placeBy = (key: number, orders: readonly OrderRequest[]): Command => ({
  kind: 'place-orders',
  by: { key: key as KeyIndex },
  source: 11,
  orders,
});

const priceOf = (btc: bigint): Command => ({
  kind: 'set-index-prices',
  prices: [
    { asset: 'BTC', price: btc as UsdPrice },
    { asset: 'OX', price: 1_000_000n as UsdPrice },
    { asset: 'USDT', price: 100_000_000n as UsdPrice },
  ],
});

/** Key 0 is rich; `makers` others have an order of one lot each at 60,001. */
function crowd(makers: number, accounts = makers): Bench {
  const people = Object.fromEntries(
    Array.from({ length: accounts }, (_, at) => [`m${at}`, 100_000n] as const),
  );
  const venue = new Bench({ taker: RICH, ...people });
  const ask = limitOrder(BTC, 'SELL', 60_001, 1);
  for (let at = 0; at < makers; at++) venue.place(1 + (at % accounts), [ask]);
  return venue;
}

/** Key 0 has as many open orders as an account may have, and positions. */
function fullAccount(count: Count): Bench {
  const venue = new Bench({}, 2);
  const markets = [0, 1, 2, 4, 5];
  const ticks = [58_000, 29_000, 14_500, 5_800_000, 290_000];
  markets.forEach((market, at) => {
    const bid = limitOrder(market as MarketIndex, 'BUY', ticks[at] as number, 1);
    venue.placeMany(0, Array(count(2_000)).fill(bid));
  });
  return venue;
}

/** Accounts that are long with about ten times leverage, against 1,000 others, after a fall by a tenth. */
function fallen(count: Count, orders: number): Bench {
  // At any scale more than one command completes.
  const accounts = Math.max(2_100, count(3_000));
  const people = Object.fromEntries(
    Array.from({ length: accounts }, (_, at) => [`t${at}`, 1_000n] as const),
  );
  const others = Object.fromEntries(
    Array.from({ length: 1_000 }, (_, at) => [`s${at}`, 1_000_000n] as const),
  );
  const venue = new Bench({ taker: RICH, ...people, ...others });
  for (let at = 0; at < accounts; at++) {
    const short = 1 + accounts + (at % 1_000);
    venue.place(short, [limitOrder(BTC, 'SELL', 60_000, 40)]);
    venue.place(1 + at, [limitOrder(BTC, 'BUY', 60_000, 40)]);
    const bid = { ...limitOrder(BTC, 'SELL', 65_000, 1), reduceOnly: true };
    if (orders > 0) venue.placeMany(1 + at, Array(orders).fill(bid));
  }
  venue.settle();
  venue.apply(priceOf(5_450_000_000_000n));
  return venue;
}

/** A venue with the default catalogue, driven directly. */
class Bench {
  readonly state: State = newState();
  readonly #out = new ByteWriter(1 << 16);
  nowMs = START_MS;

  /** Families with OX each; or one rich family with `family` accounts. Keys in that order. */
  constructor(people: Readonly<Record<string, bigint>>, family = 0) {
    const actor = 'bench';
    const steps: (SetupCommand | CreditGenesis)[] = [...defaultCatalogue(actor)];
    const join = (account: { family: string; name: string }, ox: bigint): void => {
      steps.push({ kind: 'create-account', actor, account, accountType: 'PORTFOLIO' });
      for (const [asset, units] of [
        ['OX', ox],
        ['USDT', ox / 100n],
      ] as const) {
        if (units === 0n) continue;
        const parts = amount(units * 10n ** 8n);
        steps.push({ kind: 'credit-genesis', account, asset, amount: parts });
      }
      const accessKey = `${account.family}/${account.name}`;
      const permissions = ['read', 'trade'] as const;
      const sealedSecret = new Uint8Array();
      steps.push({ kind: 'create-key', actor, account, accessKey, sealedSecret, permissions });
    };
    for (const [name, ox] of Object.entries(people)) join({ family: name, name: 'main' }, ox);
    for (let at = 0; at < family; at++) {
      join({ family: 'one', name: at === 0 ? 'main' : `sub${at}` }, RICH);
    }
    this.apply({ kind: 'genesis', steps });
  }

  apply(command: Command): void {
    this.#out.clear();
    const sequence = (this.state.sequence + 1) as Sequence;
    apply(this.state, { sequence, timeMs: this.nowMs as TimeMs, command }, this.#out);
  }

  timed(command: Command): () => void {
    return () => this.apply(command);
  }

  settle(): void {
    while (hasPendingWork(this.state)) this.apply({ kind: 'continue' });
  }

  later(ms: number): void {
    this.nowMs += ms;
  }

  accountOf(key: number): AccountIndex {
    return this.state.keys[key]?.account as AccountIndex;
  }

  place(key: number, orders: readonly OrderRequest[]): void {
    this.apply(placeBy(key, orders));
  }

  placeMany(key: number, orders: readonly OrderRequest[]): void {
    for (let at = 0; at < orders.length; at += 8) this.place(key, orders.slice(at, at + 8));
  }

  offer(key: number, orders: number): void {
    this.placeMany(key, Array(orders).fill(limitOrder(BTC, 'SELL', 60_001, 1)));
  }

  offerSlices(key: number, icebergs: number): void {
    const iceberg = { ...limitOrder(BTC, 'SELL', 60_001, 1_000), displayLots: 1 };
    this.placeMany(key, Array(icebergs).fill(iceberg));
  }

  /** The seller sells `lots` to the buyer. */
  trade(seller: number, buyer: number, lots: number): void {
    this.place(seller, [limitOrder(BTC, 'SELL', 60_000, lots)]);
    this.place(buyer, [limitOrder(BTC, 'BUY', 60_000, lots)]);
  }
}

if (import.meta.main) {
  const scale = Number(process.argv[2] ?? 1);
  for (const { kind, name, ms } of taken(scale)) {
    console.log(`${kind.padEnd(12)} ${ms.toFixed(1).padStart(8)} ms  ${name}`);
  }
}
