import { expect, test } from 'vitest';
import { Random } from '../../../test/simulation/random.ts';
import { venueWith } from '../../../test/support/core-venue.ts';
import { Golden } from '../../../test/support/golden.ts';
import type { Amount, Ticks } from '../../domain/units.ts';
import { newMatch } from '../book/match.ts';
import { move, purseOf, touchHolder } from '../memory/ledger.ts';
import { standingOf } from '../memory/standings.ts';
import { fillStanding } from '../risk/positions.ts';
import type { Account, Market } from '../state.ts';
import { forgetRanking, rankOpponents } from './opponents.ts';

test('a ranking that is kept is the one that is made anew', () => {
  const random = new Random(7);
  const count = 120;
  const funds: Record<string, { main: Record<string, string> }> = {
    big: { main: { OX: '1000000000' } },
  };
  for (let i = 0; i < count; i++) {
    funds[`s${i}`] = { main: { OX: String(random.between(2_000, 90_000)) } };
  }
  const venue = venueWith(funds);
  const scene = new Golden(venue, 'BTC-USD-SWAP-LIN');
  for (let i = 0; i < count; i++) {
    const ticks = 60_000 + random.between(-300, 300);
    const lots = random.between(1, 30);
    scene.do(`big buy ${lots} @ ${ticks}`);
    scene.do(`s${i} sell ${lots} @ ${ticks}`);
  }
  const { state } = venue;
  const market = state.markets[0] as Market;
  const fill = { ...newMatch(), priceTicks: 59_900 as Ticks };
  const opponents = () =>
    rankOpponents(state, 0, -1).map(({ accountIndex, lots }) => `${accountIndex}: ${lots}`);
  expect(opponents()).toHaveLength(count);

  for (let round = 0; round < 40; round++) {
    // A few change, now and then nearly all: positions, money, flags.
    for (let left = random.pick([1, 2, 5, 100]); left > 0; left--) {
      const account = venue.account(`s${random.below(count)}`, 'main');
      const standing = standingOf(state.standings, account, 0);
      const what = random.below(3);
      if (what === 0) fillStanding(state, market, standing, random.between(-9, 9) || 1, fill);
      else if (what === 1) {
        const from = purseOf(state.ledger, account, state.native);
        const to = purseOf(state.ledger, venue.account('big', 'main'), state.native);
        move(state.ledger, from, to, 100_000_000_000n as Amount, 0);
      } else {
        const one = state.accounts[account] as Account;
        one.liquidating = !one.liquidating;
        touchHolder(state.ledger, account);
      }
    }
    const kept = opponents();
    forgetRanking(state);
    expect(kept).toEqual(opponents());
  }
});
