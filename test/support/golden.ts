import { view } from '../../src/core/views/views.ts';
import type { Event } from '../../src/domain/events.ts';
import type { OrderRequest } from '../../src/domain/orders.ts';
import { ORDER_TYPES, STP_MODES, TIMES_IN_FORCE, TRIGGER_TYPES } from '../../src/domain/terms.ts';
import { usdPrice } from '../../src/domain/units.ts';
import { type CoreVenue, parts } from './core-venue.ts';

/**
 * Scenarios as one would write them on paper: prices in ticks, sizes in lots, traders by name.
 *
 *   "alice buy 5 @ 60000"                       a limit order
 *   "alice sell 5 @ 60000 MAKER_ONLY"           ... with a time in force
 *   "alice buy 5 market" / "alice buy market amount 300"
 *   "alice buy 5 @ 60100 stop 60050 LAST_PRICE" a stop-limit; "sell 5 market stop 59000" a stop-market
 *   "alice sell 10 @ 60000 show 2 EXPIRE_MAKER reduceOnly"
 *   "alice cancel a1" / "alice amend a1 3 @ 60001"   orders are named a1, a2 ... b1 ... as they come
 *   "mark 61000"
 */
export class Golden {
  readonly venue: CoreVenue;
  readonly #market: string;
  readonly #names = new Map<number, string>();
  readonly #counts = new Map<string, number>();

  constructor(venue: CoreVenue, market: string) {
    this.venue = venue;
    this.#market = market;
  }

  /** Executes one line and returns the events, one line each. */
  do(line: string): string[] {
    const [who = '', verb = '', ...rest] = line.split(/\s+/);
    if (who === 'mark') return this.#mark(verb);
    if (verb === 'cancel') return this.#cancel(who, rest[0] ?? '');
    if (verb === 'amend') return this.#amend(who, rest);
    return this.request(who, [[verb, ...rest].join(' ')]);
  }

  /** Several orders in one request: "buy 5 @ 60000", "sell 1 market". */
  request(who: string, orders: readonly string[]): string[] {
    const events = this.venue.apply({
      kind: 'place-orders',
      by: { key: this.venue.key(who, 'main', 'trade') },
      source: 11,
      orders: orders.map((line) => this.order(line)),
    });
    return this.#describe(events, who);
  }

