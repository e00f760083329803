import { expect, test } from 'vitest';
import { parts, START_MS, venueWith } from '../../../test/support/core-venue.ts';
import { withdrawalIdText } from '../../domain/ids.ts';
import type { NetworkIndex } from '../../domain/units.ts';
import type { WithdrawalRecord } from '../../domain/wallet.ts';
import { operatorFetch } from './fetch.ts';
import { operated } from './operated.fixture.ts';

const RICH = { USDT: '1000000', BTC: '100', OX: '100000000' };
const DAY_MS = 86_400_000;
const as = (name: string) => ({ accessKey: `op-${name}` });

/** A family that has requested more than leaves without operators. */
function pendingApproval() {
  const core = venueWith({ alice: { main: RICH }, bob: { main: RICH } });
  const venue = operated(core);
  core.apply({
    kind: 'request-withdrawal',
    by: { key: core.key('alice', 'main', 'trade', 'withdraw') },
    asset: core.asset('USDT'),
    network: core.state.networks.findIndex(({ name }) => name === 'Ethereum') as NetworkIndex,
    address: '0x52908400098527886E0F7030069857D2E4169EE7',
    quantity: parts('500000'),
    externalFee: false,
  });
  return { ...venue, id: withdrawalIdText(1) };
}

test('a withdrawal above the limit is shown with its checks, and takes two operators', async () => {
  const { call, post, id } = pendingApproval();
  const { data } = await call('GET', 'withdrawals', { query: 'held=true', ...as('eve') });
  expect(data).toMatchObject([
    {
      ...{ id, family: 'alice', name: 'main', asset: 'USDT', quantity: '500000' },
      ...{ status: 'ON HOLD', holds: ['new-address', 'above-limit'], releasedBy: [] },
      checks: { whitelisted: false, value: '50000000.0', spent: '0', initialMargin: '0' },
    },
  ]);
  const act = { id, reason: 'known to us' };
  expect(await post('withdrawals/release', act, as('rob'))).toMatchObject({ status: 403 });
  const first = await post('withdrawals/release', act, as('tom'));
  expect(first.data).toMatchObject({ status: 'ON HOLD', done: false });
  const again = await post('withdrawals/release', act, as('tom'));
  expect(again).toMatchObject({
    success: false,
    code: '65001',
    message: expect.stringContaining('operator:tom has released it already'),
  });
  expect((await call('GET', 'withdrawals', { query: `id=${id}` })).data).toMatchObject([
    { releasedBy: ['operator:tom'], holds: ['new-address', 'above-limit'] },
  ]);
  const second = await post('withdrawals/release', act, as('tim'));
  expect(second.data).toMatchObject({ done: true, holds: ['new-address'] });
  expect((await post('withdrawals/hold', act, as('rob'))).data.holds).toContain('review');
  expect((await post('withdrawals/cancel', act, as('tom'))).data.status).toBe('CANCELED');
  expect((await call('GET', 'withdrawals')).data).toEqual([]);
  expect((await post('withdrawals/cancel', { ...act, id: '1' })).success).toBe(false);
});

test('a deposit that vanished is reversed by two operators', async () => {
  const { call, post, core } = pendingApproval();
  const network = 0 as NetworkIndex;
  const name = { network, txId: 'tx-1', output: 0 };
  const asset = core.asset('USDT');
  const account = core.account('bob', 'main');
  const seen = { address: '0x1', height: 5, chainAmount: parts('10') };
  core.apply({ kind: 'see-deposit', ...name, asset, account, ...seen });
  core.apply({ kind: 'credit-deposit', ...name });
  core.apply({ kind: 'lose-deposit', ...name });
  const { data } = await call('GET', 'deposits', { query: 'waiting=true' });
  expect(data).toMatchObject([{ family: 'bob', quantity: '10', vanished: true, reversedBy: [] }]);
  const act = { id: data[0].id, reason: 'fork' };
  expect((await post('deposits/reverse', act, as('tom'))).data).toMatchObject({ done: false });
  expect((await post('deposits/reverse', act, as('tom'))).code).toBe('65001');
  expect((await post('deposits/reverse', act, as('tim'))).data).toMatchObject({
    status: 'FAILED',
    done: true,
  });
  const { data: solvency } = await call('GET', 'solvency');
  expect(solvency.find((one: { asset: string }) => one.asset === 'USDT')).toMatchObject({
    ...{ liabilities: '2000000', wallets: '2000000', surplus: '0' },
  });
});

