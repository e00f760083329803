import { beforeEach, describe, expect, test } from 'vitest';
import { accountIdText } from '../../domain/ids.ts';
import { CORE_NOW_MS, edgeOverCore } from '../core-venue.fixture.ts';

let edge = edgeOverCore();
beforeEach(() => {
  edge = edgeOverCore();
});

const ETH = { marketCode: 'ETH-USD-SWAP-LIN', orderType: 'LIMIT' };
const ask3000 = { ...ETH, side: 'SELL', quantity: '0.01', price: '3000' };
const bid = (quantity: string, price = '3000') => ({ ...ETH, side: 'BUY', quantity, price });
const spotSell = {
  ...{ marketCode: 'OX-USDT', side: 'SELL', orderType: 'LIMIT' },
  ...{ quantity: '400', price: '0.011' },
};
const NOW = String(CORE_NOW_MS);
const ACCOUNT_ID = accountIdText(edge.core.account('alice', 'main'));
const ORDER_ID = expect.stringMatching(/^1000\d{9}$/);
const place = async (orders: readonly object[], changes = {}, family = 'alice') =>
  (await edge.place(orders, changes, family)).data;

describe('cancel', () => {
  const cancel = async (orders: object[], changes = {}, family = 'alice') =>
    (await edge.ask(family, 'DELETE', '/v3/orders/cancel', { body: { ...changes, orders } })).data;

  test('FULL shows all of the order, ACK that it is gone, and what is not found its ids', async () => {
    const [{ orderId }] = await place([{ ...ask3000, clientOrderId: '5' }]);
    const ref = { marketCode: ETH.marketCode };
    const [done, again] = await cancel([
      { ...ref, orderId },
      { ...ref, orderId, clientOrderId: 1717000001111 },
    ]);
    expect(done).toEqual({
      notice: 'OrderClosed',
      accountId: ACCOUNT_ID,
      orderId,
      submitted: true,
      clientOrderId: '5',
      marketCode: 'ETH-USD-SWAP-LIN',
      status: 'CANCELED_BY_USER',
      side: 'SELL',
      price: '3000.0',
      isTriggered: false,
      quantity: '0.01',
      amount: '0.0',
      displayQuantity: '0.01',
      remainQuantity: '0.01',
      orderType: 'LIMIT',
      timeInForce: 'GTC',
      closedAt: NOW,
    });
    expect(again).toEqual({
      accountId: ACCOUNT_ID,
      code: '40035',
      message: expect.stringContaining('Open order not found'),
      submitted: false,
      orderId,
      clientOrderId: '1717000001111',
      marketCode: 'ETH-USD-SWAP-LIN',
      closedAt: NOW,
    });
    await place([{ ...ask3000, clientOrderId: '6' }]);
    const [ack] = await cancel([{ ...ref, orderId: '1', clientOrderId: 6 }], {
      responseType: 'ACK',
    });
    expect(ack).toEqual({
      accountId: ACCOUNT_ID,
      orderId: ORDER_ID,
      submitted: true,
      clientOrderId: '6',
      marketCode: 'ETH-USD-SWAP-LIN',
      closedAt: NOW,
    });
  });

  test('a stop-limit is spelled STOP here', async () => {
    const stop = { ...ETH, orderType: 'STOP_LIMIT', side: 'BUY', quantity: '0.01' };
    await place([{ ...stop, stopPrice: '3100', limitPrice: '3110', clientOrderId: 9 }]);
    const [done] = await cancel([{ marketCode: ETH.marketCode, clientOrderId: '9' }]);
    expect(done).toMatchObject({
      orderType: 'STOP',
      stopPrice: '3100.0',
      triggerType: 'MARK_PRICE',
    });
  });

  test('an order of another account, or of another market, is not found', async () => {
    const [{ orderId }] = await place([ask3000]);
    const ref = { marketCode: ETH.marketCode, orderId };
    const [foreign] = await cancel([ref], {}, 'bob');
    const [elsewhere] = await cancel([{ ...ref, marketCode: 'BTC-USD-SWAP-LIN' }]);
    expect([foreign.code, elsewhere.code]).toEqual(['40035', '40035']);
  });

  test('all: with any body, twice in a row, for one market or every', async () => {
    const path = '/v3/orders/cancel-all';
    const all = async (sent: object) =>
      (await edge.ask('alice', 'DELETE', path, sent)).data?.notice;
    const queued = 'Orders queued for cancelation';
    for (const sent of [{ body: '{}' }, { body: 'null' }, {}, { body: '{"marketCode":null}' }]) {
      await place([ask3000, spotSell]);
      expect(await all(sent), JSON.stringify(sent)).toBe(queued);
      expect(await all(sent)).toBe('No working orders found');
    }
    await place([ask3000, spotSell]);
    expect(await all({ body: { marketCode: 'BTC-USDT' } })).toBe('No working orders found');
    expect(await all({ query: 'marketCode=OX-USDT', body: '{"marketCode":null}' })).toBe(queued);
    const left = (await edge.ask('alice', 'GET', '/v3/orders/working')).data;
    expect(left).toMatchObject([{ marketCode: ETH.marketCode }]);
    const wrong = await edge.ask('alice', 'DELETE', path, { body: { marketCode: 'NOPE' } });
    expect([wrong.status, wrong.code]).toEqual([400, '20001']);
    // What a halted market keeps was found, but may not be cancelled.
    await place([spotSell]);
    const halt = { market: ETH.marketCode, state: 'HALTED', reason: 'test' } as const;
    edge.core.apply({ kind: 'set-market-state', actor: 'test', ...halt });
    expect(await all({})).toBe(queued);
    for (const body of ['{}', { marketCode: ETH.marketCode }]) {
      const kept = await edge.ask('alice', 'DELETE', path, { body });
      expect([kept.status, kept.code]).toEqual([400, '20031']);
      expect(kept.message).toContain(`${ETH.marketCode} is HALTED`);
    }
    expect(await all({ body: { marketCode: 'BTC-USDT' } })).toBe('No working orders found');
  });
});

