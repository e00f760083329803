import { expect, test } from 'vitest';
import { clockWords } from './beat.ts';

test('a clock is ahead of the log or behind it, never a negative time ahead', () => {
  expect(clockWords(3)).toBe("3 ms ahead of the log's");
  expect(clockWords(0)).toBe("0 ms ahead of the log's");
  expect(clockWords(-1)).toBe("1 ms behind the log's");
});
