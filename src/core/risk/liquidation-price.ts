import { ceilDiv, floorDiv } from '../../domain/decimal.ts';
import { type AccountIndex, type UsdPrice, usdPrice } from '../../domain/units.ts';
import { indexAt, numberAt } from '../memory/columns.ts';
import { NO_STANDING } from '../memory/standings.ts';
import type { Account, Market, State } from '../state.ts';
import { marginOf } from './margin.ts';
import { maintenanceMargin, valueUp } from './tiers.ts';

/**
 * The mark at which the account's maintenance margin would reach its collateral, other prices constant.
 * Returns 0 when no price above zero would. An estimate for display; nothing depends on it.
 *
 * Solved tier by tier, because margin is linear in the price within a tier. Where legs are netted it is
 * solved twice, with the position on the larger side and on the smaller side: the smaller side reduces
 * the larger one's margin by 0.75 of its own.
 */
export function liquidationPriceOf(
  state: State,
  accountIndex: AccountIndex,
  account: Account,
  standing: number,
): UsdPrice {
  const { standings } = state;
  const market = state.markets[indexAt(standings.market, standing)] as Market;
  const lots = numberAt(standings.lots, standing);
  const { collateral, maintenance } = marginOf(state, accountIndex, account);
  const legs = legsBeside(state, account, standing, market);
  const own = marginAt(market, lots, market.price.mark);
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
}

/**
 * Bounds the rounding error, in native parts. Margin is continuous where tiers meet and where the two
 * sides are equal, so a solution this little outside its piece is still valid; without the tolerance both
 * pieces could miss a price right at such a point.
 */
const ROUNDED = 16n;

/** Maintenance margins of other legs on the base: of the position's side, and of the opposite one. */
type Legs = { readonly same: bigint; readonly other: bigint };

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

function legsBeside(state: State, account: Account, standing: number, market: Market): Legs {
  const legs = { same: 0n, other: 0n };
  if (!state.hasSharedBase || account.accountType !== 'PORTFOLIO') return legs;
  const { standings } = state;
  const isLong = numberAt(standings.lots, standing) > 0;
  let other = account.firstStanding;
  for (; other !== NO_STANDING; other = indexAt(standings.next, other)) {
    const leg = state.markets[indexAt(standings.market, other)] as Market;
    const lots = numberAt(standings.lots, other);
    if (other === standing || lots === 0 || leg.baseAsset !== market.baseAsset) continue;
    legs[lots > 0 === isLong ? 'same' : 'other'] += marginAt(leg, lots, leg.price.mark);
  }
  return legs;
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
