import { beforeEach, expect, test } from 'vitest';
import { parts } from '../../../test/support/core-venue.ts';
import { type AssetIndex, amount, type NetworkIndex } from '../../domain/units.ts';
import { edgeOverCore } from '../core-venue.fixture.ts';

let edge = edgeOverCore();
beforeEach(() => {
  edge = edgeOverCore();
});

const get = (path: string, query = '', key = 'main/read') =>
  edge.ask('alice', 'GET', path, { key, query });

test('an address is that of the key’s account on the network, and asking changes nothing', async () => {
  const ask = async (query: string, key?: string) => {
    const { data, code } = await get('/v3/deposit-addresses', query, key);
    return code ?? data;
  };
  const [main, desk] = [edge.core.account('alice', 'main'), edge.core.account('alice', 'desk')];
  const before = edge.core.bytes();
  expect(await ask('asset=OX&network=Arbitrum')).toEqual({ address: `Arbitrum ${main}` });
  expect(await ask('asset=USDT&network=Arbitrum')).toEqual({ address: `Arbitrum ${main}` });
  expect(await ask('asset=OX&network=Arbitrum', 'desk/read')).toEqual({
    address: `Arbitrum ${desk}`,
  });
  expect(await ask('asset=BTC&network=Arbitrum')).toBe('20001');
  expect(await ask('asset=BTC&network=Moon')).toBe('20001');
  expect(await ask('asset=DOGE&network=Arbitrum')).toBe('20001');
  // Names that clients in the field use; one that the venue does not serve is unknown by either.
  expect(await ask('asset=ETH&network=ERC20')).toEqual(await ask('asset=ETH&network=Ethereum'));
  expect(await ask('asset=SOL&network=SPL')).toEqual({ address: `Solana ${main}` });
  expect(await ask('asset=USDT&network=TRC20')).toBe('20001');
  expect(await ask('asset=BTC')).toBe('30001');
  expect(edge.core.bytes()).toEqual(before);
  expect(edge.submitted).toEqual([]);
});

test('a deposit shows when it was seen, until it is credited', async () => {
  const account = edge.core.account('alice', 'main');
  const seen = {
    ...{ id: 6, account, asset: 6 as AssetIndex, network: 4 as NetworkIndex, address: 'rHb9' },
    ...{ memo: '7', txId: '0x11', output: 0, height: 5, quantity: amount(parts('75')), dust: 3n },
    ...({ status: 'PENDING', isVanished: false, seenAtMs: 1_000 } as const),
  };
  edge.history.depositRows = [{ ...seen, status: 'COMPLETED', creditedAtMs: 2_000 }, seen];
  const shown = {
    ...{ asset: 'XRP', network: 'XRPL', address: 'rHb9', memo: '7', quantity: '75' },
    ...{ id: '985000000000000006', txId: '0x11' },
  };
  expect((await get('/v3/deposit')).data).toEqual([
    { ...shown, status: 'COMPLETED', creditedAt: '2000' },
    { ...shown, status: 'PENDING', creditedAt: '1000' },
  ]);
  await get('/v3/deposit', 'asset=XRP&startTime=1&endTime=9&limit=7&beforeId=985000000000000006');
  expect(edge.history.queries.at(-1)).toEqual({
    ...{ account, asset: 6, fromMs: 1, toMs: 9, limit: 7, beforeId: 6 },
  });
  expect((await get('/v3/deposit', 'asset=DOGE')).data).toEqual([]);
  expect((await get('/v3/deposit', 'limit=0')).code).toBe('20001');
  expect((await get('/v3/deposit', 'startTime=9&endTime=1')).code).toBe('20001');
});
