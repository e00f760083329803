import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ensureReviewable, markForReview, newPending, takeMarginReview } from './pending.ts';
import {
  advanceOdometer,
  allowanceOf,
  ensureWatched,
  hasNoAllowance,
  NO_ALLOWANCE,
  newWatch,
  quietMove,
  unwatch,
  useAllowance,
  watchAfter,
} from './watch.ts';

test('an account is marked for review exactly when prices have moved by its allowance', () => {
  const act = fc.oneof(
    fc.record({ kind: fc.constant('watch'), account: fc.nat(99), move: fc.nat(500) }),
    fc.record({ kind: fc.constant('unwatch'), account: fc.nat(99), move: fc.constant(0) }),
    fc.record({ kind: fc.constant('advance'), account: fc.constant(0), move: fc.nat(200) }),
  );
  fc.assert(
    fc.property(fc.array(act, { maxLength: 300 }), (acts) => {
      const watch = newWatch();
      const pending = newPending();
      ensureWatched(watch, 99);
      ensureReviewable(pending, 99);
      const dueAt = new Map<number, number>();
      let odometer = 0;
      for (const { kind, account, move } of acts) {
        if (kind === 'watch') {
          watchAfter(watch, account, move);
          dueAt.set(account, odometer + move);
        } else if (kind === 'unwatch') {
          unwatch(watch, account);
          dueAt.delete(account);
        } else {
          odometer += move;
          advanceOdometer(watch, pending, move);
          const due = [...dueAt].filter(([, at]) => at <= odometer);
          // In the order of their readings, then of their numbers.
          due.sort(([a, at], [b, bt]) => at - bt || a - b);
          expect(due.map(() => takeMarginReview(pending))).toEqual(due.map(([a]) => a));
          expect(takeMarginReview(pending)).toBeUndefined();
          for (const [a] of due) dueAt.delete(a);
        }
        expect(watch.count).toBe(dueAt.size);
      }
    }),
    { numRuns: 300 },
  );
});

test('an account that has used up its allowance may have no more fills unseen; it is marked once', () => {
  const watch = newWatch();
  watch.allowance[3] = allowanceOf(8n * 24n);
  expect(useAllowance(watch, 3, 10n, 0n)).toBe(false);
  expect(useAllowance(watch, 3, 10n, 5n)).toBe(false);
  expect(useAllowance(watch, 3, 1n, 0n)).toBe(true);
  expect(useAllowance(watch, 3, 1n, 0n)).toBe(true);
  expect(watch.allowance[3]).toBe(NO_ALLOWANCE);
  const pending = newPending();
  markForReview(pending, 3);
  markForReview(pending, 3);
  expect([takeMarginReview(pending), takeMarginReview(pending)]).toEqual([3, undefined]);
});

test('a realised loss uses the allowance too, and no size is too large to be counted', () => {
  const watch = newWatch();
  watch.allowance[1] = allowanceOf(8n * 24n);
  expect(useAllowance(watch, 1, 10n, -(32n * 13n))).toBe(true);
  watch.allowance[2] = allowanceOf(2n ** 80n);
  expect(useAllowance(watch, 2, 2n ** 62n - 1n, -(2n ** 62n))).toBe(true);
});

test('without an allowance, orders that come to rest have a watched account examined', () => {
  const watch = newWatch();
  watch.allowance[1] = allowanceOf(0n);
  expect(hasNoAllowance(watch, 1)).toBe(false);
  watchAfter(watch, 1, 5);
  expect(hasNoAllowance(watch, 1)).toBe(true);
  watch.allowance[1] = allowanceOf(8n);
  expect(hasNoAllowance(watch, 1)).toBe(false);
});

test('within a quiet move, prices that go any way lose an exposed account at most half of its slack', () => {
  const sized = fc.bigInt({ min: 0n, max: 10n ** 15n });
  fc.assert(
    fc.property(sized, sized, sized, (slack, positions, other) => {
      const exposure = 2n * positions + 2n * other + 1n;
      const move = quietMove(slack, exposure) / 1e9;
      expect(move).toBeLessThanOrEqual(0.4);
      const [v, k] = [Number(positions), Number(other)];
      // A short whose price has risen, with twice the margin of the dearest tier; collateral that fell
      // while native rose.
      const lost = v * Math.expm1(move) * 2 + k * (1 - Math.exp(-2 * move));
      expect(lost).toBeLessThanOrEqual(Number(slack) / 2 + 1e-3 + Number(slack) * 1e-12);
    }),
    { numRuns: 1_000 },
  );
});
