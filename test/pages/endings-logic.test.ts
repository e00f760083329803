import { expect, test } from 'vitest';
import { EMPTY_STATE } from '../../web/trade/live-state.ts';
import { amendedWords, orderLine } from '../../web/trade/order-words.ts';
import { apply } from './apply.ts';

/** How orders end, in words. */

test('an amendment says what became of the order: changed, filled or ended', () => {
  const order = { orderType: 'LIMIT', price: '60000', quantity: '0.5' } as Parameters<
    typeof amendedWords
  >[0];
  const words = (change: object, answer: object): string => {
    const { title, text } = amendedWords(order, change, answer);
    return `${title}: ${text}`;
  };
  expect(words({ quantity: '0.4' }, { status: 'OPEN' })).toBe(
    'Order changed: Now 0.4. It keeps its place in the queue.',
  );
  expect(words({ price: '60100' }, { status: 'PARTIAL_FILL' })).toBe(
    'Order changed: Now 60,100. It stands at the end of the queue.',
  );
  expect(words({ price: '60200' }, { status: 'FILLED' })).toBe(
    'Order changed: Now 60,200. It is filled.',
  );
  // Of 0.5 there were 0.3 filled.
  expect(words({ quantity: '0.2' }, { status: 'CANCELED_BY_AMEND' })).toBe(
    'Order ended: Cancelled by an amendment. That much of it was filled before.',
  );
});

test('an order that a rule ends is news, unless its owner or the answer to its placement says it', () => {
  const order = {
    ...{ orderId: '1', marketCode: 'X', side: 'SELL', orderType: 'MARKET', price: '2700' },
    ...{ quantity: '3', remainQuantity: '2', timeInForce: 'IOC', createdAt: '1000' },
  };
  const stream = { table: 'order', channel: 'order:all', seq: 1 };
  const met = { ...order, notice: 'OrderMatched', status: 'PARTIAL_FILL', timestamp: '1000' };
  const standing = apply(EMPTY_STATE, { ...stream, data: [met] });
  const ended = (status: string, timestamp: string, more = {}): readonly string[] => {
    const row = { ...order, notice: 'OrderClosed', status, timestamp, ...more };
    const after = apply(standing, { ...stream, data: [row] });
    expect(after.orders.size).toBe(0);
    expect(after.endings).toBe(standing.endings + 1);
    return after.ended.map(
      ({ first, why }) => `${orderLine(first, { base: 'B', tickSize: '1', minSize: '1' })}. ${why}`,
    );
  };
  expect(ended('CANCELED_PARTIAL_BY_IOC', '1000')).toEqual([]);
  expect(ended('CANCELED_PARTIAL_BY_IOC', '1001')).toEqual([
    'Sell market 2 B. Immediate or cancel, the rest',
  ]);
  expect(ended('CANCELED_BY_USER', '1001')).toEqual([]);
  expect(ended('CANCELED_BY_USER', '1001', { code: '710005', message: 'margin' })).toEqual([
    'Sell market 2 B. 710005: margin',
  ]);
  expect(ended('FILLED', '1001')).toEqual([]);
});
