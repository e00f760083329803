import { floorDiv } from '../../domain/decimal.ts';
import { indexAt, numberAt } from '../memory/columns.ts';
import { NO_STANDING } from '../memory/standings.ts';
import type { Account, Market, State } from '../state.ts';
import type { Hypothesis, Margin } from './margin-figures.ts';
import { initialMargin, maintenanceMargin, valueUp } from './tiers.ts';

/** Margin of the long and of the short legs on one base. */
type Legs = { long: bigint; short: bigint };

/**
 * A PORTFOLIO account that is long one perpetual and short another on the same base needs the larger
 * margin less 0.75 x the smaller. Called only where two perpetuals share a base.
 */
export function netLegs(
  margin: Margin,
  state: State,
  account: Account,
  hypothesis: Hypothesis | undefined,
): void {
  const initialByBase = new Map<number, Legs>();
  const maintenanceByBase = new Map<number, Legs>();
  const { standings } = state;
  const addLegs = (market: Market, lots: number, buyLots: number, sellLots: number): void => {
    const [up, down] = [lots + buyLots, lots - sellLots];
    const worst = Math.abs(up) >= Math.abs(down) ? up : down;
    const notionalOf = (size: number): bigint => valueUp(market, Math.abs(size), market.price.mark);
    addLeg(initialByBase, market, worst, initialMargin(market, notionalOf(worst)));
    addLeg(maintenanceByBase, market, lots, maintenanceMargin(market, notionalOf(lots)));
  };
  let standing = account.firstStanding;
  for (; standing !== NO_STANDING; standing = indexAt(standings.next, standing)) {
    const planned = hypothesis?.standing === standing ? hypothesis : undefined;
    addLegs(
      state.markets[indexAt(standings.market, standing)] as Market,
      numberAt(standings.lots, standing) + (planned?.lots ?? 0),
      numberAt(standings.buyLots, standing) + (planned?.buyLots ?? 0),
      numberAt(standings.sellLots, standing) + (planned?.sellLots ?? 0),
    );
  }
  if (hypothesis?.standing === NO_STANDING) {
    const { market, lots, buyLots, sellLots } = hypothesis;
    addLegs(state.markets[market] as Market, lots, buyLots, sellLots);
  }
  margin.initial -= reliefOf(initialByBase);
  margin.maintenance -= reliefOf(maintenanceByBase);
}

function addLeg(byBase: Map<number, Legs>, market: Market, lots: number, margin: bigint): void {
  const legs = byBase.get(market.baseAsset) ?? { long: 0n, short: 0n };
  if (lots > 0) legs.long += margin;
  else if (lots < 0) legs.short += margin;
  byBase.set(market.baseAsset, legs);
}

/** Long + short minus (larger - 0.75 x smaller) = 1.75 x smaller, rounded down. */
function reliefOf(byBase: ReadonlyMap<number, Legs>): bigint {
  let relief = 0n;
  for (const { long, short } of byBase.values()) {
    relief += floorDiv((long < short ? long : short) * 7n, 4n);
  }
  return relief;
}
