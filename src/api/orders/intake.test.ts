import { describe, expect, test } from 'vitest';
import { venueWith } from '../../../test/support/core-venue.ts';
import { directoryOf } from '../../core/views/views.ts';
import { isRefusal, REJECTIONS, type Rejection } from '../../domain/rejections.ts';
import { readJson } from '../../wire/json.ts';
import { readAmendment, readRef } from './amend-intake.ts';
import { readOrder } from './intake.ts';

const directory = directoryOf(venueWith({}).state);

/** As it comes from the wire: through the exact JSON reader. */
const read = (sent: object | string) =>
  readOrder(directory, readJson(typeof sent === 'string' ? sent : JSON.stringify(sent)));

const LIMIT = {
  marketCode: 'BTC-USD-SWAP-LIN',
  side: 'BUY',
  orderType: 'LIMIT',
  quantity: '0.01',
  price: '60000',
};
const SPOT = { ...LIMIT, marketCode: 'BTC-USDT' };
const STOP = { ...LIMIT, orderType: 'STOP_LIMIT', stopPrice: '61000', limitPrice: '62000' };

test('an order is read into ticks and lots', () => {
  expect(read(LIMIT)).toEqual({
    market: directory.marketByCode('BTC-USD-SWAP-LIN'),
    version: 1,
    side: 'BUY',
    orderType: 'LIMIT',
    timeInForce: 'GTC',
    stpMode: 'NONE',
    triggerType: 'MARK_PRICE',
    clientOrderId: 0n,
    priceTicks: 60_000,
    stopTicks: 0,
    sizeLots: 100,
    displayLots: 0,
    amountParts: 0n,
    reduceOnly: false,
  });
});

test('numbers may be numbers, exponents too; nulls are absent and strange members ignored', () => {
  const text =
    '{"marketCode":"BTC-USDT","side":"SELL","orderType":"LIMIT","quantity":9e-05,"price":60000.01,' +
    '"clientOrderId":null,"source":1000,"requested":false,"stopPrice":null,"tag":{"deep":[1]}}';
  expect(read(text)).toMatchObject({ sizeLots: 9, priceTicks: 6_000_001, clientOrderId: 0n });
});

test('a label is 1 to 36 printable ASCII characters, and left out where it is none', () => {
  const labelled = (label: unknown) => read(JSON.stringify({ ...LIMIT, label }));
  for (const label of ['a', ' ', '~'.repeat(36), '"quoted" \\']) {
    expect(labelled(label), label).toMatchObject({ texts: { label } });
  }
  expect(labelled(17)).toMatchObject({ texts: { label: '17' } });
  expect(Object.keys(labelled(null))).not.toContain('texts');
  const rows: [unknown, string][] = [
    ['', 'label is empty; leave it out, or send 1 to 36 characters'],
    ['x'.repeat(37), `label has 37 characters, at most 36; nearest "${'x'.repeat(36)}"`],
    ['caf\u00e9', 'label has characters beyond printable ASCII; nearest "caf?"'],
    ['a\nb', 'label has characters beyond printable ASCII; nearest "a?b"'],
    ['\u007f', 'label has characters beyond printable ASCII; nearest "?"'],
    [['a'], 'label ["a"] is no text'],
    [true, 'label true is no text'],
  ];
  for (const [label, why] of rows) {
    expect(labelled(label), why).toEqual({
      rejected: 'ORDER_TEXT_INVALID',
      message: `A text of the order is invalid: ${why}`,
    });
  }
});

test('64-bit ids are exact, as number and as text', () => {
  const most = 9_223_372_036_854_775_807n;
  for (const id of [`${most}`, `"${most}"`, '9007199254740993', '"9007199254740993"', '0', '""']) {
    const text = JSON.stringify(LIMIT).replace('{', `{"clientOrderId":${id},`);
    expect(read(text), id).toMatchObject({ clientOrderId: BigInt(id.replaceAll('"', '')) });
  }
});

test('the aliases of older clients', () => {
  const { limitPrice, stopPrice, ...bare } = STOP;
  const same = [
    { ...bare, orderType: 'STOP', stopPrice, price: limitPrice },
    { ...bare, triggerPrice: stopPrice, limitPrice },
    { ...STOP, price: '1', triggerPrice: '1', triggerType: 'MARK_PRICE' },
  ];
  const expected = { orderType: 'STOP_LIMIT', priceTicks: 62_000, stopTicks: 61_000 };
  for (const sent of same) expect(read(sent)).toMatchObject(expected);
  expect(read({ ...STOP, triggerType: 'LAST_PRICE' })).toMatchObject({ triggerType: 'LAST_PRICE' });
});