test('networks, fees and limits are set and shown', async () => {
  const { call, post } = operated();
  const way = { network: 'Ethereum', asset: 'USDT' };
  const closed = await post('networks/state', { ...way, deposits: false, withdrawals: true });
  expect(closed.data).toMatchObject({ ...way, deposits: false, withdrawals: true });
  expect((await post('fees', { ...way, fee: '2.5' }, as('tom'))).data.fee).toBe('2.5');
  expect((await post('fees', { ...way, fee: '3' }, as('tom'))).code).toBe('20007');
  expect((await post('fees', { ...way, network: 'Mars', fee: '3' })).message).toContain('Ethereum');
  const { data } = await call('GET', 'networks');
  expect(data).toContainEqual(expect.objectContaining({ ...way, deposits: false, fee: '2.5' }));
  const limits = { daily: '1000', automatic: '10' };
  expect((await post('limits/withdrawals', limits)).data).toEqual({
    daily: '1000.0',
    automatic: '10.0',
  });
  expect((await call('GET', 'limits')).data).toMatchObject({ daily: '1000.0', perMarket: '2000' });
});

test('who releases withdrawals in pairs does not raise the limits alone', async () => {
  const { call, post } = operated();
  const set = (daily: string, automatic: string, who: string) =>
    post('limits/withdrawals', { daily, automatic }, as(who));
  const before = (await call('GET', 'limits')).data;
  expect(await set('1000', '10', 'tom')).toMatchObject({ status: 200 });
  for (const [daily, automatic] of [
    ['1000', '10.1'],
    ['1001', '10'],
    [before.daily, before.automatic],
  ] as const) {
    const refused = await set(daily, automatic, 'tom');
    expect(refused).toMatchObject({ status: 403, code: '05001' });
    expect(refused.message).toContain('to raise one takes the role admin');
  }
  expect((await call('GET', 'limits')).data).toMatchObject({ daily: '1000.0', automatic: '10.0' });
  expect(await set('1000', '10', 'tom')).toMatchObject({ status: 200 });
  expect(await set(before.daily, before.automatic, 'local')).toMatchObject({ status: 200 });
});

test('tiers change while a market is halted and empty; its orders can be cleared', async () => {
  const { call, post, place } = operated();
  await place([
    { marketCode: 'BTC-USD-SWAP-LIN', side: 'BUY', orderType: 'LIMIT', price: 59_000, quantity: 1 },
  ]);
  const marketCode = 'BTC-USD-SWAP-LIN';
  const tiers = [{ leverage: '10', notionalCap: '1000000' }];
  const change = { marketCode, tiers, reason: 'risk' };
  expect(await post('markets/tiers', change, as('rob'))).toMatchObject({
    status: 409,
    message: expect.stringContaining('is OPEN, not HALTED'),
  });
  await post('markets/state', { marketCode, state: 'HALTED', reason: 'risk' }, as('rob'));
  expect((await post('markets/tiers', change, as('rob'))).message).toContain('has open orders');
  expect((await post('markets/cancel', { marketCode, reason: 'risk' }, as('rob'))).data).toEqual({
    ...{ marketCode, canceled: '1', left: false },
  });
  expect((await post('markets/tiers', change, as('rob'))).data).toMatchObject({
    ...{ marketCode, version: '2', tiers: [{ leverage: '10', notionalCap: '1000000.0' }] },
  });
  const { data } = await call('GET', 'markets');
  expect(data[0]).toMatchObject({ marketCode, state: 'HALTED', reason: 'risk', version: '2' });
});

test('a tick that could not be stored is refused, with the largest that can', async () => {
  const { call, post } = operated();
  const marketCode = 'BTC-USD-SWAP-LIN';
  await post('markets/state', { marketCode, state: 'HALTED', reason: 'risk' }, as('rob'));
  const set = (tickSize: string) =>
    post('markets/tick', { marketCode, tickSize, reason: 'risk' }, as('rob'));
  expect(await set('18446744073709551615')).toMatchObject({
    status: 400,
    message: expect.stringContaining('more than the most, 46116860184.27387903'),
  });
  expect(await set('46116860184.27387904')).toMatchObject({ status: 400 });
  expect((await call('GET', 'markets')).data[0]).toMatchObject({ version: '1', tickSize: '1' });
  expect((await set('46116860184')).data).toMatchObject({ tickSize: '46116860184' });
});

