import { beforeEach, expect, test } from 'vitest';
import { edgeOverCore } from '../core-venue.fixture.ts';

let edge = edgeOverCore();
beforeEach(() => {
  edge = edgeOverCore();
});

const MARKET = { marketCode: 'ETH-USD-SWAP-LIN' };
const BID = { ...MARKET, side: 'BUY', orderType: 'LIMIT', quantity: '0.05', price: '2900' };
const place = async (orders: readonly object[], changes = {}, family = 'alice') =>
  (await edge.place(orders, changes, family)).data;
const send = async (method: string, path: string, orders: readonly object[], changes = {}) =>
  (await edge.ask('alice', method, path, { body: { ...changes, orders } })).data;
const modify = (orders: readonly object[]) => send('POST', '/v3/orders/modify', orders);
const cancel = (orders: readonly object[], changes = {}) =>
  send('DELETE', '/v3/orders/cancel', orders, changes);
const get = (what: string, query: string) =>
  edge.ask('alice', 'GET', `/v3/orders/${what}`, { query });

test('a label is in every answer about its order, and in none about others', async () => {
  const [full, plain] = await place([{ ...BID, label: 'grid 1' }, BID]);
  expect(full).toMatchObject({ status: 'OPEN', label: 'grid 1' });
  expect(Object.keys(full)).toEqual(expect.arrayContaining(Object.keys(plain)));
  expect('label' in plain).toBe(false);
  const [ack] = await place([{ ...BID, label: 'grid 2' }], { responseType: 'ACK' });
  expect(ack).toMatchObject({ submitted: true, label: 'grid 2' });
  const working = (await get('working', '')).data;
  expect(working.map(({ label }: { label?: string }) => label)).toEqual([
    'grid 2',
    undefined,
    'grid 1',
  ]);
  expect('label' in working[1]).toBe(false);
  const ref = { ...MARKET, label: 'grid 1' };
  expect(await modify([{ ...ref, price: '2910' }])).toMatchObject([
    { orderId: full.orderId, price: '2910.0', label: 'grid 1' },
  ]);
  expect(await cancel([ref])).toMatchObject([
    { orderId: full.orderId, status: 'CANCELED_BY_USER', label: 'grid 1' },
  ]);
  expect(await cancel([{ ...MARKET, label: 'grid 2' }], { responseType: 'ACK' })).toMatchObject([
    { orderId: ack.orderId, label: 'grid 2' },
  ]);
});

test('a label that is taken is refused, with what was sent; in one request too', async () => {
  const [first, second] = await place([
    { ...BID, label: 'a' },
    { ...BID, label: 'a', clientOrderId: 7 },
  ]);
  expect(first).toMatchObject({ submitted: true });
  expect(second).toMatchObject({
    code: '710009',
    submitted: false,
    label: 'a',
    clientOrderId: '7',
    message:
      `Another open order has this name: label "a" is that of order ${first.orderId}, which is open; ` +
      'wait until it has ended, or choose another',
  });
  await cancel([{ ...MARKET, label: 'a' }]);
  expect((await place([{ ...BID, label: 'a' }]))[0]).toMatchObject({ submitted: true });
});

test('a label stands in place of an id, and beside one it is refused', async () => {
  const [{ orderId }] = await place([{ ...BID, label: 'a b', clientOrderId: 5 }]);
  expect((await get('status', 'label=a%20b')).data).toMatchObject({ orderId, label: 'a b' });
  expect((await get('working', 'label=a+b')).data).toMatchObject([{ orderId }]);
  expect((await get('working', 'label=a+b&marketCode=OX-USDT')).data).toEqual([]);
  expect((await get('working', 'label=b')).data).toEqual([]);
  const both = { ...MARKET, label: 'a b' };
  const why = 'label names an order by itself; leave out orderId and clientOrderId';
  for (const ids of [{ orderId }, { clientOrderId: 5 }, { orderId, clientOrderId: '5' }]) {
    const refused = { code: '20001', submitted: false, label: 'a b' };
    const [cancelled] = await cancel([{ ...both, ...ids }]);
    expect(cancelled).toMatchObject({ ...refused, message: expect.stringContaining(why) });
    expect((await modify([{ ...both, ...ids, price: '2911' }]))[0]).toMatchObject(refused);
    const query = Object.entries(ids).map(([name, id]) => `${name}=${id}&`);
    for (const what of ['status', 'working']) {
      const answer = await get(what, `${query.join('')}label=a+b`);
      expect([answer.status, answer.code], what).toEqual([400, '20001']);
      expect(answer.message).toContain(why);
    }
  }
  // Zero and nothing name no order, so the label does.
  const [changed] = await modify([{ ...both, orderId: '0', clientOrderId: '', price: '2911' }]);
  expect(changed).toMatchObject({ orderId, price: '2911.0' });
  for (const query of ['label=', `label=${'x'.repeat(37)}`, 'label=%C3%A9']) {
    for (const what of ['status', 'working']) expect((await get(what, query)).code).toBe('20001');
  }
  expect((await get('status', 'label=none')).message).toContain('result not found');
  expect((await cancel([{ ...MARKET, label: '' }]))[0]).toMatchObject({ code: '20001' });
  expect((await cancel([{ ...MARKET, label: 'none' }]))[0]).toMatchObject({
    code: '40035',
    label: 'none',
  });
});

test('an order named by its label keeps its side, and its neighbours their answers', async () => {
  const [a, b] = await place([
    { ...BID, label: 'a' },
    { ...BID, label: 'b' },
  ]);
  const results = await modify([
    { ...MARKET, label: 'a', price: '2902', side: 'SELL' },
    { ...MARKET, label: 'b', price: '2903', side: 'BUY' },
  ]);
  expect(results).toMatchObject([
    { code: '40032', label: 'a' },
    { orderId: b.orderId, price: '2903.0' },
  ]);
  expect((await get('status', 'label=a')).data).toMatchObject({
    orderId: a.orderId,
    price: '2900.0',
  });
});

test('a preview says that a label is taken', async () => {
  await place([{ ...BID, label: 'a' }]);
  const body = { ...BID, label: 'a' };
  const { data } = await edge.ask('alice', 'POST', '/v3/orders/preview', { body });
  expect(data.refusal.code).toBe('710009');
});