test('without a limit price an order is IOC, unless it asks for all or nothing', () => {
  const { price, ...market } = { ...LIMIT, orderType: 'MARKET' };
  expect(read(market)).toMatchObject({ timeInForce: 'IOC', priceTicks: 0 });
  expect(read({ ...market, timeInForce: 'FOK', price })).toMatchObject({ timeInForce: 'FOK' });
  const stop = { ...market, orderType: 'STOP_MARKET', stopPrice: '61000' };
  expect(read(stop)).toMatchObject({ timeInForce: 'IOC', stopTicks: 61_000 });
});

test('amount goes with any spot BUY', () => {
  const { quantity, price, ...bare } = { ...SPOT, orderType: 'MARKET' };
  for (const sent of [bare, { ...bare, quantity: null }, { ...bare, quantity: '0.0' }]) {
    expect(read({ ...sent, amount: '100.5' })).toMatchObject({
      amountParts: 10_050_000_000n,
      sizeLots: 0,
    });
  }
  expect(read({ ...SPOT, quantity: 0, amount: 60 })).toMatchObject({ amountParts: 6_000_000_000n });
  expect(read({ ...LIMIT, amount: '0', quantity })).toMatchObject({ amountParts: 0n });
});

const reasonOf = (sent: object): string => {
  const found = read(sent);
  return isRefusal(found) ? found.rejected : 'read';
};

test('a refused order gets the first reason of the catalogue that applies', () => {
  // Each row mends one fault of the row above it, so the next reason comes to light.
  const mended: [object, Rejection | 'read'][] = [
    [{}, 'MARKET_REQUIRED'],
    [{ marketCode: 'NOPE' }, 'MARKET_UNKNOWN'],
    [{ marketCode: 'BTC-USDT' }, 'SIDE_REQUIRED'],
    [{ side: 'buy' }, 'SIDE_INVALID'],
    [{ side: 'SELL' }, 'ORDER_TYPE_REQUIRED'],
    [{ orderType: 'STOP_MARKET' }, 'ORDER_TYPE_INVALID'],
    [{ orderType: 'STOP_LIMIT', timeInForce: 'DAY' }, 'TIME_IN_FORCE_INVALID'],
    [{ timeInForce: 'GTC', selfTradePreventionMode: 'X' }, 'STP_MODE_INVALID'],
    [{ selfTradePreventionMode: 'NONE', clientOrderId: '1.5' }, 'CLIENT_ORDER_ID_NOT_LONG'],
    [{ clientOrderId: '-1', amount: '5' }, 'CLIENT_ORDER_ID_NEGATIVE'],
    [{ clientOrderId: '1' }, 'AMOUNT_NOT_SUPPORTED'],
    [{ amount: null }, 'QUANTITY_NOT_POSITIVE'],
    [{ quantity: '0.000001', displayQuantity: '1' }, 'QUANTITY_OFF_LOT'],
    [{ quantity: '0.5' }, 'DISPLAY_QUANTITY_INVALID'],
    [{ displayQuantity: '0.5', triggerType: 'BEST' }, 'TRIGGER_TYPE_INVALID'],
    [{ triggerType: null, reduceOnly: true }, 'STOP_PRICE_INVALID'],
    [{ stopPrice: '-1' }, 'STOP_PRICE_INVALID'],
    [{ limitPrice: '61000' }, 'PRICE_NOT_POSITIVE'],
    [{ stopPrice: '60000' }, 'SELL_STOP_BELOW_LIMIT'],
    [{ limitPrice: '60000' }, 'REDUCE_ONLY_INVALID'],
    [{ reduceOnly: false }, 'read'],
  ];
  let sent = {};
  for (const [mend, expected] of mended) {
    sent = { ...sent, ...mend };
    expect(reasonOf(sent), JSON.stringify(sent)).toBe(expected);
  }
});

