import { expect, test } from 'vitest';
import { parts, venueWith } from '../../../test/support/core-venue.ts';
import {
  DEFICIT,
  fillFund,
  INSURANCE,
  MARKET,
  pass,
  price,
  purse,
  RICH,
  steps,
} from '../../../test/support/failing.ts';
import { Golden } from '../../../test/support/golden.ts';
import type { Event } from '../../domain/events.ts';

const matches = (events: readonly Event[]) =>
  events.flatMap((event) => (event.kind === 'order-matched' ? [event] : []));

test('what a counterparty without profit does not give up comes from the fund, and only then from the deficit', () => {
  const venue = venueWith({
    thin: { main: { OX: '350000' } },
    rich: { main: RICH },
    late: { main: RICH },
  });
  const scene = new Golden(venue, MARKET);
  scene.do('rich sell 10000 @ 60000');
  scene.do('thin buy 10000 @ 60000');
  // rich hands its short to late below the mark that comes: late gains nothing.
  price(venue, { BTC: '57000' });
  scene.do('late sell 10000 @ 54400');
  scene.do('rich buy 10000 @ 54400');
  fillFund(venue, '1000');
  price(venue, { BTC: '54500' });
  const help = steps(pass(venue, { BTC: '54500' })).reduce((sum, step) => sum + step.help, 0n);
  expect(help).toBeGreaterThan(parts('1000'));
  expect(purse(venue, INSURANCE)).toBe(0n);
  expect(purse(venue, DEFICIT)).toBe(parts('1000') - help);
});

test('liquidating accounts meet each other first, at the mark, whoever gains more', () => {
  const venue = venueWith({
    thin: { main: { OX: '350000' } },
    weak: { main: { OX: '400000' } },
    rich: { main: RICH },
  });
  const scene = new Golden(venue, MARKET);
  scene.do('rich sell 7000 @ 60000');
  scene.do('weak sell 3000 @ 60000');
  scene.do('thin buy 10000 @ 60000');
  const ether = new Golden(venue, 'ETH-USD-SWAP-LIN');
  ether.do('rich sell 18000 @ 30000');
  ether.do('weak buy 18000 @ 30000');
  price(venue, { BTC: '54500', ETH: '2720' });
  price(venue, { BTC: '54500', ETH: '2600' });
  const failing = ['thin', 'weak'].map((who) => venue.account(who, 'main'));
  expect(new Set(venue.state.liquidating)).toEqual(new Set(failing));
  venue.nowMs += 500;
  const events = venue.apply({ kind: 'tick' });
  const [first, second] = matches(events).filter(({ taker }) => taker.account === failing[0]);
  expect(first?.maker.account).toBe(failing[1]);
  expect([first?.lots, first?.priceTicks]).toEqual([3_000, 54_500]);
  expect([second?.maker.account, second?.lots]).toEqual([venue.account('rich', 'main'), 7_000]);
});
