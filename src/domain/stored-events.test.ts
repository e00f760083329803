import { expect, test } from 'vitest';
import { venueWith } from '../../test/support/core-venue.ts';
import { ByteReader, ByteWriter } from '../bytes/pack.ts';
import { apply } from '../core/venue.ts';
import type { Command } from './commands.ts';
import {
  decodeEvents,
  EVENT_KINDS,
  encodeClosed,
  encodeMatched,
  encodeOutcome,
  MATCH_SIDES_AT,
  readMatchHead,
} from './event-codec.ts';
import type { Event } from './events.ts';
import { readMatchSide } from './order-codec.ts';
import { EventWalk, matchOf, matchSideOf, storedOrderOf } from './stored-events.ts';
import type { Side } from './terms.ts';
import { sequence, timeMs } from './units.ts';

/** One side of a match, read without decoding. */
const looked = (walk: EventWalk, side: number) => ({
  account: matchSideOf.account(walk, side),
  hasFee: matchSideOf.hasFee(walk, side),
  hasRealised: matchSideOf.hasRealised(walk, side),
});

test('what is looked at without decoding is what decoding gives', () => {
  const walk = new EventWalk();
  const kinds = new Set<string>();
  const labelled = new Set<string>();
  for (const outcome of outcomes()) {
    walk.open(outcome);
    const events = decodeEvents(outcome.subarray(8));
    const met: Event[] = [];
    while (walk.next()) {
      const event = walk.decode();
      met.push(event);
      expect(EVENT_KINDS[walk.kind]).toBe(event.kind);
      if (event.kind === 'order-matched') {
        const { taker, maker, market, priceTicks, lots, value } = event;
        expect([matchOf.market(walk), matchOf.priceTicks(walk)]).toEqual([market, priceTicks]);
        expect([matchOf.lots(walk), matchOf.value(walk)]).toEqual([lots, value]);
        for (const [side, at] of [
          [taker, matchOf.taker(walk)],
          [maker, matchOf.maker(walk)],
        ] as const) {
          const { account, fee, realised } = side;
          const expected = { account, hasFee: fee !== 0n, hasRealised: realised !== 0n };
          expect(looked(walk, at)).toEqual(expected);
          const bytes = walk.bytes.subarray(at, matchSideOf.end(walk, at));
          if (side.texts !== undefined)
            labelled.add(at === matchOf.taker(walk) ? 'taker' : 'maker');
          expect(readMatchSide(new ByteReader(bytes))).toEqual(side);
        }
        const head = walk.bytes.subarray(walk.start, walk.start + MATCH_SIDES_AT);
        expect({ ...event, ...readMatchHead(new ByteReader(head)) }).toEqual(event);
      }
      if (event.kind === 'order-closed') {
        const { orderId, clientOrderId, account } = event.order;
        expect(storedOrderOf.orderId(walk)).toBe(orderId);
        expect(storedOrderOf.clientOrderId(walk)).toBe(clientOrderId);
        expect(storedOrderOf.account(walk)).toBe(account);
        expect(storedOrderOf.texts(walk)).toEqual(event.order.texts);
        if (event.order.texts !== undefined) labelled.add(event.kind);
      }
      kinds.add(event.kind);
    }
    expect(met).toEqual(events);
  }
  expect(kinds).toContain('order-matched');
  expect(kinds).toContain('order-closed');
  expect([...labelled].sort()).toEqual(['maker', 'order-closed', 'taker']);
});

test('what was decoded is encoded again as the core wrote it', () => {
  const walk = new EventWalk();
  let compared = 0;
  for (const outcome of outcomes()) {
    walk.open(outcome);
    while (walk.next()) {
      const event = walk.decode();
      const again = new ByteWriter();
      if (event.kind === 'order-matched') encodeMatched(again, event);
      else if (event.kind === 'order-closed') encodeClosed(again, event);
      else continue;
      expect(decodeEvents(again.view())).toEqual([event]);
      expect(again.length).toBe(walk.end - walk.start);
      compared++;
    }
  }
  expect(compared).toBeGreaterThan(10);
});

test('an event of a kind nobody knows is refused', () => {
  const outcome = new ByteWriter();
  encodeOutcome(outcome, 7, Uint8Array.of(4, 0, 0, 0, 99, 0, 0, 0));
  const walk = new EventWalk();
  walk.open(outcome.bytes());
  expect(() => walk.next()).toThrow(/known kind/);
});

/** Stored outcomes of two families whose orders meet, one of them on a perpetual position that it then closes. */
function* outcomes(): Generator<Uint8Array> {
  const venue = venueWith({
    alice: { main: { OX: '1000000', USDT: '100000' } },
    bob: { main: { OX: '1000000', BTC: '10' } },
  });
  const place = (family: string, market: string, side: Side, terms: object): Command => ({
    ...{ kind: 'place-orders', by: { key: venue.key(family, 'main', 'trade') }, source: 11 },
    orders: [
      {
        ...{ market: venue.market(market), version: 1, side, orderType: 'LIMIT' },
        ...{ timeInForce: 'GTC', stpMode: 'NONE', triggerType: 'MARK_PRICE' },
        ...{ clientOrderId: 0n, priceTicks: 60_000, stopTicks: 0, sizeLots: 20, displayLots: 0 },
        ...{ amountParts: 0n, reduceOnly: false },
        ...terms,
      } as never,
    ],
  });
  const perpetual = 'BTC-USD-SWAP-LIN';
  const commands = [
    place('bob', perpetual, 'SELL', { clientOrderId: 2n ** 62n }),
    place('alice', perpetual, 'BUY', { sizeLots: 30 }),
    place('bob', perpetual, 'BUY', { sizeLots: 5, texts: { label: 'x' } }),
    place('alice', perpetual, 'SELL', { sizeLots: 15, clientOrderId: 7n, texts: { label: 'y' } }),
    place('alice', perpetual, 'SELL', { timeInForce: 'IOC', sizeLots: 1, clientOrderId: 8n }),
    place('bob', 'BTC-USDT', 'SELL', { priceTicks: 6_000_000, sizeLots: 1_000 }),
    place('alice', 'BTC-USDT', 'BUY', { priceTicks: 6_000_000, sizeLots: 600 }),
    place('alice', 'BTC-USDT', 'BUY', { priceTicks: 6_000_000, sizeLots: 400, clientOrderId: 9n }),
    place('alice', 'BTC-USDT', 'BUY', { priceTicks: 5_900_000, timeInForce: 'FOK' }),
    place('bob', perpetual, 'BUY', { texts: { label: 'of 36 characters, as long as can be.' } }),
    place('alice', perpetual, 'SELL', { sizeLots: 30, timeInForce: 'IOC', texts: { label: 'y' } }),
  ];
  for (const command of commands) {
    const events = new ByteWriter();
    const place = sequence(venue.state.sequence + 1);
    apply(venue.state, { sequence: place, timeMs: timeMs(venue.nowMs), command }, events);
    const stored = new ByteWriter();
    encodeOutcome(stored, venue.nowMs, events.view());
    yield stored.bytes();
  }
}