describe('a refusal names the rule, the value, the limit and the nearest valid value', () => {
  const rows: [object, string, string][] = [
    [{ ...LIMIT, marketCode: '' }, '20011', 'marketCode is required'],
    [{ ...LIMIT, marketCode: 'X-Y' }, '20015', 'there is no X-Y'],
    [{ ...LIMIT, side: null }, '20012', 'one of BUY, SELL'],
    [{ ...LIMIT, side: 'LONG' }, '20016', 'LONG is none of BUY, SELL'],
    [{ ...LIMIT, orderType: undefined }, '20013', 'one of LIMIT, MARKET'],
    [{ ...LIMIT, orderType: 'limit' }, '20017', 'limit is none of'],
    [{ ...SPOT, orderType: 'STOP_MARKET' }, '20017', 'for perpetual markets'],
    [{ ...LIMIT, timeInForce: 'PO' }, '20018', 'PO is none of GTC, IOC'],
    [{ ...LIMIT, orderType: 'MARKET', timeInForce: 'MAKER_ONLY' }, '20018', 'nearest IOC'],
    [{ ...LIMIT, selfTradePreventionMode: true }, '20050', 'true is none of NONE'],
    [{ ...LIMIT, clientOrderId: 'abc' }, '20014', 'abc is no whole number'],
    [
      { ...LIMIT, clientOrderId: '9223372036854775808' },
      '20014',
      '9223372036854775808 is above 9223372036854775807; nearest 9223372036854775807',
    ],
    [{ ...LIMIT, clientOrderId: -5 }, '20008', '-5 is below zero; nearest 1'],
    [{ ...LIMIT, amount: '5' }, '20044', 'not BUY BTC-USD-SWAP-LIN'],
    [{ ...SPOT, side: 'SELL', amount: '5' }, '20044', 'not SELL BTC-USDT'],
    [{ ...SPOT, amount: '5' }, '20044', 'amount and quantity do not go together'],
    [{ ...SPOT, quantity: '0', amount: 'x' }, '20044', 'amount x is not above zero'],
    [
      { ...SPOT, quantity: '0', amount: '1.123456789' },
      '20044',
      'has 9 decimals, USDT has 8; nearest 1.12345678',
    ],
    [{ ...SPOT, quantity: '0', amount: '1e30' }, '710004', 'beyond what can be held'],
    [{ ...SPOT, quantity: '0', amount: '0.5' }, '100008', 'nearest 0.6'],
    [{ ...SPOT, quantity: '', amount: '46116860184', price: '0.01' }, '710004', 'buys too much'],
    [{ ...LIMIT, quantity: undefined }, '20006', 'quantity is missing; nearest 0.0001'],
    [{ ...LIMIT, quantity: '-1' }, '20006', 'quantity -1 is not above zero; nearest 0.0001'],
    [{ ...LIMIT, quantity: 'many' }, '20006', 'quantity many is no number'],
    [
      { ...LIMIT, quantity: '0.00026' },
      '100008',
      'quantity 0.00026 is not a multiple of lot 0.0001; nearest 0.0003',
    ],
    [{ ...LIMIT, quantity: '0.00001' }, '100008', 'nearest 0.0001'],
    [{ ...LIMIT, quantity: '1e30' }, '710004', 'quantity 1e30 > maximum 100; nearest 100'],
    [{ ...LIMIT, displayQuantity: '0' }, '20001', 'displayQuantity 0 is not above zero'],
    [{ ...LIMIT, displayQuantity: '0.02' }, '20001', 'above quantity 0.01; nearest 0.01'],
    [{ ...SPOT, quantity: 0, amount: 60, displayQuantity: 1 }, '20001', 'not with amount'],
    [{ ...LIMIT, price: undefined }, '20022', 'price is required'],
    [{ ...LIMIT, price: '0' }, '20028', 'price 0 is not above zero; nearest 1'],
    [
      { ...LIMIT, price: '60000.3' },
      '20021',
      'price 60000.3 is not a multiple of tick 1; nearest 60000',
    ],
    [{ ...LIMIT, price: 'high' }, '20021', 'price high is no number'],
    [{ ...LIMIT, price: '1e25' }, '710003', 'above all bounds'],
    [{ ...STOP, triggerType: 'INDEX' }, '20033', 'INDEX is none of MARK_PRICE, LAST_PRICE'],
    [{ ...STOP, stopPrice: null }, '20020', 'stopPrice is missing'],
    [{ ...STOP, limitPrice: null, price: null }, '20020', 'limitPrice is missing'],
    [{ ...STOP, stopPrice: '1.5' }, '20020', 'stopPrice 1.5 is not a multiple of tick 1'],
    [{ ...STOP, limitPrice: '0' }, '20028', 'limitPrice 0 is not above zero'],
    [{ ...STOP, limitPrice: '60000' }, '20029', 'nearest limitPrice 61000'],
    [{ ...STOP, side: 'SELL' }, '20030', 'stopPrice 61000, limitPrice 62000'],
    [{ ...SPOT, reduceOnly: 'true' }, '20001', 'BTC-USDT is spot'],
    [{ ...LIMIT, reduceOnly: 'maybe' }, '20001', 'maybe is none of true, false'],
  ];
  test.each(rows)('%j', (sent, code, words) => {
    const found = read(sent);
    if (!isRefusal(found)) throw new Error('it was read');
    expect(REJECTIONS[found.rejected].code).toBe(code);
    expect(found.message).toContain(words);
  });
});

