import fc from 'fast-check';
import { expect, test } from 'vitest';
import { endedWords } from '../../web/shared/ended-words.ts';
import { compare, product, sizeWorth } from '../../web/shared/number-text.ts';
import {
  amountOfShare,
  buttonText,
  changed,
  EMPTY_FORM,
  type Form,
  orderOf,
  shareOfSize,
  sharePrice,
} from '../../web/trade/ticket/form.ts';
import { outcomeOf } from '../../web/trade/ticket/outcome-words.ts';
import { effectOf, feesText, restingFeeText } from '../../web/trade/ticket/receipt-words.ts';
import { afterPreview } from '../../web/trade/ticket/shown-refusal.ts';

/** What the ticket computes without a browser: units, shares, and what became of an order. */

const SPOT = {
  ...{ marketCode: 'BTC-USDT', type: 'SPOT', base: 'BTC', counter: 'USDT' },
  ...{ tickSize: '1', minSize: '0.00001', markPrice: '60000' },
};
const PERP = { ...SPOT, marketCode: 'BTC-USD-SWAP-LIN', type: 'FUTURE', counter: 'USD' };

test('an amount to spend never becomes a size to sell', () => {
  const spent: Form = { ...EMPTY_FORM, kind: 'MARKET', isAmount: true, size: '20' };
  expect(buttonText(spent, SPOT)).toBe('Buy 20 USDT at market');
  const sale = changed(spent, { side: 'SELL' });
  expect([sale.size, sale.isAmount]).toEqual(['', false]);
  expect(orderOf(sale, SPOT)).toEqual({ faults: { size: 'is needed' } });
  // Back again it is a size, as the field says.
  const purchase = changed({ ...sale, size: '0.5' }, { side: 'BUY' });
  expect(buttonText(purchase, SPOT)).toBe('Buy 0.50000 BTC at market');
  // What comes with the change is in its unit; another type changes none.
  expect(changed(spent, { side: 'SELL', size: '0.3' }).size).toBe('0.3');
  expect(changed(spent, { kind: 'LIMIT' })).toEqual({ ...spent, kind: 'LIMIT' });
  expect(changed({ ...spent, isAmount: false }, { side: 'SELL' }).size).toBe('20');
});

test('a share of what is sold is a share of what one has, whatever the price', () => {
  const sale: Form = { ...EMPTY_FORM, side: 'SELL', kind: 'MARKET', price: '1' };
  const available = '15.123456789';
  for (const form of [sale, { ...sale, kind: 'LIMIT' as const, price: '90000' }]) {
    const price = sharePrice(form, SPOT, { spent: '0', asks: [] });
    const sizeOf = (share: number) =>
      sizeWorth(amountOfShare(share, available), price, SPOT.minSize);
    expect([100, 50, 1].map(sizeOf)).toEqual(['15.12345', '7.56172', '0.15123']);
    expect(shareOfSize({ ...form, size: '7.56172' }, SPOT, available, price)).toBe(50);
  }
});

test('a market order is reckoned with the market, not with a price that its ticket does not show', () => {
  const form: Form = { ...EMPTY_FORM, kind: 'MARKET', price: '7' };
  const asks = [
    [60_000, 1],
    [60_600, 100],
  ] as const;
  const at = (spent: string, of = SPOT) => Number(sharePrice(form, of, { spent, asks }));
  // The level that is reached, and a little more: the book moves.
  expect(at('50000')).toBeCloseTo(60_060);
  expect(at('1000000')).toBeCloseTo(60_660.6);
  const band = { ...SPOT, upperPriceBound: '63000' };
  expect(at('99000000', band)).toBe(63_000);
  expect(at('50000', PERP)).toBe(60_000);
  expect(sharePrice(form, SPOT, { spent: '5', asks: [] })).toBe('60000');
  const limit: Form = { ...form, kind: 'LIMIT', price: '59,000' };
  expect(sharePrice(limit, SPOT, { spent: '5', asks })).toBe('59000');
  // The whole of it can be paid at every level that it meets.
  const size = Number(
    sizeWorth('1000000', sharePrice(form, SPOT, { spent: '1000000', asks }), '1'),
  );
  expect(60_000 + (size - 1) * 60_600).toBeLessThanOrEqual(1_000_000);
});

test('a share of the buying power is never more than it', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 100 }),
      fc.integer({ min: 1, max: 10 ** 9 }),
      fc.integer({ min: 1, max: 10 ** 6 }),
      (share, power, price) => {
        const size = sizeWorth(amountOfShare(share, String(power)), String(price), '0.0001');
        expect(compare(product(size, String(price)), String(power))).toBeLessThanOrEqual(0);
      },
    ),
  );
  // Exact, however many digits: a float would lose the last lot.
  expect(sizeWorth('123456789.00000001', '1', '0.00000001')).toBe('123456789.00000001');
  expect(sizeWorth('5', '0', '0.1')).toBe('0.0');
});

