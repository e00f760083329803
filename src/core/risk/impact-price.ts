import { halfEven } from '../../domain/decimal.ts';
import type { SideCode } from '../../domain/order-codes.ts';
import { bestLevel, NO_LEVEL, nextLevel } from '../book/book.ts';
import type { Market } from '../state.ts';

/**
 * The average price, in 10^-8 USD, of selling the market's impact notional to the bids or buying it from
 * the asks: over what is shown of orders that are not reduce-only, of the last level only what is needed.
 * Average = notional / quantity, half to even. Undefined where the side does not hold that much.
 *
 * Cost: one look at each price it takes, however many orders stand there, and at no more than so many: a
 * side that needs more prices than that counts as absent.
 */
export function impactPrice(market: Market, side: SideCode): bigint | undefined {
  const { book, perTickLot, valueNumerator, valueDenominator } = market;
  const { priceTicks, visibleLots, reducingLots } = book.levels;
  const notional = market.spec.impactNotional;
  let lots = 0n;
  let value = 0n;
  let level = bestLevel(book, side);
  for (let looked = 0; level !== NO_LEVEL && looked < LEVELS_MAX; looked++) {
    const lotValue = BigInt(priceTicks[level] as number) * perTickLot;
    const here = BigInt((visibleLots[level] as number) - (reducingLots[level] as number));
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

/** More than a band of any market has ticks; it takes thousands of accounts to fill so many. */
const LEVELS_MAX = 50_000;
