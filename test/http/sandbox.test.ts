import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RialtoClient } from '../../src/client/index.ts';
import { demoAccounts, demoSession } from '../../src/wire/sandbox.ts';
import { accountOf, clientFor, clientOf, keyOf, startVenue, type Venue } from './venue.ts';

let venue: Venue;
beforeAll(async () => {
  venue = await startVenue();
});
afterAll(() => venue?.stop());

async function sandbox(path: string, body: object, token = venue.handout.sandboxToken) {
  const response = await fetch(`${venue.baseUrl}/sandbox/v1/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
  const { data, code } = (await response.json()) as { data: Record<string, string>; code?: string };
  return { status: response.status, data, code };
}

/** Polls until it is found; otherwise the test times out. */
async function until<Found>(look: () => Promise<Found | undefined>): Promise<Found> {
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const main = () => clientFor(venue);
const balanceOf = async (asset: string) => {
  const [account] = await main().balances({ asset });
  return account?.balances[0];
};

test('each demo family has a deposit from the start, and a million with it', async () => {
  for (const family of [0, 1]) {
    const rialto = clientFor(venue, 'main', family);
    const { address } = await rialto.depositAddress({ asset: 'USDT', network: 'Ethereum' });
    expect(await rialto.deposits()).toMatchObject([
      { asset: 'USDT', network: 'Ethereum', quantity: '1000', status: 'COMPLETED', address },
    ]);
  }
  expect(await balanceOf('USDT')).toMatchObject({ total: '1000000' });
});

test('only who has the token may pay, and only what a simulated chain brings', async () => {
  const { accountId } = accountOf(venue, 'main');
  const payment = { accountId, asset: 'XRP', quantity: '5' };
  expect(await sandbox('deposit', payment, 'guess')).toMatchObject({ status: 401 });
  const wrong = [
    { ...payment, accountId: '1' },
    { ...payment, accountId: undefined },
    { ...payment, accountId: undefined, family: 'nobody' },
    { ...payment, asset: 'DOGE' },
    { ...payment, network: 'Bitcoin' },
    { ...payment, quantity: '0' },
    { ...payment, quantity: '0.000000001' },
    { ...payment, quantity: '1e60' },
  ];
  for (const body of wrong) {
    const { status, code } = await sandbox('deposit', body);
    expect([body, status >= 400 && status < 500, typeof code]).toEqual([body, true, 'string']);
  }
  expect(await balanceOf('XRP')).toBeUndefined();
});

test.each([
  ['XRP', 'XRPL', '12.5'],
  ['BTC', 'Bitcoin', '0.25'],
  ['SOL', 'Solana', '3'],
])('%s paid on %s is seen at once and credited once, exactly', async (asset, network, quantity) => {
  const before = (await balanceOf(asset))?.total ?? '0';
  const { data } = await sandbox('deposit', { family: 'demo-1', asset, quantity });
  expect(data).toMatchObject({ asset, network, quantity, txId: expect.any(String) });
  const place = await main().depositAddress({ asset, network });
  expect(data).toMatchObject(place);
  const credited = await until(async () => {
    const [deposit] = await main().deposits({ asset });
    return deposit?.status === 'COMPLETED' ? deposit : undefined;
  });
  expect(credited).toMatchObject({ txId: data['txId'], quantity, ...place });
  const after = (await balanceOf(asset))?.total ?? '0';
  expect(Number(after) - Number(before)).toBe(Number(quantity));
});

test('a withdrawal goes out on its chain, and comes back where it was sent to another account', async () => {
  const account = accountOf(venue, 'main');
  const rialto = clientOf(venue, keyOf(account, 'read', 'trade', 'withdraw'));
  const desk = clientFor(venue, 'desk-a');
  const to = await desk.depositAddress({ asset: 'ETH', network: 'Ethereum' });
  const request = { asset: 'ETH', network: 'Ethereum', address: to.address, quantity: '2' };
  const { id, fee } = await rialto.withdraw({ ...request, externalFee: true });
  const done = await until(async () => {
    const [found] = await rialto.withdrawals({ id });
    return found?.status === 'COMPLETED' ? found : undefined;
  });
  expect(Number(fee)).toBeGreaterThan(0);
  expect(Number(done.quantity)).toBe(2 + Number(fee));
  const deposit = await until(async () => {
    const [found] = await desk.deposits({ asset: 'ETH' });
    return found?.status === 'COMPLETED' ? found : undefined;
  });
  expect(deposit).toMatchObject({ quantity: '2', txId: done.txId, address: to.address });
});

test('a deposit whose block is replaced fails, and the chain goes on', async () => {
  const { data } = await sandbox('deposit', { family: 'demo-2', asset: 'USDT', quantity: '7' });
  const { network = '' } = data;
  // The chain continues by itself: there may be more blocks above it by now.
  const { data: after } = await sandbox('chain', { network, reorganise: 6, mine: 1 });
  expect(after['removed']).toContain(data['txId']);
  const other = clientFor(venue, 'main', 1);
  const lost = await until(async () => {
    const found = (await other.deposits()).find(({ txId }) => txId === data['txId']);
    // Replaced before it was read, or after.
    return found === undefined || found.status === 'FAILED' ? { found } : undefined;
  });
  expect(lost.found?.quantity ?? '7').toBe('7');
  expect(await sandbox('chain', { network, mine: 201 })).toMatchObject({ status: 400 });
  expect(await sandbox('chain', { network: 'Moon', mine: 1 })).toMatchObject({ status: 400 });
});

test('demo accounts are opened with one click from this machine, and from no other name', async () => {
  const { handout } = venue;
  const { accounts, sandboxToken, market } = await new RialtoClient({
    baseUrl: handout.baseUrl,
  }).call(demoAccounts, {});
  expect(sandboxToken).toBe(handout.sandboxToken);
  expect(market).toEqual(handout.market);
  const ids = handout.families.flatMap((family) =>
    family.accounts.map(({ accountId }) => accountId),
  );
  expect(accounts.map(({ accountId }) => accountId)).toEqual(ids);
  const [first] = accounts;
  if (first === undefined) throw new Error('a demo venue has accounts');
  const open = new RialtoClient({ baseUrl: handout.baseUrl });
  const session = await open.call(demoSession, { accountId: first.accountId });
  const page = new RialtoClient({ baseUrl: handout.baseUrl, ...session });
  expect((await page.account())[0]).toMatchObject({ accountId: first.accountId });
  await page.signOut();
  await expect(page.account()).rejects.toMatchObject({ status: 401 });
  const response = await rawGet(handout.baseUrl, '/sandbox/v1/demo-accounts', 'evil.example');
  expect(response).toContain('05001');
  expect(response).not.toContain(sandboxToken);
});

/** With a custom Host, which fetch does not send. */
async function rawGet(baseUrl: string, path: string, host: string): Promise<string> {
  const { port } = new URL(baseUrl);
  const socket = connect(Number(port), '127.0.0.1');
  socket.end(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  return text;
}