describe('modify', () => {
  const modify = async (orders: object[]) =>
    (await edge.ask('alice', 'POST', '/v3/orders/modify', { body: { orders } })).data;
  const ref = { marketCode: ETH.marketCode };

  test('price and quantity change, side and type do not', async () => {
    const [{ orderId }] = await place([bid('0.05', '2900')]);
    const rows: [object, object][] = [
      [
        { quantity: '0.03' },
        { notice: 'OrderModified', status: 'OPEN', quantity: '0.03', price: '2900.0' },
      ],
      [
        { price: 2950, side: 'BUY', orderType: 'LIMIT' },
        { notice: 'OrderModified', price: '2950.0', quantity: '0.03' },
      ],
      [
        { price: '2960', side: 'SELL' },
        { code: '40032', submitted: false, orderId },
      ],
      [{ price: '2960', orderType: 'MARKET' }, { code: '40032' }],
      [{ stopPrice: '2960' }, { code: '40032' }],
      [{ price: '2960.05' }, { code: '20021' }],
      [{ price: '9000' }, { code: '710003', submitted: false }],
      [{}, { code: '40032' }],
    ];
    for (const [changes, expected] of rows) {
      const [result] = await modify([{ ...ref, orderId, ...changes }]);
      expect(result, JSON.stringify(changes)).toMatchObject(expected);
    }
    expect((await modify([{ ...ref, orderId: '77', price: '2960' }]))[0].code).toBe('40035');
  });

  test('a new price may meet the book, and a total below what is filled closes', async () => {
    await place([ask3000], {}, 'bob');
    const [{ orderId }] = await place([bid('0.05', '2900')]);
    const [met] = await modify([{ ...ref, orderId, price: '3000' }]);
    expect(met).toMatchObject({
      notice: 'OrderModified',
      status: 'PARTIAL_FILL',
      matchQuantity: '0.01',
      remainQuantity: '0.04',
    });
    const [closed] = await modify([{ ...ref, orderId, quantity: '0.01' }]);
    expect(closed).toMatchObject({ notice: 'OrderClosed', status: 'CANCELED_BY_AMEND' });
  });

  test('a stop that waits keeps its limit on the right side of its trigger', async () => {
    const stop = { ...ETH, orderType: 'STOP_LIMIT', side: 'BUY', quantity: '0.01' };
    const [{ orderId }] = await place([{ ...stop, stopPrice: '3100', limitPrice: '3110' }]);
    const rows: [object, object][] = [
      [{ stopPrice: '3111' }, { code: '20029', submitted: false }],
      [{ limitPrice: '3099' }, { code: '20029' }],
      [
        { stopPrice: '3105', price: '3105' },
        { stopPrice: '3105.0', price: '3105.0' },
      ],
      [
        { stopPrice: '2999', price: '3000' },
        { isTriggered: true, status: 'OPEN' },
      ],
      [{ stopPrice: '2999' }, { code: '40032' }],
      // Triggered, it is shown as LIMIT: that may be repeated, and so may the type that it was placed with.
      [
        { price: '3001', orderType: 'LIMIT' },
        { submitted: true, price: '3001.0' },
      ],
      [
        { price: '3002', orderType: 'STOP_LIMIT' },
        { submitted: true, price: '3002.0' },
      ],
      [{ price: '3003', orderType: 'STOP_MARKET' }, { code: '40032' }],
    ];
    for (const [changes, expected] of rows) {
      const [result] = await modify([{ ...ref, orderId, ...changes }]);
      expect(result, JSON.stringify(changes)).toMatchObject(expected);
    }
  });

  test('a stop without a limit has no price to change', async () => {
    const stop = { ...ETH, orderType: 'STOP_MARKET', side: 'BUY', quantity: '0.01' };
    const [{ orderId }] = await place([{ ...stop, stopPrice: '3100' }]);
    const [refused] = await modify([{ ...ref, orderId, price: '3101', quantity: '0.02' }]);
    expect(refused).toMatchObject({ submitted: false, code: '40032' });
    // Above the mark of 3000 by the band of a tenth.
    expect(refused.message).toContain('protective price 3300 is set by the venue');
    const rows: [object, object][] = [
      [
        { stopPrice: '3110', quantity: '0.02' },
        { stopPrice: '3110.0', quantity: '0.02' },
      ],
      // What the stream shows as its price may be sent back.
      [
        { stopPrice: '3120', price: '3300' },
        { stopPrice: '3120.0', quantity: '0.02' },
      ],
    ];
    for (const [changes, expected] of rows) {
      const [result] = await modify([{ ...ref, orderId, ...changes }]);
      expect(result, JSON.stringify(changes)).toMatchObject({ submitted: true, ...expected });
    }
  });

  test('one order may be amended several times in a request: each element shows it as it left it', async () => {
    await place([{ ...ask3000, quantity: '0.03' }], {}, 'bob');
    const [{ orderId }] = await place([{ ...bid('0.05', '2900'), clientOrderId: 9 }]);
    const results = await modify([
      { ...ref, orderId, price: '2901' },
      { ...ref, orderId: '77', price: '2960' },
      { ...ref, orderId, price: '3000' },
      { ...ref, clientOrderId: 9, quantity: '0.04' },
      { ...ref, orderId, quantity: '0.03' },
    ]);
    expect(results).toMatchObject([
      { submitted: true, price: '2901.0', quantity: '0.05', status: 'OPEN' },
      { submitted: false, code: '40035' },
      { submitted: true, price: '3000.0', status: 'PARTIAL_FILL', matchQuantity: '0.03' },
      { submitted: true, quantity: '0.04', remainQuantity: '0.01', status: 'PARTIAL_FILL' },
      { submitted: true, notice: 'OrderClosed', status: 'CANCELED_BY_AMEND' },
    ]);
    expect(results[0].matchQuantity).toBeUndefined();
    expect(results[3].matchQuantity).toBeUndefined();
  });

  test('an order by amount spends its quantity once that or its price has changed', async () => {
    const byAmount = { marketCode: 'OX-USDT', side: 'BUY', orderType: 'LIMIT', amount: '10' };
    const spot = { marketCode: 'OX-USDT' };
    const [{ orderId, amount }] = await place([{ ...byAmount, price: '0.01' }]);
    expect(amount).toBe('10.0');
    const [amended] = await modify([{ ...spot, orderId, price: '0.0101' }]);
    expect(amended).toMatchObject({ submitted: true, amount: '0.0', quantity: '1000.0' });
  });

  test('a forbidden change does not shift the answers of its neighbours', async () => {
    const [{ orderId: one }, { orderId: two }] = await place([bid('1', '2900'), bid('1', '2901')]);
    const results = await modify([
      { ...ref, orderId: one, price: '2902', side: 'SELL' },
      { ...ref, orderId: two, price: '2903' },
    ]);
    expect(results).toMatchObject([{ code: '40032' }, { orderId: two, price: '2903.0' }]);
  });
});

