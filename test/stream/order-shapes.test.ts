import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type InProcess, startInProcess } from '../http/in-process.ts';
import { BTC, SPOT, spot } from '../http/trading.ts';
import { StreamClient } from './stream-client.ts';

/** What the channel shows of an order is what the REST answer to the same act shows. */
let running: InProcess;
let client: StreamClient;
beforeAll(async () => {
  running = await startInProcess({});
}, 60_000);
afterAll(() => running?.stop());
beforeEach(async () => {
  client = await StreamClient.open(running.venue.port);
  await client.login(running.keyOf(0));
  await client.ask({ op: 'subscribe', args: ['order:all'] }, 's');
});
afterEach(async () => {
  client.close();
  await running.clientOf(0).cancelAllOrders();
  await running.clientOf(1).cancelAllOrders();
});

type Shown = Readonly<Record<string, unknown>>;
const SAME = ['status', 'side', 'quantity', 'amount', 'displayQuantity', 'remainQuantity'];
const ALSO = [
  'timeInForce',
  'reduceOnly',
  'stopPrice',
  'triggerType',
  'marketCode',
  'orderId',
  'clientOrderId',
];

/** The last push about the order that the answer is about has the same values. */
async function expectSame(name: string, answer: Shown | undefined): Promise<Shown> {
  const shown = [...SAME, ...ALSO, ...(answer?.['price'] === undefined ? [] : ['price'])];
  const of = (found: Shown | undefined) => shown.map((member) => [member, found?.[member]]);
  const { orderId, status } = answer ?? {};
  const push = await client.next(({ table, data }) => {
    if (table !== 'order') return false;
    const [one] = data as readonly Shown[];
    return one?.['orderId'] === orderId && one?.['status'] === status;
  });
  expect(of((push.data as readonly Shown[])[0]), name).toEqual(of(answer));
  return answer ?? {};
}

test('pushes have the quantities of REST answers, whatever the order is and whatever happens to it', async () => {
  const [mine, theirs] = [running.clientOf(0), running.clientOf(1)];
  const offer = (quantity: string) =>
    theirs.placeOrders({ orders: [spot('SELL', quantity, '60100')] });
  const place = async (name: string, order: Shown) => {
    const sent = { marketCode: SPOT, side: 'BUY', ...order } as never;
    const [answer] = await mine.placeOrders({ responseType: 'FULL', orders: [sent] });
    return expectSame(name, answer);
  };
  const modify = async (name: string, { marketCode, orderId }: Shown, changes: Shown) => {
    const sent = { marketCode, orderId, ...changes } as never;
    const [answer] = await mine.modifyOrders({ orders: [sent] });
    return expectSame(name, answer);
  };
  const cancel = async (name: string, { marketCode, orderId }: Shown) => {
    const [answer] = await mine.cancelOrders({ orders: [{ marketCode, orderId } as never] });
    return expectSame(name, answer);
  };
  const limit = { orderType: 'LIMIT', price: '59000', quantity: '0.05' };
  await cancel(
    'limit canceled',
    await modify('limit', await place('limit', limit), { quantity: '0.04' }),
  );
  await offer('0.02');
  await place('IOC, a part', { ...limit, price: '60100', timeInForce: 'IOC' });
  await offer('0.02');
  await place('market, all', { orderType: 'MARKET', quantity: '0.01' });
  await place('market, a part', { orderType: 'MARKET', quantity: '0.05' });
  await offer('0.01');
  await offer('0.01');
  expect(await place('market by amount', { orderType: 'MARKET', amount: '900' })).toMatchObject({
    ...{ quantity: '0.0', amount: '900.0', cumulativeMatchedQuantity: '0.01497' },
  });
  await place('market by amount, a part', { orderType: 'MARKET', amount: '5000' });
  await place('market by amount, nothing', { orderType: 'MARKET', amount: '300' });
  const amount = { ...limit, quantity: undefined, amount: '300' };
  await cancel('limit by amount', await place('limit by amount', amount));
  const iceberg = await place('iceberg', { ...limit, quantity: '0.1', displayQuantity: '0.02' });
  await cancel('iceberg', await modify('shrunk iceberg', iceberg, { quantity: '0.01' }));
  const stop = { stopPrice: '61000', quantity: '0.01' };
  await cancel(
    'stop limit',
    await place('stop limit', { ...stop, orderType: 'STOP_LIMIT', price: '61000' }),
  );
  const market = { ...stop, marketCode: BTC, orderType: 'STOP_MARKET' };
  await cancel('stop market', await place('stop market', market));
  await place('a stop that triggers at once', { ...market, stopPrice: '59000' });

  await offer('0.01');
  const repriced = { ...limit, quantity: '0.02', timeInForce: 'MAKER_ONLY_REPRICE' };
  const below = await place('post-only', repriced);
  const shown = await modify('post-only, repriced', below, { price: '60200' });
  expect(shown['price']).toBe('60099.99');
  await cancel('post-only canceled', shown);
});

