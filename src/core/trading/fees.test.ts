import { expect, test } from 'vitest';
import { venueWith } from '../../../test/support/core-venue.ts';
import { Golden } from '../../../test/support/golden.ts';
import { VOLUME_DAYS } from '../memory/family-columns.ts';
import { DAY_MS } from './fees.ts';

const FUNDS = {
  alice: { main: { OX: '1000', USDT: '100000' } },
  bob: { main: { OX: '1000', BTC: '1' } },
};

function scene(market: string) {
  const venue = venueWith(FUNDS);
  const { familyColumns } = venue.state;
  const today = familyColumns.volumeByDay[Math.floor(venue.nowMs / DAY_MS) % VOLUME_DAYS];
  if (today === undefined) throw new Error('today is one of thirty days');
  const volumes = () => [...today.subarray(0, 2)];
  return { venue, familyColumns, today, volumes, golden: new Golden(venue, market) };
}

test('volume is counted in whole units of native, of perpetuals and of spot at a dollar for 100', () => {
  const perpetual = scene('ETH-USD-SWAP-LIN');
  // 0.003 x 3,000.1 x 100 = 900.03
  perpetual.golden.do('bob sell 3 @ 30001');
  perpetual.golden.do('alice buy 3 @ 30001');
  expect(perpetual.volumes()).toEqual([900n, 900n]);
  const spot = scene('BTC-USDT');
  // 0.00012 x 60,000 USDT are 7.2 dollars
  spot.golden.do('bob sell 12 @ 6000000');
  spot.golden.do('alice buy 12 @ 6000000');
  expect(spot.volumes()).toEqual([720n, 720n]);
});

test('the volume of a day saturates: it neither wraps nor loses the tier it has earned', () => {
  const { venue, familyColumns, today, volumes, golden } = scene('ETH-USD-SWAP-LIN');
  const most = 2n ** 63n - 1n;
  today[0] = most - 500n;
  for (let i = 0; i < 2; i++) {
    golden.do('bob sell 3 @ 30001');
    golden.do('alice buy 3 @ 30001');
  }
  expect(volumes()).toEqual([most, 1_800n]);
  venue.nowMs += DAY_MS;
  venue.apply({ kind: 'tick' });
  expect([...familyColumns.feeTier.subarray(0, 2)]).toEqual([3, 1]);
});