test('a price is set at once, whatever the jump; one out of range is refused', async () => {
  const { call, post } = operated();
  const set = await post('prices', { asset: 'SOL', price: '300', reason: 'feed' }, as('rob'));
  expect(set.data).toEqual({ asset: 'SOL', price: '300', quoted: true });
  expect((await call('GET', 'prices')).data).toContainEqual({ ...set.data, sources: [] });
  expect((await post('prices', { asset: 'SOL', price: '0', reason: 'x' })).success).toBe(false);
  expect((await post('prices', { asset: 'SUN', price: '1', reason: 'x' })).code).toBe('35037');
});

test('value moves between the venue own purses, and none is made', async () => {
  const { call, post, core } = operated();
  const from = (to: string, quantity: string) => ({
    ...{ from: 'fees', to, asset: 'OX', quantity, reason: 'month end' },
  });
  expect(await post('funds/move', from('insurance', '1'), as('tom'))).toMatchObject({
    code: '35036',
    message: expect.stringContaining('fees has 0 OX'),
  });
  core.state.ledger.available[core.state.ledger.stride + core.asset('OX')] = parts('5');
  expect((await post('funds/move', from('insurance', '2'), as('tom'))).data).toMatchObject({
    ...{ asset: 'OX', fees: '3', insurance: '2' },
  });
  expect((await post('funds/move', from('deficit', '1'), as('tom'))).success).toBe(false);
  expect((await call('GET', 'funds')).data).toContainEqual(
    expect.objectContaining({ asset: 'OX', insurance: '2' }),
  );
});

test('what an account has available is paid into a purse of the venue, by an admin only', async () => {
  const { call, post, core } = operated();
  const asked = (quantity: string, family = 'alice') => ({
    ...{ family, to: 'network-costs', asset: 'USDT', quantity, reason: 'gas' },
  });
  const available = () =>
    core.state.ledger.available[
      core.account('alice', 'main') * core.state.ledger.stride + core.asset('USDT')
    ];
  const had = available() ?? 0n;
  expect((await post('funds/pay-in', asked('1'), as('tom'))).code).toBe('05001');
  expect(await post('funds/pay-in', asked('1', 'nobody'))).toMatchObject({
    code: '45026',
    message: expect.stringContaining('there is no family nobody'),
  });
  expect(await post('funds/pay-in', asked('99999999'))).toMatchObject({
    code: '35036',
    message: expect.stringContaining('alice/main has'),
  });
  expect(available()).toBe(had);
  expect((await post('funds/pay-in', asked('3'))).data).toMatchObject({
    ...{ asset: 'USDT', networkCosts: '3' },
  });
  expect(available()).toBe(had - parts('3'));
  expect((await call('GET', 'funds')).data).toContainEqual(
    expect.objectContaining({ asset: 'USDT', networkCosts: '3' }),
  );
});

test('two operators pay what the venue has earned to an account; its owner sees it', async () => {
  const { post, core } = operated();
  const { ledger } = core.state;
  ledger.available[ledger.stride + core.asset('OX')] = parts('5');
  const of = () =>
    ledger.available[core.account('alice', 'main') * ledger.stride + core.asset('OX')];
  const had = of() ?? 0n;
  const asked = { from: 'fees', family: 'alice', asset: 'OX', quantity: '2', reason: 'profit' };
  expect((await post('funds/pay-out', asked, as('rob'))).code).toBe('05001');
  expect((await post('funds/pay-out', asked, as('tom'))).data).toMatchObject({
    ...{ state: 'ASKED', asset: 'OX', fees: '5' },
  });
  expect(await post('funds/pay-out', { ...asked, reason: 'again' }, as('tom'))).toMatchObject({
    message: expect.stringContaining('another operator'),
  });
  expect(of()).toBe(had);
  expect((await post('funds/pay-out', asked)).data).toMatchObject({
    ...{ state: 'PAID', asset: 'OX', fees: '3' },
  });
  expect(of()).toBe(had + parts('2'));
});

