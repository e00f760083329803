import { describe, expect, test } from 'vitest';
import { type CoreVenue, parts, venueWith } from '../../../test/support/core-venue.ts';
import { MARKET, price, RICH } from '../../../test/support/failing.ts';
import { Golden } from '../../../test/support/golden.ts';
import { collateralValue } from '../risk/collateral.ts';
import { marginOf } from '../risk/margin.ts';
import type { Margin } from '../risk/margin-figures.ts';

const marginNow = (venue: CoreVenue, who: string): Margin => {
  const row = venue.account(who, 'main');
  const account = venue.state.accounts[row];
  if (account === undefined || account === null) throw new Error(who);
  return marginOf(venue.state, row, account);
};

describe('what planned fills realise counts as debt', () => {
  /** `owes` has dollars only, is short 1 BTC at 60,000, and BTC stands at 66,000: 600,000 OX are lost. */
  function shortWithoutNative(): Golden {
    const venue = venueWith({ owes: { main: { USDT: '20000' } }, rich: { main: RICH } });
    const scene = new Golden(venue, MARKET);
    scene.do('rich buy 10000 @ 60000');
    scene.do('owes sell 10000 @ 60000');
    price(venue, { BTC: '66000' });
    return scene;
  }

  // 19,958 USDT are worth 1,896,010 OX, less the loss. A lot is worth 660 OX: 37,454 long need 1,235,982 and
  // a tenth of the debt that the fills leave, 60,000.
  test.each(['IOC', 'FOK'])('a loss that %s fills realise needs margin', (condition) => {
    const scene = shortWithoutNative();
    scene.do('rich sell 90000 @ 66000');
    expect(scene.do(`owes buy 47455 @ 66000 ${condition}`)).toEqual(['refused MARGIN_TOO_LOW']);
    expect(scene.do(`owes buy 47454 @ 66000 ${condition}`)).toContain('o2 FILLED, 0 left');
    expect(scene.position('owes')).toMatch(/^37454 /);
  });

  test('the loss is that of the fills that close the position, not of all', () => {
    const scene = shortWithoutNative();
    scene.do('rich sell 10000 @ 65000');
    scene.do('rich sell 90000 @ 66000');
    // 500,000 OX of debt, and 100,000 OX gained against the mark: 40,788 long need 1,346,004 and 50,000.
    expect(scene.do('owes buy 50789 @ 66000 IOC')).toEqual(['refused MARGIN_TOO_LOW']);
    const { collateral, initial } = marginNow(scene.venue, 'owes');
    expect([collateral, initial]).toEqual([parts('1296010'), parts('330000')]);
    expect(scene.do('owes buy 50788 @ 66000 IOC')).toContain('o2 FILLED, 0 left');
  });

  test('a gain that they realise pays the debt', () => {
    const scene = shortWithoutNative();
    scene.do('rich sell 20000 @ 66000');
    scene.do('owes buy 20000 @ 66000');
    price(scene.venue, { BTC: '72000' });
    scene.do('rich buy 90000 @ 72000');
    // 19,865.6 USDT are worth 1,887,232 OX; a lot is worth 720 OX, and nothing is owed any more.
    expect(scene.do('owes sell 62424 @ 72000 IOC')).toEqual(['refused MARGIN_TOO_LOW']);
    expect(scene.do('owes sell 62423 @ 72000 IOC')).toContain('o3 FILLED, 0 left');
  });
});

test('what a spot order leaves is valued, not what it holds: no part is rounded in its favour', () => {
  const venue = venueWith({
    thin: { main: { OX: '800000', USDT: '1000.00000007' }, desk: {} },
    rich: { main: RICH },
  });
  const scene = new Golden(venue, MARKET);
  const spot = new Golden(venue, 'BTC-USDT');
  scene.do('rich sell 10000 @ 60000');
  scene.do('thin buy 10000 @ 60000');
  // At this price of OX a part of USDT is worth 97.9... parts of it.
  price(venue, { OX: '0.0097', BTC: '60000' });
  const usdt = venue.asset('USDT');
  const value = (text: string): bigint => collateralValue(venue.state, usdt, parts(text));
  expect(value('1000.00000007') - value('600')).toBe(value('400.00000007') + 1n);
  const { collateral, initial } = marginNow(venue, 'thin');
  const spare = collateral - value('1000.00000007') + value('400.00000007') - initial;
  const give = (amount: bigint): string =>
    venue.outcome({
      kind: 'transfer',
      by: { key: venue.key('thin', 'main', 'trade') },
      asset: venue.asset('OX'),
      amount: amount as never,
      from: venue.account('thin', 'main'),
      to: venue.account('thin', 'desk'),
    });
  // One part more than the order would leave behind: in the first tier, ratio 50 is at the initial margin.
  expect(give(spare)).toBe('transferred');
  expect(spot.do('thin buy 1000 @ 6000000')).toEqual(['refused MARGIN_TOO_LOW']);
});
