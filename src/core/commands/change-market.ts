import type { ByteWriter } from '../../bytes/pack.ts';
import { WORK_BOUNDS } from '../../domain/bounds.ts';
import type { CancelMarket, ChangeMarket } from '../../domain/commands.ts';
import { halfEven } from '../../domain/decimal.ts';
import { encodeEvent } from '../../domain/event-codec.ts';
import { NO_ELEMENT } from '../../domain/events.ts';
import { type PriceGrid, tickSize } from '../../domain/market.ts';
import { BUY, SELL } from '../../domain/order-codes.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/rejections.ts';
import type { MarketIndex } from '../../domain/units.ts';
import { bestLevel, NO_LEVEL } from '../book/book.ts';
import { NO_ORDER, type OrderSlot } from '../memory/order-rows.ts';
import { countInTicks, ticksUpTo } from '../risk/marks.ts';
import { marginTiersOf } from '../risk/tiers.ts';
import type { Market, State } from '../state.ts';
import { endOrder } from '../trading/end-order.ts';
import { faultOfMarket, settlementTerms } from './manage-markets.ts';

/**
 * New tiers or another tick, for a market that is halted and empty, so that nobody's margin or order changes
 * with them.
 */
export function changeMarket(
  state: State,
  { market: code, tiers, grid }: ChangeMarket,
  out: ByteWriter,
): Refusal | undefined {
  const index = state.marketByCode.get(code);
  const market = index === undefined ? undefined : state.markets[index];
  if (market === undefined) return refuse('MARKET_UNKNOWN', code);
  const spec = { ...market.spec, ...(tiers === undefined ? {} : { tiers }), ...grid };
  const fault = faultOfMarket(spec);
  if (fault !== undefined) return refuse('CATALOGUE_INVALID', `${code}: ${fault}`);
  const terms = settlementTerms(state, spec);
  if (isRefusal(terms)) return terms;
  if (market.state !== 'HALTED') {
    return refuse('MARKET_IN_USE', `${code} is ${market.state}, not HALTED`);
  }
  if (firstOrderOf(market) !== NO_ORDER) return refuse('MARKET_IN_USE', `${code} has open orders`);
  if (market.openInterestLots > 0) return refuse('MARKET_IN_USE', `${code} has open positions`);
  const before = market.spec;
  Object.assign(market, { spec, ...terms, marginTiers: marginTiersOf(spec) });
  moveToGrid(market, before);
  market.version++;
  const { version } = market;
  encodeEvent(out, { kind: 'market-defined', market: index as MarketIndex, version, spec });
  return undefined;
}

/**
 * Converts what the market keeps in ticks of the previous terms: its band, and the last price, to the nearest
 * tick.
 */
function moveToGrid(market: Market, before: PriceGrid): void {
  const tick = tickSize(market.spec);
  if (tick === tickSize(before)) return;
  const nearest = halfEven(BigInt(market.lastTicks) * tickSize(before), tick);
  market.lastTicks = market.lastTicks === 0 ? 0 : ticksUpTo(nearest === 0n ? 1n : nearest);
  countInTicks(market);
}

/** Bids, then asks, then stops, the best first; as many as keep the command short. */
export function cancelMarket(
  state: State,
  { market: code }: CancelMarket,
  out: ByteWriter,
): Refusal | undefined {
  const index = state.marketByCode.get(code);
  const market = index === undefined ? undefined : state.markets[index];
  if (market === undefined) return refuse('MARKET_UNKNOWN', code);
  for (let ended = 0; ended < WORK_BOUNDS.cancelsPerAct; ended++) {
    const slot = firstOrderOf(market);
    if (slot === NO_ORDER) break;
    endOrder(state, market, slot, { element: NO_ELEMENT, state: 'CANCELED_BY_USER' }, out);
  }
  return undefined;
}

/** The first order in the book, or the next stop to trigger. */
function firstOrderOf({ book, stops }: Market): OrderSlot {
  for (const side of [BUY, SELL] as const) {
    const level = bestLevel(book, side);
    if (level !== NO_LEVEL) return book.levels.firstOrder[level] as OrderSlot;
  }
  const heap = stops.heaps.find(({ count }) => count > 0);
  return heap === undefined ? NO_ORDER : (heap.slots[0] as OrderSlot);
}
