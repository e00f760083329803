import { expect, test } from 'vitest';
import { OPERATOR_ENDPOINTS } from '../../wire/operator.ts';
import { operatorFetch } from './fetch.ts';
import { type Call, operated } from './operated.fixture.ts';
import { operatorRoutes } from './routes.ts';

test('every declared endpoint of operators has a route', () => {
  const { parts } = operated();
  expect(operatorRoutes(parts).map(({ endpoint }) => endpoint)).toEqual([...OPERATOR_ENDPOINTS]);
});

test('accounts are made and listed, by id and in pages', async () => {
  const { call, post, submitted } = operated();
  const made = await post('accounts', { family: 'carol', accountType: 'LINEAR' });
  expect(made).toMatchObject({ success: true, data: { family: 'carol', name: 'main' } });
  expect(submitted.at(-1)).toMatchObject({ kind: 'create-account', actor: 'operator:local' });
  const desk = await post('accounts', { family: 'carol', name: 'desk' });
  expect(desk.data).toMatchObject({ name: 'desk', accountType: 'PORTFOLIO', active: true });
  const { data: all } = await call('GET', 'accounts');
  expect(all.map((one: { family: string; name: string }) => `${one.family}/${one.name}`)).toEqual([
    'alice/main',
    'alice/desk',
    'bob/main',
    'carol/main',
    'carol/desk',
  ]);
  const page = await call('GET', 'accounts', { query: `limit=2&afterId=${all[1].accountId}` });
  expect(page.data).toEqual(all.slice(2, 4));
  const family = await call('GET', 'accounts', { query: 'family=carol' });
  expect(family.data).toEqual([made.data, desk.data]);
  expect(await post('accounts', { family: 'carol' })).toMatchObject({ status: 409 });
  expect(await post('accounts', { family: 'dave', name: 'desk' })).toMatchObject({
    code: '45026',
  });
});

test('a name that nothing has is refused with the one that was probably meant', async () => {
  const { post } = operated();
  const message = async (path: string, request: object): Promise<unknown> =>
    (await post(path, { reason: 'test', ...request })).message;
  const key = { permissions: ['trade'] };
  expect(await message('keys', { ...key, family: 'alise' })).toBe(
    'Sub-account is invalid: there is no family alise; did you mean alice?',
  );
  expect(await message('keys', { ...key, family: 'alice', name: 'dsek' })).toBe(
    'Sub-account is invalid: dsek; did you mean desk?',
  );
  expect(await message('markets/state', { marketCode: 'BTC-USTD', state: 'HALTED' })).toMatch(
    /^marketCode is invalid: there is no BTC-USTD; did you mean BTC-USDT\?$/,
  );
  expect(await message('prices', { asset: 'BCT', price: '1' })).toMatch(/did you mean BTC\?$/);
});

test('a key is made with its secret, listed without it, and useless once revoked', async () => {
  const { call, post, core } = operated();
  const made = await post('keys', {
    family: 'alice',
    name: 'desk',
    permissions: ['trade'],
    expiresAt: core.nowMs + 1_000,
    addresses: ['10.0.0.1', '::1'],
  });
  const { secret, ...shown } = made.data;
  expect(secret).toMatch(/^secret-/);
  expect(shown).toMatchObject({
    family: 'alice',
    name: 'desk',
    permissions: ['read', 'trade'],
    expiresAt: String(core.nowMs + 1_000),
    addresses: ['10.0.0.1', '::1'],
    revoked: false,
  });
  const { data: listed } = await call('GET', 'keys', { query: 'family=alice&name=desk' });
  expect(listed.at(-1)).toEqual(shown);
  expect(listed.map(({ accessKey }: { accessKey: string }) => accessKey)).toEqual([
    'alice/desk/read',
    'alice/desk/read+trade',
    shown.accessKey,
  ]);
  const after = await call('GET', 'keys', { query: 'limit=1&afterKey=alice/desk/read' });
  expect(after.data[0].accessKey).toBe('alice/desk/read+trade');

  const revoked = await post('keys/revoke', { accessKey: shown.accessKey });
  expect(revoked.data).toEqual({ ...shown, revoked: true });
  const again = await post('keys/revoke', { accessKey: shown.accessKey });
  expect(again).toMatchObject({ status: 400, code: '20001' });
  expect(again.message).toContain('is revoked already');
  expect((await post('keys/revoke', { accessKey: 'nobody' })).message).toContain('is unknown');
});

