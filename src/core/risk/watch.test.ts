import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  advanceOdometer,
  beUnsure,
  ensureWatched,
  newWatch,
  unwatch,
  useSlack,
  watchAfter,
} from './watch.ts';

test('an account becomes unsure exactly when prices have moved as far as it was told', () => {
  const act = fc.oneof(
    fc.record({ kind: fc.constant('watch'), account: fc.nat(99), move: fc.nat(500) }),
    fc.record({ kind: fc.constant('unwatch'), account: fc.nat(99), move: fc.constant(0) }),
    fc.record({ kind: fc.constant('advance'), account: fc.constant(0), move: fc.nat(200) }),
  );
  fc.assert(
    fc.property(fc.array(act, { maxLength: 300 }), (acts) => {
      const watch = newWatch();
      ensureWatched(watch, 99);
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
          advanceOdometer(watch, move);
          const due = [...dueAt].filter(([, at]) => at <= odometer);
          // In the order of their readings, then of their numbers.
          due.sort(([a, at], [b, bt]) => at - bt || a - b);
          expect(watch.unsure.splice(0)).toEqual(due.map(([a]) => a));
          for (const [a] of due) {
            watch.isUnsure[a] = 0;
            dueAt.delete(a);
          }
        }
        expect(watch.count).toBe(dueAt.size);
      }
    }),
    { numRuns: 300 },
  );
});

test('an account that has used up its slack is looked at, once', () => {
  const watch = newWatch();
  watch.slack[3] = 10n;
  useSlack(watch, 3, 10n);
  expect(watch.unsure).toEqual([]);
  useSlack(watch, 3, 1n);
  useSlack(watch, 3, 1n);
  beUnsure(watch, 3);
  expect(watch.unsure).toEqual([3]);
});
