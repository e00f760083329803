import { beforeEach, expect, test } from 'vitest';
import { type AssetIndex, amount, type NetworkIndex } from '../../domain/units.ts';
import { edgeOverCore } from '../core-venue.fixture.ts';

let edge = edgeOverCore();
beforeEach(() => {
  edge = edgeOverCore();
});

const ADDRESS = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const unfinished = async (family = 'alice') =>
  (await edge.ask(family, 'GET', '/v3/wallet/unfinished', { key: 'main/read' })).data;

test('what is unfinished says why it waits, until when, and what may still leave', async () => {
  const before = await unfinished();
  expect(before.withdrawals).toEqual([]);
  expect(before.networks).toContainEqual({
    ...{ network: 'XRPL', confirmationsNeeded: '1', needsMemo: true },
  });
  expect(before.withdrawalLimitLeft).toBe(before.withdrawalLimit);
  const request = { asset: 'OX', network: 'Arbitrum', address: ADDRESS, quantity: '100' };
  const body = { ...request, externalFee: false };
  const key = 'main/read+trade+withdraw';
  const { data } = await edge.ask('alice', 'POST', '/v3/withdrawal', { key, body });
  const after = await unfinished();
  expect(after.withdrawals).toEqual([
    {
      ...{ id: data.id, status: 'ON HOLD', holds: ['new-address'] },
      ...{ holdUntil: String(edge.core.nowMs + 86_400_000), confirmationsNeeded: '20' },
    },
  ]);
  expect(Number(after.withdrawalLimitLeft)).toBe(Number(before.withdrawalLimit) - 100);
  expect((await unfinished('bob')).withdrawals).toEqual([]);
});

test('confirmations count from the block a deposit is in, up to those it needs', async () => {
  const account = edge.core.account('alice', 'main');
  const deposit = {
    ...{ id: 3, account, asset: 0 as AssetIndex, network: 1 as NetworkIndex, address: ADDRESS },
    ...{ txId: '0xaa', output: 0, height: 95, quantity: amount(5n), dust: 0n, isVanished: false },
    ...({ status: 'PENDING', seenAtMs: edge.core.nowMs } as const),
  };
  const done = { ...deposit, id: 4, status: 'COMPLETED' } as const;
  const held = { ...deposit, id: 5, status: 'ON HOLD', hold: 'below-minimum', height: 2 } as const;
  edge.history.depositRows = [deposit, done, held];
  edge.heights.set('Arbitrum', 99);
  expect((await unfinished()).deposits).toMatchObject([
    { status: 'PENDING', confirmations: '5', confirmationsNeeded: '20' },
    { status: 'ON HOLD', hold: 'below-minimum', confirmations: '20' },
  ]);
  edge.heights.clear();
  expect((await unfinished()).deposits[0].confirmations).toBeUndefined();
});