test('what a key may be is checked before it is made', async () => {
  const { post, core } = operated();
  const key = (changes: object) =>
    post('keys', { family: 'alice', permissions: ['read'], ...changes });
  const rows: [object, string][] = [
    [{ permissions: ['everything'] }, 'permissions must be a list of read, trade, withdraw'],
    [{ expiresAt: core.nowMs }, "is not after the engine's clock"],
    [{ expiresAt: '9999999999999999' }, 'beyond any calendar'],
    [{ addresses: ['10.0.0.0/8'] }, '"10.0.0.0/8" is no IP address'],
    [{ addresses: [] }, 'addresses must be a list of 1 to 100'],
    [{ family: 'nobody' }, 'Sub-account is invalid'],
    [{ name: 'desk', permissions: ['withdraw'] }, 'only a key of the main account may withdraw'],
  ];
  for (const [changes, message] of rows) {
    expect((await key(changes)).message).toContain(message);
  }
  expect((await key({ permissions: ['withdraw'] })).data.permissions).toEqual([
    'read',
    'trade',
    'withdraw',
  ]);
});

test('restrictions hold for the family, inactive for one sub-account, and are lifted again', async () => {
  const { call, post, place } = operated();
  const restrict = (body: object) => post('restrictions', { family: 'alice', ...body });
  expect((await restrict({ restrictions: ['no-trade'] })).data).toEqual({
    family: 'alice',
    restrictions: ['no-trade'],
  });
  const order = { marketCode: 'BTC-USDT', side: 'BUY', orderType: 'LIMIT', quantity: '1' };
  const refused = await place([{ ...order, price: '60000' }]);
  expect(refused.data[0]).toMatchObject({ submitted: false, code: '300001' });
  expect((await call('GET', 'accounts')).data[0].restrictions).toEqual(['no-trade']);
  await restrict({ restrictions: [] });
  expect((await call('GET', 'accounts')).data[0].restrictions).toEqual([]);

  expect((await restrict({ name: 'desk', restrictions: ['inactive'] })).data.name).toBe('desk');
  expect((await call('GET', 'accounts')).data[1]).toMatchObject({ name: 'desk', active: false });
  expect((await restrict({ name: 'main', restrictions: ['inactive'] })).status).toBe(400);
  expect((await restrict({ restrictions: ['asleep'] })).message).toContain(
    'restrictions must be a list of no-trade, no-withdraw, locked, inactive',
  );
});

test('a market is halted with a reason, and opened again', async () => {
  const { post, ask } = operated();
  const set = (state: string, reason = 'maintenance') =>
    post('markets/state', { marketCode: 'BTC-USDT', state, reason });
  const isOpen = async () =>
    (await ask('alice', 'GET', '/v3/markets/operational', { query: 'marketCode=BTC-USDT' })).data
      .operational;
  expect(await isOpen()).toBe(true);
  const halted = await set('HALTED');
  expect(halted.data).toEqual({ marketCode: 'BTC-USDT', state: 'HALTED', reason: 'maintenance' });
  expect(await isOpen()).toBe(false);
  await set('OPEN');
  expect(await isOpen()).toBe(true);
  expect((await set('ASLEEP')).message).toContain('one of OPEN, CANCEL_ONLY, HALTED');
  expect((await set('HALTED', '')).message).toContain('reason must be 1 to 200 characters');
  const nowhere = { marketCode: 'NO-SUCH', state: 'HALTED', reason: 'x' };
  expect((await post('markets/state', nowhere)).code).toBe('20015');
});

