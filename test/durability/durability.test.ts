import { expect, test } from 'vitest';
import { requestTransfer } from '../../src/wire/transfers.ts';
import { accountOf, clientFor, startVenue } from '../http/venue.ts';
import { findFaketime, runClockSteps } from './clock-steps.ts';
import { runKills, seeded, verify } from './kills.ts';
import { runOrderKills } from './order-kills.ts';

test('of a thousand transfers at once exactly as many succeed as the balance allows', async () => {
  const venue = await startVenue();
  const client = clientFor(venue);
  const transfer = {
    asset: 'USDT',
    quantity: '150',
    fromAccount: accountOf(venue, 'desk-a').accountId,
    toAccount: 'main',
  };
  const all = Array.from({ length: 1_000 }, () => client.call(requestTransfer, transfer));
  const settled = await Promise.allSettled(all);
  // Of 100,000 USDT, 666 transfers of 150 can be paid.
  expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(666);
  const codes = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []));
  expect(new Set(codes)).toEqual(new Set(['35036']));
  expect(await venue.stop()).toBe(0);
  expect(verify(venue.data)).toMatch(/\nbalanced\n$/);
});

test('killed in the middle of a stream of transfers, nothing answered is lost, none is there twice', async () => {
  const report = await runKills(2, seeded(7));
  expect(report.faults).toEqual([]);
  expect(report.answered).toBeGreaterThan(20);
  expect(report.repeatedAfterRestart).toBeGreaterThan(0);
});

test('killed under order flow, no answered order, cancel or match is lost or doubled', async () => {
  const report = await runOrderKills(2, seeded(11));
  expect(report.faults).toEqual([]);
  expect(report.placed + report.cancelled).toBeGreaterThan(20);
});

const faketime = findFaketime();
test.skipIf(faketime === undefined)(
  `a wall clock that is set while the venue runs shuts nobody out${faketime === undefined ? ' (skipped: there is no faketime)' : ''}`,
  async () => {
    const { seen, faults } = await runClockSteps(faketime as string, false);
    expect(faults).toEqual([]);
    expect(seen.map(({ step }) => step)).toContain('one day ahead for half a second');
  },
);
