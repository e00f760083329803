import { amount, ticks } from '../domain/units.ts';
import { credit, logged, transferOf } from './outcomes.fixture.ts';
import { catalogue, closedOf, matchOf } from './trades.fixture.ts';

/** Credits, transfers and a refusal. */
export const walletLog = logged([
  { timeMs: 10, events: [credit(0, 0, 900n), credit(3, 1, 2n ** 61n)] },
  { timeMs: 10, events: [transferOf({ from: 0, to: 1, asset: 0, parts: 100n })] },
  { timeMs: 11, events: [] },
  { timeMs: 15, events: [transferOf({ from: 3, to: 5, asset: 1, parts: 7n })] },
  { timeMs: 15, events: [transferOf({ from: 1, to: 2, asset: 0, parts: 40n })] },
  { timeMs: 90, events: [{ kind: 'refused', reason: 'SAME_ACCOUNT', message: 'no' }] },
]);

/** Two matches of one minute in two batches, one of the next minute, and the orders that they closed. */
export const tradesLog = logged([
  { timeMs: 10, events: catalogue },
  { timeMs: 20, events: [matchOf({ match: 1 }, { taker: {}, maker: { fee: amount(2n) } })] },
  {
    timeMs: 20,
    events: [matchOf({ match: 2, priceTicks: ticks(70) }, { taker: {}, maker: {} }), closedOf({})],
  },
  { timeMs: 60_000, events: [matchOf({ match: 3 }, { taker: {}, maker: {} })] },
]);
