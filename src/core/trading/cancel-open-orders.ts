import type { ByteWriter } from '../../bytes/pack.ts';
import { assert } from '../../domain/assert.ts';
import { encodeEvent } from '../../domain/event-codec.ts';
import { NO_ELEMENT } from '../../domain/events.ts';
import type { AccountIndex, MarketIndex } from '../../domain/units.ts';
import { indexAt } from '../memory/columns.ts';
import { ALL_MARKETS, armWhenOpen } from '../memory/deadlines.ts';
import { marketOf } from '../memory/order-rows.ts';
import { NO_STANDING, standingOf } from '../memory/standings.ts';
import type { State } from '../state.ts';
import { endOrder, marketOfOrder } from './end-order.ts';
import { openOrdersOf } from './find-order.ts';

type Whose = {
  readonly accountIndex: AccountIndex;
  /** ALL_MARKETS for all of them. */
  readonly only: number;
  /** The owner has gone: what a halted market keeps goes when the market opens. */
  readonly isAbsent: boolean;
};

/**
 * All open orders of an account, or those of one market. Halted markets keep theirs. Returns how many orders it
 * looked at that stay; none if the account has no order in the market.
 */
export function cancelOpenOrders(
  state: State,
  { accountIndex, only, isAbsent }: Whose,
  out: ByteWriter,
): number {
  const account = state.accounts[accountIndex];
  assert(account !== undefined && account !== null, 'whoever cancels is an account');
  if (only !== ALL_MARKETS && !hasOrdersIn(state, accountIndex, only)) return 0;
  for (const slot of openOrdersOf(state, account)) {
    const index = marketOf(state.orders, slot);
    if (only !== ALL_MARKETS && index !== only) continue;
    const market = marketOfOrder(state, slot);
    if (market.state !== 'HALTED') {
      endOrder(state, market, slot, { element: NO_ELEMENT, state: 'CANCELED_BY_USER' }, out);
    } else if (isAbsent) armWhenOpen(state.deadlines, accountIndex, index);
  }
  return account.openOrders;
}

function hasOrdersIn({ standings }: State, account: number, market: number): boolean {
  const standing = standingOf(standings, account, market);
  return standing !== NO_STANDING && indexAt(standings.openOrders, standing) > 0;
}

/**
 * The next dead-man switch that has fired. Returns how many orders it passed over, which the command counts as work:
 * those of many markets would otherwise each walk through all orders of the account. Undefined if there was none.
 */
export function passNextDeadline(state: State, out: ByteWriter): number | undefined {
  const passed = state.pending.deadlines.shift();
  if (passed === undefined) return undefined;
  const accountIndex = passed.account as AccountIndex;
  const market = passed.market === ALL_MARKETS ? {} : { market: passed.market as MarketIndex };
  encodeEvent(out, { kind: 'deadline-passed', account: accountIndex, ...market });
  return cancelOpenOrders(state, { accountIndex, only: passed.market, isAbsent: true }, out);
}
