import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvText, withIsoTimes } from '../../web/shared/csv.ts';
import {
  compare,
  distanceText,
  fixed,
  fundingText,
  grouped,
  nativeText,
  padded,
  percentText,
  signed,
  stepped,
  toStep,
  toStepWithin,
  tripText,
  typedNumber,
} from '../../web/shared/number-text.ts';
import { rowsAround } from '../../web/shared/rows-in-sight.ts';
import { isWaitingStop } from '../../web/trade/live-orders.ts';
import { EMPTY_STATE, TAPE_MAX, valuedBalances, withRead } from '../../web/trade/live-state.ts';
import { bidShare, rowsOf } from '../../web/trade/order-book/levels.ts';
import { bandNow, takenNearest } from '../../web/trade/price-band.ts';
import {
  buttonText,
  EMPTY_FORM,
  orderOf,
  reasonToConfirm,
  refusedIn,
  shareOfSize,
  stateWords,
  valueText,
} from '../../web/trade/ticket/form.ts';
import { apply } from './apply.ts';

/** What the page computes without a browser. */

test('how long an answer took has a width that the status bar keeps free', () => {
  const took = [2, 640, 999.4, 999.6, 1_234, 99_940, 99_960, 5_000_000];
  expect(took.map(tripText)).toEqual([
    '2 ms',
    '640 ms',
    '999 ms',
    '1.0 s',
    '1.2 s',
    '99.9 s',
    '100 s',
    '999 s',
  ]);
});

const decimal = fc
  .tuple(fc.bigInt(-(10n ** 18n), 10n ** 18n), fc.integer({ min: 0, max: 8 }))
  .map(([digits, scale]) => {
    const text = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, '0');
    const point = text.length - scale;
    return `${digits < 0n ? '-' : ''}${text.slice(0, point)}${scale === 0 ? '' : `.${text.slice(point)}`}`;
  });

test('numbers for the eye keep every digit, and what is shown can be typed again', () => {
  fc.assert(
    fc.property(decimal, (text) => {
      const shown = grouped(text);
      expect(shown.replaceAll(',', '').replace('−', '-')).toBe(text);
      if (!text.startsWith('-')) expect(typedNumber(shown)).toBe(text);
    }),
  );
  expect(grouped('-1234567.5')).toBe('−1,234,567.5');
  expect(fixed('1.999', 2)).toBe('1.99');
  expect(fixed('-0.001', 2)).toBe('0.00');
  expect(nativeText('9999.999')).toBe('9,999.99');
  expect(nativeText('10000.9')).toBe('10,000');
  expect(signed('12', grouped)).toBe('+12');
  expect(signed('0.00', grouped)).toBe('0.00');
  expect(percentText(-0.0184)).toBe('−1.84 %');
  expect(percentText(-0.00004, 1)).toBe('0.0 %');
});

test('prices and sizes have the decimals of tick and lot, and never fewer digits than there are', () => {
  expect(padded('0.2', '0.0001')).toBe('0.2000');
  expect(padded('15', '0.0001')).toBe('15.0000');
  expect(padded('60010.0', '1')).toBe('60,010');
  // Placed when the tick was finer.
  expect(padded('60010.25', '1')).toBe('60,010.25');
  expect(padded('-1234.50000000', '0.1')).toBe('−1,234.5');
  expect(padded('1200')).toBe('1,200');
  expect(fundingText('0.000010865')).toBe('+0.0011 %');
  expect(fundingText('-0.000000001')).toBe('0.0000 %');
  expect([-0.004, -0.224].map(distanceText)).toEqual(['−0.4 %', '−22 %']);
});

test('a field takes what can be read in one way only', () => {
  for (const typed of ['60,405', '60405', '60 405', ' 60405 ']) {
    expect(typedNumber(typed), typed).toBe('60405');
  }
  expect(typedNumber('60 405.5')).toBe('60405.5');
  expect(typedNumber('.5')).toBe('0.5');
  for (const typed of ['', '1,5', '1.000,5', '60,40', '1e5', '-5', 'abc', '1,0000']) {
    expect(typedNumber(typed), typed).toBeUndefined();
  }
  // Thousands never begin with 0: whoever writes this means an eighth.
  for (const typed of ['0,125', '0 125', "0'125", '00,125', '0,125,000']) {
    expect(typedNumber(typed), typed).toBeUndefined();
  }
});

