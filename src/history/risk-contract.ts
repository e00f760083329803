import { describe, expect, test } from 'vitest';
import { type CoreVenue, parts, venueWith } from '../../test/support/core-venue.ts';
import type { Command } from '../domain/commands.ts';
import type { Event } from '../domain/events.ts';
import type { Side } from '../domain/terms.ts';
import { type AccountIndex, amount, usdPrice } from '../domain/units.ts';
import { type OpenHistory, openHistory } from './history.ts';
import { type Happened, logged, STAMP } from './outcomes.fixture.ts';
import { openProjector } from './projector.ts';
import { fundingPaid, fundingSet, soldOf, stepOf } from './risk.fixture.ts';
import type { Store } from './store.fixture.ts';
import { catalogue, GRID, NATIVE, PERPETUAL, SPOT } from './trades.fixture.ts';

export function describeRisk({ name, newPlace }: Store): void {
  describe(`${name}: funding and liquidations`, () => {
    const anna = 0 as AccountIndex;
    const EVERYTHING = { fromMs: 0, toMs: 1e15, limit: 500 };

    test('a funding payment is listed, and is an entry of the wallet with an id of its own', async () => {
      const history = await historyOf([fundingSet({ rate: 14_000n }), fundingPaid()]);
      const [payment] = await history.fundingPayments({ account: anna, ...EVERYTHING });
      expect(payment).toEqual({
        ...{ id: 56n, market: PERPETUAL, payment: -21_633_500n, rate: 14_000n, lots: -50 },
        ...{ index: 309_050_000_000n, timeMs: 100 },
      });
      expect(
        await history.walletEntries({ account: anna, type: 'FUNDING', ...EVERYTHING }),
      ).toEqual([{ id: 57n, asset: NATIVE, type: 'FUNDING', amount: -21_633_500n, timeMs: 100 }]);
      expect(await history.fundingPayments({ account: anna, market: SPOT, ...EVERYTHING })).toEqual(
        [],
      );
      await history.close();
    });

    test('an hour without a rate is remembered, a payment that rounds to nothing moves nothing', async () => {
      const nothing = fundingPaid({ payment: amount(0n) });
      const history = await historyOf([fundingSet({ rate: 0n }), nothing]);
      expect(await history.fundingRates({ market: PERPETUAL, ...EVERYTHING })).toEqual([
        { market: PERPETUAL, rate: 0n, timeMs: 100 },
      ]);
      expect(await history.fundingPayments({ account: anna, ...EVERYTHING })).toHaveLength(1);
      expect(await moved(history)).toEqual([]);
      await history.close();
    });

    test('a step of a liquidation gives help and takes its fee, and is kept whole', async () => {
      const step = stepOf({ help: amount(9n), fee: amount(4n) });
      const history = await historyOf([step]);
      expect(await moved(history)).toEqual([-4n, 9n]);
      expect(await history.liquidations({ account: anna, ...EVERYTHING })).toEqual([
        { id: 48n, event: step, grid: GRID, timeMs: 100 },
      ]);
      await history.close();
    });

    test('collateral sold in the books is listed as trades; what the fund or nobody paid is listed here', async () => {
      const history = await historyOf([
        soldOf({ phase: 'book', repaid: amount(1n) }),
        soldOf({ phase: 'nobody', repaid: amount(0n) }),
        soldOf({ phase: 'fund', repaid: amount(3n) }),
        soldOf({ phase: 'taken-over', repaid: amount(4n) }),
        { ...paidOut, repaid: amount(5n) },
      ]);
      expect(await moved(history)).toEqual([5n, 4n, 3n]);
      const phases = (await history.liquidations({ account: anna, ...EVERYTHING })).map(
        ({ event }) => 'phase' in event && event.phase,
      );
      expect(phases).toEqual(['paid-out', 'taken-over', 'fund', 'nobody', 'book']);
      await history.close();
    });

    test('the native entries of an account that fails sum to what it has, to the last part', async () => {
      const { venue, happened } = failing();
      const kinds = new Set(happened.flatMap(({ events }) => events.map(({ kind }) => kind)));
      expect(kinds).toContain('funding-paid');
      expect(kinds).toContain('liquidation-ended');
      const history = await openedOn(happened);
      for (const [family, name] of [
        ['alice', 'main'],
        ['bob', 'main'],
      ] as const) {
        const account = venue.account(family, name);
        const entries = await history.walletEntries({ account, ...EVERYTHING });
        expect(entries.length).toBeLessThan(EVERYTHING.limit);
        const sum = entries
          .filter(({ asset }) => asset === venue.asset('OX'))
          .reduce((total, entry) => total + entry.amount, 0n);
        const { ledger } = venue.state;
        const purse = account * ledger.stride + venue.asset('OX');
        expect(sum, family).toBe((ledger.available[purse] ?? 0n) + (ledger.reserved[purse] ?? 0n));
      }
      const steps = await history.liquidations({
        account: venue.account('alice', 'main'),
        ...EVERYTHING,
      });
      expect(steps.at(-1)?.event.kind).toBe('liquidation-started');
      expect(steps[0]?.event.kind).toBe('liquidation-ended');
      await history.close();
    });

    const { asset: _, ...paidOut } = soldOf({ phase: 'paid-out' });

    const moved = async (history: OpenHistory) => {
      const entries = await history.walletEntries({ account: anna, ...EVERYTHING });
      return entries.map(({ amount: native }) => native);
    };

    const historyOf = (events: readonly Event[]): Promise<OpenHistory> =>
      openedOn([{ timeMs: 100, events: [...catalogue, ...events] }]);

    async function openedOn(happened: readonly Happened[]): Promise<OpenHistory> {
      const place = newPlace();
      const projector = await openProjector({ ...place, stamp: STAMP });
      await projector.project(logged(happened));
      await projector.close();
      return openHistory({ ...place, stamp: STAMP, after: () => () => {} });
    }

    /** Alice is long, pays funding for an hour, and fails when the price falls. */
    function failing(): { venue: CoreVenue; happened: Happened[] } {
      const happened: Happened[] = [];
      const venue = venueWith({
        alice: { main: { OX: '1000000' } },
        bob: { main: { OX: '100000000' } },
      });
      const credited = (family: string, text: string): Event => ({
        ...{ kind: 'genesis-credited', account: venue.account(family, 'main') },
        ...{ asset: venue.asset('OX'), amount: parts(text) },
      });
      const assets: Event[] = venue.state.assets.map(({ spec }, asset) => ({
        ...{ kind: 'asset-defined', asset: asset as never, spec },
      }));
      const markets: Event[] = venue.state.markets.map(({ spec }, market) => ({
        ...{ kind: 'market-defined', market: market as never, version: 1, spec },
      }));
      happened.push({
        timeMs: venue.nowMs,
        events: [...assets, ...markets, credited('alice', '1000000'), credited('bob', '100000000')],
      });
      const apply = (command: Command): void => {
        const events = venue.apply(command);
        // Open orders are reported by the engine.
        const kept = events.filter(({ kind }) => !/^order-(opened|modified|triggered)$/.test(kind));
        happened.push({ timeMs: venue.nowMs, events: kept });
      };
      const place = (family: string, side: Side, sizeLots: number, priceTicks: number): void =>
        apply({
          ...{ kind: 'place-orders', by: { key: venue.key(family, 'main', 'trade') }, source: 11 },
          orders: [
            {
              ...{ market: venue.market('BTC-USD-SWAP-LIN'), version: 1, side, orderType: 'LIMIT' },
              ...{ timeInForce: 'GTC', stpMode: 'NONE', triggerType: 'MARK_PRICE' },
              ...{ clientOrderId: 0n, priceTicks, stopTicks: 0, sizeLots, displayLots: 0 },
              ...{ amountParts: 0n, reduceOnly: false },
            },
          ],
        });
      const index = (dollars: bigint): void =>
        apply({
          kind: 'set-index-prices',
          prices: [
            { asset: 'BTC', price: usdPrice(dollars * 10n ** 8n) },
            { asset: 'OX', price: usdPrice(1_000_000n) },
          ],
        });
      place('bob', 'SELL', 20_000, 60_000);
      place('alice', 'BUY', 20_000, 60_000);
      for (let seconds = 0; seconds < 3_700; seconds++) {
        venue.nowMs += 1_000;
        if (seconds % 20 === 0) index(60_000n);
        apply({ kind: 'tick' });
      }
      place('bob', 'BUY', 3_000, 56_000);
      index(56_000n);
      for (let steps = 0; steps < 40; steps++) {
        venue.nowMs += 500;
        if (steps % 20 === 0) index(56_000n);
        apply({ kind: 'tick' });
      }
      return { venue, happened };
    }
  });
}
