import { type Leg, maintenanceMargin, marginOf, sumOfLegs } from './margin.ts';
import { availableOf } from './money.ts';
import { accountAt, isPerpetual, type Model, marketAt, nativeOf, positionOf } from './state.ts';
import { bigMax, divideUp, markValueDown, markValueUp } from './values.ts';

/**
 * The mark of one market at which the ratio reaches 100, all other prices unchanged; 0 if no price above 0
 * does. By binary search on the definition itself: the rest of a long grows with the price and that of a
 * short falls with it, whatever its tier and its other legs.
 */
export function liquidationPriceOf(model: Model, account: number, index: number): bigint {
  const { lots } = positionOf(model, account, index);
  // If the venue is wrong about a position, report that instead of searching for ever.
  if (lots === 0) return 0n;
  const leftAt = leftBy(model, account, index);
  const isSafe = (price: bigint): boolean => leftAt(price) > 0n;
  // A short is safe below some price, a long above it: `low` is on one side, `high` on the other.
  const isSafeBelow = lots < 0;
  if (isSafe(1n) !== isSafeBelow) return 0n;
  let low = 1n;
  let high = bigMax(2n, marketAt(model, index).mark);
  while (isSafe(high) === isSafeBelow) {
    low = high;
    high *= 2n;
  }
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (isSafe(middle) === isSafeBelow) low = middle;
    else high = middle;
  }
  return isSafeBelow ? high : low;
}

/** C - MM as a function of the market's mark. */
function leftBy(model: Model, account: number, index: number): (mark: bigint) => bigint {
  const market = marketAt(model, index);
  const { lots } = positionOf(model, account, index);
  const { collateral } = marginOf(model, account);
  const without = collateral - markValueDown(market, lots, market.mark);
  const ofDebt = divideUp(bigMax(0n, -availableOf(model, account, nativeOf(model))), 20n);
  const legAt = (at: number, mark: bigint): Leg => {
    const one = marketAt(model, at);
    const held = positionOf(model, account, at).lots;
    const margin = maintenanceMargin(one, markValueUp(one, Math.abs(held), mark));
    return { base: one.spec.base, lots: held, margin };
  };
  const others = model.markets.flatMap((one, at) =>
    isPerpetual(one) && at !== index ? [legAt(at, one.mark)] : [],
  );
  const isNetted = accountAt(model, account).accountType === 'PORTFOLIO';
  return (mark) =>
    without +
    markValueDown(market, lots, mark) -
    ofDebt -
    sumOfLegs([...others, legAt(index, mark)], isNetted);
}
