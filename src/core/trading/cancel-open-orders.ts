import type { ByteWriter } from '../../bytes/pack.ts';
import { assert } from '../../domain/assert.ts';
import { encodeEvent } from '../../domain/event-codec.ts';
import { NO_ELEMENT } from '../../domain/events.ts';
import type { AccountIndex, MarketIndex } from '../../domain/units.ts';
import { ALL_MARKETS, armWhenOpen } from '../memory/deadlines.ts';
import { marketOf } from '../memory/order-rows.ts';
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

/** All open orders of an account, or those of one market. Halted markets keep theirs. */
export function cancelOpenOrders(
  state: State,
  { accountIndex, only, isAbsent }: Whose,
  out: ByteWriter,
): void {
  const account = state.accounts[accountIndex];
  assert(account !== undefined && account !== null, 'whoever cancels is an account');
  for (const slot of openOrdersOf(state, account)) {
    const index = marketOf(state.orders, slot);
    if (only !== ALL_MARKETS && index !== only) continue;
    const market = marketOfOrder(state, slot);
    if (market.state !== 'HALTED') {
      endOrder(state, market, slot, { element: NO_ELEMENT, state: 'CANCELED_BY_USER' }, out);
    } else if (isAbsent) armWhenOpen(state.deadlines, accountIndex, index);
  }
}

/** The next dead-man switch that has fired. Returns whether there was one. */
export function passNextDeadline(state: State, out: ByteWriter): boolean {
  const passed = state.pending.deadlines.shift();
  if (passed === undefined) return false;
  const accountIndex = passed.account as AccountIndex;
  const market = passed.market === ALL_MARKETS ? {} : { market: passed.market as MarketIndex };
  encodeEvent(out, { kind: 'deadline-passed', account: accountIndex, ...market });
  cancelOpenOrders(state, { accountIndex, only: passed.market, isAbsent: true }, out);
  return true;
}
