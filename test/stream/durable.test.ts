import { expect, test } from 'vitest';
import { accountOf, keyOf, startVenue } from '../http/venue.ts';
import { StreamClient } from './stream-client.ts';

test('a command takes effect once, also when the venue is killed before it is sent again', async () => {
  const first = await startVenue({ args: ['--limits', 'off', '--market', 'off'] });
  const port = Number(new URL(first.baseUrl).port);
  const key = keyOf(accountOf(first, 'main'), 'read', 'trade', 'withdraw');
  const command = {
    op: 'placeorder',
    requestId: 'once',
    data: {
      marketCode: 'BTC-USDT',
      side: 'BUY',
      orderType: 'LIMIT',
      quantity: '0.01',
      price: '59000',
    },
  };
  const client = await StreamClient.open(port);
  await client.login(key, { seq: true });
  client.send({ op: 'subscribe', args: ['order:all'] });
  const beginning = await client.next(({ table }) => table === 'order');
  const placed = await client.ask(command, 'a');
  expect(placed.submitted).toBe(true);
  await first.kill();
  expect((await client.closing()).code).toBe(1006);
  const second = await startVenue({
    data: first.data,
    args: ['--limits', 'off', '--market', 'off'],
  });
  const again = await StreamClient.open(Number(new URL(second.baseUrl).port));
  await again.login(key, { seq: true });
  const repeated = await again.ask(command, 'b');
  expect(repeated).toMatchObject({ submitted: true, replayed: true, data: placed.data });
  again.send({ op: 'subscribe', fromSeq: beginning.seq, args: ['order:all'] });
  expect(await again.next(({ event }) => event === 'resume')).toMatchObject({ resumed: false });
  const snapshot = await again.next(({ table }) => table === 'order');
  expect(snapshot.data).toMatchObject([{ orderId: placed.data.orderId }]);
  expect(snapshot.seq).toBeGreaterThan(beginning.seq);
  again.close();
  await second.stop();
}, 90_000);