test('what is no object is an order that says nothing', () => {
  for (const sent of ['x', undefined, null, [], true]) {
    expect(readOrder(directory, sent)).toMatchObject({ rejected: 'MARKET_REQUIRED' });
  }
});

test('an open order is named by market and by one of its ids', () => {
  const rows: [object, object][] = [
    [{}, { rejected: 'MARKET_REQUIRED' }],
    [{ marketCode: 'NOPE', orderId: '1' }, { rejected: 'MARKET_UNKNOWN' }],
    [{ marketCode: 'BTC-USDT' }, { rejected: 'ORDER_ID_REQUIRED' }],
    [{ marketCode: 'BTC-USDT', orderId: '0' }, { rejected: 'ORDER_ID_REQUIRED' }],
    [{ marketCode: 'BTC-USDT', orderId: 'x' }, { rejected: 'ORDER_ID_INVALID' }],
    [{ marketCode: 'BTC-USDT', orderId: '-4' }, { rejected: 'ORDER_ID_INVALID' }],
    [{ marketCode: 'BTC-USDT', clientOrderId: '1.5' }, { rejected: 'CLIENT_ORDER_ID_NOT_LONG' }],
    [
      { marketCode: 'BTC-USDT', orderId: '1000200000001' },
      { orderId: 1_000_200_000_001, clientOrderId: 0n },
    ],
    [
      { marketCode: 'BTC-USDT', orderId: '9223372036854775807', clientOrderId: '7' },
      { orderId: Number.MAX_SAFE_INTEGER, clientOrderId: 7n },
    ],
  ];
  for (const [sent, expected] of rows) expect(readRef(directory, sent)).toMatchObject(expected);
});

test('an amendment names what shall change, and 0 stands for what stays', () => {
  const ref = { marketCode: 'BTC-USDT', orderId: '5' };
  const rows: [object, object][] = [
    [{}, { rejected: 'AMEND_INVALID' }],
    [{ price: '60000.005' }, { rejected: 'PRICE_OFF_TICK' }],
    [{ limitPrice: '60000.005' }, { rejected: 'STOP_PRICE_INVALID' }],
    [{ quantity: '0' }, { rejected: 'QUANTITY_NOT_POSITIVE' }],
    [{ quantity: '2' }, { priceTicks: 0, stopTicks: 0, sizeLots: 200_000, version: 1 }],
    [
      { price: '60000.5', stopPrice: '60000' },
      { priceTicks: 6_000_050, stopTicks: 6_000_000, sizeLots: 0 },
    ],
  ];
  for (const [changes, expected] of rows) {
    expect(readAmendment(directory, { ...ref, ...changes })).toMatchObject(expected);
  }
});

test('of price and limitPrice an amendment takes that of the type, as a new order does', () => {
  const both = { marketCode: 'BTC-USDT', orderId: '5', price: '60100', limitPrice: '60000' };
  const differ = {
    rejected: 'AMEND_INVALID',
    message:
      'Invalid request data: price 60100 and limitPrice 60000 differ: send one of them, or the orderType',
  };
  const rows: [object, object][] = [
    [{ orderType: 'LIMIT' }, { priceTicks: 6_010_000 }],
    [{ orderType: 'LIMIT', limitPrice: 'x' }, { priceTicks: 6_010_000 }],
    [{ orderType: 'STOP_LIMIT' }, { priceTicks: 6_000_000 }],
    [{ orderType: 'STOP' }, { priceTicks: 6_000_000 }],
    [{ orderType: 'LIMIT', price: undefined }, { priceTicks: 6_000_000 }],
    [{ limitPrice: '60100.00' }, { priceTicks: 6_010_000 }],
    [{}, differ],
    [{ orderType: 'STOP_MARKET' }, differ],
    [{ price: '60100.005' }, { rejected: 'PRICE_OFF_TICK' }],
  ];
  for (const [changes, expected] of rows) {
    expect(readAmendment(directory, { ...both, ...changes })).toMatchObject(expected);
  }
});
