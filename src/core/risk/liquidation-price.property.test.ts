import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CoreVenue, venueWith } from '../../../test/support/core-venue.ts';
import { defaultCatalogue } from '../../defaults/catalogue.ts';
import type { AccountIndex, MarketIndex } from '../../domain/units.ts';
import type { Account, Market } from '../state.ts';
import { standingIn } from '../trading/placing.ts';
import { liquidationPricesOf } from './liquidation-price.ts';
import { marginOf } from './margin.ts';
import { setMarkPrice } from './tiers.ts';

/** Two perpetuals on bitcoin, whose legs are netted, and one beside them. */
const MARKETS = ['BTC-USD-SWAP-LIN', 'BTC-USD-SWAP-TWO', 'ETH-USD-SWAP-LIN'];

function venueOfTwo(): CoreVenue {
  const venue = venueWith({ alice: { main: { OX: '1' } } });
  const found = defaultCatalogue('test').find((step) => step.kind === 'define-market');
  if (found?.kind !== 'define-market') throw new Error('the catalogue has a market');
  venue.apply({ ...found, market: { ...found.market, code: 'BTC-USD-SWAP-TWO' } });
  return venue;
}

/** From a lot to beyond the last tier: 3,000 M OX are 5 million lots of bitcoin. */
const anyLots = fc.oneof(
  fc.integer({ min: -200, max: 200 }),
  fc.integer({ min: -6_000_000, max: 6_000_000 }),
);
const anyLeg = fc.record({ lots: anyLots, offPercent: fc.integer({ min: -30, max: 30 }) });

test('at the liquidation price the margin eats the collateral, and a little before it does not', () => {
  fc.assert(
    fc.property(
      fc.array(anyLeg, { minLength: 3, maxLength: 3 }),
      fc.bigInt({ min: -(10n ** 14n), max: 10n ** 17n }),
      fc.constantFrom('PORTFOLIO', 'STANDARD'),
      (legs, native, accountType) => {
        const venue = venueOfTwo();
        const { state } = venue;
        const row = venue.account('alice', 'main');
        const account = { ...(state.accounts[row] as Account), accountType } as Account;
        state.ledger.available[row * state.ledger.stride] = native;
        const standings = legs.map(({ lots, offPercent }, at) => {
          const index = venue.market(MARKETS[at] as string);
          const market = state.markets[index] as Market;
          const standing = standingIn(state, {
            accountIndex: row,
            account,
            market,
            order: { market: index },
          });
          const entry = (market.price.mark * BigInt(100 + offPercent)) / 100n;
          state.standings.lots[standing] = lots;
          state.standings.cost[standing] =
            (BigInt(lots) * entry * market.valueNumerator) / market.valueDenominator;
          return { standing, index, lots };
        });
        for (const one of standings) if (one.lots !== 0) expectSolved(venue, row, account, one);
      },
    ),
    { numRuns: 400 },
  );
});

function expectSolved(
  { state }: CoreVenue,
  row: AccountIndex,
  account: Account,
  { standing, index, lots }: { standing: number; index: MarketIndex; lots: number },
): void {
  const price = liquidationPricesOf(state, row, account)(standing);
  const market = state.markets[index] as Market;
  const { mark } = market.price;
  const leftAt = (at: bigint): bigint => {
    setMarkPrice(market, at);
    const { collateral, maintenance } = marginOf(state, row, account);
    setMarkPrice(market, mark);
    return collateral - maintenance;
  };
  // What a price within which roundings lie is worth: a unit, or a few parts of the native asset.
  const perUnit = BigInt(Math.abs(lots)) * market.valueNumerator;
  const near = 2n + (64n * market.valueDenominator) / perUnit;
  const worse = lots > 0 ? -near : near;
  if (price === 0n) {
    // A long is safe at any price, or a short lost at any.
    expect(lots > 0 ? leftAt(near) > 0n : leftAt(near) <= 0n).toBe(true);
    return;
  }
  if (price + worse > 0n) expect(leftAt(price + worse)).toBeLessThanOrEqual(0n);
  if (price - worse > 0n) expect(leftAt(price - worse)).toBeGreaterThan(0n);
}
