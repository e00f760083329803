import { expect, test } from 'vitest';
import { defaultCatalogue } from '../defaults/catalogue.ts';
import {
  accountIdText,
  accountIndexFromText,
  entryCounterFromText,
  entryIdText,
  idFromText,
} from './ids.ts';
import { partsPerLot, partsPerTickLot, priceText, quantityText } from './market.ts';
import { isRefusal, REJECTIONS, refuse } from './rejections.ts';
import { lots, ticks } from './units.ts';

test('ids survive the way out and in, up to 2^63 - 1', () => {
  expect(accountIndexFromText(accountIdText(117))).toBe(117);
  expect(accountIndexFromText('29999')).toBeUndefined();
  expect(accountIndexFromText('desk-a')).toBeUndefined();
  expect(entryIdText(11)).toBe('970000000000000011');
  expect(entryCounterFromText(entryIdText(11))).toBe(11n);
  expect(idFromText('9223372036854775807')).toBe(9223372036854775807n);
  expect(idFromText('9223372036854775808')).toBeUndefined();
  expect(idFromText('-1')).toBeUndefined();
  expect(idFromText('1.0')).toBeUndefined();
});

test('a count is whole, exact and not negative', () => {
  expect(() => ticks(1.5)).toThrow();
  expect(() => lots(-1)).toThrow();
  expect(() => lots(2 ** 53)).toThrow();
});

test('a refusal says the rule first, then what was wrong', () => {
  const refusal = refuse('PRICE_OFF_TICK', 'price 60000.3 is not a multiple of tick 1');
  expect(refusal.message).toBe('price is invalid: price 60000.3 is not a multiple of tick 1');
  expect(isRefusal(refusal)).toBe(true);
  for (const { code, message } of Object.values(REJECTIONS)) {
    expect(code).toMatch(/^\d{3,6}$/);
    expect(message).not.toBe('');
  }
});

test('the default catalogue is the published one', () => {
  const steps = defaultCatalogue('test');
  const markets = steps.flatMap((step) => (step.kind === 'define-market' ? [step.market] : []));
  expect(
    markets.map((market) => [
      market.code,
      priceText(market, 1),
      quantityText(market, 1),
      quantityText(market, market.maxOrderLots),
      market.band,
      market.tiers
        .map(({ leverage, notionalCap }) => `${leverage}x${notionalCap / 10n ** 14n}`)
        .join(),
    ]),
  ).toEqual([
    ['BTC-USD-SWAP-LIN', '1', '0.0001', '100', 100_000_000n, '20x100,10x300,5x1000,2x3000'],
    ['ETH-USD-SWAP-LIN', '0.1', '0.001', '2000', 100_000_000n, '20x100,10x300,5x1000,2x3000'],
    ['SOL-USD-SWAP-LIN', '0.01', '0.01', '50000', 60_000_000n, '10x200,5x500,2x1000'],
    ['OX-USD-SWAP-LIN', '0.00001', '1', '100000000', 300_000_000n, '5x50,2x200'],
    ['BTC-USDT', '0.01', '0.00001', '100', 100_000_000n, ''],
    ['ETH-USDT', '0.01', '0.0001', '2000', 100_000_000n, ''],
    ['SOL-USDT', '0.001', '0.01', '50000', 100_000_000n, ''],
    ['XRP-USDT', '0.0001', '0.1', '1000000', 100_000_000n, ''],
    ['OX-USDT', '0.00001', '1', '100000000', 300_000_000n, ''],
  ]);
  for (const market of markets) {
    expect(partsPerTickLot(market, 8)).toBeGreaterThan(0n);
    expect(partsPerLot(market, 8)).toBeGreaterThan(0n);
  }
});