test('the venue at a glance: overview, risk, search', async () => {
  const { call, place, core } = pendingApproval();
  await place(
    [
      {
        marketCode: 'BTC-USD-SWAP-LIN',
        side: 'SELL',
        orderType: 'LIMIT',
        price: 60_000,
        quantity: 2,
      },
    ],
    {},
    'bob',
  );
  await place([
    { marketCode: 'BTC-USD-SWAP-LIN', side: 'BUY', orderType: 'LIMIT', price: 60_000, quantity: 1 },
  ]);
  const { data: overview } = await call('GET', 'overview', as('eve'));
  expect(overview).toMatchObject({ heldWithdrawals: '1', accountsAtRisk: '0', insurance: '0' });
  expect(overview.markets.length).toBe(9);
  const { data: risk } = await call('GET', 'risk');
  expect(risk.top.map(({ family }: { family: string }) => family).sort()).toEqual(['alice', 'bob']);
  const counted = risk.histogram.reduce(
    (sum: number, { accounts }: { accounts: string }) => sum + Number(accounts),
    0,
  );
  expect(counted).toBe(2);
  // Each side by itself; nobody has gained anything yet.
  const marketCode = 'BTC-USD-SWAP-LIN';
  expect(risk.adl).toMatchObject([
    { marketCode, side: 'LONG', positions: [{ family: 'alice', position: '1.0000', rank: '0' }] },
    { marketCode, side: 'SHORT', positions: [{ family: 'bob', position: '-1.0000', rank: '0' }] },
  ]);
  const find = async (q: string) => (await call('GET', 'search', { query: `q=${q}` })).data;
  expect(await find('ali')).toMatchObject({ families: ['alice'], cut: false });
  const { data: accounts } = await call('GET', 'accounts');
  expect((await find(accounts[1].accountId)).accounts).toMatchObject([{ family: 'bob' }]);
  expect((await find('alice/main/read')).keys.length).toBe(3);
  expect((await find('0x52908400098527886E0F7030069857D2E4169EE7')).withdrawals.length).toBe(1);
  const [resting] = (await find('1000200000000')).orders;
  expect(resting).toMatchObject({ marketCode: 'BTC-USD-SWAP-LIN' });
  const detail = await call('GET', 'account', { query: `accountId=${accounts[1].accountId}` });
  expect(detail.data).toMatchObject({ family: 'bob', openOrders: '1', active: true });
  expect((await call('GET', 'families', { query: 'limit=1' })).data).toMatchObject([
    { family: 'alice', openWithdrawals: '1', accounts: [{ name: 'main' }] },
  ]);
  expect((await call('GET', 'families', { query: 'afterFamily=alice' })).data.length).toBe(1);
  expect(core.state.liquidating.length).toBe(0);
});

test('an invitation lets the user of a family set a password; a repeat does not show the token', async () => {
  const { call, post, ask } = operated();
  await post('accounts', { family: 'carol' }, { accessKey: 'op-sue' });
  const sent = { body: { family: 'carol' }, accessKey: 'op-sue', signedAtMs: START_MS + 500 };
  const { data } = await call('POST', 'invitations', sent);
  expect(data.token.length).toBeGreaterThan(20);
  const again = await call('POST', 'invitations', sent);
  expect(again.data).toEqual({ family: 'carol', expiresAt: data.expiresAt });
  const body = { token: data.token, password: 'a good password' };
  expect(await ask('alice', 'POST', '/v3/invitation', { body })).toMatchObject({ status: 200 });
  const name = { name: 'carol', password: 'a good password' };
  expect(await ask('alice', 'POST', '/v3/session', { body: name })).toMatchObject({ status: 200 });
  const wrong = await call('POST', 'invitations', {
    ...sent,
    accessKey: 'op-eve',
    signedAtMs: START_MS,
  });
  expect(wrong).toMatchObject({ status: 403 });
});