describe('a repeated amendment gets its first answer', () => {
  const repeated = async (amendment: object, meanwhile: () => Promise<unknown>) => {
    const sent = { body: { orders: [amendment] }, signedAtMs: CORE_NOW_MS + 9_000 };
    const first = await edge.ask('alice', 'POST', '/v3/orders/modify', sent);
    await meanwhile();
    const again = await edge.ask('alice', 'POST', '/v3/orders/modify', sent);
    expect(again.headers).toContain('Idempotent-Replayed');
    expect(again.data).toEqual(first.data);
    return first.data[0];
  };
  const { marketCode } = ETH;

  test('although the stop that it set has triggered', async () => {
    const stop = { ...ETH, orderType: 'STOP_LIMIT', side: 'BUY', quantity: '0.01' };
    const [{ orderId }] = await place([{ ...stop, stopPrice: '3100', limitPrice: '3110' }]);
    const change = { marketCode, orderId, stopPrice: '2950', side: 'BUY', orderType: 'STOP' };
    const first = await repeated(change, () => Promise.resolve());
    expect(first).toMatchObject({ submitted: true, stopPrice: '2950.0', isTriggered: true });
  });

  test('although its clientOrderId belongs to another order by now', async () => {
    await place([{ ...bid('0.01', '2900'), clientOrderId: 7 }]);
    const change = { marketCode, clientOrderId: 7, price: '2901', side: 'BUY' };
    const first = await repeated(change, async () => {
      const body = { orders: [{ marketCode, clientOrderId: 7 }] };
      await edge.ask('alice', 'DELETE', '/v3/orders/cancel', { body });
      await place([{ ...ask3000, clientOrderId: 7 }]);
    });
    expect(first).toMatchObject({ submitted: true, price: '2901.0' });
  });

  test('although the order that it was refused for is gone', async () => {
    const [{ orderId }] = await place([bid('0.01', '2900')]);
    const change = { marketCode, orderId, price: '2901', side: 'SELL' };
    const first = await repeated(change, () =>
      edge.ask('alice', 'DELETE', '/v3/orders/cancel', {
        body: { orders: [{ marketCode, orderId }] },
      }),
    );
    expect(first).toMatchObject({ submitted: false, code: '40032' });
  });
});

