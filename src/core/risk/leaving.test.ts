import { expect, test } from 'vitest';
import { parts, venueWith } from '../../../test/support/core-venue.ts';
import { MARKET, price, RICH } from '../../../test/support/failing.ts';
import { Golden } from '../../../test/support/golden.ts';
import { availableIn, purseOf } from '../memory/ledger.ts';
import { collateralValue } from './collateral.ts';
import { riskOfLeaving } from './leaving.ts';
import { marginOf } from './margin.ts';

test("what stays is valued, not what leaves: no part is rounded in the account's favour", () => {
  const venue = venueWith({
    thin: { main: { OX: '800000', USDT: '1000.00000007' } },
    rich: { main: RICH },
  });
  const scene = new Golden(venue, MARKET);
  scene.do('rich sell 10000 @ 60000');
  scene.do('thin buy 10000 @ 60000');
  price(venue, { OX: '0.0097', BTC: '60000' });
  const { state } = venue;
  const main = venue.account('thin', 'main');
  const [ox, usdt] = [venue.asset('OX'), venue.asset('USDT')];
  const value = (text: string): bigint => collateralValue(state, usdt, parts(text));
  expect(value('1000.00000007') - value('600')).toBe(value('400.00000007') + 1n);
  const account = state.accounts[main];
  if (account === undefined || account === null) throw new Error('thin');
  const { collateral, initial } = marginOf(state, main, account);
  const spare = collateral - value('1000.00000007') + value('400.00000007') - initial;
  // In the first tier the initial margin is twice the maintenance margin: at it, the ratio is 50.
  const purse = purseOf(state.ledger, main, ox);
  const native = availableIn(state.ledger, purse);
  for (const [left, isFree] of [
    [0n, false],
    [1n, true],
  ] as const) {
    state.ledger.available[purse] = native - spare + left;
    const refusal = riskOfLeaving(state, main, usdt, parts('600'));
    expect(refusal === undefined).toBe(isFree);
  }
});
