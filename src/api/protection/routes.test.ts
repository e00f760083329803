import { createHmac } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { edgeOverCore, type Sent } from '../core-venue.fixture.ts';
import { bytesOfBase32 } from '../request/one-time-codes.ts';

let edge = edgeOverCore();
beforeEach(() => {
  edge = edgeOverCore();
});

const FULL = 'main/read+trade+withdraw';
const ask = (method: string, path: string, body: object = {}, family = 'alice', sent: Sent = {}) =>
  edge.ask(family, method, path, { key: FULL, ...(method === 'GET' ? {} : { body }), ...sent });

const ADDRESS = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const PLACE = { asset: 'OX', network: 'Arbitrum', address: ADDRESS };
const withdraw = (changes: object = {}) =>
  ask('POST', '/v3/withdrawal', { ...PLACE, quantity: '5', externalFee: false, ...changes });

/** What an authenticator shows. */
function codeAt(nowMs: number, secret: string): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(nowMs / 30_000)));
  const key = bytesOfBase32(secret) as Uint8Array;
  const hash = createHmac('sha1', key).update(counter).digest();
  const number = hash.readUInt32BE((hash[19] as number) & 15) & 0x7fff_ffff;
  return String(number % 1_000_000).padStart(6, '0');
}

async function enrol(tfaType = 'GOOGLE', current: object = {}): Promise<string> {
  const begun = (await ask('POST', '/v3/second-factors', { tfaType })).data;
  const code = codeAt(edge.core.nowMs, begun.secret);
  const { enrolment } = begun;
  const done = await ask('POST', '/v3/second-factors/confirm', { enrolment, code, ...current });
  expect(done.data).toEqual({ tfaType });
  return begun.secret;
}
const settle = () => new Promise((resolve) => setImmediate(resolve));
/** A wrong code is answered ten seconds later. */
async function late<Answer>(answer: Promise<Answer>): Promise<Answer> {
  await settle();
  edge.core.nowMs += 10_000;
  for (const { call } of edge.later.splice(0)) call();
  return await answer;
}

test('an address is saved, marked, found and removed; only a key that withdraws does it', async () => {
  const path = '/v3/withdrawal-addresses';
  const { data } = await ask('POST', path, { ...PLACE, label: 'cold', whitelisted: true });
  expect(data).toEqual({ ...PLACE, label: 'cold', whitelisted: true });
  expect((await ask('GET', path)).data).toEqual([data]);
  const again = await ask('POST', path, { ...PLACE, address: ADDRESS.toLowerCase(), label: 'hot' });
  expect(again.data).toMatchObject({ label: 'hot', whitelisted: true });
  const unmarked = await ask('POST', path, { ...PLACE, whitelisted: false });
  expect(unmarked.data).toMatchObject({ label: 'hot', whitelisted: false });
  expect((await ask('GET', path)).data).toHaveLength(1);
  expect((await ask('POST', path, { ...PLACE, address: 'mine' })).code).toBe('35026');
  expect((await ask('POST', path, { ...PLACE, network: 'Moon' })).code).toBe('20001');
  expect((await ask('POST', path, { ...PLACE, label: 'x'.repeat(41) })).code).toBe('20001');
  const trader = { key: 'main/read+trade' };
  for (const method of ['POST', 'DELETE']) {
    expect((await ask(method, path, PLACE, 'alice', trader)).status).toBe(403);
  }
  expect((await ask('DELETE', path, PLACE)).data).toEqual({ ...PLACE, address: ADDRESS });
  expect((await ask('DELETE', path, PLACE)).code).toBe('20001');
  expect((await ask('GET', path)).data).toEqual([]);
});

test('in whitelist mode only marked addresses are paid to', async () => {
  const path = '/v3/withdrawal-whitelist';
  expect((await ask('GET', path)).data).toEqual({ enabled: false });
  expect((await ask('POST', path, { enabled: true })).data).toEqual({ enabled: true });
  expect((await withdraw()).code).toBe('25010');
  await ask('POST', '/v3/withdrawal-addresses', { ...PLACE, whitelisted: 'true' });
  expect((await withdraw()).success).toBe(true);
  expect((await ask('POST', path, { enabled: 'false' })).data).toEqual({ enabled: false });
  expect((await ask('POST', path)).code).toBe('30001');
});

