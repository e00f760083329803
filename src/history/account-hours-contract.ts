import { describe, expect, test } from 'vitest';
import type { Event } from '../domain/events.ts';
import { type AccountIndex, amount, usdPrice } from '../domain/units.ts';
import { openHistory } from './history.ts';
import { logged, STAMP } from './outcomes.fixture.ts';
import { openProjector } from './projector.ts';
import type { Store } from './store.fixture.ts';
import { catalogue, matchOf, PERPETUAL } from './trades.fixture.ts';

export function describeAccountHours({ name, newPlace }: Store): void {
  describe(`${name}: the hours of an account`, () => {
    const [anna, ben] = [0, 3] as [AccountIndex, AccountIndex];
    const HOUR_MS = 3_600_000;
    const HUGE = 2n ** 62n - 1n;

    const realises = (taker: bigint, maker: bigint): Event =>
      matchOf(
        { market: PERPETUAL },
        {
          taker: { account: anna, realised: amount(taker) },
          maker: { account: ben, realised: amount(maker) },
        },
      );
    const paid = (account: AccountIndex, payment: bigint, collateral?: bigint): Event => ({
      ...{ kind: 'funding-paid', account, market: PERPETUAL, payment: amount(payment) },
      ...{ rate: 1n, lots: 1, index: usdPrice(1n) },
      ...(collateral === undefined
        ? {}
        : { collateral: amount(collateral), unrealised: amount(collateral / 2n) }),
    });

    test('what an account realised, paid and had, hour by hour, however its events came', async () => {
      const life = [
        { timeMs: HOUR_MS - 2, events: [...catalogue, realises(5n, -5n)] },
        { timeMs: HOUR_MS - 1, events: [realises(7n, 0n)] },
        { timeMs: HOUR_MS, events: [paid(anna, -3n, 100n), paid(anna, 1n, 101n), paid(ben, 2n)] },
        {
          timeMs: 3 * HOUR_MS,
          events: [realises(-1n, 1n), realises(HUGE, 0n), realises(HUGE, 0n)],
        },
      ];
      for (const rowsMax of [1, 1_000]) {
        const place = newPlace();
        const projector = await openProjector({ ...place, stamp: STAMP, rowsMax });
        await projector.project(logged(life));
        await projector.close();
        const history = await openHistory({ ...place, stamp: STAMP, after: () => () => {} });
        const all = { fromMs: 0, toMs: 10 * HOUR_MS, limit: 10 };
        const none = { collateral: undefined, unrealised: undefined };
        const hours = await history.accountHours({ account: anna, ...all });
        expect(hours.slice(1)).toEqual([
          { hourMs: HOUR_MS, collateral: 101n, unrealised: 50n, realised: 0n, funding: -2n },
          { hourMs: 0, ...none, realised: 12n, funding: 0n },
        ]);
        // A sum that exceeds the column is capped: the figure is only shown.
        expect(hours[0]).toEqual({
          hourMs: 3 * HOUR_MS,
          ...none,
          realised: 2n ** 62n,
          funding: 0n,
        });
        expect(await history.accountHours({ account: ben, ...all })).toEqual([
          { hourMs: 3 * HOUR_MS, ...none, realised: 1n, funding: 0n },
          { hourMs: HOUR_MS, ...none, realised: 0n, funding: 2n },
          { hourMs: 0, ...none, realised: -5n, funding: 0n },
        ]);
        const one = await history.accountHours({
          account: ben,
          fromMs: 1,
          toMs: HOUR_MS,
          limit: 1,
        });
        expect(one.map(({ hourMs }) => hourMs)).toEqual([HOUR_MS]);
        await history.close();
      }
    });
  });
}
