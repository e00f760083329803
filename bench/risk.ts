import { hasPendingWork } from '../src/core/venue.ts';
import { defaultCatalogue } from '../src/defaults/catalogue.ts';
import type { Command, CreditGenesis, SetupCommand } from '../src/domain/commands.ts';
import { amount, usdPrice } from '../src/domain/units.ts';
import { CoreVenue } from '../test/support/core-venue.ts';
import { limitOrder } from '../test/support/limit-order.ts';

/** A price update on a venue with many accounts, only some of which have a position in the market. */
export type RiskFigure = {
  readonly accounts: number;
  readonly inMarket: number;
  readonly microsecondsPerRound: number;
};

export function benchRisk(options: {
  readonly accounts: number;
  readonly inMarket: number;
  readonly rounds: number;
}): RiskFigure {
  const venue = crowded(options.accounts, options.inMarket);
  let isUp = false;
  const startedMs = performance.now();
  for (let round = 0; round < options.rounds; round++) {
    isUp = !isUp;
    venue.nowMs += 1_000;
    settle(venue, priceRound(isUp ? 6_012_000_000_000n : 6_000_000_000_000n));
  }
  const elapsedMs = performance.now() - startedMs;
  return {
    accounts: options.accounts,
    inMarket: options.inMarket,
    microsecondsPerRound: Math.round((elapsedMs * 1_000) / options.rounds),
  };
}

function settle(venue: CoreVenue, command: Command): void {
  venue.apply(command);
  while (hasPendingWork(venue.state)) venue.apply({ kind: 'continue' });
}

const priceRound = (btc: bigint): Command => ({
  kind: 'set-index-prices',
  prices: [
    { asset: 'BTC', price: usdPrice(btc) },
    { asset: 'OX', price: usdPrice(1_000_000n) },
    { asset: 'USDT', price: usdPrice(100_000_000n) },
  ],
});

/** All accounts have funds; those in the market are long with about ten times leverage, against one maker. */
function crowded(accounts: number, inMarket: number): CoreVenue {
  const venue = new CoreVenue();
  const actor = 'bench';
  const steps: (SetupCommand | CreditGenesis)[] = [...defaultCatalogue(actor)];
  const join = (family: string, ox: bigint): void => {
    const account = { family, name: 'main' };
    steps.push({ kind: 'create-account', actor, account, accountType: 'PORTFOLIO' });
    steps.push({ kind: 'credit-genesis', account, asset: 'OX', amount: amount(ox * 10n ** 8n) });
    const sealedSecret = new Uint8Array();
    const permissions = ['read', 'trade'] as const;
    steps.push({
      kind: 'create-key',
      actor,
      account,
      accessKey: family,
      sealedSecret,
      permissions,
    });
  };
  join('maker', 20_000_000_000n);
  for (let i = 0; i < accounts; i++) join(`t${i}`, 1_000n);
  venue.apply({ kind: 'genesis', steps });
  const market = venue.market('BTC-USD-SWAP-LIN');
  for (let i = 0; i < inMarket; i++) {
    for (const [key, side] of [
      [0, 'SELL'],
      [i + 1, 'BUY'],
    ] as const) {
      venue.apply({
        kind: 'place-orders',
        by: { key: key as never },
        source: 11,
        orders: [limitOrder(market, side, 60_000, 10)],
      });
    }
  }
  return venue;
}

if (import.meta.main) {
  for (const inMarket of [100, 1_000, 10_000]) {
    console.log(benchRisk({ accounts: 100_000, inMarket, rounds: 300 }));
  }
}
