import type { Logger } from 'pino';
import { expect, test } from 'vitest';
import { HistoryFailed } from '../../history/history.ts';
import { reportFaults } from './report-faults.ts';

function logging() {
  const lines: unknown[] = [];
  const log = {
    error: (_: unknown, words: string) => lines.push(words),
    warn: ({ reads }: { readonly reads: number }, words: string) => lines.push([reads, words]),
  } as unknown as Logger;
  return { lines, log };
}

test('every fault of ours is logged, and of a history that is gone one line in ten seconds', () => {
  const { lines, log } = logging();
  let nowMs = 0;
  const report = reportFaults({ log }, () => nowMs);
  for (let read = 0; read < 600; read++) report(new HistoryFailed('timeout'), 'r');
  report(new Error('a bug'), 'r');
  report(new Error('a bug'), 'r');
  nowMs = 10_000;
  report(new HistoryFailed('timeout'), 'r');
  expect(lines).toEqual([
    [1, 'history cannot be read: timeout'],
    'a request failed by a fault of ours',
    'a request failed by a fault of ours',
    [600, 'history cannot be read: timeout'],
  ]);
});
