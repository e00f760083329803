import { beforeEach, describe, expect, test } from 'vitest';
import { type CoreVenue, venueWith } from '../../../test/support/core-venue.ts';
import { limitOrder } from '../../../test/support/limit-order.ts';
import type { Event } from '../../domain/events.ts';
import type { OrderRequest } from '../../domain/orders.ts';
import { audit } from '../audit/audit.ts';
import { snapshotOf, stateFrom } from '../snapshot.ts';
import { view } from '../views/views.ts';

/** A label names one open order of an account at a time: taken when it is placed, free when it ends. */
const MONEY = { OX: '1000000', USDT: '100000', BTC: '10' };
let venue: CoreVenue;
beforeEach(() => {
  venue = venueWith({ alice: { main: MONEY }, bob: { main: MONEY } });
});

const BTC = 'BTC-USD-SWAP-LIN';
const order = (label: string | undefined, changes: Partial<OrderRequest> = {}): OrderRequest => ({
  ...limitOrder(venue.market(BTC), 'BUY', 59_000, 10),
  ...(label === undefined ? {} : { texts: { label } }),
  ...changes,
});
const by = (family: string) => ({ key: venue.key(family, 'main', 'trade') });
const place = (orders: readonly OrderRequest[], family = 'alice'): Event[] =>
  venue.apply({ kind: 'place-orders', by: by(family), source: 11, orders });
const cancel = (label: string, family = 'alice', market = venue.market(BTC)): Event[] =>
  venue.apply({
    kind: 'cancel-orders',
    by: by(family),
    orders: [{ market, orderId: 0, clientOrderId: 0n, named: { label } }],
  });
const modify = (label: string, changes: object): Event[] =>
  venue.apply({
    kind: 'modify-orders',
    by: by('alice'),
    orders: [
      {
        ...{ market: venue.market(BTC), orderId: 0, clientOrderId: 0n, named: { label } },
        ...{ version: 1, priceTicks: 0, stopTicks: 0, sizeLots: 0, ...changes },
      },
    ],
  });
/** What happened, in short. */
const eventTexts = (events: readonly Event[]): string[] =>
  events.map((event) => {
    if (event.kind === 'order-refused') return event.reason;
    if (event.kind === 'order-closed') return `${event.state} ${event.order.texts?.label}`;
    return 'order' in event ? `${event.kind} ${event.order.texts?.label}` : event.kind;
  });
const open = (family = 'alice'): (string | undefined)[] =>
  view(venue.state, 'orders', { account: venue.account(family, 'main') }).map(
    ({ texts }) => texts?.label,
  );

