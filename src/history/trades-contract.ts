import { describe, expect, test } from 'vitest';
import type { Event } from '../domain/events.ts';
import { type AccountIndex, amount, lots, ticks } from '../domain/units.ts';
import { type OpenHistory, openHistory } from './history.ts';
import { credit, logged, STAMP } from './outcomes.fixture.ts';
import { openProjector } from './projector.ts';
import type { Store } from './store.fixture.ts';
import {
  BTC,
  catalogue,
  marketDefined,
  matchOf,
  NATIVE,
  PERPETUAL,
  SPOT,
  USDT,
} from './trades.fixture.ts';

export function describeTrades({ name, newPlace }: Store): void {
  describe(`${name}: trades`, () => {
    const [anna, ben] = [0, 3] as [AccountIndex, AccountIndex];
    const EVERYTHING = { fromMs: 0, toMs: 1_000_000, limit: 500 };

    test('a spot trade moves both assets of either side, and each pays its own fee', async () => {
      const history = await historyOf([
        matchOf(
          { takerSide: 'SELL', lots: lots(2), value: amount(500n) },
          {
            taker: { account: anna, feeAsset: USDT, fee: amount(3n) },
            maker: { account: ben, feeAsset: NATIVE, fee: amount(0n) },
          },
        ),
      ]);
      expect(await moved(history, anna)).toEqual([
        ['TRADE_FEE', USDT, -3n],
        ['TRADE', USDT, 500n],
        ['TRADE', BTC, -2_000n],
      ]);
      expect(await moved(history, ben)).toEqual([
        ['TRADE', USDT, -500n],
        ['TRADE', BTC, 2_000n],
      ]);
      await history.close();
    });

    test('a perpetual trade moves what it realised, and nothing when it realised nothing', async () => {
      const history = await historyOf([
        matchOf(
          { market: PERPETUAL },
          {
            taker: { account: anna, realised: amount(-40n), fee: amount(1n) },
            maker: { account: ben },
          },
        ),
      ]);
      expect(await moved(history, anna)).toEqual([
        ['TRADE_FEE', NATIVE, -1n],
        ['TRADE', NATIVE, -40n],
      ]);
      expect(await moved(history, ben)).toEqual([]);
      expect(await history.trades({ account: ben, ...EVERYTHING })).toHaveLength(1);
      await history.close();
    });

    test('a trade is shown with the lots it was made in, whatever the market became since', async () => {
      const match = matchOf(
        { lots: lots(1) },
        { taker: { account: anna }, maker: { account: ben } },
      );
      const history = await historyOf([
        match,
        marketDefined(SPOT, { version: 2, lotParts: 50n }),
        match,
      ]);
      const bought = (await moved(history, anna)).filter(([, asset]) => asset === BTC);
      expect(bought.map(([, , parts]) => parts)).toEqual([50_000n, 1_000n]);
      await history.close();
    });

    test('the lots of a perpetual may be finer than the parts of its base asset', async () => {
      const history = await historyOf([
        marketDefined(PERPETUAL, { version: 2, quantityScale: 9 }),
        matchOf({ market: PERPETUAL }, { taker: { account: anna }, maker: { account: ben } }),
      ]);
      expect(await history.trades({ account: anna, ...EVERYTHING })).toHaveLength(1);
      await history.close();
    });

    test("an account that trades with itself has both sides, the maker's first", async () => {
      const history = await historyOf([
        credit(anna, USDT, 9n),
        matchOf({}, { taker: { account: anna }, maker: { account: anna } }),
      ]);
      const trades = await history.trades({ account: anna, ...EVERYTHING });
      expect(trades.map(({ matchType, side }) => [matchType, side])).toEqual([
        ['MAKER', 'SELL'],
        ['TAKER', 'BUY'],
      ]);
      expect((await moved(history, anna)).map(([type]) => type)).toEqual([
        ...['TRADE', 'TRADE', 'TRADE', 'TRADE'],
        'DEPOSIT',
      ]);
      expect(await history.exchangeTrades(EVERYTHING)).toHaveLength(1);
      await history.close();
    });

    test('the value of a minute may be more than 64 bits hold', async () => {
      const huge = matchOf({ value: amount(2n ** 62n - 1n) }, { taker: {}, maker: {} });
      const history = await historyOf([huge, huge, huge, { ...huge, priceTicks: ticks(7) }]);
      expect(await history.dayStats({ market: SPOT, fromMs: 0 })).toEqual({
        open: 100_000_000n,
        high: 100_000_000n,
        low: 7_000_000n,
        lots: 12,
        value: 4n * (2n ** 62n - 1n),
      });
      expect(await history.dayStats({ market: PERPETUAL, fromMs: 0 })).toBeUndefined();
      expect(await history.dayStats({ market: SPOT, fromMs: 1 })).toBeUndefined();
      await history.close();
    });

    const moved = async (history: OpenHistory, account: AccountIndex) => {
      const entries = await history.walletEntries({ account, ...EVERYTHING });
      return entries.map(({ type, asset, amount: parts }) => [type, asset, parts]);
    };

    async function historyOf(events: readonly Event[]): Promise<OpenHistory> {
      const place = newPlace();
      const projector = await openProjector({ ...place, stamp: STAMP });
      await projector.project(logged([{ timeMs: 100, events: [...catalogue, ...events] }]));
      await projector.close();
      return openHistory({ ...place, stamp: STAMP, after: () => () => {} });
    }
  });
}
