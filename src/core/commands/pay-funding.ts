import type { ByteWriter } from '../../bytes/pack.ts';
import { assert } from '../../domain/assert.ts';
import { WORK_BOUNDS } from '../../domain/bounds.ts';
import { ceilDiv, floorDiv } from '../../domain/decimal.ts';
import { encodeEvent } from '../../domain/event-codec.ts';
import { type AccountIndex, amount, type MarketIndex, usdPrice } from '../../domain/units.ts';
import { indexAt, numberAt } from '../memory/columns.ts';
import { move, purseOf } from '../memory/ledger.ts';
import { type FundingPayments, markForReview } from '../memory/pending.ts';
import { NO_STANDING } from '../memory/standings.ts';
import { marginOf } from '../risk/margin.ts';
import { FUNDING_SCALE, fundingRate } from '../risk/premium.ts';
import { type Account, holderIndex, type Market, type State } from '../state.ts';

export const HOUR_MS = 3_600_000;
/**
 * The most that one hour of a market may pay in all: above what the largest position the ledger can hold
 * pays at the highest rate, and a sixteenth of the room that matches leave free (risk/ledger-room.ts).
 */
const PAYMENTS_LIMIT = 1n << 54n;

/**
 * On the hour every perpetual pays funding for the hour that has ended; missed hours pay nothing. A
 * command makes a bounded number of payments; Continue commands make the rest before anything else runs.
 */
export function payDueFunding(state: State, out: ByteWriter): void {
  const hour = Math.floor(state.timeMs / HOUR_MS);
  let left: number = WORK_BOUNDS.fundingPerCommand;
  state.markets.forEach((market, index) => {
    if (market.spec.type !== 'FUTURE') return;
    const { premium } = market;
    if (premium.hour === 0) premium.hour = Math.floor(market.listedAtMs / HOUR_MS);
    while (premium.hour < hour) {
      endHour(state, index as MarketIndex, out);
      premium.hour++;
      premium.hourSum = 0n;
      premium.hourSeconds = 0;
      left -= pay(state, left, out);
    }
  });
}

/** Makes payments that an earlier command left pending. */
export function payPendingFunding(state: State, out: ByteWriter): undefined {
  pay(state, WORK_BOUNDS.fundingPerCommand, out);
  return undefined;
}

/** Sets the rate of a market's hour and queues its payments. */
function endHour(state: State, index: MarketIndex, out: ByteWriter): void {
  const market = state.markets[index] as Market;
  const measured = fundingRate(market.premium);
  // After an extreme price move, large positions could owe more than the ledger can hold.
  const paid = paymentOf(market, market.openInterestLots, measured, true);
  const rate = paid < PAYMENTS_LIMIT ? measured : 0n;
  encodeEvent(out, {
    kind: 'funding-set',
    market: index,
    rate,
    index: usdPrice(market.price.index),
    atMs: (market.premium.hour + 1) * HOUR_MS,
    seconds: market.premium.hourSeconds,
  });
  if (rate === 0n) return;
  const next = market.firstStanding;
  state.pending.fundingPayments.push({ market: index, rate, isPaying: true, next });
  state.pending.fundingPayments.push({ market: index, rate, isPaying: false, next });
}

/**
 * payment = -position x index x rate x 100. First the payers pay into the rounding purse, rounded up;
 * then it pays the receivers, rounded down. Lots sum to zero, so it always suffices and keeps the rest.
 * Returns how many payments were made.
 */
function pay(state: State, most: number, out: ByteWriter): number {
  const { standings } = state;
  const { fundingPayments } = state.pending;
  let paid = 0;
  for (let due = fundingPayments[0]; due !== undefined; due = fundingPayments[0]) {
    const { rate, isPaying } = due;
    for (; due.next !== NO_STANDING; due.next = indexAt(standings.nextOfMarket, due.next)) {
      const lots = numberAt(standings.lots, due.next);
      if (lots === 0 || (lots > 0 === rate > 0n) !== isPaying) continue;
      if (paid === most) return paid;
      paid++;
      payOne(state, due, out);
    }
    fundingPayments.shift();
  }
  return paid;
}

/** Rounded up for a payer, down for a receiver. */
function paymentOf(market: Market, lots: number, rate: bigint, isPaying: boolean): bigint {
  const size = BigInt(Math.abs(lots)) * market.price.index * market.valueNumerator;
  const top = size * (rate < 0n ? -rate : rate);
  const bottom = market.valueDenominator * 10n ** BigInt(FUNDING_SCALE);
  return isPaying ? ceilDiv(top, bottom) : floorDiv(top, bottom);
}

/** The payment of the standing that is next. */
function payOne(state: State, due: FundingPayments, out: ByteWriter): void {
  const { ledger, native, standings } = state;
  const { rate, isPaying } = due;
  const market = state.markets[due.market] as Market;
  const accountIndex = standings.account[due.next] as AccountIndex;
  const lots = numberAt(standings.lots, due.next);
  const parts = amount(paymentOf(market, lots, rate, isPaying));
  const purse = purseOf(ledger, accountIndex, native);
  const rounding = purseOf(ledger, holderIndex('rounding'), native);
  if (isPaying) move(ledger, purse, rounding, parts, state.timeMs);
  else move(ledger, rounding, purse, parts, state.timeMs);
  markForReview(state.pending, accountIndex);
  const { collateral, unrealised } = marginOf(state, accountIndex, accountAt(state, accountIndex));
  encodeEvent(out, {
    kind: 'funding-paid',
    account: accountIndex,
    market: due.market,
    payment: amount(isPaying ? -parts : parts),
    rate,
    lots,
    index: usdPrice(market.price.index),
    collateral: amount(collateral),
    unrealised: amount(unrealised),
  });
}

function accountAt(state: State, accountIndex: AccountIndex): Account {
  const account = state.accounts[accountIndex];
  assert(account !== undefined && account !== null, 'a standing is of an account');
  return account;
}
