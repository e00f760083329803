import { expect, test, vi } from 'vitest';
import { venueWith } from '../../../test/support/core-venue.ts';
import { price, thinLong } from '../../../test/support/failing.ts';
import { limitOrder } from '../../../test/support/limit-order.ts';
import { crc32 } from '../../client/crc32.ts';
import type { Side } from '../../domain/terms.ts';
import { partsOf } from './batch.ts';
import { messagesOf, publishing } from './publisher.fixture.ts';

const BTC = 'BTC-USD-SWAP-LIN';
const RICH = { main: { USDT: '1000000', OX: '100000000', BTC: '10' } };

function scene() {
  const venue = venueWith({ alice: RICH, bob: RICH });
  const published = publishing(venue);
  const market = venue.market(BTC);
  price(venue, { BTC: '60000' });
  const order = (family: string, side: Side, ticks: number, lots: number) => {
    const [event] = venue.apply({
      kind: 'place-orders',
      by: { key: venue.key(family, 'main', 'trade') },
      source: 13,
      orders: [limitOrder(market, side, ticks, lots)],
    });
    return event;
  };
  return { venue, order, ...published };
}

test('a book is sent at most every 100 ms, when it has changed, and every 5 s when it has not', () => {
  const { open, order, after } = scene();
  order('alice', 'BUY', 59_000, 5_000);
  const [first] = open(`depth:${BTC}`);
  expect(first.data).toMatchObject({ bids: [[59_000, 0.5]], asks: [] });
  expect(first.data.checksum).toBe(crc32('[][[59000.0,0.5]]'));
  expect(after(100)).toHaveLength(1); // The heartbeat begins with the first beat.
  expect(after(100)).toEqual([]);
  order('alice', 'BUY', 59_001, 1);
  order('alice', 'BUY', 59_002, 1);
  expect(after(20)).toEqual([]);
  const [changed, ...more] = after(90);
  expect(changed.data.bids).toEqual([
    [59_002, 0.0001],
    [59_001, 0.0001],
    [59_000, 0.5],
  ]);
  expect(changed.data.seqNum).toBe(first.data.seqNum + 1);
  expect(more).toEqual([]);
  expect(after(4_000)).toEqual([]);
  expect(after(1_200)).toHaveLength(1);
});

test('diffs count on from the number of their snapshot, those without a change too', () => {
  const { open, order, after } = scene();
  order('alice', 'BUY', 59_000, 5_000);
  const [snapshot, first] = open(`depthUpdate:${BTC}`);
  const messages = [...after(100), ...after(6_000)];
  order('alice', 'BUY', 59_001, 1);
  messages.push(...after(100), ...after(6_000));
  expect(messages.map(({ data }) => data.bids)).toEqual([[], [], [[59_001, 0.0001]], []]);
  const begun = snapshot.data.seqNum;
  expect(first.data.seqNum).toBe(begun);
  expect(messages.map(({ data }) => data.seqNum)).toEqual([1, 2, 3, 4].map((more) => begun + more));
  // Who comes now begins where the others are.
  expect(open(`depthUpdate:${BTC}`)[0].data.seqNum).toBe(begun + 4);
});

test('a cut book is not sent again for what happens below it', () => {
  const { open, order, after } = scene();
  for (let at = 0; at < 6; at++) order('alice', 'BUY', 59_000 - at, 10);
  open(`depthL5:${BTC}`);
  after(100);
  order('alice', 'BUY', 58_000, 10);
  expect(after(100)).toEqual([]);
  order('alice', 'BUY', 59_001, 10);
  expect(after(100)).toMatchObject([{ table: 'depthL5', data: { bids: { length: 5 } } }]);
});

test('the best levels are sent with the next beat, an empty side as zeros', () => {
  const { open, order, after } = scene();
  const [first] = open(`bestBidAsk:${BTC}`);
  expect(first.data).toMatchObject({
    ask: [0, 0],
    bid: [0, 0],
    checksum: crc32('[0.0,0.0][0.0,0.0]'),
  });
  after(20);
  order('bob', 'SELL', 60_500, 20);
  expect(after(20)).toMatchObject([{ data: { ask: [60_500, 0.002], bid: [0, 0] } }]);
});

