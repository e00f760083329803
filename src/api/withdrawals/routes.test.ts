import { createHmac } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { parts } from '../../../test/support/core-venue.ts';
import { REJECTIONS } from '../../domain/rejections.ts';
import { type AssetIndex, amount, type NetworkIndex } from '../../domain/units.ts';
import { refusalsOf } from '../../wire/docs/refusals-of.ts';
import { getWithdrawalFee } from '../../wire/withdrawals.ts';
import { edgeOverCore, type Sent } from '../core-venue.fixture.ts';
import { bytesOfBase32 } from '../request/one-time-codes.ts';

let edge = edgeOverCore();
beforeEach(() => {
  edge = edgeOverCore();
});

const ADDRESS = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const REQUEST = {
  asset: 'OX',
  network: 'Arbitrum',
  address: ADDRESS,
  quantity: '100',
  externalFee: false,
};
const FULL = 'main/read+trade+withdraw';
const PATH = '/v3/withdrawal';

const withdraw = (changes: object = {}, sent: Sent = {}, family = 'alice') =>
  edge.ask(family, 'POST', PATH, { key: FULL, body: { ...REQUEST, ...changes }, ...sent });
const get = (path: string, query = '', family = 'alice') =>
  edge.ask(family, 'GET', path, { key: 'main/read', query });
const setFee = (asset: string, network: number, fee: string) =>
  edge.core.apply({
    kind: 'set-withdrawal-fee',
    network: network as NetworkIndex,
    asset: edge.core.asset(asset),
    fee: amount(parts(fee)),
  });
const reservedOf = (code: string, family = 'alice'): bigint | undefined => {
  const { ledger } = edge.core.state;
  return ledger.reserved[edge.core.account(family, 'main') * ledger.stride + edge.core.asset(code)];
};

test('a request answers as it was sent, and costs the fee that was estimated', async () => {
  setFee('OX', 1, '1.5');
  const request = { ...REQUEST, quantity: '25' };
  const estimate = await get('/v3/withdrawal-fee', `${new URLSearchParams(request as never)}`);
  expect(estimate.data).toEqual({ ...request, estimatedFee: '1.5' });
  const { data } = await withdraw({ quantity: 25, externalFee: 'false' });
  expect(data).toEqual({
    id: '980000000000000001',
    ...request,
    fee: '1.5',
    status: 'ON HOLD',
    requestedAt: String(edge.core.nowMs),
  });
  expect(reservedOf('OX')).toBe(parts('25'));
  expect((await withdraw({ quantity: '25', externalFee: true })).data.externalFee).toBe(true);
  expect(reservedOf('OX')).toBe(parts('51.5'));
});

