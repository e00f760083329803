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
  ...{ quantity: '400', price: '0.01' },
};
const NOW = String(CORE_NOW_MS);
const ACCOUNT_ID = accountIdText(edge.core.account('alice', 'main'));
const ORDER_ID = expect.stringMatching(/^1000\d{9}$/);
const place = async (orders: readonly object[], changes = {}, family = 'alice') =>
  (await edge.place(orders, changes, family)).data;

describe('FULL', () => {
  test('a resting limit order', async () => {
    const order = { ...ETH, side: 'SELL', quantity: '0.01', price: 3200 };
    expect(await place([order], { responseType: 'FULL' })).toEqual([
      {
        notice: 'OrderOpened',
        accountId: ACCOUNT_ID,
        orderId: ORDER_ID,
        submitted: true,
        clientOrderId: '0',
        marketCode: 'ETH-USD-SWAP-LIN',
        status: 'OPEN',
        side: 'SELL',
        price: '3200.0',
        isTriggered: false,
        quantity: '0.01',
        amount: '0.0',
        displayQuantity: '0.01',
        remainQuantity: '0.01',
        orderType: 'LIMIT',
        timeInForce: 'GTC',
        source: '11',
        createdAt: NOW,
        lastModifiedAt: NOW,
      },
    ]);
  });

  test('a MARKET order matched at once has no price', async () => {
    await place([{ ...spotSell, side: 'BUY' }], {}, 'bob');
    const { price, ...market } = { ...spotSell, orderType: 'MARKET' };
    expect(price).toBe('0.01');
    expect(await place([market])).toEqual([
      {
        notice: 'OrderMatched',
        accountId: ACCOUNT_ID,
        orderId: ORDER_ID,
        submitted: true,
        clientOrderId: '0',
        marketCode: 'OX-USDT',
        status: 'FILLED',
        side: 'SELL',
        isTriggered: false,
        quantity: '400.0',
        amount: '0.0',
        displayQuantity: '400.0',
        remainQuantity: '0.0',
        matchId: '900000000000000001',
        matchPrice: '0.01000',
        matchQuantity: '400.0',
        feeInstrumentId: 'OX',
        fees: '0.28',
        cumulativeMatchedQuantity: '400.0',
        avgFillPrice: '0.01',
        orderType: 'MARKET',
        timeInForce: 'IOC',
        source: '11',
        createdAt: NOW,
        lastModifiedAt: NOW,
        lastMatchedAt: NOW,
      },
    ]);
  });

  test('several matches: the state at the end, the last match, and what all come to', async () => {
    await place([ask3000, { ...ask3000, price: '3001', quantity: '0.02' }], {}, 'bob');
    const [result] = await place([bid('0.05', '3001')]);
    expect(result).toMatchObject({
      notice: 'OrderMatched',
      status: 'PARTIAL_FILL',
      quantity: '0.05',
      remainQuantity: '0.02',
      matchId: '200000000000000002',
      matchPrice: '3001.0',
      matchQuantity: '0.02',
      cumulativeMatchedQuantity: '0.03',
      avgFillPrice: '3000.66666666',
    });
  });

  test('an order that may not rest is closed with what became of it', async () => {
    await place([ask3000], {}, 'bob');
    const rows: [object, object][] = [
      [{ timeInForce: 'MAKER_ONLY' }, { status: 'CANCELED_BY_MAKER_ONLY', remainQuantity: '0.05' }],
      [{ timeInForce: 'FOK' }, { status: 'CANCELED_BY_FOK', remainQuantity: '0.05' }],
      [
        { timeInForce: 'IOC', clientOrderId: 77 },
        {
          status: 'CANCELED_PARTIAL_BY_IOC',
          remainQuantity: '0.04',
          clientOrderId: '77',
          matchQuantity: '0.01',
        },
      ],
      [{ timeInForce: 'IOC' }, { status: 'CANCELED_ALL_BY_IOC', remainQuantity: '0.05' }],
    ];
    for (const [changes, expected] of rows) {
      const [result] = await place([{ ...bid('0.05'), ...changes }]);
      expect(result).toMatchObject({ notice: 'OrderClosed', submitted: true, ...expected });
      expect('code' in result).toBe(false);
    }
  });

  test('a stop waits with its prices, or shows what it did when it fires at once', async () => {
    const stop = { ...ETH, orderType: 'STOP_LIMIT', side: 'BUY', quantity: '0.01' };
    const [waiting] = await place([{ ...stop, stopPrice: '3100', limitPrice: '3110' }]);
    expect(waiting).toMatchObject({
      notice: 'OrderOpened',
      status: 'OPEN',
      price: '3110.0',
      stopPrice: '3100.0',
      isTriggered: false,
      orderType: 'STOP_LIMIT',
      triggerType: 'MARK_PRICE',
    });
    await place([ask3000], {}, 'bob');
    const [fired] = await place([{ ...stop, stopPrice: '2900', limitPrice: '3000' }]);
    expect(fired).toMatchObject({
      notice: 'OrderMatched',
      status: 'FILLED',
      isTriggered: true,
      orderType: 'STOP_LIMIT',
      remainQuantity: '0.0',
      matchQuantity: '0.01',
    });
  });

  test('an order that fires into nothing, or beyond the band, says so', async () => {
    const stop = { ...ETH, orderType: 'STOP_MARKET', side: 'BUY', quantity: '1' };
    const [empty, beyond] = await place([
      { ...stop, stopPrice: '2900' },
      { ...stop, orderType: 'STOP_LIMIT', stopPrice: '2900', limitPrice: '9000' },
    ]);
    expect(empty).toMatchObject({ notice: 'OrderClosed', status: 'CANCELED_ALL_BY_IOC' });
    expect(beyond).toMatchObject({
      ...{ notice: 'OrderClosed', status: 'CANCELED_BY_USER', submitted: true },
      ...{ code: '710003', message: 'price is higher than the maximum' },
    });
  });

  test('an order that its neighbour meets shows how it stands in the end', async () => {
    const [maker, taker] = await place([ask3000, bid('0.004')]);
    expect(maker).toMatchObject({
      notice: 'OrderMatched',
      status: 'PARTIAL_FILL',
      remainQuantity: '0.006',
      matchQuantity: '0.004',
      cumulativeMatchedQuantity: '0.004',
      avgFillPrice: '3000.0',
    });
    expect(taker).toMatchObject({ status: 'FILLED', matchId: maker.matchId });
    const [expired] = await place([
      { ...ask3000, price: '2999' },
      { ...bid('0.004', '2999'), selfTradePreventionMode: 'EXPIRE_BOTH' },
    ]);
    expect(expired).toMatchObject({ status: 'CANCELED_BY_SELF_TRADE_PROTECTION' });
  });

  test('a purchase by amount, fill or kill, spends all that buys another lot or nothing', async () => {
    const ask = { marketCode: 'OX-USDT', side: 'SELL', orderType: 'LIMIT', price: '0.01' };
    const by = { marketCode: 'OX-USDT', side: 'BUY', orderType: 'MARKET', timeInForce: 'FOK' };
    await place([{ ...ask, quantity: '100' }], {}, 'bob');
    const [killed] = await place([{ ...by, amount: '1.5' }]);
    expect(killed).toMatchObject({ submitted: true, status: 'CANCELED_BY_FOK' });
    const [filled] = await place([{ ...by, amount: '0.5' }]);
    expect(filled).toMatchObject({ status: 'FILLED', matchQuantity: '50.0' });
    const [rounded] = await place([{ ...by, amount: '0.400005' }]);
    expect(rounded).toMatchObject({ status: 'CANCELED_PARTIAL_BY_IOC', matchQuantity: '40.0' });
    const [killedAgain] = await place([{ ...by, amount: '0.11' }]);
    expect(killedAgain).toMatchObject({ status: 'CANCELED_BY_FOK' });
  });

  test('a purchase by amount shows what it bought', async () => {
    await place([spotSell], {}, 'bob');
    const by = { marketCode: 'OX-USDT', side: 'BUY', orderType: 'MARKET', amount: '1.005' };
    const [result] = await place([by]);
    expect(result).toMatchObject({
      notice: 'OrderClosed',
      status: 'CANCELED_PARTIAL_BY_IOC',
      quantity: '0.0',
      amount: '1.005',
      cumulativeMatchedQuantity: '100.0',
      remainQuantity: '0.0',
    });
  });
});

