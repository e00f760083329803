import { expect } from 'vitest';
import { audit } from '../../src/core/audit/audit.ts';
import { marginOf, marginRatioOf } from '../../src/core/risk/margin.ts';
import { hasPendingWork } from '../../src/core/venue.ts';
import type { Event, LiquidationStep } from '../../src/domain/events.ts';
import { usdPrice } from '../../src/domain/units.ts';
import { type CoreVenue, parts, venueWith } from './core-venue.ts';
import { Golden } from './golden.ts';

/** Scenes with failing accounts: prices fall, half seconds pass, and events are checked. */

export const MARKET = 'BTC-USD-SWAP-LIN';
export const RICH = { OX: '1000000000', USDT: '10000000' };

/** Sets current prices, in two rounds so that a jump is confirmed; returns all events. */
export function price(venue: CoreVenue, prices: Readonly<Record<string, string>>): Event[] {
  const round = Object.entries({ OX: '0.01', USDT: '1', USDC: '1', ...prices }).map(
    ([asset, text]) => ({ asset, price: usdPrice(parts(text)) }),
  );
  const events = [
    ...venue.apply({ kind: 'set-index-prices', prices: round }),
    ...venue.apply({ kind: 'set-index-prices', prices: round }),
  ];
  return [...events, ...settle(venue)];
}

export function settle(venue: CoreVenue): Event[] {
  const events: Event[] = [];
  while (hasPendingWork(venue.state)) events.push(...venue.apply({ kind: 'continue' }));
  return events;
}

/** Half seconds pass, with prices kept fresh, until no account is in liquidation. */
export function pass(
  venue: CoreVenue,
  prices: Readonly<Record<string, string>>,
  stepsMax = 40,
): Event[] {
  const events: Event[] = [];
  for (let step = 0; step < stepsMax && venue.state.liquidating.length > 0; step++) {
    venue.nowMs += 500;
    events.push(...price(venue, prices), ...venue.apply({ kind: 'tick' }), ...settle(venue));
    expect(audit(venue.state).faults).toEqual([]);
  }
  expect(venue.state.liquidating).toEqual([]);
  return events;
}

export function ratioOf(venue: CoreVenue, who: string): number {
  const row = venue.account(who, 'main');
  const account = venue.state.accounts[row];
  if (account === undefined || account === null) throw new Error(who);
  return Number(marginRatioOf(marginOf(venue.state, row, account))) / 1e6;
}

export const steps = (events: readonly Event[]): LiquidationStep[] =>
  events.flatMap((event) => (event.kind === 'liquidation-step' ? [event] : []));
export const purse = (venue: CoreVenue, row: number): bigint =>
  venue.state.ledger.available[row * venue.state.ledger.stride + venue.state.native] ?? 0n;
export const INSURANCE = 2;
export const DEFICIT = 4;

/** `thin` is long 1 BTC at 60,000 with few funds: 6,000,000 OX of notional. */
export function thinLong(funds: Readonly<Record<string, string>> = { OX: '400000' }): Golden {
  const venue = venueWith({
    thin: { main: funds },
    rich: { main: RICH },
    other: { main: RICH },
  });
  const scene = new Golden(venue, MARKET);
  scene.do('rich sell 10000 @ 60000');
  expect(scene.do('thin buy 10000 @ 60000')).toContain('t1 FILLED, 0 left');
  return scene;
}

/** Puts money into the fund, from outside, as if earned before. */
export function fillFund(venue: CoreVenue, ox: string): void {
  const { ledger, native, assets } = venue.state;
  const fund = INSURANCE * ledger.stride + native;
  ledger.available[fund] = (ledger.available[fund] ?? 0n) + parts(ox);
  ledger.available[native] = (ledger.available[native] ?? 0n) - parts(ox);
  const crossed = assets[native]?.crossed;
  if (crossed !== undefined) crossed.genesis = (crossed.genesis + parts(ox)) as never;
}