  /** Both sides, best first: "ask 60010 x 5", then "bid 60000 x 2". */
  book(): string[] {
    const market = this.venue.market(this.#market);
    const { asks, bids } = view(this.venue.state, 'depth', { market, levels: 100 });
    return [
      ...asks.map(({ priceTicks, lots }) => `ask ${priceTicks} x ${lots}`),
      ...bids.map(({ priceTicks, lots }) => `bid ${priceTicks} x ${lots}`),
    ];
  }

  position(who: string): string {
    const account = this.venue.account(who, 'main');
    const [answer] = view(this.venue.state, 'positions', { accounts: [account] });
    return (
      (answer?.positions ?? []).map(({ lots, cost }) => `${lots} cost ${cost}`).join() || 'flat'
    );
  }

  balance(who: string, asset: string): string {
    const account = this.venue.account(who, 'main');
    const index = this.venue.asset(asset);
    const [answer] = view(this.venue.state, 'balances', { accounts: [account], asset: index });
    const [found] = answer?.balances ?? [];
    return `${found?.available ?? 0n} + ${found?.reserved ?? 0n}`;
  }

  /** An order as it would be sent. */
  order(line: string): OrderRequest {
    const [verb = '', ...rest] = line.split(/\s+/);
    return this.#order(verb, rest);
  }

  #order(verb: string, words: readonly string[]): OrderRequest {
    const after = (word: string): string | undefined => {
      const at = words.indexOf(word);
      return at < 0 ? undefined : words[at + 1];
    };
    const find = <Word extends string>(list: readonly Word[], otherwise: Word): Word =>
      list.find((word) => words.includes(word)) ?? otherwise;
    const isMarket = words.includes('market');
    const isStop = words.includes('stop');
    const orderType = isStop
      ? isMarket
        ? 'STOP_MARKET'
        : 'STOP_LIMIT'
      : isMarket
        ? 'MARKET'
        : 'LIMIT';
    const market = this.venue.market(this.#market);
    return {
      market,
      version: 1,
      side: verb === 'buy' ? 'BUY' : 'SELL',
      orderType: find(ORDER_TYPES, orderType),
      timeInForce: find(TIMES_IN_FORCE, isMarket ? 'IOC' : 'GTC'),
      stpMode: find(STP_MODES, 'NONE'),
      triggerType: find(TRIGGER_TYPES, 'MARK_PRICE'),
      clientOrderId: 0n,
      priceTicks: Number(after('@') ?? 0),
      stopTicks: Number(after('stop') ?? 0),
      sizeLots: /^\d+$/.test(words[0] ?? '') ? Number(words[0]) : 0,
      displayLots: Number(after('show') ?? 0),
      amountParts: after('amount') === undefined ? 0n : parts(after('amount') as string),
      reduceOnly: words.includes('reduceOnly'),
    };
  }

  #mark(price: string): string[] {
    const base = this.venue.state.markets[this.venue.market(this.#market)]?.spec.base ?? '';
    const events = this.venue.apply({
      kind: 'set-index-prices',
      prices: [{ asset: base, price: usdPrice(parts(price)) }],
    });
    return this.#describe(events, '');
  }

  #cancel(who: string, name: string): string[] {
    const events = this.venue.apply({
      kind: 'cancel-orders',
      by: { key: this.venue.key(who, 'main', 'trade') },
      orders: [
        { market: this.venue.market(this.#market), orderId: this.#idOf(name), clientOrderId: 0n },
      ],
    });
    return this.#describe(events, who);
  }

  #amend(who: string, words: readonly string[]): string[] {
    return this.amendments(who, [words.join(' ')]);
  }

  /** Several amendments in one request: "a1 3 @ 60001". */
  amendments(who: string, lines: readonly string[]): string[] {
    const events = this.venue.apply({
      kind: 'modify-orders',
      by: { key: this.venue.key(who, 'main', 'trade') },
      orders: lines.map((line) => {
        const [name = '', size = '0', , price = '0'] = line.split(/\s+/);
        return {
          market: this.venue.market(this.#market),
          orderId: this.#idOf(name),
          clientOrderId: 0n,
          version: 1,
          priceTicks: Number(price),
          stopTicks: 0,
          sizeLots: Number(size),
        };
      }),
    });
    return this.#describe(events, who);
  }

  #idOf(name: string): number {
    for (const [id, known] of this.#names) if (known === name) return id;
    return 1;
  }

  #nameOf(orderId: number, who: string): string {
    const known = this.#names.get(orderId);
    if (known !== undefined) return known;
    const initial = who.slice(0, 1);
    const count = (this.#counts.get(initial) ?? 0) + 1;
    this.#counts.set(initial, count);
    this.#names.set(orderId, `${initial}${count}`);
    return `${initial}${count}`;
  }

  #describe(events: readonly Event[], who: string): string[] {
    return events.flatMap((event) => {
      switch (event.kind) {
        case 'refused':
        case 'order-refused':
          return [`refused ${event.reason}`];
        case 'order-opened': {
          const { order } = event;
          const at = order.isStop && !order.isTriggered ? 'waits' : 'opens';
          return [
            `${this.#nameOf(order.orderId, who)} ${at} ${order.openLots} @ ${order.priceTicks}`,
          ];
        }
        case 'order-matched': {
          const taker = this.#nameOf(event.taker.orderId, who);
          const maker = this.#nameOf(event.maker.orderId, who);
          return [`${taker} meets ${maker}: ${event.lots} @ ${event.priceTicks}`];
        }
        case 'order-modified':
          return [
            `${this.#nameOf(event.order.orderId, who)} is now ${event.order.openLots} @ ${event.order.priceTicks}`,
          ];
        case 'order-triggered':
          return [`${this.#nameOf(event.order.orderId, who)} fires`];
        case 'order-closed': {
          const why = event.reason === undefined ? '' : ` (${event.reason})`;
          const name = this.#nameOf(event.order.orderId, who);
          return [`${name} ${event.state}, ${event.order.openLots} left${why}`];
        }
        default:
          return [];
      }
    });
  }
}