test('who may create no key that withdraws takes no account over by an invitation', async () => {
  const { core, ask, post } = operated();
  const invite = (family: string, accessKey: string) =>
    post('invitations', { family }, { accessKey });
  // Alice has a key that may withdraw, and no second factor.
  expect(await invite('alice', 'op-sue')).toMatchObject({ status: 403, code: '05001' });
  const { data } = await invite('alice', 'op-local');
  const body = { token: data.token, password: 'a good password' };
  expect(await ask('alice', 'POST', '/v3/invitation', { body })).toMatchObject({ status: 200 });
  const wrong = await invite('alice', 'op-sue');
  expect(wrong.message).toContain('no second factor: to replace its password');
  // With one, the user must prove it: nobody else can use the invitation.
  const by = { key: core.key('alice', 'main', 'trade', 'withdraw') };
  const sealedSecret = new Uint8Array(4);
  core.apply({ kind: 'enrol-factor', by, factor: 'GOOGLE', sealedSecret, step: 10 });
  expect(await invite('alice', 'op-sue')).toMatchObject({ status: 200 });
});

test('prices name the sources they come from, and which of them do not count', async () => {
  const { parts } = operated();
  const long = '9'.repeat(100);
  const prices = new Map([['BTC', long]]);
  const sourcePrices = () => [{ source: 'file', atMs: 12.5, counts: false, prices }];
  const fetch = operatorFetch({ ...parts, sourcePrices }, 'os:test');
  const response = await fetch('http://stopped/operator/v1/prices');
  const { data } = (await response.json()) as { data: { asset: string; sources: object[] }[] };
  expect(data.find(({ asset }) => asset === 'BTC')?.sources).toEqual([
    { source: 'file', price: '9'.repeat(40), at: '12', counts: false },
  ]);
  expect(data.find(({ asset }) => asset === 'ETH')?.sources).toEqual([]);
});

test('a lost factor is removed by two operators within a day; then nothing leaves for a day', async () => {
  const { call, post, core } = operated();
  const by = { key: core.key('alice', 'main', 'trade', 'withdraw') };
  const sealedSecret = new Uint8Array(4);
  core.apply({ kind: 'enrol-factor', by, factor: 'GOOGLE', sealedSecret, step: 10 });
  const lost = { family: 'alice', factor: 'GOOGLE', reason: 'lost her phone' };
  const reset = (who: string) => post('factors/reset', lost, as(who));
  expect((await reset('sue')).data).toEqual({ family: 'alice', factor: 'GOOGLE', done: false });
  expect((await reset('sue')).message).toContain('another operator must too');
  expect(await reset('rob')).toMatchObject({ status: 403 });
  // Whoever still uses it has not lost it, and a day later nobody remembers the first request.
  const used = { factor: 'GOOGLE', step: 11 } as const;
  core.apply({ kind: 'set-whitelist-mode', by, isOn: false, used });
  expect((await reset('tom')).data.done).toBe(false);
  core.nowMs += DAY_MS;
  expect((await reset('sue')).data.done).toBe(false);
  const { data } = await reset('tom');
  expect(data).toMatchObject({ done: true, waitUntil: String(core.nowMs + DAY_MS) });
  expect((await reset('sue')).code).toBe('25009');
  const { data: families } = await call('GET', 'families', { query: 'family=alice' });
  expect(families).toMatchObject([{ secondFactors: [], blockedUntil: data.waitUntil }]);
  const request = {
    kind: 'request-withdrawal',
    ...{ by, asset: core.asset('USDT'), network: 0 as NetworkIndex },
    address: '0x52908400098527886E0F7030069857D2E4169EE7',
    ...{ quantity: parts('10'), externalFee: false },
  } as const;
  expect(core.outcome(request)).toBe('SECOND_FACTOR_LOCKED');
  // A new one can be enrolled meanwhile.
  core.apply({ kind: 'enrol-factor', by, factor: 'GOOGLE', sealedSecret, step: 20 });
  core.nowMs += DAY_MS;
  const code = { used: { factor: 'GOOGLE', step: 21 } as const };
  expect(core.outcome({ ...request, ...code })).toBe('withdrawal-changed');
});

