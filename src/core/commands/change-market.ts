import type { ByteWriter } from '../../bytes/pack.ts';
import { WORK_BOUNDS } from '../../domain/bounds.ts';
import type { CancelMarket, ChangeMarket } from '../../domain/commands.ts';
import { encodeEvent } from '../../domain/event-codec.ts';
import { NO_ELEMENT } from '../../domain/events.ts';
import { BUY, SELL } from '../../domain/order-codes.ts';
import { type Refusal, refuse } from '../../domain/rejections.ts';
import type { MarketIndex } from '../../domain/units.ts';
import { bestLevel, NO_LEVEL } from '../book/book.ts';
import { NO_ORDER, type OrderSlot } from '../memory/order-rows.ts';
import { marginTiersOf } from '../risk/tiers.ts';
import type { Market, State } from '../state.ts';
import { endOrder } from '../trading/end-order.ts';
import { faultOfMarket } from './manage-markets.ts';

/** New tiers, for a market that is halted and empty: nobody's margin or order changes with them. */
export function changeMarket(
  state: State,
  { market: code, tiers }: ChangeMarket,
  out: ByteWriter,
): Refusal | undefined {
  const index = state.marketByCode.get(code);
  const market = index === undefined ? undefined : state.markets[index];
  if (market === undefined) return refuse('MARKET_UNKNOWN', code);
  const spec = { ...market.spec, tiers };
  const fault = faultOfMarket(spec);
  if (fault !== undefined) return refuse('CATALOGUE_INVALID', `${code}: ${fault}`);
  if (market.state !== 'HALTED') {
    return refuse('MARKET_IN_USE', `${code} is ${market.state}, not HALTED`);
  }
  if (firstOrderOf(market) !== NO_ORDER) return refuse('MARKET_IN_USE', `${code} has open orders`);
  if (market.openInterestLots > 0) return refuse('MARKET_IN_USE', `${code} has open positions`);
  market.spec = spec;
  market.marginTiers = marginTiersOf(spec);
  market.version++;
  const { version } = market;
  encodeEvent(out, { kind: 'market-defined', market: index as MarketIndex, version, spec });
  return undefined;
}

/** Bids, then asks, then stops, the best first: so many that the command stays short. */
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

/** The first order in the book, or the next stop to fire. */
function firstOrderOf({ book, stops }: Market): OrderSlot {
  for (const side of [BUY, SELL] as const) {
    const level = bestLevel(book, side);
    if (level !== NO_LEVEL) return book.levels.firstOrder[level] as OrderSlot;
  }
  const heap = stops.heaps.find(({ count }) => count > 0);
  return heap === undefined ? NO_ORDER : (heap.slots[0] as OrderSlot);
}
