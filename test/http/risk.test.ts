import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { OrderSent, RialtoClient } from '../../src/client/index.ts';
import { BTC, limit, place, SPOT, spot } from './trading.ts';
import {
  accountOf,
  clientFor,
  clientOf,
  keyOf,
  rawCall,
  refusalOf,
  startVenue,
  type Venue,
} from './venue.ts';

let venue: Venue;
let one: RialtoClient;
let two: RialtoClient;
beforeAll(async () => {
  venue = await startVenue();
  one = clientFor(venue);
  two = clientFor(venue, 'main', 1);
});
afterAll(() => venue?.stop());
beforeEach(async () => {
  await one.cancelAllOrders();
  await two.cancelAllOrders();
});

type Account = Awaited<ReturnType<RialtoClient['account']>>[number];
const accountNow = async (rialto: RialtoClient): Promise<Account> => {
  const [own] = await rialto.account();
  if (own === undefined) throw new Error('a key has an account');
  return own;
};
/** The predictable figures: everything except when a balance or a position last changed. */
const figures = ({ balances, positions = [], ...rest }: Account) => ({
  ...rest,
  balances: balances.map(({ lastUpdatedAt: _, ...balance }) => balance),
  positions: positions.map(({ lastUpdatedAt: _, ...position }) => position),
});
const supposed = ({ marketCode, side, quantity, price }: ReturnType<typeof limit>) => ({
  ...{ marketCode, side, quantity, price },
});

test('an estimate of nothing is the account itself, in its own shape', async () => {
  await place(one, spot('BUY', '0.1', '59000'));
  expect(await one.estimateMargin()).toEqual(await accountNow(one));
});

test('an estimate of fills is the account once they have happened', async () => {
  await place(two, limit('SELL', '0.5', '60100'));
  await place(two, spot('SELL', '0.2', '60000'));
  const fills = [limit('BUY', '0.5', '60100'), spot('BUY', '0.2', '60000')];
  const predicted = await one.estimateMargin({ fills: fills.map(supposed) });
  for (const fill of fills) expect((await place(one, fill)).status).toBe('FILLED');
  expect(figures(predicted)).toEqual(figures(await accountNow(one)));
});

test('an estimate of open orders is the account once they stand', async () => {
  const orders = [
    limit('SELL', '2', '61000'),
    limit('BUY', '1', '59000'),
    spot('SELL', '1', '61000'),
  ];
  const predicted = await one.estimateMargin({ orders: orders.map(supposed) });
  for (const order of orders) expect((await place(one, order)).status).toBe('OPEN');
  expect(figures(predicted)).toEqual(figures(await accountNow(one)));
});

test('an estimate of a fall shows the loss, and prices stand as they stood', async () => {
  await place(two, limit('SELL', '1', '60000'));
  await place(one, limit('BUY', '1', '60000'));
  const now = await accountNow(one);
  const fallen = await one.estimateMargin({ prices: [{ asset: 'BTC', price: '30000' }] });
  expect(Number(fallen.collateral)).toBeLessThan(Number(now.collateral));
  expect(fallen.positions?.[0]?.markPrice).toBe('30000');
  expect(Number(fallen.positions?.[0]?.positionPnl)).toBeLessThan(0);
  const [market] = await one.markets({ marketCode: BTC });
  expect([market?.markPrice, market?.indexPrice]).toEqual(['60000', '60000']);
});

