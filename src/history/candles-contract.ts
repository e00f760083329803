import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Event } from '../domain/events.ts';
import { tickSize } from '../domain/market.ts';
import { lots, type MarketIndex, ticks, usdPrice } from '../domain/units.ts';
import { type CandleRow, openHistory } from './history.ts';
import { type Happened, logged, STAMP } from './outcomes.fixture.ts';
import { openProjector } from './projector.ts';
import type { Store } from './store.fixture.ts';
import { catalogue, GRID, matchOf, PERPETUAL, SPOT } from './trades.fixture.ts';

export function describeCandles({ name, newPlace, runs }: Store): void {
  describe(`${name}: candles`, () => {
    const MINUTE_MS = 60_000;
    const LENGTHS_MS = [60, 300, 900, 1_800, 3_600, 7_200, 14_400, 86_400].map((s) => s * 1_000);

    /** Some matches or a round of marks, and how long after the previous step. */
    const anyStep = fc.record({
      laterMs: fc.constantFrom(0, 1, 999, 20_000, MINUTE_MS, 7 * MINUTE_MS, 90 * MINUTE_MS),
      market: fc.constantFrom(SPOT, PERPETUAL),
      marks: fc.option(fc.integer({ min: 1, max: 50 })),
      prices: fc.array(fc.integer({ min: 1, max: 50 }), { maxLength: 3 }),
    });

    const happenings = (
      steps: readonly (typeof anyStep extends fc.Arbitrary<infer S> ? S : never)[],
    ) => {
      let timeMs = 1_700_000_000_000;
      const all: Happened[] = [{ timeMs, events: catalogue }];
      for (const { laterMs, market, marks, prices } of steps) {
        timeMs += laterMs;
        const events: Event[] = prices.map((price) =>
          matchOf(
            { market, priceTicks: ticks(price), lots: lots(price) },
            { taker: {}, maker: {} },
          ),
        );
        if (marks !== null) {
          events.push({
            kind: 'index-prices-set',
            prices: [],
            marks: [SPOT, PERPETUAL].map((each) => ({
              market: each,
              mark: usdPrice(BigInt(marks + each)),
            })),
          });
        }
        all.push({ timeMs, events });
      }
      return all;
    };

    test('any page of candles is what the matches and marks of its intervals give, without a gap', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(anyStep, { maxLength: 60 }),
          fc.constantFrom(1, 3, 100_000),
          fc.array(fc.tuple(fc.nat(), fc.nat(), fc.integer({ min: 1, max: 40 })), { minLength: 4 }),
          async (steps, rowsMax, queries) => {
            const life = happenings(steps);
            const place = newPlace();
            const projector = await openProjector({ ...place, stamp: STAMP, rowsMax });
            await projector.project(logged(life));
            await projector.close();
            const history = await openHistory({ ...place, stamp: STAMP, after: () => () => {} });
            const first = life[0]?.timeMs ?? 0;
            const last = life.at(-1)?.timeMs ?? 0;
            for (const [from, to, limit] of queries) {
              const span = last - first + 4 * 3_600_000;
              const fromMs = first - 2 * 3_600_000 + (from % span);
              const toMs = fromMs + (to % span);
              for (const lengthMs of LENGTHS_MS) {
                const query = {
                  market: from % 2 === 0 ? SPOT : PERPETUAL,
                  lengthMs,
                  fromMs,
                  toMs,
                  limit,
                };
                expect(await history.candles(query)).toEqual(expected(life, query));
              }
            }
            await history.close();
          },
        ),
        { numRuns: Math.ceil(40 * runs), interruptAfterTimeLimit: 15_000 },
      );
    });

    type Query = {
      market: MarketIndex;
      lengthMs: number;
      fromMs: number;
      toMs: number;
      limit: number;
    };

    /** The rule, applied literally to all events. */
    function expected(life: readonly Happened[], query: Query): CandleRow[] {
      const { market, lengthMs, fromMs, toMs, limit } = query;
      const found: CandleRow[] = [];
      for (let at = Math.floor(toMs / lengthMs) * lengthMs; at >= fromMs; at -= lengthMs) {
        if (found.length === limit) break;
        const row = candleAt(life, market, at, at + lengthMs);
        if (row !== undefined) found.push(row);
      }
      return found;
    }

    function candleAt(
      life: readonly Happened[],
      market: MarketIndex,
      fromMs: number,
      endMs: number,
    ): CandleRow | undefined {
      const before = life.filter(({ timeMs }) => timeMs < endMs);
      const within = before.filter(({ timeMs }) => timeMs >= fromMs);
      const matches = within.flatMap(({ events }) => events.filter(isMatchOf(market)));
      const prices = (from: readonly Happened[]) =>
        from.flatMap(({ events }) => events.flatMap(marksOf(market)));
      const zero = { openedAtMs: fromMs, lots: 0, value: 0n };
      if (matches.length > 0) {
        return {
          ...zero,
          ...shape(matches.map(({ priceTicks }) => BigInt(priceTicks) * TICK)),
          lots: matches.reduce((sum, match) => sum + match.lots, 0),
          value: matches.reduce((sum, { value }) => sum + value, 0n),
        } as CandleRow;
      }
      const marks = prices(within);
      if (marks.length > 0) return { ...zero, ...shape(marks) } as CandleRow;
      const last = prices(before).at(-1);
      if (last !== undefined) return { ...zero, ...shape([last]) } as CandleRow;
      const match = before.flatMap(({ events }) => events.filter(isMatchOf(market))).at(-1);
      if (match === undefined) return undefined;
      return { ...zero, ...shape([BigInt(match.priceTicks) * TICK]) } as CandleRow;
    }

    /** In 10^-8. */
    const TICK = tickSize(GRID);

    type Matched = Extract<Event, { kind: 'order-matched' }>;
    const isMatchOf =
      (market: MarketIndex) =>
      (event: Event): event is Matched =>
        event.kind === 'order-matched' && event.market === market;
    const marksOf = (market: MarketIndex) => (event: Event) =>
      event.kind === 'index-prices-set'
        ? (event.marks ?? [])
            .filter((one) => one.market === market)
            .map(({ mark }) => mark as bigint)
        : [];

    const shape = (prices: readonly bigint[]) => ({
      open: prices[0],
      high: prices.reduce((most, price) => (price > most ? price : most)),
      low: prices.reduce((least, price) => (price < least ? price : least)),
      close: prices.at(-1),
    });
  });
}
