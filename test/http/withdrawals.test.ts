import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  accountOf,
  clientFor,
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

const REQUEST = {
  asset: 'USDT',
  network: 'Ethereum',
  address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  quantity: '250',
  externalFee: true,
} as const;

test('a withdrawal is seen as soon as it was asked for, and called back whole', async () => {
  const rialto = clientFor(venue);
  const [before] = await rialto.balances({ asset: 'USDT' });
  // Above the limit for automatic release: it waits for operators, so that it can be canceled.
  const request = { ...REQUEST, quantity: '250000' };
  const made = await rialto.withdraw(request);
  expect(made).toMatchObject({
    ...request,
    status: 'ON HOLD',
    id: expect.stringMatching(/^98\d{16}$/),
  });
  const [shown] = await rialto.withdrawals({ id: made.id });
  expect(shown).toMatchObject({ id: made.id, requestedAt: made.requestedAt });
  expect((await rialto.withdrawals({ limit: '1' }))[0]?.id).toBe(made.id);
  expect(await rialto.withdrawals({ beforeId: made.id, limit: '1' })).toEqual([]);
  const [held] = await rialto.balances({ asset: 'USDT' });
  expect(Number(held?.balances[0]?.reserved)).toBe(
    250_000 + Number(made.fee) + Number(before?.balances[0]?.reserved),
  );
  const canceled = await rialto.cancelWithdrawal({ id: made.id });
  expect(canceled.status).toBe('CANCELED');
  expect((await rialto.withdrawals({ id: made.id }))[0]?.status).toBe('CANCELED');
  const [after] = await rialto.balances({ asset: 'USDT' });
  expect(after?.balances[0]?.total).toBe(before?.balances[0]?.total);
  expect(after?.balances[0]?.reserved).toBe(before?.balances[0]?.reserved);
  expect((await refusalOf(rialto.cancelWithdrawal({ id: made.id }))).code).toBe('20001');
});

test('an id that no withdrawal can have is refused like one that was never given', async () => {
  const rialto = clientFor(venue);
  for (const id of ['980999999999999999', '8720000000000005000', '9999999999999999999', '1']) {
    expect([id, (await refusalOf(rialto.cancelWithdrawal({ id }))).code]).toEqual([id, '20001']);
    expect(await rialto.withdrawals({ id })).toEqual([]);
  }
});

test('both paths of the estimate answer alike', async () => {
  const key = keyOf(accountOf(venue, 'main'), 'read');
  const query = `${new URLSearchParams({ ...REQUEST, externalFee: 'false' })}`;
  const [one, other] = await Promise.all(
    ['/v3/withdrawal-fee', '/v3/withdrawal-fees'].map((path) =>
      rawCall(venue, { key, path, query }),
    ),
  );
  expect(one?.data).toEqual({ ...REQUEST, externalFee: false, estimatedFee: expect.any(String) });
  expect(other?.data).toEqual(one?.data);
});

test('a key that may trade, and one of a sub-account, withdraw nothing', async () => {
  const body = JSON.stringify(REQUEST);
  for (const key of [
    keyOf(accountOf(venue, 'main'), 'read', 'trade'),
    keyOf(accountOf(venue, 'desk-a'), 'read', 'trade'),
  ]) {
    for (const method of ['POST', 'DELETE']) {
      const sent = method === 'POST' ? body : '{"id":"980000000000000001"}';
      const answer = await rawCall(venue, { key, method, path: '/v3/withdrawal', body: sent });
      expect([answer.status, answer.code]).toEqual([403, '05001']);
    }
  }
});

test('the demo has a saved address, an inactive account, a factor, and a withdrawal on hold', async () => {
  const [first, second] = venue.handout.families;
  expect(first?.accounts.map(({ name }) => name)).toEqual(['main', 'desk-a', 'desk-b']);
  expect(first?.inactiveAccounts.map(({ name }) => name)).toEqual(['desk-c']);
  const names = await clientFor(venue).accountNames();
  expect(names.map(({ name }) => name)).toEqual(['desk-a', 'desk-b']);
  for (const family of [0, 1]) {
    const [saved] = await clientFor(venue, 'main', family).withdrawalAddresses();
    expect(saved).toMatchObject({ label: 'treasury', whitelisted: true, asset: 'USDT' });
  }
  expect(first?.accounts[0]?.totp).toBeUndefined();
  const rialto = clientFor(venue, 'main', 1);
  const [held] = await rialto.withdrawals({ asset: 'SOL' });
  expect(held).toMatchObject({ status: 'ON HOLD', quantity: '1000' });
  const [balance] = await rialto.balances({ asset: 'SOL' });
  expect(balance?.balances[0]).toMatchObject({ total: '10000', reserved: '1000' });
  expect((await refusalOf(rialto.withdraw(REQUEST))).code).toBe('30001');
  const code = codeOf(second?.accounts[0]?.totp ?? '', Date.now());
  const made = await rialto.withdraw({ ...REQUEST, tfaType: 'GOOGLE', code });
  expect(made.status).toBe('PENDING');
});

test('an asset with a burn fee shows it, and quantity and fees are what leaves', async () => {
  const rialto = clientFor(venue);
  const place = { asset: 'OX', network: 'Ethereum', address: REQUEST.address, quantity: '100' };
  const estimate = await rialto.withdrawalFee({ ...place, externalFee: 'true' });
  expect(estimate).toMatchObject({ burnFee: '2' });
  const made = await rialto.withdraw({ ...place, externalFee: true });
  expect(made).toMatchObject({ quantity: '100', burnFee: '2', fee: estimate.estimatedFee });
  const [shown] = await rialto.withdrawals({ id: made.id });
  expect(Number(shown?.quantity)).toBe(102 + Number(made.fee));
  const without = await rialto.withdrawalFee({ ...place, network: 'Arbitrum' });
  expect(without).not.toHaveProperty('burnFee');
});

test('a thousand requests at once for one balance: what fits succeeds, and nothing more', async () => {
  const rialto = clientFor(venue);
  const [before] = await rialto.balances({ asset: 'BTC' });
  const fits = Math.floor(Number(before?.balances[0]?.available) / 0.3);
  const request = {
    ...{ asset: 'BTC', network: 'Bitcoin', quantity: '0.3', externalFee: false },
    address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
  };
  const all = await Promise.all(
    Array.from({ length: 1_000 }, () =>
      rialto.withdraw(request).then(
        ({ id }) => id,
        (error: { code: string }) => error.code,
      ),
    ),
  );
  const ids = all.filter((one) => one.startsWith('98'));
  expect([ids.length, new Set(ids).size]).toEqual([fits, fits]);
  expect(new Set(all.filter((one) => !one.startsWith('98')))).toEqual(new Set(['31001']));
  const [after] = await rialto.balances({ asset: 'BTC' });
  expect(Number(after?.balances[0]?.available)).toBeCloseTo(
    Number(before?.balances[0]?.available) - fits * 0.3,
    8,
  );
});

/** As an authenticator computes it from the secret of the handout. */
function codeOf(secret: string, nowMs: number): string {
  const bits = [...secret].map((character) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(character).toString(2).padStart(5, '0'),
  );
  const bytes = bits.join('').match(/[01]{8}/g) ?? [];
  const key = Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(nowMs / 30_000)));
  const hash = createHmac('sha1', key).update(counter).digest();
  const number = hash.readUInt32BE((hash[19] as number) & 15) & 0x7fff_ffff;
  return String(number % 1_000_000).padStart(6, '0');
}
