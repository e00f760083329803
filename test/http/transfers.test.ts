import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requestTransfer } from '../../src/wire/transfers.ts';
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
beforeAll(async () => {
  venue = await startVenue();
});
afterAll(() => venue?.stop());

const idOf = (name: string, family = 0): string => accountOf(venue, name, family).accountId;
const balanceOf = async (name: string, asset: string, of = venue): Promise<string | undefined> =>
  (await clientFor(of, name).balances({ asset }))[0]?.balances[0]?.available;
const mainKey = () => keyOf(accountOf(venue, 'main'), 'read', 'trade', 'withdraw');

test('what is moved leaves one account, enters the other, and is in both histories', async () => {
  const rialto = clientFor(venue);
  const before = Number(await balanceOf('desk-a', 'BTC'));
  const moved = await rialto.transfer({
    asset: 'BTC',
    quantity: '0.50000001',
    fromAccount: idOf('main'),
    toAccount: idOf('desk-a'),
  });
  expect(moved).toEqual({
    asset: 'BTC',
    quantity: '0.50000001',
    fromAccount: idOf('main'),
    toAccount: idOf('desk-a'),
    transferredAt: expect.stringMatching(/^\d{13}$/),
  });
  expect(await balanceOf('desk-a', 'BTC')).toBe(String(before + 0.50000001));
  const [newest] = await rialto.transfers({ asset: 'BTC' });
  expect(newest).toEqual({
    ...moved,
    id: expect.stringMatching(/^97\d{16}$/),
    status: 'COMPLETED',
  });
});

test('accounts go by name as well, from sub to sub, and numbers may be JSON numbers', async () => {
  const body = `{"asset": "OX", "quantity": 9e-05, "fromAccount": "desk-a", "toAccount": ${idOf('desk-b')}}`;
  const answer = await rawCall(venue, {
    key: mainKey(),
    method: 'POST',
    path: '/v3/transfer',
    body,
  });
  expect(answer.data).toMatchObject({
    quantity: '0.00009',
    fromAccount: idOf('desk-a'),
    toAccount: idOf('desk-b'),
  });
});

test('a refused transfer gets the reason, and nothing moves', async () => {
  const rialto = clientFor(venue);
  const before = await rialto.balances({ subAcc: 'desk-a,desk-b' });
  const good = { asset: 'USDT', quantity: '1', fromAccount: 'main', toAccount: 'desk-a' };
  const rows: [Partial<typeof good>, string, string][] = [
    [{ asset: 'NOPE', toAccount: 'nobody' }, '35037', 'NOPE'],
    [{ toAccount: 'nobody', quantity: '0.123456789' }, '45026', 'your family'],
    [{ toAccount: idOf('main', 1) }, '45026', 'your family'],
    [{ quantity: '0.123456789' }, '35028', 'nearest 0.12345678'],
    [{ toAccount: 'main' }, '35025', 'same account'],
    [{ quantity: '0' }, '0010', 'above zero'],
    [{ quantity: '-5' }, '0010', 'above zero'],
    [{ quantity: '1000000000' }, '35036', 'available'],
    [{ quantity: '1e30' }, '20001', 'beyond what can be held'],
    [{ quantity: '1,5' }, '20001', 'a decimal number'],
  ];
  for (const [changes, code, words] of rows) {
    const refusal = await refusalOf(rialto.transfer({ ...good, ...changes }));
    expect([refusal.status, refusal.code], JSON.stringify(changes)).toEqual([400, code]);
    expect(refusal.message).toContain(words);
  }
  expect(await rialto.balances({ subAcc: 'desk-a,desk-b' })).toEqual(before);
});

test('a foreign account and one that does not exist get the same answer', async () => {
  const rialto = clientFor(venue);
  const good = { asset: 'USDT', quantity: '1', fromAccount: 'main' };
  const foreign = await refusalOf(rialto.transfer({ ...good, toAccount: idOf('desk-a', 1) }));
  const absent = await refusalOf(rialto.transfer({ ...good, toAccount: '39999' }));
  expect([foreign.status, foreign.code, foreign.message]).toEqual([
    absent.status,
    absent.code,
    absent.message,
  ]);
});