test('messages that nobody could send yet: a state replaces the one before, events all stay', () => {
  const { open, order, publisher } = scene();
  open(`depth:${BTC}`);
  open(`trade:${BTC}`);
  for (let at = 1; at <= 3; at++) {
    order('alice', 'SELL', 60_000, 10);
    order('bob', 'BUY', 60_000, 10);
    order('alice', 'BUY', 59_000, 10);
    publisher.settle();
    publisher.beat(at * 100);
  }
  const batch = publisher.take();
  const messages = [...partsOf(batch as NonNullable<typeof batch>)].flatMap(messagesOf);
  expect(messages.filter(({ table }) => table === 'trade')).toHaveLength(3);
  const books = messages.filter(({ table }) => table === 'depth');
  expect(books).toMatchObject([{ data: { bids: [[59_000, 0.003]] } }]);
});

test('a channel that somebody counted is kept for a minute, with what was missed', () => {
  const { open, order, after, leave } = scene();
  const [first] = open('order:all', 'alice', { isCounted: true });
  expect(first).toMatchObject({ snapshot: true, channel: 'order:all', data: [] });
  order('alice', 'BUY', 59_000, 10);
  const [opened] = after(10);
  expect(opened).toMatchObject({ seq: first.seq + 1, channel: 'order:all' });
  leave('order:all', true);
  order('alice', 'BUY', 59_001, 10);
  order('alice', 'BUY', 59_002, 10);
  expect(after(50_000)).toEqual([]);
  const back = open('order:all', 'alice', { isCounted: true, fromSeq: opened.seq });
  expect(back.map(({ event, seq }) => [event, seq])).toEqual([
    ['resume', opened.seq + 2],
    [undefined, opened.seq + 1],
    [undefined, opened.seq + 2],
  ]);
  leave('order:all', true);
  after(1_000);
  after(61_000);
  const late = open('order:all', 'alice', { isCounted: true, fromSeq: opened.seq + 2 });
  expect(late).toMatchObject([{ event: 'resume', resumed: false }, { snapshot: true }]);
  // It is another channel by now: nobody has counted on.
  expect(late[0]).not.toHaveProperty('missed');
  expect(late[1].data).toHaveLength(3);
});

test('of a busy channel the last thousand messages are kept', () => {
  const { open, order, after } = scene();
  const [first] = open('order:all', 'alice', { isCounted: true });
  for (let at = 0; at < 300; at++) order('alice', 'BUY', 59_000, 10);
  const messages = after(10);
  expect(messages).toHaveLength(300);
  const again = open('order:all', 'alice', { isCounted: true, fromSeq: first.seq + 290 });
  expect(again).toHaveLength(11);
  for (let at = 0; at < 1_010; at++) order('alice', 'BUY', 58_000, 1);
  after(10);
  const gone = open('order:all', 'alice', { isCounted: true, fromSeq: first.seq + 299 });
  expect(gone[0]).toMatchObject({ resumed: false, missed: 1_011 });
  const ahead = open('order:all', 'alice', { isCounted: true, fromSeq: first.seq + 5_000 });
  expect(ahead[0]).not.toHaveProperty('missed');
});

test('a channel that nobody listens to is dropped, and makes no message', () => {
  const { open, leave, order, publisher, after } = scene();
  open(`trade:${BTC}`);
  expect(publisher.isIdle).toBe(false);
  leave(`trade:${BTC}`);
  expect(publisher.isIdle).toBe(true);
  order('alice', 'SELL', 60_000, 10);
  order('bob', 'BUY', 60_000, 10);
  expect(after(100)).toEqual([]);
});

test('a liquidation is announced in the markets of its positions, and sent to the account', () => {
  const { venue } = thinLong();
  const { open, after } = publishing(venue);
  open('liquidationRFQ');
  open('account:all', 'thin');
  open('position:all', 'thin');
  after(1_000);
  price(venue, { BTC: '57300' });
  const messages = after(1_000);
  const table = (name: string) => messages.filter((message) => message.table === name);
  expect(table('liquidationRFQ')).toMatchObject([{ data: [{ marketCode: BTC }] }]);
  expect(table('account')).toMatchObject([{ data: [{ liquidating: true }] }]);
  expect(table('position')).toMatchObject([{ data: [{ instrumentId: BTC, margin: '0' }] }]);
});

