import { expect, test } from 'vitest';
import { parts, START_MS, venueWith } from '../../../test/support/core-venue.ts';
import { withdrawalIdText } from '../../domain/ids.ts';
import {
  type AccountIndex,
  type AssetIndex,
  amount,
  type NetworkIndex,
} from '../../domain/units.ts';
import type { DepositRecord, WithdrawalRecord } from '../../domain/wallet.ts';
import { operated } from './operated.fixture.ts';

const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';
const ID = withdrawalIdText(1);

function pendingApproval() {
  const core = venueWith({ alice: { main: { USDT: '1000000' } }, bob: { main: {} } });
  const venue = operated(core);
  core.apply({
    kind: 'request-withdrawal',
    by: { key: core.key('alice', 'main', 'trade', 'withdraw') },
    asset: core.asset('USDT'),
    network: core.state.networks.findIndex(({ name }) => name === 'Ethereum') as NetworkIndex,
    address: ADDRESS,
    quantity: parts('500000'),
    externalFee: false,
  });
  return venue;
}

const record = (asset: AssetIndex, more: Partial<WithdrawalRecord>): WithdrawalRecord => ({
  ...{ id: 7, account: 0 as AccountIndex, asset, network: 0 as NetworkIndex, address: ADDRESS },
  ...{ quantity: parts('10'), externalFee: false, fee: amount(0n), burnFee: amount(0n) },
  ...{ debited: parts('10'), requestedAtMs: START_MS, status: 'COMPLETED', holds: [] },
  ...more,
});

test('a case shows what was done to a withdrawal and what its family has moved', async () => {
  const { call, core, history } = pendingApproval();
  const usdt = core.asset('USDT');
  const act = {
    actor: 'operator:tom',
    act: 'operate-withdrawal release',
    before: 'b',
    after: 'a',
    isRefused: false,
  };
  history.acts = async () => [
    { ...act, sequence: 9, timeMs: 90, subject: 'withdrawal 1', reason: 'second' },
    { ...act, sequence: 8, timeMs: 80, subject: 'withdrawal 12', reason: 'another one' },
    { ...act, sequence: 7, timeMs: 70, subject: 'withdrawal 1', reason: 'first' },
  ];
  history.withdrawalRows = [
    record(usdt, {}),
    record(usdt, { status: 'ON HOLD', debited: parts('5') }),
    record(usdt, { status: 'CANCELED' }),
  ];
  const deposit = { ...record(usdt, {}), quantity: parts('30') } as unknown as DepositRecord;
  history.depositRows = [deposit, { ...deposit, status: 'PENDING' }];
  const { data } = await call('GET', 'withdrawals/case', { query: `id=${ID}` });
  expect(data).toMatchObject({
    ...{ id: ID, family: 'alice', asset: 'USDT', network: 'Ethereum', address: ADDRESS },
    ...{ quantity: '500000', status: 'ON HOLD' },
    flows: [{ asset: 'USDT', in: '30', out: '15' }],
    flowsCut: false,
  });
  expect(data.acts.map(({ reason }: { reason: string }) => reason)).toEqual(['first', 'second']);
});

test('a finished withdrawal is found with its account, and nothing of another family', async () => {
  const { call, core, history } = pendingApproval();
  history.withdrawalRows = [record(core.asset('USDT'), { txId: '0xab', completedAtMs: 5 })];
  const query = `id=${withdrawalIdText(7)}`;
  expect((await call('GET', 'withdrawals/case', { query })).data).toMatchObject({ txId: '0xab' });
  const found = await call('GET', 'withdrawals/case', { query: `${query}&accountId=30000` });
  expect(found.data).toMatchObject({ status: 'COMPLETED', txId: '0xab', completedAt: '5' });
  const other = await call('GET', 'withdrawals/case', { query: `${query}&accountId=30001` });
  expect(other.message).toContain('account 30001 has no withdrawal');
  for (const id of ['1', '9', withdrawalIdText(0)]) {
    const none = await call('GET', 'withdrawals/case', { query: `id=${id}` });
    expect(none, id).toMatchObject({ success: false, code: '20001' });
  }
});

test('adding up what a family has moved ends, and says so', async () => {
  const { call, core, history } = pendingApproval();
  history.withdrawalRows = Array.from({ length: 500 }, () => record(core.asset('USDT'), {}));
  const { data } = await call('GET', 'withdrawals/case', { query: `id=${ID}` });
  expect(data).toMatchObject({ flows: [{ out: '5000' }], flowsCut: true });
});

test('an operator learns who it is, and what happened to a failing account', async () => {
  const { call } = pendingApproval();
  const me = await call('GET', 'me', { accessKey: 'op-tom' });
  expect(me.data).toEqual({ actor: 'operator:tom', roles: ['treasury'] });
  expect((await call('GET', 'me', { accessKey: 'op-guest' })).status).toBe(403);
  const { accountId } = (await call('GET', 'withdrawals', { query: `id=${ID}` })).data[0];
  const steps = await call('GET', 'liquidations', { query: `accountId=${accountId}` });
  expect(steps.data).toEqual([]);
  const none = await call('GET', 'liquidations', { query: 'accountId=31000' });
  expect(none.message).toContain('there is no account 31000');
});

test('liquidations of the whole venue say whose they are, and are asked for page by page', async () => {
  const { call, core, history } = pendingApproval();
  const account = core.account('alice', 'main');
  const event = { kind: 'liquidation-ended', account } as const;
  const margin = { collateral: amount(1n), maintenanceMargin: amount(2n) };
  history.liquidationRows = [{ id: 48n, event: { ...event, ...margin }, timeMs: 7 }];
  const { data } = await call('GET', 'liquidations', {});
  expect(data).toMatchObject([{ family: 'alice', name: 'main', event: 'ENDED', createdAt: '7' }]);
  const query = `startTime=5&endTime=9&limit=3&beforeId=${data[0].id}`;
  await call('GET', 'liquidations', { query });
  expect(history.queries.at(-1)).toEqual({
    ...{ account: undefined, fromMs: 5, toMs: 9, limit: 3, beforeId: 48n },
  });
  const wrong = await call('GET', 'liquidations', { query: 'beforeId=1' });
  expect(wrong).toMatchObject({ success: false, code: '20001' });
});