test('open-order limits are set for the whole venue', async () => {
  const { post, core } = operated();
  const set = await post('limits/orders', { perMarket: 3, inAll: '7' });
  expect(set.data).toEqual({ perMarket: '3', inAll: '7' });
  expect(core.state.orderLimits).toEqual({ perMarket: 3, inAll: 7 });
  expect((await post('limits/orders', { perMarket: 0, inAll: 7 })).code).toBe('20001');
  expect((await post('limits/orders', { perMarket: 1.5, inAll: 7 })).message).toContain('whole');
  expect(core.state.orderLimits).toEqual({ perMarket: 3, inAll: 7 });
});

test('a backstop is named with the size of the position it may take over, and ended with 0', async () => {
  const { post, core } = operated();
  const named = { family: 'alice', marketCode: 'BTC-USD-SWAP-LIN' };
  const set = await post('backstops', { ...named, quantity: '1.5' });
  expect(set.data).toEqual({ ...named, name: 'main', quantity: '1.5' });
  const account = core.account('alice', 'main');
  const market = core.market('BTC-USD-SWAP-LIN');
  expect(core.state.backstops).toEqual([{ account, market, maxLots: 15_000 }]);
  expect((await post('backstops', { ...named, quantity: 0 })).data.quantity).toBe('0');
  expect(core.state.backstops).toEqual([{ account, market, maxLots: 0 }]);
  expect((await post('backstops', { ...named, quantity: '0.00001' })).code).toBe('100008');
  expect((await post('backstops', { ...named, marketCode: 'BTC-USDT', quantity: 1 })).code).toBe(
    '20015',
  );
});

test('a jump of the clock is confirmed by who did it, with the time that is right', async () => {
  const { call, post, submitted, core } = operated();
  expect((await call('GET', 'clock')).data).toEqual({
    engineTime: String(core.nowMs),
    wallTime: String(core.nowMs),
  });
  const confirmed = await post('clock', { time: core.nowMs + 3_600_000 });
  expect(confirmed.success).toBe(true);
  expect(submitted.at(-1)).toEqual({
    kind: 'step-clock',
    actor: 'operator:local',
    fromMs: core.nowMs,
    toMs: core.nowMs + 3_600_000,
  });
});

test('the same signed request is done once, and answered the same again', async () => {
  const { call, post, core } = operated();
  const body = { family: 'alice', permissions: ['read'] };
  const first = await post('keys', body, { signedAtMs: core.nowMs });
  const count = (await call('GET', 'keys')).data.length;
  const again = await post('keys', body, { signedAtMs: core.nowMs });
  expect(again.data).toEqual(first.data);
  expect(again.headers).toContain('Idempotent-Replayed');
  expect((await call('GET', 'keys')).data.length).toBe(count);
});

test('only operators are let in, with a signature of their own and the role for it', async () => {
  const { call, core } = operated();
  const denied = async (sent: Call) => {
    const { status, code } = await call('GET', 'accounts', sent);
    return [status, code];
  };
  expect(await denied({ accessKey: 'alice/main/read+trade' })).toEqual([401, '20025']);
  expect(await denied({ secret: 'another' })).toEqual([401, '20000']);
  expect(await denied({ signedAtMs: core.nowMs - 61_000 })).toEqual([401, '20024']);
  expect(await denied({ accessKey: 'op-guest' })).toEqual([403, '05001']);
});

test('at the machine the same interface needs no signature, and names who did it', async () => {
  const { parts, submitted } = operated();
  const local = operatorFetch(parts, 'cli:root');
  const answer = await local('http://stopped/operator/v1/keys/revoke', {
    method: 'POST',
    body: '{"accessKey":"alice/main/read"}',
  });
  expect(await answer.json()).toMatchObject({ success: true, data: { revoked: true } });
  expect(submitted).toEqual([
    { kind: 'revoke-key', actor: 'cli:root', accessKey: 'alice/main/read' },
  ]);
  const list = await local('http://stopped/operator/v1/keys?family=bob&limit=1');
  expect(await list.json()).toMatchObject({ data: [{ family: 'bob' }] });
  await expect(local('http://stopped/operator/v1/nothing')).rejects.toThrow('has no route');
});

