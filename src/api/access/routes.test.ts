import { expect, test } from 'vitest';
import { MAIN_ACCOUNT_NAME, type Restriction } from '../../domain/terms.ts';
import { edgeOverCore } from '../core-venue.fixture.ts';
import { hashOfToken } from '../request/invitations.ts';

const PASSWORD = 'a good password';

/** A venue over the real core in which alice has a password. */
async function withPassword() {
  const edge = edgeOverCore();
  const invite = () =>
    edge.core.apply({
      kind: 'invite-user',
      actor: 'test',
      family: 'alice',
      tokenHash: hashOfToken('token'),
      expiresAtMs: edge.core.nowMs + 60_000,
    });
  invite();
  const open = (path: string, body: object, address = '') =>
    edge.ask('alice', 'POST', path, { body, address });
  expect(await open('/v3/invitation', { token: 'token', password: PASSWORD })).toMatchObject({
    status: 200,
    data: { name: 'alice' },
  });
  const signIn = (changes: object = {}, address = '') =>
    open('/v3/session', { name: 'alice', password: PASSWORD, ...changes }, address);
  return { ...edge, open, signIn, invite };
}

type Edge = Awaited<ReturnType<typeof withPassword>>;
type Pair = { readonly accessKey: string; readonly secret: string };

type Three = [ReturnType<typeof signed>, ReturnType<typeof signed>, ReturnType<typeof signed>];

const signed = (edge: Edge, { accessKey, secret }: Pair) => {
  return (method: string, path: string, body?: object, signedAtMs?: number) =>
    edge.ask('alice', method, path, {
      ...{ accessKey, secret },
      ...(body === undefined ? {} : { body }),
      ...(signedAtMs === undefined ? {} : { signedAtMs }),
    });
};

test('a password gives a session that signs; its orders come from the page', async () => {
  const edge = await withPassword();
  const { status, data } = await edge.signIn();
  expect(status).toBe(200);
  expect(data).toMatchObject({ name: 'main', permissions: ['read', 'trade', 'withdraw'] });
  const ask = signed(edge, data);
  const order = { clientOrderId: '1', marketCode: 'BTC-USD-SWAP-LIN', side: 'BUY' };
  const placed = await ask('POST', '/v3/orders/place', {
    responseType: 'FULL',
    orders: [{ ...order, orderType: 'LIMIT', quantity: '0.01', price: '59000' }],
  });
  expect(placed.data[0]).toMatchObject({ submitted: true, source: '0' });
  expect((await ask('GET', '/v3/sessions')).data).toMatchObject([
    { accessKey: data.accessKey, current: true },
  ]);
  expect((await ask('DELETE', '/v3/session', {})).status).toBe(200);
  expect(await ask('GET', '/v3/sessions')).toMatchObject({ status: 401, code: '20025' });
});

test('signing out ends sessions only: a key that signs it, or that it names, stays', async () => {
  const edge = await withPassword();
  const session = (await edge.signIn()).data;
  const ask = signed(edge, session);
  const { data: key } = await ask('POST', '/v3/api-keys', { permissions: ['trade'] });
  const withKey = signed(edge, key);
  for (const refused of [
    await withKey('DELETE', '/v3/session', {}),
    await ask('DELETE', '/v3/session', { accessKey: key.accessKey }),
  ]) {
    expect(refused).toMatchObject({ status: 400, code: '20001' });
    expect(refused.message).toContain(`${key.accessKey} is a key and no session`);
  }
  expect((await withKey('GET', '/v3/balances')).status).toBe(200);
  const ended = await ask('DELETE', '/v3/session', {});
  expect(ended).toMatchObject({ status: 200, data: { accessKey: session.accessKey } });
  expect((await ask('GET', '/v3/balances')).status).toBe(401);
});

test('a session takes those it has opened with it, and no others', async () => {
  const edge = await withPassword();
  const first = signed(edge, (await edge.signIn()).data);
  edge.core.nowMs += 1_000;
  const otherKey = (await edge.signIn()).data;
  const other = signed(edge, otherKey);
  edge.core.nowMs += 1_000;
  const of = async (ask: typeof first) =>
    signed(edge, (await ask('POST', '/v3/session/account', { account: 'desk' })).data);
  const [ofFirst, ofOther] = [await of(first), await of(other)];
  expect((await first('DELETE', '/v3/session', {})).status).toBe(200);
  expect((await ofFirst('GET', '/v3/balances')).status).toBe(401);
  expect((await ofOther('GET', '/v3/balances')).status).toBe(200);
  // One that was opened by another does not end that one, nor may it.
  const named = { accessKey: otherKey.accessKey };
  expect((await ofOther('DELETE', '/v3/session', named)).status).toBe(403);
  expect((await ofOther('GET', '/v3/balances')).status).toBe(200);
  expect((await ofOther('DELETE', '/v3/session', {})).status).toBe(200);
  expect((await other('GET', '/v3/balances')).status).toBe(200);
});

