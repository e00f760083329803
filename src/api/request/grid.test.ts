import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decimalFromText } from '../../domain/decimal.ts';
import { type Grid, onGrid } from './grid.ts';

const anyGrid = fc.record({
  name: fc.constant('tick'),
  stepParts: fc.oneof(fc.constantFrom(1n, 5n, 10n, 25n, 100n), fc.bigInt(1n, 2n ** 60n)),
  scale: fc.nat(12),
});
const digits = (most: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: most });
const anyText = fc.oneof(
  digits(20),
  fc.tuple(digits(12), digits(12)).map(([whole, fraction]) => `${whole}.${fraction}`),
  fc.string({ unit: fc.constantFrom(...'0012359.-+e '), maxLength: 17 }),
);

/** By definition: so many steps, exactly, and not zero. */
function stepsOf(text: string, { stepParts, scale }: Grid): number | undefined {
  const read = decimalFromText(text);
  if (read === undefined || read.digits <= 0n) return undefined;
  const [dividend, divisor] = [
    read.digits * 10n ** BigInt(scale),
    stepParts * 10n ** BigInt(read.scale),
  ];
  if (dividend % divisor !== 0n || dividend / divisor >= 2n ** 53n) return undefined;
  return Number(dividend / divisor);
}

test('a text is so many steps of a grid, exactly, however it is written', () => {
  let onIt = 0;
  fc.assert(
    fc.property(anyText, anyGrid, (text, grid) => {
      const read = onGrid('price', text, grid);
      const steps = 'steps' in read ? read.steps : undefined;
      expect(steps, `${text} ${grid.stepParts} ${grid.scale}`).toBe(stepsOf(text, grid));
      if (steps !== undefined) onIt++;
    }),
    { numRuns: 5_000 },
  );
  expect(onIt).toBeGreaterThan(500);
});
