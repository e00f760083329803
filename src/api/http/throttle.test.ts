import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createThrottle, DEFAULT_RULES, type LimitRule, type Throttle } from './throttle.ts';

/** A throttle with a clock driven by hand. */
function driven(rules: readonly LimitRule[], subjectsMax?: number) {
  const clock = { ms: 1_000_000 };
  const throttle = createThrottle(
    rules,
    () => clock.ms,
    subjectsMax === undefined ? {} : { subjectsMax },
  );
  return { throttle, clock };
}

const taken = (throttle: Throttle, times: number, who = { address: 'a' }): number => {
  let allowed = 0;
  for (let time = 0; time < times; time++) if (throttle.take(who)?.isAllowed) allowed++;
  return allowed;
};

test('an address may burst to its limit and then gets a token back at a time', () => {
  const { throttle, clock } = driven([{ of: 'all', per: 'address', count: 100, perMs: 1_000 }]);
  expect(taken(throttle, 150)).toBe(100);
  clock.ms += 9;
  expect(taken(throttle, 5)).toBe(0);
  clock.ms += 1;
  expect(taken(throttle, 5)).toBe(1);
  clock.ms += 1_000;
  expect(taken(throttle, 150)).toBe(100);
});

test('a refusal says exactly how long to wait, and after that wait the request passes', () => {
  const { throttle, clock } = driven([{ of: 'all', per: 'address', count: 3, perMs: 1_000 }]);
  expect(taken(throttle, 3)).toBe(3);
  clock.ms += 100;
  const verdict = throttle.take({ address: 'a' });
  expect(verdict?.isAllowed).toBe(false);
  expect(verdict?.waitMs).toBeCloseTo(233.333, 2);
  clock.ms += (verdict?.waitMs ?? 0) - 0.01;
  expect(throttle.take({ address: 'a' })?.isAllowed).toBe(false);
  clock.ms += 0.011;
  expect(throttle.take({ address: 'a' })?.isAllowed).toBe(true);
});

test('money moves once a second and twice in ten, and reads do not use that up', () => {
  const { throttle, clock } = driven(DEFAULT_RULES);
  const read = { accessKey: 'k', address: 'a' };
  const move = { ...read, budget: 'money' as const };
  expect(taken(throttle, 10, read)).toBe(10);
  expect(throttle.take(move)?.isAllowed).toBe(true);
  expect(throttle.take(move)).toMatchObject({ isAllowed: false, waitMs: 1_000 });
  clock.ms += 1_000;
  expect(throttle.take(move)?.isAllowed).toBe(true);
  clock.ms += 1_000;
  expect(throttle.take(move)).toMatchObject({ isAllowed: false, waitMs: 3_000 });
  expect(throttle.take(read)?.isAllowed).toBe(true);
  clock.ms += 3_000;
  expect(throttle.take(move)?.isAllowed).toBe(true);
});

test('orders have 20 a second, and another key its own', () => {
  const { throttle } = driven(DEFAULT_RULES);
  const order = { address: 'a', budget: 'orders' as const };
  expect(taken(throttle, 30, { ...order, accessKey: 'k' } as never)).toBe(20);
  expect(taken(throttle, 30, { ...order, accessKey: 'l' } as never)).toBe(20);
});

test('estimates have 10 a second of their own: whoever uses them up can still trade', () => {
  const { throttle } = driven(DEFAULT_RULES);
  const who = { accessKey: 'k', address: 'a' };
  expect(taken(throttle, 30, { ...who, budget: 'estimates' } as never)).toBe(10);
  expect(taken(throttle, 30, { ...who, budget: 'orders' } as never)).toBe(20);
});

test('an address has 2500 requests in five minutes, whichever keys it uses', () => {
  const { throttle, clock } = driven(DEFAULT_RULES);
  let allowed = 0;
  for (let second = 0; second < 60; second++) {
    for (let key = 0; key < 100; key++) {
      if (throttle.take({ accessKey: `k${key}`, address: 'a' })?.isAllowed) allowed++;
    }
    clock.ms += 1_000;
  }
  // The bucket of 2500 and what flows back into it within 60 s, 8.33 a second.
  expect(allowed).toBeGreaterThanOrEqual(2_500);
  expect(allowed).toBeLessThanOrEqual(3_000);
});