describe('an order looked up', () => {
  const status = (query: string, family = 'alice') =>
    edge.ask(family, 'GET', '/v3/orders/status', { query });

  test('comes from the engine while it is open', async () => {
    await place([ask3000], {}, 'bob');
    const [{ orderId }] = await place([{ ...bid('0.05'), clientOrderId: 8 }]);
    expect((await status(`orderId=${orderId}`)).data).toEqual({
      orderId,
      clientOrderId: '8',
      marketCode: 'ETH-USD-SWAP-LIN',
      status: 'PARTIAL_FILL',
      side: 'BUY',
      price: '3000.0',
      isTriggered: false,
      remainQuantity: '0.04',
      totalQuantity: '0.05',
      amount: '0',
      displayQuantity: '0.05',
      cumulativeMatchedQuantity: '0.01',
      avgFillPrice: '3000.0',
      fees: [{ OX: '2.1' }],
      orderType: 'LIMIT',
      timeInForce: 'GTC',
      source: '11',
      createdAt: NOW,
      lastModifiedAt: NOW,
      lastMatchedAt: NOW,
    });
    const [row] = (await edge.ask('alice', 'GET', '/v3/orders/working')).data;
    expect(row).toMatchObject({
      status: 'PARTIALLY_FILLED',
      quantity: '0.05',
      matchedQuantity: '0.01',
      remainQuantity: '0.04',
      amount: '0.0',
    });
    expect('fees' in row).toBe(false);
    const both = `orderId=${orderId}&clientOrderId=`;
    expect((await status(`${both}8`)).status).toBe(200);
    expect((await status(`${both}0`)).status).toBe(200);
    for (const [query, family] of [
      [`${both}9`, 'alice'],
      [`orderId=${orderId}`, 'bob'],
      ['orderId=9223372036854775807', 'alice'],
      ['clientOrderId=9999999999999999999', 'alice'],
    ] as const) {
      const none = await status(query, family);
      expect([none.status, none.code], query).toEqual([400, '20001']);
      expect(none.message).toContain('result not found');
    }
    expect((await status('')).code).toBe('20010');
    expect((await status('orderId=abc')).code).toBe('20001');
  });

  test('comes from history once it is closed; of one clientOrderId the newest', async () => {
    const [{ orderId }] = await place([{ ...ask3000, clientOrderId: 8 }]);
    const [record] = await edge.engine.view('orders', {
      account: edge.core.account('alice', 'main'),
    });
    if (record === undefined) throw new Error('the order is open');
    const grid = { priceScale: 1, tickParts: 1n };
    const closed = { order: record, grid, state: 'CANCELED_BY_AMEND', closedAtMs: 5 } as const;
    edge.history.closedOrder = { ...closed, reason: undefined };
    await edge.ask('alice', 'DELETE', '/v3/orders/cancel-all');
    const { data } = await status('clientOrderId=8');
    expect(data).toMatchObject({ orderId, status: 'CANCELED', canceledAt: '5' });
    expect('fees' in data || 'avgFillPrice' in data).toBe(false);
    await place([{ ...ask3000, clientOrderId: 8 }]);
    expect((await status('clientOrderId=8')).data).toMatchObject({ status: 'OPEN' });
    edge.history.closedOrder = { ...closed, state: 'FILLED', reason: undefined };
    expect((await status(`orderId=${orderId}`)).data.status).toBe('FILLED');
  });

  test('closed orders say how and why they ended', async () => {
    await place([{ ...ask3000, clientOrderId: 9 }]);
    const account = edge.core.account('alice', 'main');
    const [order] = await edge.engine.view('orders', { account });
    if (order === undefined) throw new Error('the order is open');
    const grid = { priceScale: 1, tickParts: 5n };
    const closed = { order, grid, closedAtMs: 5, state: 'CANCELED_BY_USER' } as const;
    edge.history.closedOrder = { ...closed, reason: 'MARGIN_TOO_LOW' };
    const query = 'marketCode=ETH-USDT&limit=900&startTime=0&endTime=9';
    const [row] = (await edge.ask('alice', 'GET', '/v3/orders', { query })).data;
    expect(row).toMatchObject({
      ...{ clientOrderId: '9', status: 'CANCELED', closeStatus: 'CANCELED_BY_USER' },
      ...{ code: '710005', closedAt: '5', canceledAt: '5' },
    });
    expect(edge.history.queries.at(-1)).toMatchObject({ account, limit: 200, fromMs: 0, toMs: 9 });
    await edge.ask('alice', 'GET', '/v3/orders', { query: `beforeId=${row.id}` });
    expect(edge.history.queries.at(-1)).toMatchObject({ beforeId: 77n, limit: 50 });
    edge.history.closedOrder = { ...closed, state: 'FILLED', reason: undefined };
    const [filled] = (await edge.ask('alice', 'GET', '/v3/orders')).data;
    expect(filled).toMatchObject({ status: 'FILLED', closeStatus: 'FILLED', closedAt: '5' });
    expect('code' in filled || 'canceledAt' in filled).toBe(false);
    const wrong = await edge.ask('alice', 'GET', '/v3/orders', { query: 'marketCode=NOPE' });
    expect(wrong.code).toBe('20001');
  });
});

