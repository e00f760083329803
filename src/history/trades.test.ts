import { StatementSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import type { Event } from '../domain/events.ts';
import { type AccountIndex, amount, lots, ticks } from '../domain/units.ts';
import { type OpenHistory, openHistory } from './history.ts';
import { credit, logged, newFile, STAMP } from './outcomes.fixture.ts';
import { openProjector } from './projector.ts';
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

const [anna, ben] = [0, 3] as [AccountIndex, AccountIndex];
const EVERYTHING = { fromMs: 0, toMs: 1_000_000, limit: 500 };

test('a spot trade moves both assets of either side, and each pays its own fee', () => {
  const history = historyOf([
    matchOf(
      { takerSide: 'SELL', lots: lots(2), value: amount(500n) },
      {
        taker: { account: anna, feeAsset: USDT, fee: amount(3n) },
        maker: { account: ben, feeAsset: NATIVE, fee: amount(0n) },
      },
    ),
  ]);
  expect(moved(history, anna)).toEqual([
    ['TRADE_FEE', USDT, -3n],
    ['TRADE', USDT, 500n],
    ['TRADE', BTC, -2_000n],
  ]);
  expect(moved(history, ben)).toEqual([
    ['TRADE', USDT, -500n],
    ['TRADE', BTC, 2_000n],
  ]);
  history.close();
});

test('a perpetual trade moves what it realised, and nothing when it realised nothing', () => {
  const history = historyOf([
    matchOf(
      { market: PERPETUAL },
      {
        taker: { account: anna, realised: amount(-40n), fee: amount(1n) },
        maker: { account: ben },
      },
    ),
  ]);
  expect(moved(history, anna)).toEqual([
    ['TRADE_FEE', NATIVE, -1n],
    ['TRADE', NATIVE, -40n],
  ]);
  expect(moved(history, ben)).toEqual([]);
  expect(history.trades({ account: ben, ...EVERYTHING })).toHaveLength(1);
  history.close();
});

test('a trade is told by the lots it was made in, whatever the market became since', () => {
  const match = matchOf({ lots: lots(1) }, { taker: { account: anna }, maker: { account: ben } });
  const history = historyOf([match, marketDefined(SPOT, { version: 2, lotParts: 50n }), match]);
  const bought = moved(history, anna).filter(([, asset]) => asset === BTC);
  expect(bought.map(([, , parts]) => parts)).toEqual([50_000n, 1_000n]);
  history.close();
});

test("an account that trades with itself has both sides, the maker's first", () => {
  const history = historyOf([
    credit(anna, USDT, 9n),
    matchOf({}, { taker: { account: anna }, maker: { account: anna } }),
  ]);
  const trades = history.trades({ account: anna, ...EVERYTHING });
  expect(trades.map(({ matchType, side }) => [matchType, side])).toEqual([
    ['MAKER', 'SELL'],
    ['TAKER', 'BUY'],
  ]);
  expect(moved(history, anna).map(([type]) => type)).toEqual([
    ...['TRADE', 'TRADE', 'TRADE', 'TRADE'],
    'DEPOSIT',
  ]);
  expect(history.exchangeTrades(EVERYTHING)).toHaveLength(1);
  history.close();
});

test('the value of a minute may be more than 64 bits hold', () => {
  const huge = matchOf({ value: amount(2n ** 62n - 1n) }, { taker: {}, maker: {} });
  const history = historyOf([huge, huge, huge, { ...huge, priceTicks: ticks(7) }]);
  expect(history.dayStats({ market: SPOT, fromMs: 0 })).toEqual({
    open: 100_000_000n,
    high: 100_000_000n,
    low: 7_000_000n,
    lots: 12,
    value: 4n * (2n ** 62n - 1n),
  });
  expect(history.dayStats({ market: PERPETUAL, fromMs: 0 })).toBeUndefined();
  expect(history.dayStats({ market: SPOT, fromMs: 1 })).toBeUndefined();
  history.close();
});

test('a page of the wallet is of one moment, also when history goes on meanwhile', () => {
  const file = newFile();
  const projector = openProjector({ file, stamp: STAMP });
  const trade = matchOf({}, { taker: { account: anna }, maker: { account: ben } });
  const log = logged([
    { timeMs: 100, events: [...catalogue, trade] },
    { timeMs: 101, events: [credit(anna, USDT, 9n), trade] },
  ]);
  projector.project(log.slice(0, 1));
  const history = openHistory({ file, stamp: STAMP, after: () => () => {} });
  const { all } = StatementSync.prototype;
  // Once, behind the first of the two lists.
  StatementSync.prototype.all = function (this: StatementSync, ...values: Parameters<typeof all>) {
    StatementSync.prototype.all = all;
    const rows = all.apply(this, values);
    projector.project(log.slice(1));
    return rows;
  } as typeof all;
  try {
    expect(history.walletEntries({ account: anna, ...EVERYTHING })).toHaveLength(2);
  } finally {
    StatementSync.prototype.all = all;
  }
  expect(history.walletEntries({ account: anna, ...EVERYTHING })).toHaveLength(5);
  projector.close();
  history.close();
});

const moved = (history: OpenHistory, account: AccountIndex) =>
  history
    .walletEntries({ account, ...EVERYTHING })
    .map(({ type, asset, amount: parts }) => [type, asset, parts]);

function historyOf(events: readonly Event[]): OpenHistory {
  const file = newFile();
  const projector = openProjector({ file, stamp: STAMP });
  projector.project(logged([{ timeMs: 100, events: [...catalogue, ...events] }]));
  projector.close();
  return openHistory({ file, stamp: STAMP, after: () => () => {} });
}
