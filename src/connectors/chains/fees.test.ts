import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chainAmountOf, creditOf } from './chain-amounts.ts';
import { bumpedFee, costMax } from './fees.ts';

test('a further version offers at least a tenth more of price and tip, and no less than is asked', () => {
  const price = fc.bigInt(1n, 10n ** 20n);
  fc.assert(
    fc.property(price, price, price, price, (a, b, c, d) => {
      const [tip, offered] = a < b ? [a, b] : [b, a];
      const [tipNow, priceNow] = c < d ? [c, d] : [d, c];
      const previous = { unitsMax: 21_000n, pricePerUnit: offered, tipPerUnit: tip };
      const fee = bumpedFee(previous, { pricePerUnit: priceNow, tipPerUnit: tipNow }, 10n ** 30n);
      if (fee === undefined) throw new Error('the limit is far away');
      expect(fee.pricePerUnit * 10n >= offered * 11n && fee.tipPerUnit * 10n >= tip * 11n).toBe(
        true,
      );
      expect(fee.pricePerUnit >= priceNow && fee.tipPerUnit >= tipNow).toBe(true);
      expect(fee.tipPerUnit <= fee.pricePerUnit).toBe(true);
      expect(costMax(fee)).toBe(21_000n * fee.pricePerUnit);
    }),
  );
});

test('no version goes above the limit', () => {
  const previous = { unitsMax: 1n, pricePerUnit: 80n, tipPerUnit: 1n };
  const now = { pricePerUnit: 10n, tipPerUnit: 1n };
  expect(bumpedFee(previous, now, 90n)?.pricePerUnit).toBe(90n);
  expect(bumpedFee(previous, now, 89n)).toBeUndefined();
});

test('credit and dust together are what arrived, and dust is less than one part of the ledger', () => {
  const decimals = fc.integer({ min: 0, max: 30 });
  fc.assert(
    fc.property(fc.bigInt(0n, 2n ** 120n), decimals, decimals, (chainAmount, of, scale) => {
      const { credited, dust } = creditOf(chainAmount, of, scale);
      // In parts of 10^-30 of the asset, finer than both.
      const finest = (amount: bigint, at: number): bigint => amount * 10n ** BigInt(30 - at);
      expect(finest(credited, scale) + finest(dust, of)).toBe(finest(chainAmount, of));
      expect(dust >= 0n && finest(dust, of) < finest(1n, scale)).toBe(true);
      if (of >= scale) expect(chainAmountOf(credited, scale, of)).toBe(chainAmount - dust);
    }),
  );
});

test('an amount finer than the chain is refused, not rounded', () => {
  expect(chainAmountOf(1_230n, 8, 6)).toBeUndefined();
  expect(chainAmountOf(1_200n, 8, 6)).toBe(12n);
  expect(creditOf(12n, 6, 8)).toEqual({ credited: 1_200n, dust: 0n });
});
