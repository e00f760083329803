import { expect, test } from 'vitest';
import { likely } from './likely.ts';

test('nothing is guessed when no name begins alike, and the work is bounded', () => {
  expect(likely('ZZZ', ['BTC-USDT'])).toBe('ZZZ');
  expect(likely('', ['BTC-USDT'])).toBe('');
  const names = Array.from({ length: 10_000 }, (_, at) => `B-${at}`);
  expect(likely(`B-${'1'.repeat(38)}`, names)).not.toContain('mean');
  expect(likely('B-9x99', names)).toMatch(/; did you mean B-9\d+\?$/);
  expect(likely(`B${'x'.repeat(1_000)}`, names)).toMatch(/^Bx{56}\.\.\.$/);
});

test('of many names that begin alike, the one that was meant is found', () => {
  const names = Array.from({ length: 500 }, (_, at) => `demo-${at + 1}`);
  expect(likely('Demo-412', names)).toBe('Demo-412; did you mean demo-412?');
  expect(likely('demo_412', names)).toBe('demo_412; did you mean demo-412?');
  expect(likely('demo-412x', names)).toBe('demo-412x; did you mean demo-412?');
  expect(likely('bob', ['beatrice-capital'])).toBe('bob');
  expect(likely('--', ['...'])).toBe('--');
  expect(likely('btc/usdt', ['BTC-USD', 'BTC-USDT'])).toBe('btc/usdt; did you mean BTC-USDT?');
  expect(likely('BTC', ['BTC-USDT'])).toBe('BTC; did you mean BTC-USDT?');
});
