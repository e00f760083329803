import { expect, test } from 'vitest';
import type { Command } from '../domain/commands.ts';
import type { Engine, Submitted } from './engine.ts';
import { startTicker } from './ticker.ts';

/** An engine whose clock and liquidations are set by hand; a tick takes the step that is due. */
function scene(startMs: number) {
  const at = { nowMs: startMs, stepAtMs: undefined as number | undefined, isIdle: false };
  const ticks: number[] = [];
  const pauses: number[] = [];
  const failures: unknown[] = [];
  let answer: (submitted: Submitted) => void = () => {};
  let fail: (reason: Error) => void = () => {};
  let look: () => void = () => {};
  let isStopped = false;
  const engine = {
    nowMs: () => at.nowMs,
    nextStepAtMs: () => at.stepAtMs,
    submit: (command: Command) => {
      expect(command.kind).toBe('tick');
      ticks.push(at.nowMs);
      while (at.stepAtMs !== undefined && at.stepAtMs <= at.nowMs) at.stepAtMs += 500;
      return new Promise<Submitted>((resolve, reject) => {
        answer = resolve;
        fail = reject;
      });
    },
  } as unknown as Engine;
  const ticker = startTicker({
    engine,
    every: (_periodMs, run) => {
      look = run;
      return () => {
        isStopped = true;
      };
    },
    isIdle: () => at.isIdle,
    afterPause: () => pauses.push(at.nowMs),
    onFailure: (reason) => failures.push(reason),
  });
  return {
    ticker,
    at,
    ticks,
    pauses,
    failures,
    isStopped: () => isStopped,
    fail: (reason: Error) => fail(reason),
    /** Time passes in looks of 50 ms, every tick answered at once. */
    async pass(ms: number, isAnswered = true): Promise<void> {
      for (let left = ms; left > 0; left -= 50) {
        at.nowMs += 50;
        look();
        if (isAnswered) answer({} as Submitted);
        await Promise.resolve();
        await Promise.resolve();
      }
    },
  };
}

test('one tick in every second of the clock', async () => {
  const { ticks, pass } = scene(10_300);
  await pass(3_000);
  expect(ticks).toEqual([10_350, 11_000, 12_000, 13_000]);
});

test('and one at every point of the grid of a liquidation, for as long as it lasts', async () => {
  const { at, ticks, pass } = scene(10_300);
  await pass(100);
  // Somebody fails at 10,420: steps are due at 10,920, 11,420 ...
  at.stepAtMs = 10_920;
  await pass(1_600);
  expect(ticks).toEqual([10_350, 10_950, 11_000, 11_450, 11_950, 12_000]);
  at.stepAtMs = undefined;
  await pass(1_500);
  expect(ticks.slice(6)).toEqual([13_000]);
});

test('a tick that is not answered yet is not followed by another', async () => {
  const { ticks, pass } = scene(10_300);
  await pass(5_000, false);
  expect(ticks).toEqual([10_350]);
  await pass(50);
  await pass(50);
  expect(ticks).toEqual([10_350, 15_400]);
});

test('a venue that stops takes no more ticks, and says so', async () => {
  const { ticks, pass, fail, failures, isStopped } = scene(10_300);
  await pass(100, false);
  const reason = new Error('the disk is full');
  fail(reason);
  await pass(2_000, false);
  expect(ticks).toHaveLength(1);
  expect(failures).toEqual([reason]);
  expect(isStopped()).toBe(true);
});

test('an idle venue has no ticks; whoever asks brings one, once a second', async () => {
  const { at, ticks, pass, ticker } = scene(10_300);
  at.isIdle = true;
  await pass(3_600_000);
  expect(ticks).toEqual([]);
  expect([ticker.wake(), ticker.wake()]).toEqual([true, false]);
  await pass(100);
  expect(ticker.wake()).toBe(false);
  expect(ticks).toEqual([3_610_300]);
  // The tick of this second has been; the next one comes by itself once somebody needs it.
  at.isIdle = false;
  await pass(1_000);
  expect(ticks).toEqual([3_610_300, 3_611_000]);
  expect(ticker.ticks).toBe(2);
});

test('the first tick after a pause is announced, no other', async () => {
  const { at, ticks, pauses, pass } = scene(10_300);
  await pass(3_000);
  expect(pauses).toEqual([10_350]);
  at.isIdle = true;
  await pass(60_000);
  at.isIdle = false;
  await pass(3_000);
  expect(pauses.slice(1)).toEqual([73_350]);
  expect(ticks.slice(-4)).toEqual([73_350, 74_000, 75_000, 76_000]);
});

test('while a tick is not durable, no request brings another to a venue that is not idle', async () => {
  const { ticker, at, ticks, pass } = scene(10_300);
  await pass(100, false);
  at.nowMs += 5_000;
  expect(ticker.wake()).toBe(false);
  expect(ticks).toHaveLength(1);
});