test('a session of a sub-account ends alone, and the main session ends all that it opened', async () => {
  const edge = await withPassword();
  const main = signed(edge, (await edge.signIn()).data);
  const opened = async (account: string) =>
    (await main('POST', '/v3/session/account', { account })).data;
  // All in one millisecond, and two of one account.
  const keys = [await opened('desk'), await opened('main'), await opened('desk')];
  const [desk, again, other] = keys.map((key) => signed(edge, key)) as Three;
  const { length } = edge.core.state.keys;
  expect((await main('DELETE', '/v3/session', { accessKey: keys[0].accessKey })).status).toBe(200);
  expect((await desk('GET', '/v3/balances')).status).toBe(401);
  expect((await other('GET', '/v3/balances')).status).toBe(200);
  expect((await again('DELETE', '/v3/session', {})).status).toBe(200);
  expect((await other('GET', '/v3/balances')).status).toBe(200);
  expect((await main('GET', '/v3/balances')).status).toBe(200);
  const ending = main('DELETE', '/v3/session', {});
  const late = signed(edge, await opened('desk'));
  expect((await ending).status).toBe(200);
  expect((await other('GET', '/v3/balances')).status).toBe(401);
  expect((await late('GET', '/v3/balances')).status).toBe(401);
  expect(edge.core.state.keys.length).toBe(length + 1);
});

test('a wrong password, an unknown name and a spent token are refused alike every time', async () => {
  const edge = await withPassword();
  const wrong = await edge.signIn({ password: 'another' });
  expect(wrong).toMatchObject({ status: 401, code: '25002' });
  const { message } = wrong;
  expect(await edge.signIn({ name: 'nobody' })).toMatchObject({ status: 401, message });
  expect(await edge.open('/v3/invitation', { token: 'token', password: PASSWORD })).toMatchObject({
    status: 400,
    code: '20001',
  });
});

test('after five failures an address waits, another does not', async () => {
  const edge = await withPassword();
  for (let tries = 0; tries < 5; tries++) await edge.signIn({ password: 'no' }, '10.0.0.1');
  expect(await edge.signIn({}, '10.0.0.1')).toMatchObject({ status: 429 });
  expect(await edge.signIn({}, '10.1.0.1')).toMatchObject({ status: 200 });
  edge.core.nowMs += 600_000;
  expect(await edge.signIn({}, '10.0.0.1')).toMatchObject({ status: 200 });
});

test('guesses sent at the same time are not more than guesses sent one after another', async () => {
  const edge = await withPassword();
  const guesses = Array.from({ length: 20 }, (_, at) => ({ password: `guess ${at}` }));
  const answers = await Promise.all(guesses.map((guess) => edge.signIn(guess, '10.0.0.1')));
  expect(answers.filter(({ status }) => status === 401)).toHaveLength(5);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(15);
  expect(await edge.signIn({}, '10.0.0.1')).toMatchObject({ status: 429 });
  expect(await edge.signIn({}, '10.1.0.1')).toMatchObject({ status: 200 });
});

test('one password on many names is stopped, too, also on names that do not exist', async () => {
  const edge = await withPassword();
  for (let at = 0; at < 50; at++) {
    expect(await edge.signIn({ name: `nobody-${at}` }, '10.0.0.1')).toMatchObject({ status: 401 });
  }
  expect(await edge.signIn({}, '10.0.0.1')).toMatchObject({ status: 429 });
  expect(await edge.signIn({}, '10.1.0.1')).toMatchObject({ status: 200 });
});

test('whoever has taken a session over cannot guess the password with it', async () => {
  const edge = await withPassword();
  const ask = signed(edge, (await edge.signIn()).data);
  const change = (password: string) =>
    ask('POST', '/v3/password', { password, newPassword: 'a better password' });
  for (let tries = 0; tries < 5; tries++) {
    expect(await change(`guess ${tries}`)).toMatchObject({ status: 401, code: '25002' });
  }
  expect(await change(PASSWORD)).toMatchObject({ status: 429 });
  edge.core.nowMs += 600_000;
  expect(await change(PASSWORD)).toMatchObject({ status: 200 });
});

