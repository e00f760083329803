import { expect, test } from 'vitest';
import { BREAKS, Breaks, CALLS_PER_LOOK } from './breaks.ts';

/** A clock that only moves when it is told to; sleeping takes as long as it should. */
function handClock() {
  const clock = { ms: 0, sleeps: 0 };
  return {
    ...{ clock, nowMs: () => clock.ms },
    sleep: (forMs: number) => {
      clock.ms += forMs;
      clock.sleeps++;
    },
  };
}

/** Works in pieces of a tenth of a millisecond. */
function work(breaks: Breaks, { clock }: ReturnType<typeof handClock>, forMs: number): void {
  for (const endMs = clock.ms + forMs; clock.ms < endMs; ) {
    clock.ms += 0.1 / CALLS_PER_LOOK;
    breaks.take();
  }
}

test('long work is broken off every quarter of a millisecond', () => {
  const hand = handClock();
  const breaks = new Breaks(hand);
  work(breaks, hand, 20);
  // Three pieces, then a break that is as long as one.
  expect(hand.clock.sleeps).toBeGreaterThan(40);
  expect(hand.clock.sleeps).toBeLessThanOrEqual(20 / (BREAKS.everyMs + BREAKS.forMs));
  expect(breaks.sleptMs).toBeCloseTo(hand.clock.sleeps * BREAKS.forMs);
});

test('short work is not', () => {
  const hand = handClock();
  const breaks = new Breaks(hand);
  for (let times = 0; times < 50; times++) {
    breaks.begin();
    work(breaks, hand, 0.15);
    hand.clock.ms += 10;
  }
  expect(hand.clock.sleeps).toBe(0);
});

test('a thread that is behind takes no breaks until it has waited again', () => {
  const hand = handClock();
  const breaks = new Breaks(hand);
  work(breaks, hand, BREAKS.behindMs + 1);
  const { sleeps } = hand.clock;
  work(breaks, hand, 1_000);
  expect(hand.clock.sleeps).toBe(sleeps);
  breaks.begin();
  work(breaks, hand, 10);
  expect(hand.clock.sleeps).toBeGreaterThan(sleeps);
});
