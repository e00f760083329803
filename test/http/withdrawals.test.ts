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

const ASKED = {
  asset: 'USDT',
  network: 'Ethereum',
  address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  quantity: '250',
  externalFee: true,
} as const;

test('a withdrawal is seen as soon as it was asked for, and called back whole', async () => {
  const rialto = clientFor(venue);
  const [before] = await rialto.balances({ asset: 'USDT' });
  const made = await rialto.withdraw(ASKED);
  expect(made).toMatchObject({ ...ASKED, id: expect.stringMatching(/^98\d{16}$/) });
  const [shown] = await rialto.withdrawals({ id: made.id });
  expect(shown).toMatchObject({ id: made.id, requestedAt: made.requestedAt });
  expect((await rialto.withdrawals({ limit: '1' }))[0]?.id).toBe(made.id);
  expect(await rialto.withdrawals({ beforeId: made.id, limit: '1' })).toEqual([]);
  const [held] = await rialto.balances({ asset: 'USDT' });
  expect(Number(held?.balances[0]?.reserved)).toBe(
    250 + Number(made.fee) + Number(before?.balances[0]?.reserved),
  );
  const canceled = await rialto.cancelWithdrawal({ id: made.id });
  expect(canceled.status).toBe('CANCELED');
  expect((await rialto.withdrawals({ id: made.id }))[0]?.status).toBe('CANCELED');
  const [after] = await rialto.balances({ asset: 'USDT' });
  expect(after?.balances[0]?.total).toBe(before?.balances[0]?.total);
  expect(after?.balances[0]?.reserved).toBe(before?.balances[0]?.reserved);
  expect((await refusalOf(rialto.cancelWithdrawal({ id: made.id }))).code).toBe('20001');
});

test('both paths of the estimate answer alike', async () => {
  const key = keyOf(accountOf(venue, 'main'), 'read');
  const query = `${new URLSearchParams({ ...ASKED, externalFee: 'false' })}`;
  const [one, other] = await Promise.all(
    ['/v3/withdrawal-fee', '/v3/withdrawal-fees'].map((path) =>
      rawCall(venue, { key, path, query }),
    ),
  );
  expect(one?.data).toEqual({ ...ASKED, externalFee: false, estimatedFee: expect.any(String) });
  expect(other?.data).toEqual(one?.data);
});

test('a key that may trade, and one of a sub-account, withdraw nothing', async () => {
  const body = JSON.stringify(ASKED);
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
