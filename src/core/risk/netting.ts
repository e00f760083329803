import { floorDiv } from '../../domain/decimal.ts';
import { NO_STANDING } from '../memory/standings.ts';
import type { Account, Market, State } from '../state.ts';
import type { Hypothesis, Margin } from './margin-figures.ts';
import { initialMargin, maintenanceMargin, valueUp } from './tiers.ts';

/** Margin of the long and of the short legs on one base. */
type Legs = { long: bigint; short: bigint };

/**
 * A PORTFOLIO account that is long one perpetual and short another on the same base owes the larger
 * margin less three quarters of the smaller. Only a venue with two perpetuals on one base comes here.
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
  for (let at = account.firstStanding; at !== NO_STANDING; at = standings.next[at] as number) {
    const planned = hypothesis?.standing === at ? hypothesis : undefined;
    addLegs(
      state.markets[standings.market[at] as number] as Market,
      (standings.lots[at] as number) + (planned?.lots ?? 0),
      (standings.buyLots[at] as number) + (planned?.buyLots ?? 0),
      (standings.sellLots[at] as number) + (planned?.sellLots ?? 0),
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

/** From the sum of both to the larger less 0.75 of the smaller: 1.75 of the smaller, rounded down. */
function reliefOf(byBase: ReadonlyMap<number, Legs>): bigint {
  let relief = 0n;
  for (const { long, short } of byBase.values()) {
    relief += floorDiv((long < short ? long : short) * 7n, 4n);
  }
  return relief;
}
