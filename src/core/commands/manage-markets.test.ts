import { expect, test } from 'vitest';
import { venueWith } from '../../../test/support/core-venue.ts';
import { defaultCatalogue } from '../../defaults/catalogue.ts';
import type { MarketSpec } from '../../domain/market.ts';

const [perpetual] = defaultCatalogue('test').flatMap((step) =>
  step.kind === 'define-market' ? [step.market] : [],
);
if (perpetual === undefined) throw new Error('the catalogue has a market');
const tier = { leverage: 10, notionalCap: 10n ** 16n };

test('terms that nothing could be computed with are refused, and say what would do', () => {
  const rows: [Partial<MarketSpec>, string][] = [
    [{ priceScale: 9 }, 'prices have 0 to 8 decimals'],
    [{ priceScale: 0.5 }, 'prices have 0 to 8 decimals'],
    [{ quantityScale: -1 }, 'quantities have 0 to 18 decimals'],
    [{ tickParts: 0n }, 'tick and lot are above zero'],
    [{ maxOrderLots: 1.5 }, 'the largest order is at least one lot'],
    [{ band: 10n ** 9n }, 'the band is between 0 and 1'],
    [{ tiers: [] }, 'perpetuals, and only they, have tiers'],
    [{ tiers: [{ ...tier, leverage: 0 }] }, 'a whole number from 1, not 0'],
    [{ tiers: [{ ...tier, leverage: 2.5 }] }, 'a whole number from 1, not 2.5'],
    [{ tiers: [{ ...tier, notionalCap: 2n ** 62n }] }, 'below 2^62 parts'],
    [{ tiers: [tier, tier] }, 'the caps of the tiers rise'],
    [{ tiers: Array.from({ length: 33 }, () => tier) }, 'at most 32 tiers'],
  ];
  for (const [changes, message] of rows) {
    const market = { ...perpetual, code: 'NEW-USD-SWAP-LIN', ...changes };
    const [event] = venueWith({}).apply({ kind: 'define-market', actor: 'test', market });
    expect(event).toMatchObject({ kind: 'refused', reason: 'CATALOGUE_INVALID' });
    expect(event?.kind === 'refused' ? event.message : '').toContain(message);
  }
});

test('the scale of an asset is a whole number of decimals', () => {
  for (const scale of [-1, 1.5, 19, Number.NaN]) {
    const asset = { code: 'NEW', scale, loanToValue: 0n };
    const command = { kind: 'define-asset', actor: 'test', asset } as const;
    expect(venueWith({}).outcome(command)).toBe('CATALOGUE_INVALID');
  }
});