test('a factor is enrolled with its first code, is needed from then on, and goes with a code', async () => {
  const path = '/v3/second-factors';
  const secret = await enrol();
  expect((await ask('GET', path)).data).toEqual([{ tfaType: 'GOOGLE' }]);
  expect((await withdraw()).code).toBe('30001');
  expect((await ask('POST', '/v3/withdrawal-addresses', PLACE)).code).toBe('30001');
  // Its first code is used up.
  const first = codeAt(edge.core.nowMs, secret);
  expect((await late(withdraw({ code: first }))).code).toBe('25030');
  edge.core.nowMs += 30_000;
  expect((await withdraw({ code: codeAt(edge.core.nowMs, secret) })).success).toBe(true);
  edge.core.nowMs += 30_000;
  const current = { currentCode: codeAt(edge.core.nowMs, secret) };
  const second = await enrol('AUTHY_SECRET', { currentTfaType: 'GOOGLE', ...current });
  edge.core.nowMs += 30_000;
  const code = codeAt(edge.core.nowMs, second);
  const removed = await ask('DELETE', path, { tfaType: 'GOOGLE', codeOf: 'AUTHY_SECRET', code });
  const removedAt = String(edge.core.nowMs + 86_400_000);
  expect(removed.data).toEqual({ tfaType: 'GOOGLE', removedAt });
  expect((await ask('GET', path)).data).toEqual([
    { tfaType: 'GOOGLE', removedAt },
    { tfaType: 'AUTHY_SECRET' },
  ]);
  edge.core.nowMs += 86_400_000;
  edge.core.apply({ kind: 'tick' });
  expect((await ask('GET', path)).data).toEqual([{ tfaType: 'AUTHY_SECRET' }]);
});

test('a further factor that comes without a code of the enrolled ones is told which member is missing', async () => {
  const confirm = async (tfaType: string, current: object = {}) => {
    const begun = (await ask('POST', '/v3/second-factors', { tfaType })).data;
    const code = codeAt(edge.core.nowMs, begun.secret);
    const body = { enrolment: begun.enrolment, code, ...current };
    return ask('POST', '/v3/second-factors/confirm', body);
  };
  const first = await enrol();
  edge.core.nowMs += 30_000;
  const missing = 'Required parameter is missing: ';
  expect(await confirm('AUTHY_SECRET')).toMatchObject({
    code: '30001',
    message: `${missing}currentCode, a code of a factor that is enrolled: the account is protected by GOOGLE`,
  });
  const currentCode = codeAt(edge.core.nowMs, first);
  expect((await confirm('AUTHY_SECRET', { currentCode })).success).toBe(true);
  edge.core.nowMs += 30_000;
  const again = { currentCode: codeAt(edge.core.nowMs, first) };
  expect(await confirm('GOOGLE', again)).toMatchObject({
    code: '30001',
    message: `${missing}currentTfaType: the account has GOOGLE, AUTHY_SECRET`,
  });
});

test('what the first step gave is of one family, for ten minutes, and cannot be made up', async () => {
  const begun = (await ask('POST', '/v3/second-factors', { tfaType: 'GOOGLE' })).data;
  expect(begun.uri).toBe(`otpauth://totp/Rialto:alice?secret=${begun.secret}&issuer=Rialto`);
  const confirm = (changes: object = {}, family = 'alice') => {
    const code = codeAt(edge.core.nowMs, begun.secret);
    const body = { enrolment: begun.enrolment, code, ...changes };
    return ask('POST', '/v3/second-factors/confirm', body, family);
  };
  expect((await confirm({}, 'bob')).code).toBe('20001');
  expect((await confirm({ code: '000000' })).code).toBe('25030');
  for (const enrolment of [
    '',
    'e30',
    begun.enrolment.slice(2),
    Buffer.from('[]').toString('base64url'),
  ]) {
    expect((await confirm({ enrolment })).code).toBe('20001');
  }
  edge.core.nowMs += 600_001;
  expect((await confirm()).code).toBe('20001');
  expect(edge.submitted).toEqual([]);
  expect((await ask('GET', '/v3/second-factors')).data).toEqual([]);
});

test('a Yubikey brings its own keys', async () => {
  const path = '/v3/second-factors';
  const device = {
    tfaType: 'YUBIKEY',
    publicId: 'dteffuje',
    privateId: '8792ebfe26cc',
    aesKey: 'ecde18dbe76fbd0c33330f1c354871db',
  };
  for (const missing of ['privateId', 'aesKey']) {
    expect((await ask('POST', path, { ...device, [missing]: undefined })).code).toBe('30001');
  }
  expect((await ask('POST', path, { ...device, aesKey: 'zz' })).code).toBe('20001');
  const { enrolment, secret } = (await ask('POST', path, device)).data;
  expect(secret).toBeUndefined();
  const code = 'dteffujehknhfjbrjnlnldnhcujvddbikngjrtgh';
  const confirmed = await ask('POST', `${path}/confirm`, { enrolment, code });
  expect(confirmed.data).toEqual({ tfaType: 'YUBIKEY' });
  // The counter of a device only goes forward.
  expect((await late(withdraw({ tfaType: 'YUBIKEY', code }))).code).toBe('25030');
});
