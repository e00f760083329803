import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BUY, SELL, type SideCode } from '../../domain/order-codes.ts';
import {
  addKey,
  findKey,
  firstLevel,
  keyOf,
  NONE,
  newLadder,
  nextLevelAbove,
  removeKey,
} from './ladder.ts';

/** A ladder whose levels are numbered in the order of their coming. */
function ladderOf(side: SideCode, prices: readonly number[]) {
  const ladder = newLadder();
  const keys = prices.map((ticks) => keyOf(side, ticks));
  const leaves = keys.map((key, level) => addKey(ladder, key, level));
  const bestFirst = (): number[] => {
    const found: number[] = [];
    let level = firstLevel(ladder);
    while (level !== NONE) {
      found.push(prices[level] as number);
      level = nextLevelAbove(ladder, leaves[level] as number, keys[level] as number);
    }
    return found;
  };
  const remove = (level: number): void =>
    removeKey(ladder, leaves[level] as number, keys[level] as number);
  return { ladder, keys, bestFirst, remove };
}

const FAR = [
  1,
  2 ** 53 - 1,
  31,
  32,
  33,
  2 ** 30 - 1,
  2 ** 30,
  2 ** 31,
  2 ** 32,
  2 ** 50,
  2 ** 53 - 2,
];

test('asks are walked upwards and bids downwards, however far apart they are', () => {
  const rising = FAR.toSorted((a, b) => a - b);
  expect(ladderOf(SELL, FAR).bestFirst()).toEqual(rising);
  expect(ladderOf(BUY, FAR).bestFirst()).toEqual(rising.toReversed());
});

test('prices that lie together make a low tree, and a far price that has gone leaves it so', () => {
  for (const side of [BUY, SELL] as const) {
    const { ladder, remove } = ladderOf(side, [70_000, 70_001, 2 ** 52]);
    expect(ladder.height).toBe(10);
    remove(2);
    expect(ladder.height).toBe(0);
    expect(findKey(ladder, keyOf(side, 70_001))).toBe(1);
  }
});

test('nodes that are no longer needed are used again', () => {
  const ladder = newLadder();
  for (let ticks = 1; ticks <= 100_000; ticks++) {
    removeKey(ladder, addKey(ladder, ticks * 1000, 7), ticks * 1000);
  }
  expect(ladder.usedNodes).toBe(1);
  expect(firstLevel(ladder)).toBe(NONE);
});

test('whatever comes and goes, what is left is found and walked in order', {
  timeout: 300_000,
}, () => {
  const anyTicks = fc.oneof(
    fc.integer({ min: 60_000, max: 60_200 }),
    fc.maxSafeInteger().map((far) => Math.max(1, Math.abs(far))),
    fc.integer({ min: 1, max: 1 << 20 }),
  );
  const anyPrices = fc.uniqueArray(anyTicks, { maxLength: 200 });
  fc.assert(
    fc.property(
      fc.constantFrom(BUY, SELL),
      anyPrices,
      fc.infiniteStream(fc.boolean()),
      (side, prices, goes) => {
        const { ladder, keys, bestFirst, remove } = ladderOf(side, prices);
        const isGone = prices.map(() => goes.next().value as boolean);
        isGone.forEach((gone, level) => {
          if (gone) remove(level);
        });
        const left = prices.filter((_, level) => !isGone[level]);
        const sorted = left.toSorted((a, b) => (side === BUY ? b - a : a - b));
        expect(bestFirst()).toEqual(sorted);
        keys.forEach((key, level) => {
          expect(findKey(ladder, key)).toBe(isGone[level] ? NONE : level);
        });
      },
    ),
    { numRuns: 300 },
  );
});