test('steps of a price are whole ticks, and never at or below nothing', () => {
  expect(stepped('60405', '1', 10)).toBe('60415');
  expect(stepped('0.1', '0.1', -5)).toBe('0.1');
  expect(toStep('3018.74', '0.1')).toBe('3018.7');
  expect(toStep('3018.75', '0.1')).toBe('3018.8');
  expect(toStep('0.00019', '0.0001', 'down')).toBe('0.0001');
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 10 ** 9 }),
      fc.integer({ min: -99, max: 99 }),
      (ticks, by) => {
        const price = fixed(String(ticks / 100), 2);
        expect(compare(stepped(price, '0.01', by), '0')).toBe(1);
      },
    ),
  );
});

test('no cell of a CSV file runs as a formula, and every one can be read back', () => {
  const rows = [{ a: '=1+1', b: '-5.50', c: 'x "y", z', d: undefined, at: 1 }];
  expect(csvText(['a', 'b', 'c', 'd'], rows)).toBe(`a,b,c,d\r\n'=1+1,-5.50,"x ""y"", z",\r\n`);
  expect(csvText(['a'], [{ a: '-cmd' }])).toBe(`a\r\n'-cmd\r\n`);
  expect(withIsoTimes({ matchedAt: '1794764220000', id: '1794764220000' })).toEqual({
    matchedAt: '2026-11-15T17:37:00.000Z',
    id: '1794764220000',
  });
});

const PERP = {
  ...{ marketCode: 'BTC-USD-SWAP-LIN', type: 'FUTURE', base: 'BTC', counter: 'USD' },
  ...{ tickSize: '1', minSize: '0.0001', markPrice: '50000' },
};
const SPOT = { ...PERP, marketCode: 'BTC-USDT', type: 'SPOT', counter: 'USDT' };
const FILLED = { ...EMPTY_FORM, price: '60,405', size: '0.25' };

test('a size in OX becomes whole lots, at the price of the order, never more than it says', () => {
  const worth = { ...FILLED, isWorth: true, size: '1,000,000' };
  expect(orderOf(worth, PERP)).toMatchObject({ order: { quantity: '0.1655' } });
  expect(buttonText(worth, PERP)).toBe('Buy 0.1655 BTC at 60,405');
  expect(orderOf({ ...worth, kind: 'MARKET' }, PERP)).toMatchObject({
    order: { quantity: '0.2000' },
  });
  expect(valueText(worth, PERP, '50000')).toBe('999702.75');
  expect(orderOf({ ...worth, size: '5' }, PERP)).toEqual({
    faults: { size: 'is less than one lot' },
  });
  expect(orderOf({ ...worth, size: 'x' }, PERP)).toEqual({ faults: { size: 'is no number' } });
  // In a spot market nothing is counted in OX.
  expect(orderOf({ ...worth, size: '2' }, SPOT)).toMatchObject({ order: { quantity: '2' } });
});

test('the button says the order that is sent, for every type', () => {
  expect(buttonText(FILLED, PERP)).toBe('Buy 0.2500 BTC at 60,405');
  expect(orderOf(FILLED, PERP)).toEqual({
    order: {
      ...{ marketCode: 'BTC-USD-SWAP-LIN', side: 'BUY', orderType: 'LIMIT' },
      ...{ quantity: '0.25', price: '60405', timeInForce: 'GTC' },
    },
  });
  const market = { ...FILLED, kind: 'MARKET', side: 'SELL' } as const;
  expect(buttonText(market, PERP)).toBe('Sell 0.2500 BTC at market');
  expect(orderOf(market, PERP)).toEqual({
    order: { marketCode: PERP.marketCode, side: 'SELL', orderType: 'MARKET', quantity: '0.25' },
  });
  const stop = { ...FILLED, kind: 'STOP_LIMIT', stopPrice: '60,000', isReduceOnly: true } as const;
  expect(buttonText(stop, PERP)).toBe('Buy 0.2500 BTC at 60,405, stop 60,000');
  expect(orderOf(stop, PERP)).toMatchObject({
    order: { limitPrice: '60405', stopPrice: '60000', triggerType: 'MARK_PRICE', reduceOnly: true },
  });
  const spent = { ...FILLED, isAmount: true, size: '100' };
  expect(buttonText(spent, SPOT)).toBe('Buy 100 USDT at 60,405');
  expect(orderOf(spent, SPOT)).toMatchObject({ order: { amount: '100' } });
  expect(valueText(FILLED, PERP, '1')).toBe('1510125');
  // A price that is missing does not make a market order of it.
  for (const price of ['', 'abc', '60,40'])
    expect(buttonText({ ...FILLED, price }, PERP)).toBe('Buy 0.2500 BTC');
  expect(buttonText({ ...stop, stopPrice: '' }, PERP)).toBe('Buy 0.2500 BTC');
  expect(buttonText({ ...stop, kind: 'STOP_MARKET', stopPrice: '' }, PERP)).toBe('Buy 0.2500 BTC');
  expect(buttonText({ ...stop, kind: 'STOP_MARKET', price: '' }, PERP)).toBe(
    'Buy 0.2500 BTC at market, stop 60,000',
  );
});

