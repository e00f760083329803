import { expect, test } from 'vitest';
import { bookText } from './book.ts';
import { orderOf } from './order.ts';
import { plotText } from './plot.ts';
import { eventLines } from './tail.ts';

test('a book: asks above, bids below, with what stands up to there', () => {
  const asks = [
    [100.5, 2],
    [101, 0.25],
  ] as const;
  const text = bookText({ marketCode: 'A-B', asks, bids: [[99.5, 1]] }, 10);
  expect(text.split('\n')).toEqual([
    'A-B',
    'price  quantity  in all',
    '  101      0.25    2.25',
    '100.5         2       2',
    '  - spread 1 (100.0 bp) -',
    ' 99.5         1       1',
  ]);
  expect(bookText({ marketCode: 'A-B', asks: [], bids: [] }, 5)).toContain('one side is empty');
});

test('candles: hollow where the price rose, filled where it fell, wicks beyond', () => {
  const candle = (open: string, high: string, low: string, close: string) => ({
    ...{ open, high, low, close },
    openedAt: '1750000000000',
  });
  const drawn = plotText([candle('10', '14', '10', '12'), candle('12', '12', '6', '8')], {
    columns: 40,
    rows: 4,
  });
  expect(drawn.split('\n')).toEqual(['│  13.0', '░█', '░█', ' █ 7.0', '06-15 15:06']);
});

test('a price that does not move is drawn as well', () => {
  const same = { open: '5', high: '5', low: '5', close: '5', openedAt: '1750000000000' };
  expect(plotText([same], { columns: 20, rows: 8 })).toContain('░');
});

test('an order is what was typed: with a price a limit, with a stop a stop', () => {
  const typed = { market: 'A-B', quantity: '1', 'time-in-force': 'GTC', 'reduce-only': false };
  expect(orderOf('BUY', typed)).toMatchObject({ orderType: 'MARKET', side: 'BUY' });
  expect(orderOf('SELL', { ...typed, price: '9' })).toMatchObject({
    orderType: 'LIMIT',
    price: '9',
  });
  expect(orderOf('SELL', { ...typed, price: '9', stop: '10' })).toMatchObject({
    ...{ orderType: 'STOP_LIMIT', limitPrice: '9', stopPrice: '10' },
  });
  expect(() => orderOf('BUY', { ...typed, 'time-in-force': 'DAY' })).toThrow('is one of GTC');
});

test('an event is one line: when, what, and the members that say what happened', () => {
  const data = [{ notice: 'OrderOpened', orderId: '7', timestamp: '1750000000000', source: 13 }];
  expect(eventLines({ table: 'order', data } as never)).toEqual([
    '15:06:40.000 order    notice=OrderOpened orderId=7',
  ]);
});
