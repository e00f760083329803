import type { Fee } from './chain.ts';

/** The maximum cost of a payment with this fee, in parts of the chain's coin. */
export const costMax = ({ unitsMax, pricePerUnit }: Fee): bigint => unitsMax * pricePerUnit;

/** Nodes replace a pending transaction from 10 % above its price and tip; this leaves room for rounding. */
const BUMP_NUMERATOR = 9n;
const BUMP_DENOMINATOR = 8n;

const bumped = (price: bigint): bigint =>
  (price * BUMP_NUMERATOR + BUMP_DENOMINATOR - 1n) / BUMP_DENOMINATOR;

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b);

/**
 * The fee of a further version with the same nonce: an eighth above the previous one and at least the chain's
 * current price. Undefined if its price would exceed the limit.
 */
export function bumpedFee(
  previous: Fee,
  current: Pick<Fee, 'pricePerUnit' | 'tipPerUnit'>,
  pricePerUnitMax: bigint,
): Fee | undefined {
  const tipPerUnit = larger(bumped(previous.tipPerUnit), current.tipPerUnit);
  const atLeast = larger(bumped(previous.pricePerUnit), current.pricePerUnit);
  const pricePerUnit = larger(atLeast, tipPerUnit);
  if (pricePerUnit > pricePerUnitMax) return undefined;
  return { unitsMax: previous.unitsMax, pricePerUnit, tipPerUnit };
}