test('the slider stands where a typed size is', () => {
  const at = (size: string, more = {}) =>
    shareOfSize({ ...FILLED, size, ...more }, PERP, '120000', '60000');
  expect(at('0.2')).toBe(10);
  expect(at('1200000', { isWorth: true, price: '60000' })).toBe(10);
  expect(at('5')).toBe(100);
  expect(at('')).toBe(0);
  // Before the account is known.
  expect(shareOfSize(FILLED, PERP, '0', '60000')).toBe(0);
});

test('a price that is moved stays on the tick and within the band', () => {
  const band = { lower: '57380.4', upper: '63419.9' };
  expect(toStepWithin('60000.4', '1', band)).toBe('60000');
  expect(toStepWithin('70000', '1', band)).toBe('63419');
  expect(toStepWithin('1', '1', band)).toBe('57381');
  expect(toStepWithin('1', '0.5', band)).toBe('57380.5');
  // Without a mark there is no band.
  expect(toStepWithin('70000', '5', { lower: '0', upper: undefined })).toBe('70000');
});

test('what cannot be read is said at its field, and nothing is sent', () => {
  expect(orderOf({ ...FILLED, size: '', price: '1,5' }, PERP)).toEqual({
    faults: { size: 'is needed', price: 'is no number' },
  });
  expect(orderOf({ ...FILLED, size: '0.000' }, PERP)).toEqual({
    faults: { size: 'must be above 0' },
  });
});

test('a refusal finds its field and the nearest valid value', () => {
  const stop = { ...FILLED, kind: 'STOP_LIMIT' as const };
  const at = (form: typeof FILLED, code: string, message: string) => {
    const { field, nearest } = refusedIn(form, PERP, code, message);
    return [field, nearest];
  };
  const price = 'price is invalid: price 60000.5 is not a multiple of tick 1; nearest 60001';
  expect(at(FILLED, '20021', price)).toEqual(['price', '60001']);
  expect(at(FILLED, '710005', 'insufficient margin: collateral 5 < initial margin 7')).toEqual([
    ...['size', undefined],
  ]);
  // The venue says which of the two it would accept.
  const limit =
    'stopPrice of a BUY order must not be above limitPrice: stopPrice 60500, limitPrice 60400; nearest limitPrice 60500';
  expect(at(stop, '20029', limit)).toEqual(['price', '60500']);
  const notAbove =
    'price, stopPrice and limitPrice must be greater than zero: stopPrice 0 is not above zero; nearest 1';
  expect(at(stop, '20028', notAbove)).toEqual(['stopPrice', '1']);
  const inForce = 'timeInForce is invalid: GTC does not go with MARKET; nearest IOC';
  expect(at(FILLED, '20018', inForce)).toEqual(['timeInForce', undefined]);
  expect(at(FILLED, '710008', 'too many open orders')).toEqual([undefined, undefined]);
});