test('ACK is a smaller answer from the same events', async () => {
  await place([spotSell], {}, 'bob');
  const market = { marketCode: 'OX-USDT', side: 'BUY', orderType: 'MARKET', quantity: '100' };
  expect(await place([market], { responseType: 'ACK' })).toEqual([
    {
      accountId: ACCOUNT_ID,
      orderId: ORDER_ID,
      submitted: true,
      clientOrderId: '0',
      marketCode: 'OX-USDT',
      side: 'BUY',
      price: '0.01300',
      isTriggered: false,
      quantity: '100',
      orderType: 'MARKET',
      timeInForce: 'IOC',
      createdAt: NOW,
      selfTradePreventionMode: 'NONE',
      source: '11',
    },
  ]);
});

describe('elements stand for themselves', () => {
  test('a refused one is repeated as it was sent, in its place, and the others go through', async () => {
    const wrong = { ...spotSell, side: 'BUY', price: '0.02', clientOrderId: 77 };
    const answer = await edge.place([bid('0.0001'), bid('0.01'), wrong, 'nonsense' as never]);
    const [first, second, third, fourth] = answer.data;
    expect(first).toEqual({
      accountId: ACCOUNT_ID,
      code: '100008',
      message: expect.stringContaining('quantity 0.0001 is not a multiple of lot 0.001'),
      submitted: false,
      marketCode: 'ETH-USD-SWAP-LIN',
      side: 'BUY',
      price: '3000',
      quantity: '0.0001',
      orderType: 'LIMIT',
      timeInForce: 'GTC',
      createdAt: NOW,
      source: '11',
      selfTradePreventionMode: 'NONE',
    });
    expect(second).toMatchObject({ notice: 'OrderOpened', submitted: true });
    expect(third).toMatchObject({ code: '710003', submitted: false, clientOrderId: '77' });
    expect(third.message).toContain('nearest 0.013');
    expect(third.accountId).toBe(ACCOUNT_ID);
    expect(fourth).toMatchObject({ accountId: ACCOUNT_ID, code: '20011', submitted: false });
    expect(edge.submitted).toMatchObject([{ kind: 'place-orders', orders: [{}, {}] }]);
  });

  test('with nothing left there is no command', async () => {
    const answer = await edge.place([{}, { marketCode: 'NOPE' }]);
    expect(answer.status).toBe(200);
    expect(answer.data.map(({ code }: { code: string }) => code)).toEqual(['20011', '20015']);
    expect(edge.submitted).toEqual([]);
  });

  test('nine, none, or what is no list: the whole request is refused', async () => {
    const nine = Array.from({ length: 9 }, () => bid('0.01'));
    for (const orders of [nine, [], {}, 'x', 5]) {
      const answer = await edge.place(orders as never);
      expect([answer.status, answer.code], JSON.stringify(orders).slice(0, 20)).toEqual([
        400,
        '20001',
      ]);
    }
    expect((await edge.place(undefined as never)).code).toBe('30001');
    expect((await edge.place([bid('0.01')], { responseType: 'RESULT' })).code).toBe('20001');
    expect((await edge.place([bid('0.01')], { timestamp: 'now' })).code).toBe('20001');
    expect(edge.submitted).toEqual([]);
    expect((await edge.place(nine.slice(1))).data).toHaveLength(8);
  });
});

