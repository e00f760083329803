import { describe, expect, test } from 'vitest';
import { type CoreVenue, venueWith } from '../../../test/support/core-venue.ts';
import { Golden } from '../../../test/support/golden.ts';
import { audit } from '../audit/audit.ts';
import { marginOf, marginRatioOf } from '../risk/margin.ts';
import { hasPendingWork } from '../venue.ts';

const MARKET = 'BTC-USD-SWAP-LIN';
const RICH = { OX: '1000000000' };

/** `thin` is long 1 BTC at 60,000 with 400,000 OX behind it. */
function thinLong(): Golden {
  const venue = venueWith({ thin: { main: { OX: '400000' } }, rich: { main: RICH } });
  const scene = new Golden(venue, MARKET);
  scene.do('rich sell 10000 @ 60000');
  scene.do('thin buy 10000 @ 60000');
  return scene;
}

function ratioOf(venue: CoreVenue, who: string): number {
  const row = venue.account(who, 'main');
  const account = venue.state.accounts[row];
  if (account === undefined || account === null) throw new Error(who);
  return Number(marginRatioOf(marginOf(venue.state, row, account))) / 1e6;
}

describe('orders on the closing side are tested again when the position shrinks', () => {
  test('at ratio 61 a position that is closed is not turned around', () => {
    const scene = thinLong();
    const { venue } = scene;
    scene.do('thin sell 6000 @ 60000');
    scene.do('thin sell 4000 @ 60000');
    scene.do('mark 58430');
    expect(ratioOf(venue, 'thin')).toBeCloseTo(61, 0);
    scene.do('rich buy 10000 @ 58400');
    // After it some 230,000 OX are left: 0.6 BTC short need 175,290, 1 BTC 292,150.
    expect(scene.do('thin sell 10000 @ 58400 reduceOnly')).toEqual([
      't4 meets r2: 10000 @ 58400',
      'r2 FILLED, 0 left',
      't4 FILLED, 0 left',
      't3 CANCELED_BY_USER, 4000 left (MARGIN_TOO_LOW)',
    ]);
    expect(scene.book()).toEqual(['ask 60000 x 6000']);
    expect(audit(venue.state).faults).toEqual([]);
    expect(hasPendingWork(venue.state)).toBe(false);
  });

  test('what the rest of the position still covers stays', () => {
    const scene = thinLong();
    scene.do('thin sell 5000 @ 61000');
    scene.do('mark 58430');
    scene.do('rich buy 5000 @ 58400');
    const lines = scene.do('thin sell 5000 @ 58400 reduceOnly');
    expect(lines.at(-1)).toBe('t3 FILLED, 0 left');
    expect(scene.book()).toEqual(['ask 61000 x 5000']);
  });

  test('who has the margin for them keeps them', () => {
    const scene = thinLong();
    scene.do('thin sell 10000 @ 61000');
    scene.do('rich buy 10000 @ 59990');
    const lines = scene.do('thin sell 10000 @ 59990 reduceOnly');
    expect(lines.at(-1)).toBe('t3 FILLED, 0 left');
    expect(scene.book()).toEqual(['ask 61000 x 10000']);
  });

  test('orders that only reduce by their flag are left alone, and stops too', () => {
    const scene = thinLong();
    scene.do('thin sell 9000 @ 61000 reduceOnly');
    scene.do('thin sell 9000 market stop 50000');
    scene.do('mark 58430');
    scene.do('rich buy 10000 @ 58400');
    const lines = scene.do('thin sell 10000 @ 58400 reduceOnly');
    expect(lines.at(-1)).toBe('t4 FILLED, 0 left');
    expect(scene.book()).toEqual(['ask 61000 x 9000']);
  });

  test('a maker is reviewed like a taker', () => {
    const scene = thinLong();
    scene.do('thin sell 10000 @ 60000');
    scene.do('thin sell 10000 @ 59190 reduceOnly');
    new Golden(scene.venue, 'ETH-USD-SWAP-LIN').do('thin buy 2400 @ 29900');
    // 1 BTC either way and 2.4 ETH need 332,000 OX; 318,000 are left, at ratio 47.
    scene.do('mark 59200');
    expect(scene.do('rich buy 10000 @ 59190')).toEqual([
      'r2 meets t3: 10000 @ 59190',
      't3 FILLED, 0 left',
      'r2 FILLED, 0 left',
      't2 CANCELED_BY_USER, 10000 left (MARGIN_TOO_LOW)',
    ]);
  });
});