test('the nearest price that is offered is one that the venue takes next: it lies within the band', () => {
  const banded = { ...PERP, lowerPriceBound: '57000', upperPriceBound: '63000' };
  const offTick = (price: string, nearest: string): string =>
    `price is invalid: price ${price} is not a multiple of tick 1; nearest ${nearest}`;
  const offered = (form: typeof FILLED, price: string, nearest: string) =>
    refusedIn(form, banded, '20021', offTick(price, nearest)).nearest;
  expect(offered(FILLED, '1.5', '2')).toBe('57000');
  expect(offered(FILLED, '99999.5', '100000')).toBe('63000');
  expect(offered(FILLED, '60000.5', '60001')).toBe('60001');
  // The limit of a stop is checked when it triggers.
  expect(offered({ ...FILLED, kind: 'STOP_LIMIT' }, '1.5', '2')).toBe('2');
  const now = bandNow(banded, { lowerPriceBound: '58000', upperPriceBound: '64000' });
  expect(takenNearest('price', '2', now)).toBe('58000');
  expect(takenNearest('stopPrice', '2', now)).toBe('2');
});

test('the ticket promises no cancel that the venue would refuse', () => {
  expect(stateWords('HALTED', 'the index is in doubt')).toBe(
    'Trading is halted: the index is in doubt. Orders stay as they are until the market opens.',
  );
  expect(stateWords('HALTED', undefined)).not.toContain('ancel');
  expect(stateWords('CANCEL_ONLY', undefined)).toContain('can be cancelled');
});

test('unusual orders need one confirmation', () => {
  const near = { best: '60400', confirmsMarket: true };
  expect(reasonToConfirm(FILLED, {}, near)).toBeUndefined();
  expect(reasonToConfirm({ ...FILLED, price: '70000' }, {}, near)).toContain('through the market');
  expect(reasonToConfirm(FILLED, { avgFillPrice: '61000' }, near)).toContain('Slippage 1.0 %');
  expect(reasonToConfirm(FILLED, { marginRatio: '55.3' }, near)).toContain('55.3');
  const market = { ...FILLED, kind: 'MARKET' } as const;
  expect(reasonToConfirm(market, {}, near)).toBe('Buy at market now?');
  expect(reasonToConfirm(market, {}, { ...near, confirmsMarket: false })).toBeUndefined();
  // The venue triggers it as soon as it is placed: it does not wait.
  const prices = { markPrice: '60400.5', last: '60600' };
  const sell = { ...FILLED, kind: 'STOP_MARKET', side: 'SELL', stopPrice: '60,500' } as const;
  const reached = 'The stop triggers at once. Send?';
  expect(reasonToConfirm(sell, {}, { ...near, prices })).toBe(reached);
  expect(reasonToConfirm({ ...sell, side: 'BUY' }, {}, { ...near, prices })).toBeUndefined();
  const byLast = { ...sell, triggerType: 'LAST_PRICE' } as const;
  expect(reasonToConfirm(byLast, {}, { ...near, prices })).toBeUndefined();
  expect(reasonToConfirm({ ...byLast, side: 'BUY' }, {}, { ...near, prices })).toBe(reached);
  const untraded = { ...prices, last: '0' };
  expect(reasonToConfirm(byLast, {}, { ...near, prices: untraded })).toBeUndefined();
});

test('rows of the book are groups that never look better than what is in them', () => {
  const options = { tick: 0.1, group: 5, count: 3 };
  const bids = [
    [100.4, 1],
    [100.1, 2],
    [99.9, 4],
  ] as const;
  expect(rowsOf(bids, { ...options, isBid: true }).map(({ total }) => total)).toEqual([3, 7]);
  expect(rowsOf(bids, { ...options, isBid: true })[0]?.price).toBeCloseTo(100);
  expect(rowsOf([[100.1, 1]], { ...options, isBid: false })[0]?.price).toBeCloseTo(100.5);
  expect(rowsOf(bids, { tick: 0.1, group: 1, count: 2, isBid: true })).toHaveLength(2);
  expect(
    bidShare([{ price: 1, quantity: 1, total: 3 }], [{ price: 2, quantity: 1, total: 1 }]),
  ).toBe(75);
  expect(bidShare([], [])).toBeUndefined();
});

test('of a long table the rows in sight and some beside them are drawn', () => {
  expect(rowsAround(0, 7)).toEqual({ from: 0, to: 32 });
  expect(rowsAround(100, 107)).toEqual({ from: 80, to: 128 });
  // Scrolled by a few rows they are the same.
  expect(rowsAround(102, 109)).toEqual({ from: 80, to: 128 });
});

