import type { ByteWriter } from '../../bytes/pack.ts';
import { WORK_BOUNDS } from '../../domain/bounds.ts';
import { ceilDiv, floorDiv } from '../../domain/decimal.ts';
import { encodeEvent } from '../../domain/event-codec.ts';
import { type AccountIndex, amount, type MarketIndex, usdPrice } from '../../domain/units.ts';
import { move, purseOf } from '../memory/ledger.ts';
import { markForReview } from '../memory/pending.ts';
import { NO_STANDING } from '../memory/standings.ts';
import { FUNDING_SCALE, fundingRate } from '../risk/premium.ts';
import { holderRow, type Market, type State, takeEntries } from '../state.ts';

export const HOUR_MS = 3_600_000;
/**
 * What one hour of a market may pay in all: more than all that the ledger can count does at the highest
 * rate, and a sixteenth of what matches leave free (risk/ledger-room.ts).
 */
const PAYMENTS_LIMIT = 1n << 54n;

/**
 * On the hour every perpetual pays funding for the hour that is over; missed hours pay nothing. A command
 * makes a bounded number of payments; the rest is due at once, by Continue commands, and nothing else
 * happens before it is paid.
 */
export function payDueFunding(state: State, out: ByteWriter): void {
  const hour = Math.floor(state.timeMs / HOUR_MS);
  let left: number = WORK_BOUNDS.fundingPerCommand;
  state.markets.forEach((market, index) => {
    if (market.spec.type !== 'FUTURE') return;
    const { premium } = market;
    if (premium.hour === 0) premium.hour = hour;
    while (premium.hour < hour) {
      endHour(state, market, index as MarketIndex, (premium.hour + 1) * HOUR_MS, out);
      premium.hour++;
      premium.hourSum = 0n;
      premium.hourSeconds = 0;
      left -= pay(state, left, out);
    }
  });
}

/** Payments that an earlier command has left. */
export function payPendingFunding(state: State, out: ByteWriter): undefined {
  pay(state, WORK_BOUNDS.fundingPerCommand, out);
  return undefined;
}

/** The hour of one market: its rate, and the payments that are due by it. */
function endHour(
  state: State,
  market: Market,
  index: MarketIndex,
  atMs: number,
  out: ByteWriter,
): void {
  const measured = fundingRate(market.premium);
  // A price that has run away from large positions would have more paid than the ledger can count.
  const paid = paymentOf(market, market.openInterestLots, measured, true);
  const rate = paid < PAYMENTS_LIMIT ? measured : 0n;
  encodeEvent(out, {
    kind: 'funding-set',
    entry: takeEntries(state, 1),
    market: index,
    rate,
    index: usdPrice(market.price.index),
    atMs,
    seconds: market.premium.hourSeconds,
  });
  if (rate === 0n) return;
  const next = market.firstStanding;
  state.pending.fundingPayments.push({ market: index, rate, isPaying: true, next });
  state.pending.fundingPayments.push({ market: index, rate, isPaying: false, next });
}

/**
 * payment = -position x index x rate x 100. Payers first, rounded up, into the rounding purse; from it
 * the receivers, rounded down; lots sum to zero, so it always suffices and keeps the rest. Returns how
 * many were paid.
 */
function pay(state: State, most: number, out: ByteWriter): number {
  const { standings } = state;
  const { fundingPayments } = state.pending;
  let paid = 0;
  for (let due = fundingPayments[0]; due !== undefined; due = fundingPayments[0]) {
    const { market: index, rate, isPaying } = due;
    const market = state.markets[index] as Market;
    for (; due.next !== NO_STANDING; due.next = standings.nextOfMarket[due.next] as number) {
      const lots = standings.lots[due.next] as number;
      if (lots === 0 || (lots > 0 === rate > 0n) !== isPaying) continue;
      if (paid === most) return paid;
      paid++;
      payOne(state, market, index, due.next, lots, rate, isPaying, out);
    }
    fundingPayments.shift();
  }
  return paid;
}

/** Rounded up for who pays, down for who receives. */
function paymentOf(market: Market, lots: number, rate: bigint, isPaying: boolean): bigint {
  const size = BigInt(Math.abs(lots)) * market.price.index * market.valueNumerator;
  const top = size * (rate < 0n ? -rate : rate);
  const bottom = market.valueDenominator * 10n ** BigInt(FUNDING_SCALE);
  return isPaying ? ceilDiv(top, bottom) : floorDiv(top, bottom);
}

function payOne(
  state: State,
  market: Market,
  index: MarketIndex,
  standing: number,
  lots: number,
  rate: bigint,
  isPaying: boolean,
  out: ByteWriter,
): void {
  const { ledger, native } = state;
  const row = state.standings.account[standing] as AccountIndex;
  const parts = amount(paymentOf(market, lots, rate, isPaying));
  const account = purseOf(ledger, row, native);
  const rounding = purseOf(ledger, holderRow('rounding'), native);
  if (isPaying) move(ledger, account, rounding, parts, state.timeMs);
  else move(ledger, rounding, account, parts, state.timeMs);
  markForReview(state.pending, row);
  encodeEvent(out, {
    kind: 'funding-paid',
    entry: takeEntries(state, 1),
    account: row,
    market: index,
    payment: amount(isPaying ? -parts : parts),
    rate,
    lots,
    index: usdPrice(market.price.index),
  });
}