test('a stop that a change makes true, and that then rests, is shown as triggered', async () => {
  const mine = running.clientOf(0);
  const stop = { marketCode: SPOT, side: 'BUY', orderType: 'STOP_LIMIT', quantity: '0.01' };
  const [placed] = await mine.placeOrders({
    orders: [{ ...stop, stopPrice: '61000', limitPrice: '61000' } as never],
  });
  const { orderId } = placed as Shown;
  await mine.modifyOrders({
    orders: [{ marketCode: SPOT, orderId, stopPrice: '59000', price: '59000' } as never],
  });
  const ofOrder = ({ table, data }: { table?: unknown; data?: unknown }) =>
    table === 'order' && (data as readonly Shown[])[0]?.['orderId'] === orderId;
  const pushes = [];
  for (let at = 0; at < 3; at++) {
    const { data } = await client.next(ofOrder);
    const [{ notice, isTriggered, orderType } = {}] = data as readonly Shown[];
    pushes.push([notice, isTriggered, orderType]);
  }
  expect(pushes).toEqual([
    ['OrderOpened', 'false', 'STOP_LIMIT'],
    ['OrderModified', 'false', 'STOP_LIMIT'],
    ['OrderOpened', 'true', 'LIMIT'],
  ]);
});

test('an order that only reduces says so wherever it is shown, and no other does', async () => {
  const mine = running.clientOf(0);
  const bid = { marketCode: BTC, side: 'BUY', orderType: 'LIMIT', quantity: '0.1', price: '57000' };
  const orders = [{ ...bid, reduceOnly: true }, bid] as never;
  const [one, other] = await mine.placeOrders({ responseType: 'FULL', orders });
  expect(await expectSame('placed', one)).toMatchObject({ reduceOnly: true });
  expect(await expectSame('placed', other)).not.toHaveProperty('reduceOnly');
  const [ack] = await mine.placeOrders({
    responseType: 'ACK',
    orders: [{ ...bid, reduceOnly: true }] as never,
  });
  expect(ack).toMatchObject({ submitted: true, reduceOnly: true });
  const shown = async () =>
    (await mine.workingOrders()).map(({ orderId, reduceOnly }) => [orderId, reduceOnly]);
  expect(await shown()).toEqual([
    [ack?.orderId, true],
    [other?.orderId, undefined],
    [one?.orderId, true],
  ]);
  const ref = { marketCode: BTC, orderId: one?.orderId } as never;
  const [amended] = await mine.modifyOrders({
    orders: [{ ...(ref as object), price: '57001' }] as never,
  });
  expect(await expectSame('amended', amended)).toMatchObject({ reduceOnly: true });
  expect(await mine.orderStatus({ orderId: String(one?.orderId) })).toMatchObject({
    reduceOnly: true,
  });
  const [canceled] = await mine.cancelOrders({ responseType: 'FULL', orders: [ref] });
  expect(await expectSame('canceled', canceled as never)).toMatchObject({ reduceOnly: true });
  const closed = async () => mine.orderStatus({ orderId: String(one?.orderId) });
  expect(await closed()).toMatchObject({ status: 'CANCELED', reduceOnly: true });
});