test('keys and sessions made without pause have to wait, and keep no owner from signing in', async () => {
  const edge = await withPassword();
  const ask = signed(edge, (await edge.signIn()).data);
  // Sessions that are opened and keys that are made and revoked share a count; refused ones change nothing.
  for (let at = 0; at < 60; at++) {
    const opened = await ask('POST', '/v3/session/account', { account: 'main' });
    expect(opened.status).toBe(200);
    const { data, status } = await ask('POST', '/v3/api-keys', { permissions: ['trade'] });
    expect(status).toBe(200);
    expect((await ask('DELETE', '/v3/api-keys', { accessKey: data.accessKey })).status).toBe(200);
    expect((await ask('DELETE', '/v3/session', { accessKey: opened.data.accessKey })).status).toBe(
      200,
    );
  }
  const kept = edge.core.state.keys.length;
  expect(await ask('POST', '/v3/api-keys', { permissions: ['trade'] })).toMatchObject({
    status: 429,
    message: expect.stringContaining('new keys and sessions in ten minutes; wait 5 s'),
  });
  expect(await ask('POST', '/v3/session/account', { account: 'main' })).toMatchObject({
    status: 429,
  });
  expect(edge.core.state.keys.length).toBe(kept);
  for (let at = 0; at < 119; at++) expect((await edge.signIn()).status).toBe(200);
  expect(await edge.signIn()).toMatchObject({ status: 429 });
  edge.core.nowMs += 5_000;
  expect((await edge.signIn()).status).toBe(200);
});

test('strangers with wrong tokens do not keep those out who are invited', async () => {
  const edge = await withPassword();
  const accept = (token: string, address: string) =>
    edge.open('/v3/invitation', { token, password: 'a new password' }, address);
  for (let at = 0; at < 60; at++) await accept('wrong', `10.0.0.${at}`);
  for (let tries = 0; tries < 5; tries++) await accept('wrong', '10.1.0.1');
  expect(await accept('wrong', '10.1.0.1')).toMatchObject({ status: 429 });
  edge.invite();
  expect(await accept('token', '10.2.0.1')).toMatchObject({ status: 200 });
});

test('a session ends by itself, and with the password it was opened with', async () => {
  const edge = await withPassword();
  const first = signed(edge, (await edge.signIn()).data);
  const second = signed(edge, (await edge.signIn()).data);
  const change = { password: PASSWORD, newPassword: 'a better password' };
  expect(await first('POST', '/v3/password', { ...change, password: 'no' })).toMatchObject({
    code: '25002',
  });
  expect(await first('POST', '/v3/password', change)).toMatchObject({ status: 200 });
  expect(await second('GET', '/v3/sessions')).toMatchObject({ status: 401 });
  expect(await first('GET', '/v3/sessions')).toMatchObject({ status: 200 });
  expect(await edge.signIn()).toMatchObject({ status: 401 });
  expect(await edge.signIn({ password: 'a better password' })).toMatchObject({ status: 200 });
  edge.core.nowMs += 12 * 3_600_000 + 1;
  expect(await first('GET', '/v3/sessions')).toMatchObject({ status: 401 });
});

test("keys of one's own: made, listed, used, revoked; a repeat gets the first key", async () => {
  const edge = await withPassword();
  const ask = signed(edge, (await edge.signIn()).data);
  const atMs = edge.core.nowMs + 500;
  const wish = { label: 'bot', permissions: ['trade'], addresses: ['10.0.0.1'] };
  const made = await ask('POST', '/v3/api-keys', wish, atMs);
  expect(made.data).toMatchObject({ label: 'bot', name: 'main', permissions: ['read', 'trade'] });
  const again = await ask('POST', '/v3/api-keys', wish, atMs);
  expect(again.data).toEqual(made.data);
  expect(again.headers).toContain('Idempotent-Replayed');
  const { data: listed } = await ask('GET', '/v3/api-keys');
  expect(listed.map(({ label }: { label: string }) => label)).toContain('bot');
  expect(JSON.stringify(listed)).not.toContain(made.data.secret);
  const bot = signed(edge, made.data);
  expect(await bot('GET', '/v3/balances')).toMatchObject({ status: 403, code: '05001' });
  // A key that may not withdraw makes no others, and ends none but itself.
  const plain = (await ask('POST', '/v3/api-keys', { permissions: ['trade'] })).data;
  expect(await signed(edge, plain)('POST', '/v3/api-keys', wish)).toMatchObject({ status: 403 });
  const { accessKey } = made.data;
  expect(await signed(edge, plain)('DELETE', '/v3/api-keys', { accessKey })).toMatchObject({
    code: '05001',
  });
  expect(await ask('DELETE', '/v3/api-keys', { accessKey })).toMatchObject({ status: 200 });
  expect(await ask('DELETE', '/v3/api-keys', { accessKey })).toMatchObject({ code: '20001' });
  expect(await bot('GET', '/v3/balances')).toMatchObject({ status: 401 });
  // Not a whole number that the journal can hold.
  const far = await ask('POST', '/v3/api-keys', { ...wish, expiresAt: '9999999999999999' });
  expect([far.status, far.code]).toEqual([400, '20001']);
  expect(await ask('POST', '/v3/api-keys', { ...wish, addresses: ['home'] })).toMatchObject({
    code: '20001',
  });
});

