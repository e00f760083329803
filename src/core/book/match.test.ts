import { expect, test } from 'vitest';
import {
  BUY,
  SELL,
  type SideCode,
  STP_EXPIRE_BOTH,
  STP_EXPIRE_MAKER,
  STP_EXPIRE_TAKER,
  STP_NONE,
  type StpCode,
} from '../../domain/order-codes.ts';
import { type FamilyIndex, lots, ticks } from '../../domain/units.ts';
import {
  closeOrder,
  newOrders,
  type Orders,
  openOrder,
  orderIdOf,
  setDisplayLots,
  setFamily,
  setOpenLots,
  setPriceTicks,
  setSide,
  setTotalLots,
} from '../memory/order-rows.ts';
import { type Book, depthOf, newBook, removeResting, rest } from './book.ts';
import {
  applyMatch,
  EXPIRES_BOTH,
  EXPIRES_MAKER,
  EXPIRES_TAKER,
  MEETS_NOBODY,
  newMatch,
  newTaker,
  nextMatch,
  type Taker,
  wouldTake,
} from './match.ts';
import { affordableLots, newPlan, type Plan, type PlanTerms, planFills } from './plan.ts';

const OWN = 1 as FamilyIndex;
const OTHER = 2 as FamilyIndex;
type Ask = [ticks: number, total: number, display?: number, family?: FamilyIndex];

/** Asks with the ids 1, 2, 3... in the order given. */
function bookOf(asks: readonly Ask[], side: SideCode = SELL): { book: Book; orders: Orders } {
  const book = newBook();
  const orders = newOrders(2);
  asks.forEach(([priceTicks, total, display = total, family = OTHER], at) => {
    const slot = openOrder(orders, at + 1);
    setSide(orders, slot, side);
    setPriceTicks(orders, slot, priceTicks);
    setTotalLots(orders, slot, total);
    setOpenLots(orders, slot, total);
    setDisplayLots(orders, slot, display);
    setFamily(orders, slot, family);
    rest(book, orders, slot);
  });
  return { book, orders };
}

function takerWith(
  wanted: number,
  stpMode: StpCode = STP_NONE,
  limit = 1000,
  side: SideCode = BUY,
): Taker {
  const openLots = lots(wanted);
  return { ...newTaker(), side, limitTicks: ticks(limit), openLots, family: OWN, stpMode };
}

/** Works the taker off; "3@100 of 2" is a match of 3 lots at 100 with order 2. */
function take({ book, orders }: { book: Book; orders: Orders }, taker: Taker): string[] {
  const lines: string[] = [];
  const match = newMatch();
  for (;;) {
    const meeting = nextMatch(book, orders, taker, match);
    const id = orderIdOf(orders, match.maker);
    if (meeting === MEETS_NOBODY) return lines;
    if (meeting === EXPIRES_MAKER || meeting === EXPIRES_BOTH) {
      lines.push(`${id} expires`);
      removeResting(book, orders, match.maker);
      closeOrder(orders, match.maker);
    }
    if (meeting === EXPIRES_TAKER || meeting === EXPIRES_BOTH) return [...lines, 'taker expires'];
    if (meeting === EXPIRES_MAKER) continue;
    lines.push(`${match.lots}@${match.priceTicks} of ${id}`);
    if (applyMatch(book, orders, taker, match)) closeOrder(orders, match.maker);
  }
}

test('a taker meets the best price first, the oldest first, and stops at its limit', () => {
  const asks: Ask[] = [
    [101, 5],
    [100, 3],
    [100, 4],
    [102, 9],
  ];
  const venue = bookOf(asks);
  const taker = takerWith(20, STP_NONE, 101);
  expect(take(venue, taker)).toEqual(['3@100 of 2', '4@100 of 3', '5@101 of 1']);
  expect(taker.openLots).toBe(8);
  const bids = bookOf(asks, BUY);
  expect(take(bids, takerWith(20, STP_NONE, 101, SELL))).toEqual(['9@102 of 4', '5@101 of 1']);
});

test('a taker eats the slices of a price in turn, and all that is hidden before the next price', () => {
  const venue = bookOf([
    [100, 12, 5],
    [100, 4],
    [100, 7, 3],
    [101, 50],
  ]);
  expect(take(venue, takerWith(25))).toEqual([
    '5@100 of 1',
    '4@100 of 2',
    '3@100 of 3',
    '5@100 of 1',
    '3@100 of 3',
    '2@100 of 1',
    '1@100 of 3',
    '2@101 of 4',
  ]);
  expect(depthOf(venue.book, SELL, 9)).toEqual([{ priceTicks: 101, visibleLots: 48 }]);
});

