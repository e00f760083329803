import { ceilDiv, floorDiv } from '../../domain/decimal.ts';
import { encodeEvent } from '../../domain/event-codec.ts';
import type { ByteWriter } from '../../domain/pack.ts';
import { type AccountIndex, amount, type MarketIndex, usdPrice } from '../../domain/units.ts';
import { move, purseOf } from '../ledger/ledger.ts';
import { FUNDING_SCALE, fundingRate } from '../risk/premium.ts';
import { NO_STANDING } from '../risk/standings.ts';
import { beUnsure } from '../risk/watch.ts';
import { holderRow, type Market, type State, takeEntries } from '../state.ts';

export const HOUR_MS = 3_600_000;

/** On the hour every perpetual pays funding for the hour that is over; missed hours pay nothing. */
export function payDueFunding(state: State, out: ByteWriter): void {
  const hour = Math.floor(state.timeMs / HOUR_MS);
  state.markets.forEach((market, index) => {
    if (market.spec.type !== 'FUTURE') return;
    const { premium } = market;
    if (premium.hour === 0) premium.hour = hour;
    while (premium.hour < hour) {
      payHour(state, market, index as MarketIndex, (premium.hour + 1) * HOUR_MS, out);
      premium.hour++;
      premium.hourSum = 0n;
      premium.hourSeconds = 0;
    }
  });
}

/**
 * payment = -position x index x rate x 100. Payers first, rounded up, into the rounding purse; from it
 * the receivers, rounded down; lots sum to zero, so it always suffices and keeps the rest.
 */
function payHour(
  state: State,
  market: Market,
  index: MarketIndex,
  atMs: number,
  out: ByteWriter,
): void {
  const rate = fundingRate(market.premium);
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
  for (const isPaying of [true, false]) {
    const { standings } = state;
    for (
      let at = market.firstStanding;
      at !== NO_STANDING;
      at = standings.nextOfMarket[at] as number
    ) {
      const lots = standings.lots[at] as number;
      if (lots === 0 || (lots > 0 === rate > 0n) !== isPaying) continue;
      payOne(state, market, index, at, lots, rate, isPaying, out);
    }
  }
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
  const size = BigInt(Math.abs(lots)) * market.price.index * market.valueNumerator;
  const top = size * (rate < 0n ? -rate : rate);
  const bottom = market.valueDenominator * 10n ** BigInt(FUNDING_SCALE);
  const parts = amount(isPaying ? ceilDiv(top, bottom) : floorDiv(top, bottom));
  const account = purseOf(ledger, row, native);
  const rounding = purseOf(ledger, holderRow('rounding'), native);
  if (isPaying) move(ledger, account, rounding, parts, state.timeMs);
  else move(ledger, rounding, account, parts, state.timeMs);
  beUnsure(state.watch, row);
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
