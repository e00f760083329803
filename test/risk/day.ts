import { audit } from '../../src/core/audit/audit.ts';
import { holderIndex } from '../../src/core/state.ts';
import { hasPendingWork } from '../../src/core/venue.ts';
import type { Command } from '../../src/domain/commands.ts';
import type { Event } from '../../src/domain/events.ts';
import { usdPrice } from '../../src/domain/units.ts';
import { seeded } from '../durability/kills.ts';
import { type CoreVenue, type Funds, venueWith } from '../support/core-venue.ts';
import { limitOrder } from '../support/limit-order.ts';

export type DayReport = {
  readonly accounts: number;
  readonly seconds: number;
  readonly matches: number;
  readonly liquidations: number;
  readonly steps: Readonly<Record<string, number>>;
  readonly insurance: bigint;
  readonly deficit: bigint;
  readonly faults: readonly string[];
};

/** The native parts that the fund and the deficit should have according to the events. */
type Books = { explained: bigint; liquidations: number; steps: Record<string, number> };

const MARKETS = ['BTC-USD-SWAP-LIN', 'ETH-USD-SWAP-LIN', 'SOL-USD-SWAP-LIN'] as const;
const START = { BTC: 60_000, ETH: 3_000, SOL: 150, OX: 0.01, USDT: 1, USDC: 1 };

/**
 * A day in the life of several thousand accounts: prices walk and sometimes crash, makers quote, takers
 * trade, funding is paid, accounts fail. It must end with every unit accounted for.
 */
export function runDay(options: {
  readonly accounts: number;
  readonly seconds: number;
  readonly seed: number;
}): DayReport {
  const random = seeded(options.seed);
  const venue = venueWith(fundsFor(options.accounts, random));
  const prices: Record<string, number> = { ...START };
  const books: Books = { explained: 0n, liquidations: 0, steps: {} };
  const faults: string[] = [];
  const apply = (command: Command): void => {
    note(books, venue.apply(command));
    while (hasPendingWork(venue.state)) note(books, venue.apply({ kind: 'continue' }));
  };
  for (let second = 0; second < options.seconds; second++) {
    venue.nowMs += 500;
    apply({ kind: 'tick' });
    venue.nowMs += 500;
    walk(prices, random, second);
    apply(roundOf(prices));
    if (second % 30 === 0) for (const market of MARKETS) quote(venue, market, apply);
    for (let i = 0; i < 4; i++) apply(anyOrder(venue, options.accounts, random));
    apply({ kind: 'tick' });
    if (second % 600 === 599) faults.push(...audit(venue.state).faults);
  }
  faults.push(...audit(venue.state).faults);
  const { state } = venue;
  const nativeOf = (holder: 'insurance' | 'deficit'): bigint =>
    state.ledger.available[holderIndex(holder) * state.ledger.stride + state.native] ?? 0n;
  const insurance = nativeOf('insurance');
  const deficit = nativeOf('deficit');
  if (insurance + deficit !== books.explained) {
    faults.push(`fund and deficit hold ${insurance + deficit}, events explain ${books.explained}`);
  }
  return {
    accounts: options.accounts,
    seconds: options.seconds,
    matches: state.markets.reduce((sum, { matches }) => sum + matches, 0),
    liquidations: books.liquidations,
    steps: books.steps,
    insurance,
    deficit,
    faults,
  };
}

/** Thinly funded accounts, so that some fail, and a rich maker. */
function fundsFor(accounts: number, random: () => number): Funds {
  const funds: Record<string, Record<string, Record<string, string>>> = {
    maker: { main: { OX: '20000000000', USDT: '100000000' } },
  };
  for (let i = 0; i < accounts; i++) {
    const kind = i % 5;
    const ox = String(1_000 + Math.floor(random() * 50_000));
    funds[`t${i}`] = {
      main:
        kind === 0 ? { USDT: '200', OX: '100' } : kind === 1 ? { BTC: '0.01', OX: ox } : { OX: ox },
    };
  }
  return funds;
}

function walk(prices: Record<string, number>, random: () => number, second: number): void {
  // A crash, or a squeeze, about every 40 minutes: a few per cent a second for some seconds.
  const shock = second % 2_400 < 6 && second > 60 ? (second % 4_800 < 2_400 ? -0.03 : 0.03) : 0;
  for (const asset of ['BTC', 'ETH', 'SOL', 'OX']) {
    const step = (random() - 0.5) * 0.001 + (asset === 'OX' ? shock / 3 : shock);
    prices[asset] = (prices[asset] ?? 1) * (1 + step);
  }
}

const roundOf = (prices: Readonly<Record<string, number>>): Command => ({
  kind: 'set-index-prices',
  prices: Object.entries(prices).map(([asset, price]) => ({
    asset,
    price: usdPrice(BigInt(Math.max(1, Math.round(price * 1e8)))),
  })),
});

/** The maker cancels its old quotes and places new ones around the mark. */
function quote(venue: CoreVenue, marketCode: string, apply: (command: Command) => void): void {
  const index = venue.market(marketCode);
  const market = venue.state.markets[index];
  if (market === undefined) return;
  const by = { key: venue.key('maker', 'main', 'trade') };
  apply({ kind: 'cancel-all', by, market: index });
  const { floorTicks } = market.price;
  const step = Math.max(1, Math.round(floorTicks * 0.001));
  const orders = [1, 2, 3, 4].flatMap((level) => [
    limitOrder(index, 'BUY', floorTicks - level * step, 2_000 * level),
    limitOrder(index, 'SELL', floorTicks + level * step, 2_000 * level),
  ]);
  apply({ kind: 'place-orders', by, source: 11, orders });
}

function anyOrder(venue: CoreVenue, accounts: number, random: () => number): Command {
  const who = `t${Math.floor(random() * accounts)}`;
  const index = venue.market(MARKETS[Math.floor(random() * 3)] ?? MARKETS[0]);
  const floor = venue.state.markets[index]?.price.floorTicks ?? 1;
  const off = Math.round(floor * (random() - 0.5) * 0.01);
  const size = 1 + Math.floor(random() * 300);
  const order = limitOrder(index, random() < 0.5 ? 'BUY' : 'SELL', Math.max(1, floor + off), size);
  return {
    kind: 'place-orders',
    by: { key: venue.key(who, 'main', 'trade') },
    source: 11,
    orders: [order],
  };
}

function note(books: Books, events: readonly Event[]): void {
  for (const event of events) {
    if (event.kind === 'liquidation-started') books.liquidations++;
    if (event.kind === 'liquidation-step') {
      books.steps[event.phase] = (books.steps[event.phase] ?? 0) + 1;
      books.explained += event.fee - event.help;
    }
    if (event.kind === 'collateral-sold') {
      books.steps[`collateral ${event.phase}`] =
        (books.steps[`collateral ${event.phase}`] ?? 0) + 1;
      if (event.phase !== 'book' && event.phase !== 'nobody') books.explained -= event.repaid;
    }
  }
}