const order = (changes: object) => ({
  ...{ orderId: '7', marketCode: 'M', side: 'BUY', orderType: 'LIMIT', price: '1', quantity: '2' },
  ...{ remainQuantity: '2', timeInForce: 'GTC', createdAt: '1', isTriggered: 'false' },
  ...{ status: 'OPEN', notice: 'OrderOpened', ...changes },
});
const message = (table: string, data: unknown, snapshot = false) => ({
  ...{ table, channel: table, seq: 1, data, snapshot },
});

test('orders are open from the venue saying so until it says otherwise', () => {
  let state = apply(EMPTY_STATE, message('order', [order({}), order({ orderId: '8' })], true));
  expect([...state.orders.keys()]).toEqual(['7', '8']);
  state = apply(
    state,
    message('order', [order({ notice: 'OrderClosed', status: 'CANCELED_BY_USER' })]),
  );
  expect([...state.orders.keys()]).toEqual(['8']);
  const match = {
    orderId: '8',
    notice: 'OrderMatched',
    matchId: '1',
    matchPrice: '1',
    matchQuantity: '1',
  };
  state = apply(
    state,
    message('order', [order({ ...match, status: 'PARTIAL_FILL', remainQuantity: '1' })]),
  );
  expect(state.orders.get('8')?.remainQuantity).toBe('1');
  state = apply(
    state,
    message('order', [order({ ...match, status: 'FILLED', remainQuantity: '0' })]),
  );
  expect(state.orders.size).toBe(0);
  expect(state.fills).toHaveLength(2);
  state = apply(state, message('order', [order({ orderId: '9', orderType: 'STOP_LIMIT' })], true));
  expect([...state.orders.values()].map(isWaitingStop)).toEqual([true]);
});

test('positions and balances: a snapshot replaces, a message updates, empty ones are removed', () => {
  const position = (instrumentId: string, quantity: string) => ({ instrumentId, quantity });
  let state = apply(
    EMPTY_STATE,
    message('position', [position('A', '1'), position('B', '-2')], true),
  );
  state = apply(state, message('position', [position('A', '0.0')]));
  expect(Object.keys(state.positions)).toEqual(['B']);
  state = apply(state, message('balance', [{ instrumentId: 'OX', total: '1' }], true));
  state = apply(state, message('balance', [{ instrumentId: 'BTC', total: '2' }, {}]));
  expect(Object.keys(state.balances)).toEqual(['OX', 'BTC']);
});

test('balances are shown with what the venue says they are worth, once it has said so', () => {
  let state = apply(EMPTY_STATE, message('balance', [{ instrumentId: 'BTC', total: '2' }], true));
  expect(valuedBalances(state)).toMatchObject([{ asset: 'BTC', total: '2' }]);
  const worth = { asset: 'BTC', value: '12000000', collateralValue: '10800000' };
  state = apply(state, message('account', [{ marginRatio: '0', balances: [worth] }]));
  expect(valuedBalances(state)).toMatchObject([{ total: '2', ...worth }]);
});

test('the tape is bounded, and the newest trade stands first', () => {
  let state = EMPTY_STATE;
  for (let at = 0; at < TAPE_MAX + 50; at++) {
    state = apply(state, message('trade', [{ tradeId: String(at), side: 'SELL', timestamp: '1' }]));
  }
  expect(state.tape).toHaveLength(TAPE_MAX);
  expect(state.tape[0]).toMatchObject({ id: String(TAPE_MAX + 49), side: 'SELL' });
});

test('a trade that was read and streamed, whichever came first, is listed once, and none of its millisecond is lost', () => {
  const trade = (tradeId: string, timestamp = '5') =>
    message('trade', [{ tradeId, side: 'SELL', price: '1', quantity: '1', timestamp }]);
  const ids = (tape: typeof EMPTY_STATE.tape) => tape.map(({ id }) => id);
  const streamed = ['8', '9', '10'].reduce((state, id) => apply(state, trade(id)), EMPTY_STATE);
  // The read ends in the middle of a millisecond.
  const read = withRead(streamed.tape, streamed.tape.slice(1));
  expect(ids(read)).toEqual(['10', '9', '8']);
  const after = [trade('9'), trade('10'), trade('11')].reduce(apply, {
    ...EMPTY_STATE,
    tape: read,
  });
  expect(ids(after.tape)).toEqual(['11', '10', '9', '8']);
  // A venue that was begun anew counts from 1.
  expect(ids(apply(after, trade('1', '6')).tape)[0]).toBe('1');
});
