import { expect, test } from 'vitest';
import { watchAnswers } from './answer-watch.ts';

test('a thread that does not answer for so many ticks is given up once; a late answer begins the count anew', async () => {
  let tick = (): void => undefined;
  let isOver = false;
  let calls = 0;
  let silent = 0;
  let answer = (): void => undefined;
  watchAnswers({
    every: (_, run) => {
      tick = run;
      return () => {
        isOver = true;
      };
    },
    ...{ periodMs: 1_000, silentMax: 3 },
    ask: () => {
      calls++;
      return new Promise<void>((resolve) => {
        answer = resolve;
      });
    },
    onSilent: () => {
      silent++;
    },
  });
  const ticks = (count: number): void => {
    for (let at = 0; at < count; at++) tick();
  };
  ticks(3);
  expect(calls).toBe(1);
  answer();
  await Promise.resolve();
  ticks(3);
  expect({ calls, silent, isOver }).toEqual({ calls: 2, silent: 0, isOver: false });
  ticks(1);
  expect({ calls, silent, isOver }).toEqual({ calls: 2, silent: 1, isOver: true });
});