test('a refused request takes no token anywhere', () => {
  const rules: LimitRule[] = [
    { of: 'all', per: 'key', count: 1, perMs: 10_000 },
    { of: 'all', per: 'address', count: 5, perMs: 10_000 },
  ];
  const { throttle } = driven(rules);
  expect(taken(throttle, 50, { accessKey: 'k', address: 'a' } as never)).toBe(1);
  expect(throttle.take({ accessKey: 'l', address: 'a' })).toMatchObject({ isAllowed: true });
  expect(throttle.take({ accessKey: 'm', address: 'a' })?.isAllowed).toBe(true);
});

test('the verdict speaks for the rule with the fewest tokens left', () => {
  const { throttle } = driven(DEFAULT_RULES);
  expect(throttle.take({ accessKey: 'k', address: 'a' })).toMatchObject({
    rule: { count: 100 },
    remaining: 99,
    resetMs: 10,
  });
  expect(throttle.take({ accessKey: 'k', address: 'a', budget: 'money' })).toMatchObject({
    rule: { count: 1 },
    remaining: 0,
  });
});

test('who is idle is forgotten, and memory is bounded even when nobody is', () => {
  const { throttle, clock } = driven([{ of: 'all', per: 'address', count: 10, perMs: 1_000 }], 100);
  for (let index = 0; index < 90; index++) throttle.take({ address: `a${index}` });
  expect(throttle.size).toBe(90);
  clock.ms += 10_000;
  throttle.take({ address: 'b' });
  expect(throttle.size).toBe(1);
  for (let index = 0; index < 1_000; index++) throttle.take({ address: `c${index}` });
  expect(throttle.size).toBe(100);
});

test('whatever the rhythm, no window lets more through than a full bucket and its refill', () => {
  const rule: LimitRule = { of: 'all', per: 'address', count: 5, perMs: 1_000 };
  fc.assert(
    fc.property(fc.array(fc.nat(400), { maxLength: 200 }), (pausesMs) => {
      const { throttle, clock } = driven([rule]);
      const allowedAtMs = pausesMs.flatMap((pauseMs) => {
        clock.ms += pauseMs;
        return throttle.take({ address: 'a' })?.isAllowed ? [clock.ms] : [];
      });
      for (const [index, startMs] of allowedAtMs.entries()) {
        const inWindow = allowedAtMs.slice(index).filter((ms) => ms < startMs + rule.perMs);
        expect(inWindow.length).toBeLessThanOrEqual(2 * rule.count);
      }
    }),
  );
});

test('a key that is only named is looked at and not spent; proved, it is', () => {
  const { throttle } = driven([
    { of: 'all', per: 'key', count: 2, perMs: 1_000 },
    { of: 'all', per: 'address', count: 5, perMs: 1_000 },
  ]);
  const who = { accessKey: 'k', address: 'a' };
  for (let times = 0; times < 3; times++) expect(throttle.admit(who)?.isAllowed).toBe(true);
  expect(throttle.takeKey('k', undefined)).toMatchObject({ isAllowed: true, remaining: 1 });
  expect(throttle.takeKey('k', undefined)).toMatchObject({ isAllowed: true, remaining: 0 });
  expect(throttle.takeKey('k', undefined)).toMatchObject({ isAllowed: false, waitMs: 500 });
  // Refused by its key it costs the address nothing; three were spent, two are left.
  expect(throttle.admit(who)?.isAllowed).toBe(false);
  expect(throttle.take({ address: 'a' })).toMatchObject({ isAllowed: true, remaining: 1 });
  expect(throttle.take({ address: 'a' })).toMatchObject({ isAllowed: true, remaining: 0 });
  expect(throttle.admit({ accessKey: 'other', address: 'a' })?.isAllowed).toBe(false);
});