describe('working orders', () => {
  test('come all at once, or page by page: as many as requested, below the last one seen', async () => {
    const orders = Array.from({ length: 250 }, (_, at) => ({
      ...{ ...ETH, side: 'BUY', quantity: '0.001', price: String(2_800 + at / 10) },
      ...(at % 5 === 0 ? { marketCode: 'ETH-USDT', price: '2800' } : {}),
    }));
    for (let at = 0; at < orders.length; at += 8) await edge.place(orders.slice(at, at + 8));
    const ask = async (query: string): Promise<string[]> => {
      const { data } = await edge.ask('alice', 'GET', '/v3/orders/working', { query });
      return data.map(({ orderId }: { orderId: string }) => orderId);
    };
    const all = await ask('');
    expect(all).toHaveLength(250);
    expect([...all].sort().reverse()).toEqual(all);
    for (const [limit, more] of [
      [7, ''],
      [100, ''],
      [101, ''],
      [33, '&marketCode=ETH-USDT'],
    ] as const) {
      const walked: string[] = [];
      for (let beforeId = ''; ; beforeId = `&beforeId=${walked.at(-1)}`) {
        const page = await ask(`limit=${limit}${more}${beforeId}`);
        if (page.length === 0) break;
        walked.push(...page);
        if (page.length < limit) break;
      }
      expect(walked).toEqual(more === '' ? all : await ask('marketCode=ETH-USDT'));
    }
    expect(await ask('limit=1')).toEqual(all.slice(0, 1));
    expect(await ask(`limit=${'9'.repeat(40)}`)).toEqual(all);
    expect(await ask('beforeId=0')).toEqual([]);
    expect(await ask(`beforeId=${'9'.repeat(40)}`)).toEqual(all);
    for (const query of ['limit=0', 'limit=x', 'limit=-1', 'beforeId=x', 'beforeId=-1']) {
      expect((await edge.ask('alice', 'GET', '/v3/orders/working', { query })).code).toBe('20001');
    }
  });
});