test('only a parent key that may trade moves money', async () => {
  const ask = { asset: 'USDT', quantity: '1', fromAccount: 'main', toAccount: 'desk-a' };
  const readOnly = clientOf(venue, keyOf(accountOf(venue, 'main'), 'read'));
  for (const rialto of [readOnly, clientFor(venue, 'desk-a')]) {
    expect(await refusalOf(rialto.transfer(ask))).toMatchObject({ status: 403, code: '05001' });
  }
  const trading = clientOf(venue, keyOf(accountOf(venue, 'main'), 'read', 'trade'));
  expect(await trading.transfer(ask)).toMatchObject({ quantity: '1' });
});

test('a sub-account sees only the transfers it had part in', async () => {
  const rialto = clientFor(venue, 'main', 1);
  const ask = { asset: 'OX', quantity: '3', fromAccount: 'main', toAccount: 'desk-a' };
  await rialto.transfer(ask);
  await rialto.transfer({ ...ask, toAccount: 'desk-b', quantity: '4' });
  const quantities = (rows: readonly { quantity: string }[]): string[] =>
    rows.map(({ quantity }) => quantity);
  expect(quantities(await rialto.transfers())).toEqual(['4', '3']);
  expect(quantities(await clientFor(venue, 'desk-a', 1).transfers())).toEqual(['3']);
  expect(quantities(await clientFor(venue, 'desk-b', 1).transfers())).toEqual(['4']);
});

describe('the same signed bytes, sent again', () => {
  const ask = { asset: 'ETH', quantity: '7', fromAccount: 'main', toAccount: 'desk-a' };

  test('take effect once and get the first answer, marked', async () => {
    const rialto = clientFor(venue);
    const prepared = await rialto.prepare(requestTransfer, ask);
    const first = await rialto.send(prepared);
    expect(first.isRepeat).toBe(false);
    for (let times = 0; times < 3; times++) {
      expect(await rialto.send(prepared)).toMatchObject({ isRepeat: true, data: first.data });
    }
    expect(await balanceOf('desk-a', 'ETH')).toBe('7');
    expect(await rialto.transfers({ asset: 'ETH' })).toHaveLength(1);
  });

  test('take effect once when they are sent all at once', async () => {
    const rialto = clientFor(venue);
    const prepared = await rialto.prepare(requestTransfer, { ...ask, toAccount: 'desk-b' });
    const all = await Promise.all(Array.from({ length: 20 }, () => rialto.send(prepared)));
    expect(all.filter(({ isRepeat }) => !isRepeat)).toHaveLength(1);
    expect(new Set(all.map(({ data }) => JSON.stringify(data))).size).toBe(1);
    expect(await balanceOf('desk-b', 'ETH')).toBe('7');
  });

  test('a refusal of the core is remembered too', async () => {
    const rialto = clientFor(venue);
    const prepared = await rialto.prepare(requestTransfer, { ...ask, quantity: '999999' });
    expect(await refusalOf(rialto.send(prepared))).toMatchObject({
      code: '35036',
      isRepeat: false,
    });
    expect(await refusalOf(rialto.send(prepared))).toMatchObject({ code: '35036', isRepeat: true });
  });

  test('get the first answer after a power cut as well', async () => {
    const first = await startVenue();
    const rialto = clientFor(first);
    const prepared = await rialto.prepare(requestTransfer, ask);
    const answer = await rialto.send(prepared);
    await first.kill();
    const second = await startVenue({ data: first.data });
    const url = prepared.url.replace(first.baseUrl, second.baseUrl);
    const { host } = new URL(first.baseUrl);
    // The port differs, so the signed host is sent: it is what the signature covers.
    const again = await sendWithHost(url, host, prepared.headers, prepared.body ?? '');
    expect(again).toEqual({ isRepeat: true, data: answer.data });
    expect(await balanceOf('desk-a', 'ETH', second)).toBe('7');
    expect(await second.stop()).toBe(0);
  });
});

/** `fetch` always sets Host itself; node:http lets the caller set it. */
async function sendWithHost(
  url: string,
  host: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<{ isRepeat: boolean; data: unknown }> {
  const { request } = await import('node:http');
  return new Promise((resolve, reject) => {
    const call = request(url, { method: 'POST', headers: { ...headers, Host: host } }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        const { data } = JSON.parse(Buffer.concat(chunks).toString());
        resolve({ isRepeat: answer.headers['idempotent-replayed'] === 'true', data });
      });
    });
    call.on('error', reject);
    call.end(body);
  });
}
