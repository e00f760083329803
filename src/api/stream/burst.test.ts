import { expect, test } from 'vitest';
import { Burst } from './burst.ts';

test('parts of one batch are one burst, which shrinks as it is read', () => {
  const burst = new Burst();
  burst.add(1, 1_000, true);
  burst.add(1, 500, false);
  expect(burst.left(2_000)).toBe(1_500);
  expect(burst.left(700)).toBe(700);
  expect(burst.left(2_000)).toBe(700);
});

test('a batch to a connection that still has to read is none of its own', () => {
  const burst = new Burst();
  burst.add(1, 1_000, true);
  burst.add(2, 5_000, false);
  expect(burst.left(9_000)).toBe(1_000);
  burst.add(3, 5_000, true);
  expect(burst.left(9_000)).toBe(5_000);
});

test('it has thirty sweeps to be read', () => {
  const burst = new Burst();
  burst.add(1, 1_000, true);
  for (let sweep = 0; sweep < 30; sweep++) burst.sweep();
  expect(burst.left(2_000)).toBe(1_000);
  burst.sweep();
  expect(burst.left(2_000)).toBe(0);
});
