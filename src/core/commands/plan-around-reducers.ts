import type { Lots, MarketIndex, Ticks } from '../../domain/units.ts';
import { bestLevel, NO_LEVEL, nextLevel } from '../book/book.ts';
import { opposite, SELL, STP_EXPIRE_MAKER } from '../book/codes.ts';
import { accepts, isOwn, type Taker } from '../book/match.ts';
import { isReduceOnly, NO_ORDER, type OrderSlot } from '../book/orders.ts';
import type { Plan } from '../book/plan.ts';
import { standingOf } from '../risk/standings.ts';
import type { Market, State } from '../state.ts';

/**
 * The plan of a taker where orders that only reduce rest. What those give depends on positions, and
 * the matches themselves move positions; so the book is walked order by order, on copies, as the
 * taker would. A plan that passed them over would let an account take on what it cannot carry.
 *
 * Costs about what the matches cost; without such orders in the book `planMatches` is asked instead.
 */
export function planAroundReducers(
  state: State,
  where: { readonly market: Market; readonly index: MarketIndex; readonly account: number },
  taker: Taker,
  plan: Plan,
): void {
  const { book } = where.market;
  const side = opposite(taker.side);
  const lotsByAccount = new Map<number, number>();
  const held = (account: number): number =>
    lotsByAccount.get(account) ?? positionLots(state, account, where.index);
  const move = (account: number, lots: number): void => {
    lotsByAccount.set(account, held(account) + lots);
  };
  const sign = side === SELL ? -1 : 1;
  plan.lots = 0 as Lots;
  plan.tickLots = 0n;
  for (
    let level = bestLevel(book, side);
    level !== NO_LEVEL;
    level = nextLevel(book, side, level)
  ) {
    const priceTicks = book.levels.priceTicks[level] as Ticks;
    if (!accepts(taker, priceTicks)) return;
    const queue = queueOf(state, book.levels.firstOrder[level] as OrderSlot);
    for (let maker = queue.shift(); maker !== undefined; maker = queue.shift()) {
      const wantedLots = taker.openLots - plan.lots;
      if (wantedLots === 0) return;
      if (isOwn(state.orders, taker, maker.slot)) {
        if (taker.stpMode === STP_EXPIRE_MAKER) continue;
        return;
      }
      const most = maker.onlyReduces ? Math.max(0, -sign * held(maker.account)) : maker.openLots;
      const lots = Math.min(wantedLots, maker.visibleLots, most);
      if (lots === 0) continue;
      plan.lots = (plan.lots + lots) as Lots;
      plan.tickLots += BigInt(priceTicks) * BigInt(lots);
      move(where.account, -sign * lots);
      move(maker.account, sign * lots);
      maker.openLots -= lots;
      maker.visibleLots -= lots;
      if (maker.openLots === 0 || (maker.onlyReduces && lots === most)) continue;
      if (maker.visibleLots > 0) queue.unshift(maker);
      else {
        maker.visibleLots = Math.min(maker.displayLots, maker.openLots);
        queue.push(maker);
      }
    }
  }
}

type Queued = {
  readonly slot: OrderSlot;
  readonly account: number;
  readonly onlyReduces: boolean;
  readonly displayLots: number;
  openLots: number;
  visibleLots: number;
};

/** The orders of a level, oldest first, as copies. */
function queueOf({ orders }: State, first: OrderSlot): Queued[] {
  const queue: Queued[] = [];
  for (let slot = first; slot !== NO_ORDER; slot = orders.next[slot] as OrderSlot) {
    queue.push({
      slot,
      account: orders.account[slot] as number,
      onlyReduces: isReduceOnly(orders, slot),
      displayLots: orders.displayLots[slot] as number,
      openLots: orders.openLots[slot] as number,
      visibleLots: orders.visibleLots[slot] as number,
    });
  }
  return queue;
}

function positionLots({ standings }: State, account: number, market: MarketIndex): number {
  return standings.lots[standingOf(standings, account, market)] ?? 0;
}