describe('a label', () => {
  test('is taken while its order is open, in whatever market, and by whoever took it first', () => {
    expect(eventTexts(place([order('a')]))).toEqual(['order-opened a']);
    const [refused] = place([order('a', { market: venue.market('ETH-USD-SWAP-LIN') })]);
    expect(refused).toMatchObject({ kind: 'order-refused', reason: 'ORDER_NAME_TAKEN' });
    const [first] = view(venue.state, 'orders', { account: venue.account('alice', 'main') });
    expect(refused).toMatchObject({
      message: expect.stringContaining(`label "a" is that of order ${first?.orderId}`),
    });
    expect(eventTexts(place([order('a')], 'bob'))).toEqual(['order-opened a']);
    expect(
      eventTexts(place([order('A'), order('a '), order(undefined), order(undefined)])),
    ).toEqual([
      'order-opened A',
      'order-opened a ',
      'order-opened undefined',
      'order-opened undefined',
    ]);
    expect(audit(venue.state).faults).toEqual([]);
  });

  test('is looked at after the market and the clock, before the price', () => {
    place([order('a')]);
    const wild = order('a', { priceTicks: 1, sizeLots: Number.MAX_SAFE_INTEGER });
    expect(eventTexts(place([wild]))).toEqual(['ORDER_NAME_TAKEN']);
    expect(eventTexts(place([{ ...wild, version: 2 }]))).toEqual(['SPECIFICATION_CHANGED']);
  });

  test('of two equal ones in a request the first that rests has it', () => {
    const ioc = { timeInForce: 'IOC' } as const;
    expect(eventTexts(place([order('a', ioc), order('a'), order('a'), order('a', ioc)]))).toEqual([
      'CANCELED_ALL_BY_IOC a',
      'order-opened a',
      'ORDER_NAME_TAKEN',
      'ORDER_NAME_TAKEN',
    ]);
  });

  test('is free again however its order has ended', () => {
    const ends: Record<string, () => Event[]> = {
      cancelled: () => cancel('a'),
      filled: () => place([{ ...order(undefined), side: 'SELL' }], 'bob'),
      'cancelled with all': () => venue.apply({ kind: 'cancel-all', by: by('alice') }),
      'amended away': () => {
        place([{ ...order(undefined), side: 'SELL', sizeLots: 4 }], 'bob');
        return modify('a', { sizeLots: 4 });
      },
      'expired by its own family': () =>
        place([{ ...order(undefined), side: 'SELL', stpMode: 'EXPIRE_BOTH' }]),
    };
    for (const [how, end] of Object.entries(ends)) {
      expect(eventTexts(place([order('a')])), how).toEqual(['order-opened a']);
      expect(eventTexts(end()), how).toContainEqual(
        expect.stringMatching(/^(CANCELED|FILLED).* a$/),
      );
      expect(open(), how).toEqual([]);
      expect(audit(venue.state).faults).toEqual([]);
    }
    expect(venue.state.orders.texts.size + venue.state.orders.slotByName.size).toBe(0);
  });

  test('is kept by a stop that waits and when it fires', () => {
    const stop = order('a', { orderType: 'STOP_LIMIT', stopTicks: 61_000, priceTicks: 62_000 });
    expect(eventTexts(place([stop]))).toEqual(['order-opened a']);
    expect(eventTexts(place([order('a')]))).toEqual(['ORDER_NAME_TAKEN']);
    expect(eventTexts(modify('a', { stopTicks: 1 }))).toEqual([
      'order-modified a',
      'order-triggered a',
      'order-opened a',
    ]);
    expect(eventTexts(place([order('a')]))).toEqual(['ORDER_NAME_TAKEN']);
    expect(eventTexts(cancel('a'))).toEqual(['CANCELED_BY_USER a']);
  });

  test('is kept when the order is amended to the back of another queue, and by an iceberg', () => {
    place([order('a', { displayLots: 3 })]);
    expect(eventTexts(modify('a', { priceTicks: 59_500 }))).toEqual([
      'order-modified a',
      'order-opened a',
    ]);
    const events = place([{ ...order(undefined), side: 'SELL', sizeLots: 7 }], 'bob');
    const makers = events.flatMap((event) => (event.kind === 'order-matched' ? [event.maker] : []));
    expect(makers.map(({ texts }) => texts)).toEqual([
      { label: 'a' },
      { label: 'a' },
      { label: 'a' },
    ]);
    expect(open()).toEqual(['a']);
  });

  test('is in the event of a match, each side with its own', () => {
    place([order('mine')]);
    const events = place([{ ...order('his'), side: 'SELL', sizeLots: 4 }], 'bob');
    expect(events[0]).toMatchObject({
      taker: { texts: { label: 'his' } },
      maker: { texts: { label: 'mine' } },
    });
  });

  test('finds the order in its market, and only that of its account', () => {
    place([order('a')]);
    expect(eventTexts(cancel('a', 'bob'))).toEqual(['ORDER_NOT_FOUND']);
    expect(eventTexts(cancel('a', 'alice', venue.market('ETH-USDT')))).toEqual(['ORDER_NOT_FOUND']);
    expect(eventTexts(cancel('b'))).toEqual(['ORDER_NOT_FOUND']);
    const account = venue.account('alice', 'main');
    expect(view(venue.state, 'orders', { account, named: { label: 'a' } })).toHaveLength(1);
    expect(view(venue.state, 'orders', { account, named: { label: 'b' } })).toEqual([]);
    const elsewhere = { account, market: venue.market('ETH-USDT'), named: { label: 'a' } };
    expect(view(venue.state, 'orders', elsewhere)).toEqual([]);
    expect(eventTexts(cancel('a'))).toEqual(['CANCELED_BY_USER a']);
  });

  test('is no hindrance to a preview that meets its order', () => {
    place([order('a'), order(undefined)]);
    const sell: OrderRequest = { ...order('b'), side: 'SELL', sizeLots: 15 };
    const account = venue.account('alice', 'main');
    expect(view(venue.state, 'preview', { account, order: sell })).toMatchObject({ matches: 2 });
    expect(open()).toEqual([undefined, 'a']);
    expect(audit(venue.state).faults).toEqual([]);
  });

  test('is in a snapshot, with all that follows from it', () => {
    place([order('a'), order(undefined), order('b')]);
    const again = stateFrom(snapshotOf(venue.state));
    expect(snapshotOf(again)).toEqual(snapshotOf(venue.state));
    expect(audit(again).faults).toEqual([]);
    Object.assign(venue, { state: again });
    expect(eventTexts(place([order('b')]))).toEqual(['ORDER_NAME_TAKEN']);
    expect(eventTexts(cancel('a'))).toEqual(['CANCELED_BY_USER a']);
  });
});