test('blocks are read again from a height within bounds, one time after the other', async () => {
  const { post, core, rescans } = operated();
  core.apply({ kind: 'reach-height', network: 0 as NetworkIndex, height: 25_000 });
  const rescan = (height: string, network = 'Ethereum') =>
    post('networks/rescan', { network, height, reason: 'a deposit is missing' }, as('tom'));
  expect((await rescan('15000')).message).toContain('from 15001 to 25001');
  expect((await rescan('25002')).message).toContain('nearest 25001');
  expect((await rescan('0')).success).toBe(false);
  expect((await rescan('20000', 'Solana')).message).toContain('no chain serves Solana');
  expect((await rescan('20000', 'Etherum')).message).toMatch(
    /network Etherum is none of Ethereum, .*; did you mean Ethereum\?$/,
  );
  expect(rescans).toEqual([]);
  expect((await rescan('15001')).data).toEqual({
    ...{ network: 'Ethereum', height: '15001', readHeight: '100' },
  });
  expect((await rescan('15001')).message).toContain('is being read again');
  expect(rescans).toEqual(['Ethereum 15001']);
});

test('a fee that an operator has fixed stays until it is released', async () => {
  const { call, post, core } = operated();
  const way = { network: 'Ethereum', asset: 'USDT' };
  const estimate = {
    kind: 'set-withdrawal-fee',
    ...{ network: 0 as NetworkIndex, asset: core.asset('USDT'), fee: parts('1') },
  } as const;
  expect((await post('fees', { ...way, fee: '2.5' })).data).toMatchObject({ feeFixed: true });
  core.nowMs += 120_000;
  expect(core.outcome(estimate)).toBe('WITHDRAWAL_FEE_WRONG');
  expect((await post('fees/release', way, as('rob'))).status).toBe(403);
  expect((await post('fees/release', way, as('tom'))).data).toMatchObject({
    ...{ fee: '2.5', feeFixed: false },
  });
  expect((await post('fees/release', way)).code).toBe('65001');
  expect(core.outcome(estimate)).toBe('withdrawal-fee-set');
  expect((await call('GET', 'networks')).data).toContainEqual(
    expect.objectContaining({ ...way, fee: '1', feeFixed: false }),
  );
});

test('what operators are refused is noted: by role, by shape, by the venue; ten a minute of one', async () => {
  const { call, post, submitted, core } = operated();
  const notes = () => submitted.filter((command) => command.kind === 'note-refusal');
  const halt = { marketCode: 'BTC-USDT', state: 'HALTED', reason: 'x' };
  await post('markets/state', halt, as('eve'));
  expect(notes()).toMatchObject([
    {
      ...{ actor: 'operator:eve', act: 'POST /operator/v1/markets/state' },
      subject: JSON.stringify(halt),
      reason: expect.stringContaining('operator eve (viewer) needs the role'),
    },
  ]);
  await post('markets/state', { ...halt, state: 'SHUT' }, as('rob'));
  await post('markets/state', { ...halt, marketCode: 'NO-SUCH' }, as('rob'));
  expect(notes().slice(1)).toMatchObject([
    { actor: 'operator:rob', reason: expect.stringContaining('SHUT') },
    { actor: 'operator:rob', subject: expect.stringContaining('NO-SUCH') },
  ]);
  // Reads, forged requests and what was done are no refused acts.
  await call('GET', 'operators', as('eve'));
  await post('markets/state', halt, { ...as('rob'), secret: 'wrong' });
  await post('markets/state', halt, as('rob'));
  expect(notes().length).toBe(3);
  for (let tries = 0; tries < 20; tries++) {
    await post('markets/state', { ...halt, reason: 'long '.repeat(500) }, as('eve'));
  }
  expect(notes().length).toBe(3 + 9);
  expect(notes().at(-1)?.subject.length).toBe(200);
  core.nowMs += 60_000;
  await post('markets/state', halt, as('eve'));
  expect(notes().at(-1)?.reason).toContain('(and 11 more before)');
});

test('a search finds finished withdrawals and deposits in history, and each once', async () => {
  const { call, core, history, id } = pendingApproval();
  const open = core.state.wallet.withdrawals.get(1);
  const ended = { ...open, id: 7, account: core.account('bob', 'main'), status: 'COMPLETED' };
  history.withdrawalRows = [open, ended] as WithdrawalRecord[];
  const find = async (q: string) => (await call('GET', 'search', { query: `q=${q}` })).data;
  const found = await find('0x52908400098527886E0F7030069857D2E4169EE7');
  expect(found.withdrawals).toMatchObject([{ id }, { status: 'COMPLETED' }]);
  expect((await find(withdrawalIdText(7))).withdrawals).toMatchObject([{ status: 'COMPLETED' }]);
});
