import { expect, test } from 'vitest';
import { type CoreVenue, venueWith } from '../../../test/support/core-venue.ts';
import { limitOrder } from '../../../test/support/limit-order.ts';
import { ByteWriter } from '../../bytes/pack.ts';
import { apply } from '../../core/venue.ts';
import { encodeOutcome } from '../../domain/event-codec.ts';
import type { OrderRequest } from '../../domain/orders.ts';
import { sequence, timeMs } from '../../domain/units.ts';
import { Released } from '../../engine/released.ts';
import { firstOf, outcomeForResults, resultsOf } from './outcome.ts';

const MARKET = 'BTC-USD-SWAP-LIN';

function place(venue: CoreVenue, family: string, orders: readonly OrderRequest[]): Released {
  const events = new ByteWriter();
  const by = { key: venue.key(family, 'main', 'trade') };
  const command = { kind: 'place-orders', by, source: 11, orders } as const;
  const at = sequence(venue.state.sequence + 1);
  apply(venue.state, { sequence: at, timeMs: timeMs(venue.nowMs), command }, events);
  const outcome = new ByteWriter();
  encodeOutcome(outcome, venue.nowMs, events.view());
  return new Released(at, outcome.view());
}

const rich = { main: { OX: '1000000' } };

test('an order that meets many others is answered from its own events, with its last match', () => {
  const venue = venueWith({ alice: rich, bob: rich });
  const market = venue.market(MARKET);
  for (let left = 100; left > 0; left -= 4) {
    place(venue, 'bob', Array(4).fill(limitOrder(market, 'SELL', 60_000, 1)));
  }
  const ioc = { ...limitOrder(market, 'BUY', 60_000, 200), timeInForce: 'IOC' } as const;
  const swept = place(venue, 'alice', [ioc]);
  const few = outcomeForResults(swept, 0);
  expect(few.events.map(({ kind }) => kind)).toEqual(['order-matched', 'order-closed']);
  expect(swept.outcome.events.length).toBeGreaterThan(200);
  const [result] = resultsOf(few);
  expect(result).toMatchObject({ order: { filledLots: 100 }, match: { side: { openLots: 100 } } });
  expect(resultsOf(few)).toEqual(resultsOf(swept.outcome));
});

test('orders of one request that meet each other are answered with all that they did', () => {
  const venue = venueWith({ alice: rich });
  const market = venue.market(MARKET);
  const both = place(venue, 'alice', [
    limitOrder(market, 'SELL', 60_000, 10),
    limitOrder(market, 'BUY', 60_000, 3),
    limitOrder(market, 'BUY', 60_000, 4),
  ]);
  const results = resultsOf(outcomeForResults(both, 0));
  expect(results).toMatchObject([
    { state: 'PARTIAL_FILL', order: { openLots: 3, filledLots: 7 } },
    { state: 'FILLED', order: { filledLots: 3 } },
    { state: 'FILLED', order: { filledLots: 4 } },
  ]);
  expect(results).toEqual(resultsOf(both.outcome));
});

test("an order that somebody's stop meets within the same command is answered with that match", () => {
  const venue = venueWith({ alice: rich, bob: rich, carol: rich });
  const market = venue.market(MARKET);
  place(venue, 'carol', [limitOrder(market, 'BUY', 59_000, 1)]);
  const stop = limitOrder(market, 'SELL', 58_000, 4);
  const terms = { orderType: 'STOP_LIMIT', stopTicks: 59_000, triggerType: 'LAST_PRICE' } as const;
  place(venue, 'bob', [{ ...stop, ...terms }]);
  const both = place(venue, 'alice', [
    limitOrder(market, 'BUY', 58_990, 10),
    limitOrder(market, 'SELL', 59_000, 1),
  ]);
  const results = resultsOf(outcomeForResults(both, 0));
  expect(results).toMatchObject([
    { state: 'PARTIAL_FILL', order: { openLots: 6, filledLots: 4 } },
    { state: 'FILLED', order: { filledLots: 1 } },
  ]);
  expect(results).toEqual(resultsOf(both.outcome));
});

test('the first event of some kinds is found; a refusal too, that no command was made of', () => {
  const venue = venueWith({ alice: rich });
  const opened = place(venue, 'alice', [limitOrder(venue.market(MARKET), 'SELL', 60_000, 10)]);
  expect(firstOf(opened, ['refused', 'order-opened'])).toMatchObject({ kind: 'order-opened' });
  expect(firstOf(opened, ['refused', 'order-closed'])).toBeUndefined();
  const outcome = {
    ...opened.outcome,
    events: [{ kind: 'refused', reason: 'BUSY', message: 'wait' }] as const,
  };
  const refused = { outcome, isRepeat: false, isUnrecorded: true } as const;
  expect(firstOf(refused, ['refused', 'order-closed'])).toMatchObject({ reason: 'BUSY' });
  expect(outcomeForResults(refused)).toBe(outcome);
});