test('the mode of the taker decides what happens when it meets its own family', () => {
  const asks: Ask[] = [
    [100, 2],
    [100, 3, 3, OWN],
    [100, 4],
    [101, 5, 5, OWN],
    [102, 6],
  ];
  const rows: [StpCode, string[], left: number][] = [
    [STP_NONE, ['2@100 of 1', '3@100 of 2', '4@100 of 3', '5@101 of 4', '1@102 of 5'], 0],
    [STP_EXPIRE_MAKER, ['2@100 of 1', '2 expires', '4@100 of 3', '4 expires', '6@102 of 5'], 3],
    [STP_EXPIRE_TAKER, ['2@100 of 1', 'taker expires'], 13],
    [STP_EXPIRE_BOTH, ['2@100 of 1', '2 expires', 'taker expires'], 13],
  ];
  for (const [mode, expected, left] of rows) {
    const taker = takerWith(15, mode);
    expect(take(bookOf(asks), taker)).toEqual(expected);
    expect(taker.openLots).toBe(left);
  }
});

test('a taker that is filled before its own order is reached lets it be', () => {
  for (const mode of [STP_EXPIRE_MAKER, STP_EXPIRE_TAKER, STP_EXPIRE_BOTH] as const) {
    expect(
      take(
        bookOf([
          [100, 5],
          [100, 3, 3, OWN],
        ]),
        takerWith(5, mode),
      ),
    ).toEqual(['5@100 of 1']);
  }
});

const planOf = (book: Book, orders: Orders, taker: Taker, terms: Partial<PlanTerms> = {}): Plan => {
  const plan = newPlan();
  planFills({ book, orders, taker, terms: { ordersMax: 10_000, ...terms } }, plan);
  return plan;
};

test('FOK counts hidden lots, skips own orders that would expire, and stops at one that ends it', () => {
  const plain: Ask[] = [
    [100, 20, 5],
    [101, 10],
    [103, 99],
  ];
  const own: Ask[] = [
    [100, 20],
    [101, 7, 7, OWN],
    [101, 10],
    [103, 99],
  ];
  // The iceberg shows 5 before the own order is met, and comes again only after it.
  const behindSlice: Ask[] = [
    [100, 20, 5],
    [100, 7, 7, OWN],
    [101, 10],
  ];
  const rows: [Ask[], StpCode, most: number][] = [
    [plain, STP_NONE, 30],
    [plain, STP_EXPIRE_TAKER, 30],
    [own, STP_NONE, 37],
    [own, STP_EXPIRE_MAKER, 30],
    [own, STP_EXPIRE_TAKER, 20],
    [own, STP_EXPIRE_BOTH, 20],
    [behindSlice, STP_EXPIRE_MAKER, 30],
    [behindSlice, STP_EXPIRE_TAKER, 5],
  ];
  for (const [asks, mode, most] of rows) {
    const { book, orders } = bookOf(asks);
    const fills = (lots: number) => planOf(book, orders, takerWith(lots, mode, 102)).lots === lots;
    expect([fills(most), fills(most + 1)]).toEqual([true, false]);
  }
});

test('a plan says what it would cost, exactly, beyond what a double can hold', () => {
  const far = Number.MAX_SAFE_INTEGER;
  const { book, orders } = bookOf([
    [100, 3],
    [101, 1_000],
    [far, 5_000_000_000_001],
  ]);
  const plan = planOf(book, orders, takerWith(5_000_000_001_004, STP_NONE, far));
  const tickLots = 300n + 101_000n + BigInt(far) * 5_000_000_000_001n;
  const lastTicks = far;
  expect(plan).toEqual({
    lots: 5_000_000_001_004,
    tickLots,
    lastTicks,
    met: 3,
    ownOrders: 0,
    endedBy: undefined,
  });
  expect(orders.openCount).toBe(3);
});

test('an amount buys whole lots at each price in turn, and what is too small for one stays', () => {
  const asks: Ask[] = [
    [100, 3],
    [150, 2],
    [200, 9],
  ];
  const rows: [amount: bigint, lots: number, tickLots: bigint][] = [
    [99n, 0, 0n],
    [100n, 1, 100n],
    [299n, 2, 200n],
    [449n, 3, 300n],
    [450n, 4, 450n],
    [799n, 5, 600n],
    [800n, 6, 800n],
    [10_000n, 14, 2_400n],
  ];
  for (const [amount, bought, tickLots] of rows) {
    const { book, orders } = bookOf(asks);
    const budget = { amountParts: amount * 7n, perTickLot: 7n };
    const plan = planOf(book, orders, takerWith(Number.MAX_SAFE_INTEGER), { budget });
    expect([plan.lots, plan.tickLots]).toEqual([bought, tickLots]);
  }
  expect(affordableLots({ amountParts: 2n ** 62n, perTickLot: 1n }, ticks(1))).toBe(2 ** 53 - 1);
});

test('a post-only order takes when it reaches the other side, and only then', () => {
  const { book } = bookOf([[100, 1]]);
  const rows: [SideCode, number, boolean][] = [
    [BUY, 99, false],
    [BUY, 100, true],
    [BUY, 101, true],
    [SELL, 1, false],
  ];
  for (const [side, price, takes] of rows) expect(wouldTake(book, side, ticks(price))).toBe(takes);
  const { book: bids } = bookOf([[100, 1]], BUY);
  expect(wouldTake(bids, SELL, ticks(100))).toBe(true);
  expect(wouldTake(bids, SELL, ticks(101))).toBe(false);
});
