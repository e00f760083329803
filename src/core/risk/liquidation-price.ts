import { ceilDiv, floorDiv } from '../../domain/decimal.ts';
import { type AccountIndex, type UsdPrice, usdPrice } from '../../domain/units.ts';
import { indexAt, numberAt } from '../memory/columns.ts';
import { NO_STANDING } from '../memory/standings.ts';
import type { Account, Market, State } from '../state.ts';
import { marginOf } from './margin.ts';
import type { Margin } from './margin-figures.ts';
import { maintenanceMargin, valueUp } from './tiers.ts';

/**
 * The mark at which the account's maintenance margin would reach its collateral, other prices constant: a function
 * of the standing. Returns 0 when no price above zero would. An estimate for display; nothing depends on it.
 *
 * Solved tier by tier, because margin is linear in the price within a tier. Where legs are netted it is
 * solved twice, with the position on the larger side and on the smaller side: the smaller side reduces
 * the larger one's margin by 0.75 of its own.
 *
 * Cost: a step for each perpetual of the account, once for all its positions.
 */
export function liquidationPricesOf(
  state: State,
  accountIndex: AccountIndex,
  account: Account,
  { collateral, maintenance }: Margin = marginOf(state, accountIndex, account),
): (standing: number) => UsdPrice {
  const { standings } = state;
  const marginsByBase = marginsOf(state, account);
  return (standing) => {
    const market = state.markets[indexAt(standings.market, standing)] as Market;
    const lots = numberAt(standings.lots, standing);
    const own = marginAt(market, lots, market.price.mark);
    const legs = legsBeside(marginsByBase.get(market.baseAsset), lots, own);
    // Maintenance margin of everything except this base, whose margin changes with the price.
    const rest = maintenance - netted(legs.same + own, legs.other);
    const isNetted = legs.other > 0n || legs.same > 0n;
    for (let tier = 0; tier < market.spec.tiers.length; tier++) {
      for (const isLarger of isNetted ? [true, false] : [true]) {
        const price = solve(market, lots, tier, { collateral, rest, legs, isLarger });
        if (price <= 0n || !tierHolds(market, lots, tier, price)) continue;
        const ahead = legs.same + marginAt(market, lots, price) - legs.other;
        const isLargerThere = isLarger ? ahead >= -ROUNDED : ahead <= ROUNDED;
        if (!isNetted || isLargerThere) return usdPrice(price);
      }
    }
    return usdPrice(0n);
  };
}

/**
 * Bounds the rounding error, in native parts. Margin is continuous where tiers meet and where the two
 * sides are equal, so a solution this little outside its piece is still valid; without the tolerance both
 * pieces could miss a price right at such a point.
 */
const ROUNDED = 16n;

/** Maintenance margins of other legs on the base: of the position's side, and of the opposite one. */
type Legs = { readonly same: bigint; readonly other: bigint };
type Sides = { long: bigint; short: bigint };

type Line = {
  readonly collateral: bigint;
  readonly rest: bigint;
  readonly legs: Legs;
  readonly isLarger: boolean;
};

/**
 * collateral + slope (P - mark) / d = rest + c + k (size P / (2 leverage d) - amount), solved for P, where
 * k is 1 on the larger side and -3/4 on the smaller, and c what the other legs come to. Times 4.
 */
function solve(market: Market, lots: number, tier: number, line: Line): bigint {
  const { collateral, rest, legs, isLarger } = line;
  const { mark } = market.price;
  const leverage = BigInt(market.spec.tiers[tier]?.leverage ?? 1);
  const amount = market.marginTiers[tier]?.maintenanceAmount ?? 0n;
  // Per unit of 10^-8 USD: lots x numerator / denominator native parts.
  const slope = BigInt(lots) * market.valueNumerator;
  const size = slope < 0n ? -slope : slope;
  const quarters = isLarger ? 4n : -3n;
  const others = isLarger ? 4n * legs.same - 3n * legs.other : 4n * legs.other - 3n * legs.same;
  const missing = 4n * (rest - collateral) + others - quarters * amount;
  const top = 2n * leverage * (missing * market.valueDenominator + 4n * slope * mark);
  const bottom = 8n * leverage * slope - quarters * size;
  // A long is liquidated at this price and below, a short at it and above.
  return lots > 0 ? floorDiv(top, bottom) : ceilDiv(-top, -bottom);
}

/** Maintenance margins of the legs on each base, where they are netted. */
function marginsOf(state: State, account: Account): ReadonlyMap<number, Sides> {
  const byBase = new Map<number, Sides>();
  if (!state.hasSharedBase || account.accountType !== 'PORTFOLIO') return byBase;
  const { standings } = state;
  let standing = account.firstStanding;
  for (; standing !== NO_STANDING; standing = indexAt(standings.next, standing)) {
    const leg = state.markets[indexAt(standings.market, standing)] as Market;
    const lots = numberAt(standings.lots, standing);
    if (lots === 0) continue;
    const sides = byBase.get(leg.baseAsset) ?? { long: 0n, short: 0n };
    sides[lots > 0 ? 'long' : 'short'] += marginAt(leg, lots, leg.price.mark);
    byBase.set(leg.baseAsset, sides);
  }
  return byBase;
}

/** What is left of the margins of a base without the position's own. */
function legsBeside(sides: Sides | undefined, lots: number, own: bigint): Legs {
  if (sides === undefined) return { same: 0n, other: 0n };
  return lots > 0
    ? { same: sides.long - own, other: sides.short }
    : { same: sides.short - own, other: sides.long };
}

/** The larger margin less 0.75 of the smaller. */
function netted(one: bigint, other: bigint): bigint {
  const [larger, smaller] = one > other ? [one, other] : [other, one];
  return larger - floorDiv(3n * smaller, 4n);
}

const marginAt = (market: Market, lots: number, price: bigint): bigint =>
  maintenanceMargin(market, valueUp(market, Math.abs(lots), price));

function tierHolds(market: Market, lots: number, tier: number, price: bigint): boolean {
  const notional = valueUp(market, Math.abs(lots), price);
  const rounded = ROUNDED + valueUp(market, Math.abs(lots), 1n);
  const floor = (market.spec.tiers[tier - 1]?.notionalCap ?? 0n) - rounded;
  const cap = (market.spec.tiers[tier]?.notionalCap ?? 0n) + rounded;
  const isLast = tier === market.spec.tiers.length - 1;
  return notional >= floor && (isLast || notional <= cap);
}