test('an order that ended without what was asked for is not called taken', () => {
  const of = { words: 'Buy 0.5 BTC at 60,000', base: 'BTC', minSize: '0.0001' };
  const said = (answer: Parameters<typeof outcomeOf>[0]) => {
    const { kind, title, text } = outcomeOf(answer, of);
    return [kind, title, text];
  };
  for (const status of ['OPEN', 'PARTIAL_FILL', 'FILLED', undefined]) {
    expect(said({ status })).toEqual(['good', 'Order taken', of.words]);
  }
  expect(said({ status: 'CANCELED_BY_FOK' })).toEqual([
    ...['warn', 'Order not filled', `${of.words}. ${endedWords('CANCELED_BY_FOK')}`],
  ]);
  expect(said({ status: 'CANCELED_BY_USER', code: '20', message: 'no position' })[2]).toContain(
    'Cancelled. 20: no position',
  );
  const part = { cumulativeMatchedQuantity: '0.2', avgFillPrice: '60000' };
  expect(said({ status: 'CANCELED_PARTIAL_BY_IOC', ...part })).toEqual([
    ...['warn', 'Order partly filled'],
    `${of.words}. 0.2000 BTC filled. ${endedWords('CANCELED_PARTIAL_BY_IOC')}`,
  ]);
  // The venue names an amount of 0 for an order by quantity.
  expect(said({ status: 'CANCELED_PARTIAL_BY_IOC', ...part, amount: '0.0' })[1]).toBe(
    'Order partly filled',
  );
  // What is left of an amount is less than a lot: that is all it could buy.
  const spent = { status: 'CANCELED_PARTIAL_BY_IOC', ...part, amount: '12003' };
  expect(said(spent)[1]).toBe('Order taken');
  expect(said({ ...spent, amount: '15000' })[1]).toBe('Order partly filled');
});

test('a refusal goes when a later preview no longer says it, unless none has said it', () => {
  const halted = { data: undefined, refusal: { code: '20031', message: 'm' }, before: undefined };
  const other = { ...halted, refusal: { code: '710006', message: 'n' } };
  const fine = { ...halted, data: { status: 'OPEN' } as never, refusal: undefined };
  const nothing = { ...fine, data: undefined };
  const detail = { field: undefined, words: '20031: m', nearest: undefined };
  const shown = { of: 'x', code: '20031', detail, isForeseen: true, seen: halted };
  expect(afterPreview(shown, halted)).toBe(shown);
  expect(afterPreview(shown, { ...halted })).toEqual(shown);
  expect(afterPreview(shown, nothing)).toBe(shown);
  expect(afterPreview(shown, fine)).toBeUndefined();
  expect(afterPreview(shown, other)).toBeUndefined();
  // The venue refused what it was expected to take.
  const sudden = { ...shown, isForeseen: false, seen: fine };
  expect(afterPreview(sudden, { ...fine })).toBe(sudden);
  const confirmed = afterPreview(sudden, halted);
  expect(afterPreview(confirmed, fine)).toBeUndefined();
});

test('an order that moves no margin shows no change of it', () => {
  const form: Form = { ...EMPTY_FORM, price: '60000', size: '1' };
  const open = { status: 'OPEN' as const, filledQuantity: '0' };
  const [none, both] = [
    { onMargin: false, onRatio: false },
    { onMargin: true, onRatio: true },
  ];
  expect(effectOf(open, form, PERP)).toEqual(both);
  expect(effectOf(open, { ...form, kind: 'STOP_LIMIT' }, PERP)).toEqual(none);
  expect(effectOf(open, { ...form, isReduceOnly: true }, PERP)).toEqual(none);
  const killed = { status: 'CANCELED_BY_FOK' as const, filledQuantity: '0.0' };
  expect(effectOf(killed, form, PERP)).toEqual(none);
  const filled = { status: 'FILLED' as const, filledQuantity: '1' };
  expect(effectOf(filled, { ...form, isReduceOnly: true }, PERP)).toEqual(both);
  // What it holds on a spot market is no collateral, but needs no margin.
  expect(effectOf(open, form, SPOT)).toEqual({ onMargin: false, onRatio: true });
  expect(effectOf(killed, form, SPOT)).toEqual(none);
});

test('fees in OX have its decimals, those in other assets theirs; whole they are in the title', () => {
  const fees = (...all: readonly Record<string, string>[]) => feesText({ fees: [...all] });
  expect(fees({ OX: '118842.190032' })).toEqual({ text: '118,842 OX', full: '118842.190032 OX' });
  expect(fees({ OX: '42.190032' }, { BTC: '0.00012345' }).text).toBe('42.19 OX, 0.00012345 BTC');
  expect(fees({ OX: '0.0019' }).text).toBe('0.0019 OX');
  expect(fees()).toEqual({ text: 'none' });
  const form: Form = { ...EMPTY_FORM, price: '60000', size: '1' };
  const rest = { status: 'OPEN' as const, remainQuantity: '1', makerFeeRate: '0.0003333' };
  expect(restingFeeText(rest, form, PERP).text).toBe('1,999.80 OX');
  expect(restingFeeText(rest, form, SPOT).text).toBe('19.998 USDT');
});