test('the same signed bytes get the very same body, though time and book have moved on', async () => {
  const body = { orders: [bid('0.0001'), ask3000, bid('0.01', '1')] };
  const sent = { body, signedAtMs: CORE_NOW_MS + 9_000 };
  const first = await edge.ask('alice', 'POST', '/v3/orders/place', sent);
  edge.core.nowMs += 5;
  await edge.place([bid('0.01')], {}, 'bob');
  const again = await edge.ask('alice', 'POST', '/v3/orders/place', sent);
  expect(again.data).toEqual(first.data);
  expect(again.headers).toContain('Idempotent-Replayed');
  expect(edge.submitted).toHaveLength(2);
});

describe('recvWindow', () => {
  test('is judged by the clock of the engine, for each order', async () => {
    const late = { timestamp: String(CORE_NOW_MS - 1_001) };
    const [refused] = await place([ask3000], late);
    expect(refused).toMatchObject({ code: '100015', submitted: false });
    expect(refused.message).toContain('recvWindow 1000 ms ended at');
    for (const times of [
      { timestamp: CORE_NOW_MS - 1_000 },
      { ...late, recvWindow: 2_000 },
      { recvWindow: '1' },
      { timestamp: CORE_NOW_MS + 60_000 },
      // Any LONG of the interface is taken: what no clock will show is never late.
      { ...late, recvWindow: '9223372036854775807' },
      { timestamp: '9223372036854775807' },
      // A number may have an exponent or zeros behind its point, as everywhere.
      { ...late, recvWindow: '2e3' },
      { ...late, recvWindow: '1.5000E+3' },
      { timestamp: `${CORE_NOW_MS / 1e12}e12` },
      {},
    ]) {
      const [opened] = await place([ask3000], times);
      expect(opened, JSON.stringify(times)).toMatchObject({ status: 'OPEN' });
    }
  });

  test('and timestamp are whole numbers, on all commands', async () => {
    for (const wrong of ['1.5', '15e-1', '-1', '1e20', '9e99', 'x', '']) {
      for (const name of ['timestamp', 'recvWindow']) {
        for (const [method, path] of [
          ['POST', '/v3/orders/place'],
          ['POST', '/v3/orders/modify'],
          ['DELETE', '/v3/orders/cancel'],
        ] as const) {
          const body = { [name]: wrong, orders: [ask3000] };
          const answer = await edge.ask('alice', method, path, { body });
          expect(answer, `${path} ${name} ${wrong}`).toMatchObject({ code: '20001' });
          expect(answer.message).toContain(name);
        }
      }
    }
    expect(edge.submitted).toEqual([]);
  });

  test('of a cancel counts only when it was sent', async () => {
    const [{ orderId }] = await place([ask3000]);
    const cancel = (times: object) =>
      edge.ask('alice', 'DELETE', '/v3/orders/cancel', {
        body: { ...times, orders: [{ marketCode: ETH.marketCode, orderId }] },
      });
    const late = await cancel({ timestamp: 1, recvWindow: 5 });
    expect(late.data[0]).toMatchObject({ code: '100015', submitted: false });
    const done = await cancel({ timestamp: 1 });
    expect(done.data[0]).toMatchObject({ status: 'CANCELED_BY_USER' });
  });
});

test('a key that was revoked meanwhile fails the whole request', async () => {
  const key = edge.core.state.keys.findIndex((one) => one.accessKey === 'alice/main/read+trade');
  const { engine } = edge;
  const submit = engine.submit;
  engine.submit = async (command) => {
    (edge.core.state.keys[key] as { isRevoked: boolean }).isRevoked = true;
    return submit(command);
  };
  const answer = await edge.place([ask3000]);
  expect([answer.status, answer.code, answer.data]).toEqual([401, '20025', undefined]);
});