test('a preview is what placing the order then does', async () => {
  const { price: _, ...market } = limit('BUY', '0.025', '');
  const { price: __, quantity: ___, ...spend } = spot('BUY', '', '');
  const orders: OrderSent[] = [
    { ...market, orderType: 'MARKET' },
    limit('BUY', '0.05', '60050'),
    limit('BUY', '0.05', '60050', { timeInForce: 'IOC' }),
    // Nine lots: such a thin side of the book does not move the mark during the test.
    limit('BUY', '0.0009', '59000'),
    { ...spend, orderType: 'MARKET', amount: '700' },
    spot('BUY', '0.02', '60010'),
  ];
  for (const order of orders) {
    await one.cancelAllOrders();
    await two.cancelAllOrders();
    for (const offer of [limit, spot]) {
      await place(two, offer('SELL', '0.01', '60000'));
      await place(two, offer('SELL', '0.03', '60010'));
    }
    const predicted = await one.previewOrder(order);
    const [placed] = await one.placeOrders({ orders: [order] });
    const what = JSON.stringify(order);
    expect(predicted.filledQuantity, what).toBe(placed?.cumulativeMatchedQuantity ?? '0.0');
    expect(predicted.remainQuantity, what).toBe(placed?.remainQuantity);
    expect(predicted.avgFillPrice, what).toBe(placed?.avgFillPrice);
    const { fees = [] } = await one.orderStatus({ orderId: placed?.orderId ?? '' });
    expect(predicted.fees, what).toEqual(fees);
    // The rate it reports is the one that was charged.
    const paid = fees[0]?.['OX'];
    if (paid !== undefined) {
      const value = Number(predicted.avgFillPrice) * Number(predicted.filledQuantity) * 100;
      expect(Number(paid), what).toBeCloseTo(value * Number(predicted.takerFeeRate), 4);
    }
    const { collateral, portfolioVarMargin, maintenanceMargin, marginRatio } =
      await accountNow(one);
    expect(predicted, what).toMatchObject({
      ...{ collateral, portfolioVarMargin, maintenanceMargin, marginRatio },
    });
    expect(predicted.refusal).toBeUndefined();
  }
});

test('a preview of an order that would be refused says so, and bad input is refused itself', async () => {
  for (const order of [limit('BUY', '0.01', '70000'), spot('BUY', '90', '60000')]) {
    const { refusal } = await one.previewOrder(order);
    const { code, message } = await place(one, order);
    expect(refusal).toEqual({ code, message });
  }
  for (const order of [limit('BUY', '0.00001', '60000'), limit('BUY', '1', '60000.5')]) {
    const { code, message } = await place(one, order);
    expect(await refusalOf(one.previewOrder(order))).toMatchObject({ status: 400, code, message });
  }
  const fills = Array(51).fill(supposed(limit('BUY', '1', '60000')));
  expect(await refusalOf(one.estimateMargin({ fills }))).toMatchObject({ code: '20001' });
});

/** The lots and cost of a position, without the figures that depend on the mark. */
const lotsOf = (accounts: Awaited<ReturnType<RialtoClient['positions']>>) =>
  accounts.map(({ positions }) =>
    positions.map(({ marketCode, position, entryPrice }) => [marketCode, position, entryPrice]),
  );

test('neither changes anything, and a key that may only read is enough', async () => {
  const key = keyOf(accountOf(venue, 'main'), 'read');
  const readOnly = clientOf(venue, key);
  await place(one, limit('BUY', '0.1', '59000'));
  await place(two, limit('SELL', '1', '60000'));
  await place(two, spot('SELL', '1', '60000'));
  // Without the margin figures: the mark moves with the book during the test.
  const seen = async () => [
    await one.balances(),
    await two.balances(),
    await one.positions().then(lotsOf),
    await two.positions().then(lotsOf),
    await one.workingOrders(),
    await two.workingOrders(),
    await one.depth({ marketCode: BTC }).then(({ asks, bids }) => ({ asks, bids })),
    await one.depth({ marketCode: SPOT }).then(({ asks, bids }) => ({ asks, bids })),
    await one.trades(),
    await one.wallet(),
  ];
  const before = await seen();
  const fill = supposed(limit('BUY', '1', '60000'));
  for (let times = 0; times < 3; times++) {
    await readOnly.previewOrder(limit('BUY', '0.5', '60000'));
    await readOnly.previewOrder(spot('BUY', '0.5', '60000'));
    await readOnly.estimateMargin({
      prices: [{ asset: 'BTC', price: '50000' }],
      fills: [fill],
      orders: [fill],
    });
  }
  expect(await seen()).toEqual(before);
  for (const path of ['/v3/orders/preview', '/v3/margin/estimate']) {
    expect((await rawCall(venue, { method: 'POST', path, body: '{}' })).status).toBe(401);
  }
});