test('every refusal has its code, and reserves nothing', async () => {
  const xrp = { asset: 'XRP', network: 'XRPL', address: 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh' };
  setFee('OX', 1, '1.5');
  for (const [changes, code] of [
    [{ asset: 'DOGE' }, '35037'],
    [{ asset: undefined }, '30001'],
    [{ network: undefined }, '30001'],
    [{ network: null }, '30001'],
    [{ address: undefined }, '30001'],
    [{ quantity: undefined }, '30001'],
    [{ externalFee: undefined }, '30001'],
    [{ externalFee: 'maybe' }, '20001'],
    [{ network: 'Dogechain' }, '20001'],
    [{ network: 'Bitcoin' }, '35043'],
    [{ address: '' }, '31004'],
    [{ address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD' }, '35026'],
    [{ address: '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa' }, '35026'],
    [{ address: 'x'.repeat(200) }, '35026'],
    [{ memo: '7' }, '35045'],
    [xrp, '35045'],
    [{ ...xrp, memo: 'seven' }, '35045'],
    [{ quantity: '0.000000001' }, '35028'],
    [{ quantity: 'many' }, '20001'],
    [{ quantity: '0' }, '31003'],
    [{ quantity: '-5' }, '31003'],
    [{ quantity: '0.00009' }, '31003'],
    [{ quantity: '1.5' }, '35039'],
    [{ quantity: '100000001' }, '31001'],
    [{ quantity: '9'.repeat(30) }, '20001'],
    [{ tfaType: 'FAX' }, '20001'],
    [{ tfaType: 'GOOGLE', code: '123456' }, '25009'],
    [{ code: '123456' }, '25009'],
  ] as const) {
    expect([changes, (await withdraw(changes)).code]).toEqual([changes, code]);
  }
  expect(reservedOf('OX')).toBe(0n);
  const trader = await withdraw({}, { key: 'main/read+trade' });
  expect([trader.status, trader.code]).toEqual([403, '05001']);
  // Ten million dollars a day.
  edge.core.apply({
    kind: 'set-withdrawal-limits',
    actor: 'ann',
    daily: amount(parts('150')),
    automatic: amount(parts('150')),
  });
  expect((await withdraw()).success).toBe(true);
  expect((await withdraw()).code).toBe('35023');
  edge.core.apply({
    kind: 'set-network-state',
    actor: 'ann',
    network: 'Arbitrum',
    asset: 'OX',
    canDeposit: false,
    canWithdraw: false,
  });
  expect((await withdraw()).code).toBe('35043');
  const query = 'asset=OX&network=Arbitrum';
  expect((await get('/v3/deposit-addresses', query)).code).toBe('35044');
  const { data } = await edge.ask('alice', 'GET', '/v3/assets', { query: 'asset=OX' });
  const [, arbitrum] = data[0].networkList;
  expect([arbitrum.canDeposit, arbitrum.canWithdraw]).toEqual([false, false]);
});

test('an estimate is refused like the request, but for what is of the account', async () => {
  const declared = refusalsOf(getWithdrawalFee).own.map((name) => REJECTIONS[name].code as string);
  const ask = async (changes: object) => {
    const query = new URLSearchParams({ ...REQUEST, externalFee: 'true', ...changes } as never);
    const { code } = await get('/v3/withdrawal-fee', `${query}`);
    if (code !== undefined) expect(declared).toContain(code);
    return code;
  };
  expect(await ask({ quantity: '1000000000' })).toBeUndefined();
  expect(await ask({ address: `${ADDRESS.slice(0, -1)}D` })).toBe('35026');
  expect(await ask({ memo: '7' })).toBe('35045');
  expect(await ask({ memo: '' })).toBeUndefined();
  expect(await ask({ quantity: '0' })).toBe('31003');
  expect(await ask({ network: 'Solana' })).toBe('35043');
  expect(await ask({ asset: 'DOGE' })).toBe('35037');
});

test('a network by its other name is the registered one in every answer', async () => {
  const sent = { ...REQUEST, network: 'ERC20' };
  const query = new URLSearchParams({ ...sent, externalFee: 'false' } as never);
  expect((await get('/v3/withdrawal-fee', `${query}`)).data.network).toBe('Ethereum');
  expect((await withdraw(sent)).data.network).toBe('Ethereum');
});

test('the same signed bytes withdraw once and get the first answer, refused or not', async () => {
  const sent = { signedAtMs: edge.core.nowMs };
  const first = await withdraw({}, sent);
  const again = await withdraw({}, sent);
  expect(again).toMatchObject({ data: first.data, headers: ['Idempotent-Replayed', 'true'] });
  expect(reservedOf('OX')).toBe(parts('100'));
});

test('a user calls a withdrawal back once, and nobody else’s', async () => {
  const { data } = await withdraw();
  const cancel = (id: string, family = 'alice') =>
    edge.ask(family, 'DELETE', PATH, { key: FULL, body: { id } });
  for (const [id, family] of [
    [data.id, 'bob'],
    ['980000000000000002', 'alice'],
    ['1', 'alice'],
    ['9'.repeat(40), 'alice'],
  ] as const) {
    expect((await cancel(id, family)).code).toBe('20001');
  }
  expect(reservedOf('OX')).toBe(parts('100'));
  const { data: canceled } = await cancel(data.id);
  expect(canceled).toMatchObject({ id: data.id, status: 'CANCELED', quantity: '100' });
  expect(reservedOf('OX')).toBe(0n);
  expect((await cancel(data.id)).code).toBe('20001');
  const { key: _, ...rest } = { key: FULL, query: `id=${data.id}` };
  expect((await edge.ask('alice', 'DELETE', PATH, rest)).status).toBe(403);
});

test('lists show the amount debited, nine digits of fee, and only what is known', async () => {
  const { core, history } = edge;
  const account = core.account('alice', 'main');
  const record = {
    ...{ id: 7, account, asset: 0 as AssetIndex, network: 1 as NetworkIndex, address: ADDRESS },
    ...{ quantity: amount(parts('10')), externalFee: true, fee: amount(parts('1.7444')) },
    ...{ burnFee: amount(0n), debited: amount(parts('11.7444')), requestedAtMs: 5_000 },
    ...({ status: 'COMPLETED', holds: [], txId: '0xaa', completedAtMs: 6_000 } as const),
  };
  history.withdrawalRows = [record];
  const shown = {
    ...{ id: '980000000000000007', asset: 'OX', network: 'Arbitrum', address: ADDRESS },
    ...{ quantity: '11.7444', fee: '1.744400000', status: 'COMPLETED', txId: '0xaa' },
    ...{ requestedAt: '5000', completedAt: '6000' },
  };
  expect((await get(PATH)).data).toEqual([shown]);
  const window = 'startTime=4000&endTime=6000&beforeId=980000000000000008&asset=OX&limit=999';
  await get(PATH, window);
  expect(history.queries.at(-1)).toEqual({
    ...{ account, asset: 0, fromMs: 4_000, toMs: 6_000, limit: 200, beforeId: 8 },
  });
  // By id it is found whenever it was, unless a window is asked for as well.
  const byId = `id=${shown.id}`;
  expect((await get(PATH, byId)).data).toEqual([shown]);
  expect((await get(PATH, `${byId}&startTime=5000&endTime=5000`)).data).toEqual([shown]);
  expect((await get(PATH, `${byId}&startTime=5001`)).data).toEqual([]);
  expect((await get(PATH, `${byId}&asset=USDT`)).data).toEqual([]);
  expect((await get(PATH, byId, 'bob')).data).toEqual([]);
  expect((await get(PATH, 'id=985000000000000007')).data).toEqual([]);
  expect((await get(PATH, 'asset=DOGE')).data).toEqual([]);
  expect((await get(PATH, 'beforeId=970000000000000008')).code).toBe('20001');
});

test('saved addresses are the family’s, by asset and network', async () => {
  const by = { key: edge.core.key('alice', 'main', 'trade', 'withdraw') };
  const save = (asset: string, network: number, place: object) =>
    edge.core.apply({
      ...{ kind: 'save-address', by, asset: edge.core.asset(asset), network, label: 'cold store' },
      ...{ whitelisted: true, address: ADDRESS, ...place },
    } as never);
  save('USDT', 0, {});
  save('XRP', 4, { address: 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh', memo: '7' });
  const [usdt, xrp] = (await get('/v3/withdrawal-addresses')).data;
  expect(usdt).toEqual({
    ...{ asset: 'USDT', network: 'Ethereum', address: ADDRESS },
    ...{ label: 'cold store', whitelisted: true },
  });
  expect(xrp).toMatchObject({ asset: 'XRP', network: 'XRPL', memo: '7' });
  const only = async (query: string) => (await get('/v3/withdrawal-addresses', query)).data;
  expect(await only('asset=XRP')).toEqual([xrp]);
  expect(await only('network=Ethereum')).toEqual([usdt]);
  expect(await only('asset=XRP&network=Ethereum')).toEqual([]);
  expect((await get('/v3/withdrawal-addresses', '', 'bob')).data).toEqual([]);
  const desk = await edge.ask('alice', 'GET', '/v3/withdrawal-addresses', { key: 'desk/read' });
  expect(desk.data).toEqual([usdt, xrp]);
});

test('a thousand requests at once for one balance: what fits succeeds, and nothing more', async () => {
  const all = await Promise.all(
    Array.from({ length: 1_000 }, () =>
      withdraw({
        asset: 'BTC',
        network: 'Bitcoin',
        quantity: '0.3',
        address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
      }),
    ),
  );
  const done = all.filter(({ success }) => success);
  // A hundred BTC; the limit of a day is above them.
  expect(done.length).toBe(333);
  expect(new Set(done.map(({ data }) => data.id)).size).toBe(333);
  expect(new Set(all.filter(({ success }) => !success).map(({ code }) => code))).toEqual(
    new Set(['31001']),
  );
  expect(reservedOf('BTC')).toBe(parts('99.9'));
});

/** What an authenticator shows at that time. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
function codeAt(nowMs: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(nowMs / 30_000)));
  const key = bytesOfBase32(SECRET) as Uint8Array;
  const hash = createHmac('sha1', key).update(counter).digest();
  const offset = (hash[19] as number) & 15;
  return String((hash.readUInt32BE(offset) & 0x7fff_ffff) % 1_000_000).padStart(6, '0');
}
const rightNow = () => ({ tfaType: 'GOOGLE', code: codeAt(edge.core.nowMs) });
const wrongNow = () => ({
  tfaType: 'GOOGLE',
  code: String((Number(codeAt(edge.core.nowMs)) + 500_000) % 1_000_000).padStart(6, '0'),
});

function enrol(factor: 'GOOGLE' | 'AUTHY_SECRET' = 'GOOGLE'): void {
  const by = { key: edge.core.key('alice', 'main', 'trade', 'withdraw') };
  const sealedSecret = new TextEncoder().encode(SECRET);
  edge.core.apply({ kind: 'enrol-factor', by, factor, sealedSecret, step: 0 });
}

/** Lets everything happen that waits for nothing but its turn. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Time passes by hand, and timers go off at their time. */
async function pass(ms: number): Promise<void> {
  edge.core.nowMs += ms;
  const due = edge.later.filter(({ atMs }) => atMs <= edge.core.nowMs);
  for (const one of due) {
    edge.later.splice(edge.later.indexOf(one), 1);
    one.call();
  }
  await settle();
}

test('an enrolled factor is required, and a code works once', async () => {
  enrol();
  expect((await withdraw()).code).toBe('30001');
  expect((await withdraw({ tfaType: 'AUTHY_SECRET', code: '1' })).code).toBe('25009');
  const right = rightNow();
  expect((await withdraw(right)).success).toBe(true);
  const reused = withdraw(right);
  await settle();
  await pass(10_000);
  expect((await reused).code).toBe('25030');
  await pass(20_000);
  expect((await withdraw({ code: codeAt(edge.core.nowMs) })).success).toBe(true);
  await pass(90_000);
  const late = withdraw({ code: codeAt(edge.core.nowMs - 60_000) });
  await settle();
  await pass(10_000);
  expect((await late).code).toBe('25030');
  // A code of the step before still counts.
  expect((await withdraw({ code: codeAt(edge.core.nowMs - 30_000) })).success).toBe(true);
});

test('with two factors the caller says which one the code is of', async () => {
  enrol();
  const code = codeAt(edge.core.nowMs);
  edge.core.apply({
    kind: 'enrol-factor',
    by: { key: edge.core.key('alice', 'main', 'trade', 'withdraw') },
    factor: 'AUTHY_SECRET',
    sealedSecret: new TextEncoder().encode(SECRET),
    step: 0,
    used: { factor: 'GOOGLE', step: 1 },
  });
  expect((await withdraw({ code })).code).toBe('30001');
  expect((await withdraw({ code, tfaType: 'AUTHY_SECRET' })).success).toBe(true);
});

test('a wrong code is answered 10 s later; others withdraw meanwhile, the account does not', async () => {
  enrol();
  let answer: { code: string } | undefined;
  const wrong = withdraw(wrongNow()).then((late) => {
    answer = late;
  });
  await settle();
  expect(edge.later.map(({ atMs }) => atMs - edge.core.nowMs)).toEqual([10_000]);
  expect((await withdraw({}, {}, 'bob')).success).toBe(true);
  // Even a right code, and at once: nothing is tried meanwhile.
  expect((await withdraw(rightNow())).code).toBe('25032');
  expect((await withdraw()).code).toBe('25032');
  expect(edge.later.length).toBe(1);
  await pass(9_999);
  expect(answer).toBeUndefined();
  expect((await withdraw(rightNow())).code).toBe('25032');
  await pass(1);
  await wrong;
  expect(answer).toMatchObject({ status: 400, code: '25030' });
  expect((await withdraw(rightNow())).success).toBe(true);
});

test('guesses that come together are one try: the first one blocks the others', async () => {
  enrol();
  const guesses = Array.from({ length: 50 }, () => withdraw(wrongNow()));
  await settle();
  expect(edge.later.length).toBe(1);
  await pass(10_000);
  const codes = (await Promise.all(guesses)).map(({ code }) => code);
  expect(codes.filter((code) => code === '25030').length).toBe(1);
  expect(codes.filter((code) => code === '25032').length).toBe(49);
  const noted = edge.submitted.filter(({ kind }) => kind === 'note-wrong-code');
  expect(noted.length).toBe(1);
  expect((await withdraw(rightNow())).success).toBe(true);
});

test('five wrong codes in an hour lock withdrawals for a day', async () => {
  enrol();
  for (let time = 0; time < 5; time++) {
    const wrong = withdraw(wrongNow());
    await settle();
    await pass(10_000);
    expect((await wrong).code).toBe('25030');
  }
  expect((await withdraw(rightNow())).code).toBe('45038');
  await pass(86_400_000 - 10_001);
  expect((await withdraw(rightNow())).code).toBe('45038');
  await pass(1);
  expect((await withdraw(rightNow())).success).toBe(true);
});

test('a wrong code that is sent again waits for its first answer and counts once', async () => {
  enrol();
  const sent = { signedAtMs: edge.core.nowMs };
  const wrong = wrongNow();
  const both = [withdraw(wrong, sent), withdraw(wrong, sent)];
  await settle();
  await pass(10_000);
  const [first, second] = await Promise.all(both);
  expect([first?.code, second?.code]).toEqual(['25030', '25030']);
  expect(second?.headers).toEqual(['Idempotent-Replayed', 'true']);
  expect(edge.submitted.filter(({ kind }) => kind === 'note-wrong-code').length).toBe(1);
  // A right one that is sent again, too, although its step is used by now.
  const right = { body: { ...REQUEST, ...rightNow() }, signedAtMs: edge.core.nowMs };
  const done = await withdraw({}, right);
  expect((await withdraw({}, right)).data).toEqual(done.data);
  expect(reservedOf('OX')).toBe(parts('100'));
});

test('a factor whose secret no longer opens is no fault of the caller', async () => {
  const by = { key: edge.core.key('bob', 'main', 'trade', 'withdraw') };
  const sealedSecret = new Uint8Array(0);
  edge.core.apply({ kind: 'enrol-factor', by, factor: 'YUBIKEY', sealedSecret, step: 0 });
  const answer = await withdraw({ code: 'c'.repeat(44) }, {}, 'bob');
  expect([answer.status, answer.code]).toEqual([503, '35034']);
  expect(edge.submitted).toEqual([]);
});
