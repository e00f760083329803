import type { StreamTalk } from '../../src/wire/docs/recording.ts';
import type { RecordedVenue } from './recorded-venue.ts';
import { type Received, Talk } from './recorder.ts';
import { liquidate } from './rest-scenario.ts';

const BTC = 'BTC-USD-SWAP-LIN';
const STATES = [
  ...[`depth:${BTC}`, `depthL5:${BTC}`, `bestBidAsk:${BTC}`, `ticker:${BTC}`],
  ...[`candles60s:${BTC}`, `market:${BTC}`, 'balance:all', 'position:all', 'account:all'],
];
const PRIVATE = ['balance:all', 'position:all', 'order:all', 'account:all', 'wallet:all'];

/** Every channel with its first message, and every command with its answer, each on its own connection. */
export async function streamScenario(venue: RecordedVenue): Promise<StreamTalk[]> {
  const talks: StreamTalk[] = [];
  const key = venue.keyOf(0, 'main', 'read', 'trade', 'withdraw');
  const other = venue.clientOf(venue.keyOf(1, 'main', 'read', 'trade'));
  const own = venue.clientOf(key);
  const talk = async (name: string, run: (one: Talk) => Promise<void>): Promise<void> => {
    const one = new Talk(venue);
    await run(one);
    one.close();
    talks.push({ name, lines: one.lines });
  };
  const trades = async (): Promise<void> => {
    const order = {
      marketCode: BTC,
      orderType: 'LIMIT',
      quantity: '0.01',
      price: '60010',
    } as const;
    await other.placeOrders({ orders: [{ ...order, side: 'SELL' }] });
    await own.placeOrders({ orders: [{ ...order, side: 'BUY' }] });
  };
  await talk('login', async (one) => {
    await one.receive(({ event }) => event === 'Welcome');
    await one.login(venue, key);
  });
  await talk('refused', async (one) => {
    await one.opened();
    one.send({ op: 'subscribe', tag: 'a', args: ['depth:BTC-EUR'] });
    await one.receive(({ event }) => event === 'subscribe');
  });
  const listen = (channel: string, act: (one: Talk, table: string) => Promise<void>) => {
    const table = channel.split(':')[0] as string;
    return talk(table, async (one) => {
      await one.opened();
      if (PRIVATE.includes(channel)) await one.quietly(() => one.login(venue, key));
      one.send({ op: 'subscribe', tag: '2', args: [channel] });
      await one.receive(({ event }) => event === 'subscribe');
      await act(one, table);
    });
  };
  const first = async (one: Talk, table: string): Promise<void> =>
    void (await one.receive((message) => message['table'] === table));
  // First all channels that show a state; then those that wait for something to happen.
  await Promise.all(STATES.map((channel) => listen(channel, first)));
  await listen(`depthUpdate:${BTC}`, async (one, table) => {
    await first(one, table);
    const order = { marketCode: BTC, side: 'BUY', orderType: 'LIMIT', quantity: '1' } as const;
    await other.placeOrders({ orders: [{ ...order, price: '59995' }] });
    await one.receive(({ table: of, data }) => of === 'depthUpdate-diff' && data.bids.length > 0);
  });
  for (const [channel, act] of [
    [`trade:${BTC}`, trades],
    ['order:all', trades],
    ['wallet:all', () => venue.deposit('30011', 'USDT', '10')],
    [
      'liquidationRFQ',
      async () => {
        await own.createSubAccount({ name: 'second' });
        const moved = { asset: 'USDT', quantity: '1000', fromAccount: 'main' };
        await own.transfer({ ...moved, toAccount: 'second' });
        await liquidate(venue, own, other, 'second');
      },
    ],
  ] as const) {
    await listen(channel, async (one, table) => {
      await act();
      await first(one, table);
    });
  }
  await talk('commands', async (one) => {
    await one.opened();
    await one.quietly(() => one.login(venue, key));
    await commands(one);
  });
  await talk('resume', async (one) => {
    await one.opened();
    await one.quietly(() => one.login(venue, key));
    one.send({ op: 'subscribe', tag: '4', seq: true, args: ['order:all'] });
    await one.receive(({ event }) => event === 'subscribe');
    const first = await one.receive((message) => message['table'] === 'order');
    one.send({ op: 'unsubscribe', tag: '5', args: ['order:all'] });
    await one.receive(({ event }) => event === 'unsubscribe');
    await trades();
    one.send({ op: 'subscribe', tag: '6', args: ['order:all'], fromSeq: first['seq'] });
    await one.receive(({ event }) => event === 'resume');
    await one.receive((message) => message['table'] === 'order');
  });
  return talks;
}

async function commands(one: Talk): Promise<void> {
  const order = { marketCode: BTC, side: 'BUY', orderType: 'LIMIT', quantity: '0.01' };
  const answer = async (event: string): Promise<Received> =>
    one.receive((message) => message['event'] === event);
  one.send({ op: 'placeorder', tag: '7', data: { ...order, price: '59000' } });
  const { orderId } = (await answer('placeorder'))['data'];
  one.send({ op: 'placeorder', tag: '8', data: { ...order, price: '59000.5' } });
  await answer('placeorder');
  one.send({ op: 'modifyorder', tag: '9', data: { marketCode: BTC, orderId, price: '59100' } });
  await answer('modifyorder');
  one.send({ op: 'cancelorder', tag: '10', data: { marketCode: BTC, orderId } });
  await answer('cancelorder');
}