test('a market that is halted says so, with the reason', () => {
  const { venue, open, after } = scene();
  open(`market:${BTC}`);
  after(1_000);
  const halt = { kind: 'set-market-state', actor: 'x', market: BTC, state: 'HALTED' } as const;
  venue.apply({ ...halt, reason: 'maintenance' });
  expect(after(1_000)).toMatchObject([
    {
      table: 'market',
      data: [{ state: 'HALTED', stateReason: 'maintenance', operational: false }],
    },
  ]);
});

test('stops: waiting, fired and resting, as what they have become', () => {
  const { venue, open, after } = scene();
  open('order:all', 'alice');
  const market = venue.market(BTC);
  const stop = { ...limitOrder(market, 'BUY', 61_000, 10), orderType: 'STOP_LIMIT' as const };
  venue.apply({
    kind: 'place-orders',
    by: { key: venue.key('alice', 'main', 'trade') },
    source: 13,
    orders: [{ ...stop, stopTicks: 60_500 }],
  });
  expect(after(10)).toMatchObject([
    {
      data: [
        {
          ...{ notice: 'OrderOpened', orderType: 'STOP_LIMIT', isTriggered: 'false' },
          ...{ stopPrice: '60500.0', limitPrice: '61000.0', triggerType: 'MARK_PRICE' },
        },
      ],
    },
  ]);
  price(venue, { BTC: '60600' });
  expect(after(10)).toMatchObject([
    { data: [{ notice: 'OrderOpened', orderType: 'LIMIT', isTriggered: 'true' }] },
  ]);
});

test('a channel of events has no snapshot: a listener with numbered messages gets the first number, and misses nothing', () => {
  const { open, leave, order, after } = scene();
  const name = `trade:${BTC}`;
  expect(open(name)).toEqual([]);
  leave(name);
  const [begun, ...more] = open(name, undefined, { isCounted: true });
  expect([begun, ...more]).toMatchObject([{ event: 'resume', channel: name, resumed: false }]);
  leave(name, true);
  order('alice', 'BUY', 59_000, 1);
  order('bob', 'SELL', 59_000, 1);
  after(20);
  const [resumed, missed] = open(name, undefined, { isCounted: true, fromSeq: begun.seq });
  expect(resumed).toMatchObject({ event: 'resume', resumed: true, seq: begun.seq + 1 });
  expect(missed).toMatchObject({ table: 'trade', seq: begun.seq + 1 });
});

test('a cancel-all reads the key that signed it, however many keys the venue has', () => {
  const { venue, open, order, after } = scene();
  order('bob', 'BUY', 59_000, 1);
  open('order:all', 'bob');
  const key = venue.key('bob', 'main', 'trade');
  const read = new Set<string>();
  const { state } = venue;
  const keys = new Proxy(state.keys, {
    get: (list, at) => {
      if (typeof at === 'string' && /^\d+$/.test(at)) read.add(at);
      return Reflect.get(list, at);
    },
  });
  Object.assign(state, { keys });
  venue.apply({ kind: 'cancel-all', by: { key } });
  expect([...read]).toEqual([String(key)]);
  expect(after(0).map(({ event, table }) => event ?? table)).toEqual(['CANCEL', 'order']);
});

test('an event is noted once for its account, however many channels listen to it', () => {
  const noted = (channels: readonly string[]): number => {
    const { open, order, after } = scene();
    for (const channel of channels) open(channel, 'alice');
    const added = vi.spyOn(Set.prototype, 'add');
    order('alice', 'BUY', 59_000, 1);
    const { length } = added.mock.calls;
    added.mockRestore();
    expect(after(0)).toHaveLength(1);
    return length;
  };
  const assets = ['OX', 'USDT', 'BTC', 'ETH', 'SOL'].map((asset) => `balance:${asset}`);
  const markets = ['BTC', 'ETH', 'SOL', 'OX'].map((base) => `position:${base}-USD-SWAP-LIN`);
  expect(noted(['order:all', ...assets, ...markets])).toBe(noted(['order:all', 'balance:all']));
});
