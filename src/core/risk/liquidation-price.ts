import { type AccountIndex, type UsdPrice, usdPrice } from '../../domain/units.ts';
import type { Account, Market, State } from '../state.ts';
import { marginOf } from './margin.ts';
import { maintenanceMargin, valueUp } from './tiers.ts';

/**
 * The mark at which the account's maintenance margin would eat its whole collateral, every other price
 * standing still. Solved tier by tier, because the margin is a straight line within each; 0 where no
 * positive price does it. An estimate: it moves nothing.
 */
export function liquidationPriceOf(
  state: State,
  row: AccountIndex,
  account: Account,
  standing: number,
): UsdPrice {
  const { standings } = state;
  const market = state.markets[standings.market[standing] as number] as Market;
  const lots = standings.lots[standing] as number;
  const { mark } = market.price;
  const { collateral, maintenance } = marginOf(state, row, account);
  const own = maintenanceMargin(market, valueUp(market, Math.abs(lots), mark));
  // Per unit of 10^-8 USD: lots x numerator / denominator native parts.
  const slope = BigInt(lots) * market.valueNumerator;
  const size = slope < 0n ? -slope : slope;
  for (let tier = 0; tier < market.spec.tiers.length; tier++) {
    const leverage = BigInt(market.spec.tiers[tier]?.leverage ?? 1);
    const amount = market.maintenanceAmounts[tier] ?? 0n;
    // collateral + slope (P - mark) / d = others + size P / (2 leverage d) - amount, solved for P.
    const d = market.valueDenominator;
    const top = ((maintenance - own - amount - collateral) * d + slope * mark) * 2n * leverage;
    const bottom = slope * 2n * leverage - size;
    if (bottom === 0n) continue;
    const price = top / bottom;
    if (price <= 0n) continue;
    if (tierHolds(market, tier, (size * price) / d)) return usdPrice(price);
  }
  return usdPrice(0n);
}

function tierHolds(market: Market, tier: number, notional: bigint): boolean {
  const floor = market.spec.tiers[tier - 1]?.notionalCap ?? 0n;
  const isLast = tier === market.spec.tiers.length - 1;
  return notional >= floor && (isLast || notional <= (market.spec.tiers[tier]?.notionalCap ?? 0n));
}