test('every endpoint names the roles that may call it, and a refusal names them too', async () => {
  expect(OPERATOR_ENDPOINTS.filter(({ roles = [] }) => roles.length === 0)).toEqual([]);
  const { call, post, submitted } = operated();
  expect((await call('GET', 'accounts', { accessKey: 'op-eve' })).success).toBe(true);
  const refused = await post('accounts', { family: 'carol' }, { accessKey: 'op-eve' });
  expect(refused).toMatchObject({
    status: 403,
    message:
      'Your operation authority is invalid: operator eve (viewer) needs the role support or admin',
  });
  expect(submitted.map(({ kind }) => kind)).toEqual(['note-refusal']);
  const made = await post('accounts', { family: 'carol' }, { accessKey: 'op-sue' });
  expect(made.success).toBe(true);
  expect(submitted.at(-1)).toMatchObject({ actor: 'operator:sue' });
  const able = { family: 'carol', permissions: ['withdraw'] };
  expect(await post('keys', able, { accessKey: 'op-sue' })).toMatchObject({
    status: 403,
    message: expect.stringContaining('needs the role admin'),
  });
  expect((await post('keys', able)).success).toBe(true);
});

test('a list of operators that cannot be written is said to be so, and the same request changes it later', async () => {
  const { call, post, core, parts } = operated();
  const { operators } = parts;
  const { add, disable } = operators;
  const full = (): void => {
    throw new Error('operators.json cannot be written: ENOSPC: no space left on device');
  };
  const sent = { signedAtMs: core.nowMs };
  Object.assign(operators, { add: full, disable: full });
  const refusal = {
    status: 503,
    message: expect.stringContaining('operators.json cannot be written: ENOSPC'),
  };
  expect(await post('operators', { name: 'ann', roles: ['risk'] }, sent)).toMatchObject(refusal);
  Object.assign(operators, { add });
  expect((await post('operators', { name: 'ann', roles: ['risk'] }, sent)).data.name).toBe('ann');
  expect(await post('operators/disable', { name: 'ann' }, sent)).toMatchObject(refusal);
  Object.assign(operators, { disable });
  expect((await post('operators/disable', { name: 'ann' }, sent)).data.disabled).toBe(true);
  expect((await call('GET', 'operators')).data.length).toBe(operators.all().length);
});

test('operators are added with a secret of their own, and disabled for good', async () => {
  const { call, post, core, parts } = operated();
  const sent = { signedAtMs: core.nowMs };
  const added = await post('operators', { name: 'ann', roles: ['risk'] }, sent);
  expect(added.data).toMatchObject({ name: 'ann', roles: ['risk'], disabled: false });
  expect((await post('operators', { name: 'ann', roles: ['risk'] }, sent)).data).toEqual(
    added.data,
  );
  expect(await post('operators', { name: 'ann', roles: ['risk'] })).toMatchObject({ status: 409 });
  const { secret, accessKey } = added.data;
  const asAnn = { accessKey, secret };
  const halt = { marketCode: 'BTC-USDT', state: 'HALTED', reason: 'test' };
  expect((await post('markets/state', halt, asAnn)).success).toBe(true);
  expect((await post('operators', { name: 'bob', roles: ['risk'] }, asAnn)).status).toBe(403);
  expect((await post('operators/disable', { name: 'ann' })).data.disabled).toBe(true);
  expect((await post('markets/state', halt, asAnn)).status).toBe(401);
  expect((await post('operators/disable', { name: 'ann' })).status).toBe(400);
  expect((await post('operators/disable', { name: 'local' })).message).toContain(
    'the last operator',
  );
  expect((await call('GET', 'operators')).data.length).toBe(parts.operators.all().length);
});
