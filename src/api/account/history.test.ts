import { expect, test } from 'vitest';
import { amount } from '../../domain/units.ts';
import { edgeOverCore } from '../core-venue.fixture.ts';

test('the hours of an account, in the native asset', async () => {
  const edge = edgeOverCore();
  edge.history.hourRows = [
    {
      ...{ hourMs: 7_200_000, realised: amount(0n), funding: amount(-150_000_000n) },
      ...{ collateral: amount(1_200_000_000n), unrealised: amount(-50_000_000n) },
    },
    {
      ...{ hourMs: 3_600_000, realised: amount(10n), funding: amount(0n) },
      ...{ collateral: undefined, unrealised: undefined },
    },
  ];
  const query = 'startTime=0&endTime=7200000';
  const { data } = await edge.ask('alice', 'GET', '/v3/account/history', { query });
  expect(data).toMatchObject([{ name: 'main', accountId: expect.any(String) }]);
  expect(data[0].history).toEqual([
    {
      ...{ hourAt: '7200000', collateral: '12.0', unrealizedPnl: '-0.5' },
      ...{ realizedPnl: '0', funding: '-1.5' },
    },
    { hourAt: '3600000', realizedPnl: '0.0000001', funding: '0' },
  ]);
  expect(edge.history.queries.at(-1)).toMatchObject({ fromMs: 0, toMs: 7_200_000, limit: 168 });
  const long = await edge.ask('alice', 'GET', '/v3/account/history', {
    query: 'startTime=0&endTime=604800001',
  });
  expect(long.code).toBe('20001');
});
