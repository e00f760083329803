import { expect, test } from 'vitest';
import { nearest } from '../../domain/nearest.ts';
import { MEMBERS } from '../../wire/orders.ts';
import { edgeOverCore } from '../core-venue.fixture.ts';
import { refuseUnknown } from '../request/strict-members.ts';

const ORDER = {
  ...{ marketCode: 'ETH-USD-SWAP-LIN', side: 'BUY', orderType: 'LIMIT' },
  ...{ quantity: '0.01', price: '3000' },
};

test('an unknown member of an order is refused in its place, with the nearest name', async () => {
  const edge = edgeOverCore(undefined, refuseUnknown);
  const wrong: [string, string][] = [
    ['Price', 'price'],
    ['timeinforce', 'timeInForce'],
    ['qty', 'quantity'],
    ['postOnly', 'reduceOnly'],
    ['selfTradePrevention', 'selfTradePreventionMode'],
  ];
  for (const [name, meant] of wrong) {
    const { data } = await edge.place([{ ...ORDER, [name]: 'x' }, ORDER]);
    expect(data[0]).toMatchObject({ submitted: false, code: '20001' });
    expect(data[0].message).toContain(`there is no member "${name}"; nearest ${meant}`);
    expect(data[1]).toMatchObject({ submitted: true });
  }
  const body = { ...ORDER, Price: '1' };
  const preview = await edge.ask('alice', 'POST', '/v3/orders/preview', { body });
  expect([preview.status, preview.code]).toEqual([400, '20001']);
  for (const [method, path] of [
    ['POST', '/v3/orders/modify'],
    ['DELETE', '/v3/orders/cancel'],
  ] as const) {
    const orders = [{ marketCode: ORDER.marketCode, orderId: '1', orderid: '1', price: '1' }];
    const { data } = await edge.ask('alice', method, path, { body: { orders } });
    expect(data[0].message, path).toContain('there is no member "orderid"; nearest orderId');
  }
});

test('what clients in the field send beside it is known, and null says nothing', async () => {
  const edge = edgeOverCore(undefined, refuseUnknown);
  const java = { tag: null, requested: true, source: 1000, triggerPrice: null, limitPrice: null };
  const { data } = await edge.place([{ ...ORDER, ...java, nobodyKnows: null }]);
  expect(data).toMatchObject([{ submitted: true }]);
});

test('without it unknown members are ignored', async () => {
  const { data } = await edgeOverCore().place([{ ...ORDER, Price: '1', x: { y: [] } }]);
  expect(data).toMatchObject([{ submitted: true }]);
});

test('the nearest name is the one with the fewest letters to change', () => {
  expect(nearest('clientOrderID', MEMBERS.order)).toBe('clientOrderId');
  expect(nearest('stopprice', MEMBERS.order)).toBe('stopPrice');
  expect(nearest('x'.repeat(10_000), MEMBERS.ref)).toMatch(/^\w+$/);
});