test('a key that may withdraw waits a day before it does', async () => {
  const edge = await withPassword();
  const ask = signed(edge, (await edge.signIn()).data);
  const { data } = await ask('POST', '/v3/api-keys', { permissions: ['withdraw'] });
  expect(data.permissions).toEqual(['read', 'trade', 'withdraw']);
  expect(data.withdrawsFrom).toBe(String(Number(data.createdAt) + 86_400_000));
  const early = await signed(edge, data)('POST', '/v3/sub-accounts', { name: 'early' });
  expect(early).toMatchObject({ status: 403, code: '05001' });
  expect(early.message).toContain(data.withdrawsFrom);
});

test("sub-accounts: made, renamed, frozen and woken; others' are unknown", async () => {
  const edge = await withPassword();
  const ask = signed(edge, (await edge.signIn()).data);
  const { data } = await ask('POST', '/v3/sub-accounts', { name: 'office' });
  expect(data).toMatchObject({ name: 'office', active: true });
  const { accountId } = data;
  const rename = (name: string) => ask('POST', '/v3/sub-accounts/rename', { accountId, name });
  expect(await rename(MAIN_ACCOUNT_NAME)).toMatchObject({ code: '20001' });
  expect((await rename('tower')).data).toMatchObject({ accountId, name: 'tower' });
  const freeze = (frozen: boolean) => ask('POST', '/v3/sub-accounts/freeze', { accountId, frozen });
  expect((await freeze(true)).data).toMatchObject({ active: false });
  expect((await ask('GET', '/v3/account/names')).data).not.toContainEqual(
    expect.objectContaining({ accountId }),
  );
  expect((await ask('GET', '/v3/sub-accounts')).data).toContainEqual({
    accountId,
    name: 'tower',
    active: false,
  });
  expect((await freeze(false)).data).toMatchObject({ active: true });
  edge.core.apply({
    kind: 'set-restrictions',
    actor: 'operator',
    family: 'alice',
    subAccount: 'tower',
    restrictions: ['inactive'],
  });
  expect(await freeze(false)).toMatchObject({ code: '300001' });
  const other = { accountId: '30099', name: 'mine' };
  expect(await ask('POST', '/v3/sub-accounts/rename', other)).toMatchObject({ code: '45026' });
});

test('no sub-account of an inactive family is active', async () => {
  const edge = await withPassword();
  const ask = signed(edge, (await edge.signIn()).data);
  await ask('POST', '/v3/sub-accounts', { name: 'office' });
  const restrict = (...restrictions: Restriction[]) =>
    edge.core.apply({ kind: 'set-restrictions', actor: 'operator', family: 'alice', restrictions });
  const names = async () =>
    (await ask('GET', '/v3/account/names')).data.map(({ name }: { name: string }) => name);
  for (const others of [[], ['no-trade', 'no-withdraw', 'locked']] as const) {
    restrict(...others);
    expect(await names()).toContain('office');
    restrict(...others, 'inactive');
    expect(await names()).toEqual([]);
  }
});

test('a session of a sub-account is opened by one of the main account, and ends with it', async () => {
  const edge = await withPassword();
  const main = (await edge.signIn()).data;
  const ask = signed(edge, main);
  await ask('POST', '/v3/sub-accounts', { name: 'desk' });
  edge.core.nowMs += 3_600_000;
  const { data } = await ask('POST', '/v3/session/account', { account: 'desk' });
  expect(data).toMatchObject({ name: 'desk', permissions: ['read', 'trade'] });
  expect(data.expiresAt).toBe(main.expiresAt);
  expect(
    await signed(edge, data)('POST', '/v3/session/account', { account: 'main' }),
  ).toMatchObject({ status: 403 });
  const direct = await edge.signIn({ account: 'desk' });
  expect(direct.data).toMatchObject({ name: 'desk' });
  expect(await edge.signIn({ account: 'nowhere' })).toMatchObject({ code: '45026' });
});

test('anyone may open an account where the venue is open to all', async () => {
  const edge = await withPassword();
  const made = await edge.open('/v3/registration', { name: 'carol', password: PASSWORD });
  expect(made).toMatchObject({ status: 200, data: { name: 'carol' } });
  expect(await edge.signIn({ name: 'carol' })).toMatchObject({ status: 200 });
  const again = { name: 'carol', password: PASSWORD };
  expect(await edge.open('/v3/registration', again)).toMatchObject({ code: '20001' });
  const weak = { name: 'dave', password: 'aaaaaaaaaaaa' };
  expect(await edge.open('/v3/registration', weak)).toMatchObject({ code: '20001' });
});
