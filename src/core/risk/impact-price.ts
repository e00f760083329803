import { halfEven } from '../../domain/decimal.ts';
import type { SideCode } from '../../domain/order-codes.ts';
import { bestLevel, NO_LEVEL, nextLevel } from '../book/book.ts';
import { numberAt } from '../memory/columns.ts';
import type { Market } from '../state.ts';

/**
 * The average price, in 10^-8 USD, of selling the market's impact notional to the bids or buying it from
 * the asks, over the visible quantity of orders that are not reduce-only. Average = notional / quantity,
 * half to even; of the last level only the quantity needed counts. Undefined where the side does not hold
 * the notional.
 *
 * Cost: one step per price level, however many orders it holds, at most LEVELS_MAX; a side that needs
 * more levels counts as absent.
 */
export function impactPrice(market: Market, side: SideCode): bigint | undefined {
  const { book, perTickLot, valueNumerator, valueDenominator } = market;
  const { priceTicks, visibleLots, reducingLots } = book.levels;
  const notional = market.spec.impactNotional;
  let lots = 0n;
  let value = 0n;
  let level = bestLevel(book, side);
  for (let walked = 0; level !== NO_LEVEL && walked < LEVELS_MAX; walked++) {
    const lotValue = BigInt(numberAt(priceTicks, level)) * perTickLot;
    const here = BigInt(numberAt(visibleLots, level) - numberAt(reducingLots, level));
    const missing = notional - value;
    if (lotValue * here >= missing) {
      // The quantity is lots + missing / lotValue, a fraction; both sides are multiplied by lotValue.
      const quantity = lots * lotValue + missing;
      return halfEven(notional * valueDenominator * lotValue, valueNumerator * quantity);
    }
    lots += here;
    value += lotValue * here;
    level = nextLevel(book, side, level);
  }
  return undefined;
}

/** More levels than the band of any market has ticks; filling them would take thousands of accounts. */
const LEVELS_MAX = 50_000;
