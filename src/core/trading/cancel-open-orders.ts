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

/** All open orders of an account, of one market unless it is ALL_MARKETS. Halted markets keep theirs. */
export function cancelOpenOrders(
  state: State,
  accountIndex: AccountIndex,
  only: number,
  out: ByteWriter,
): void {
  const account = state.accounts[accountIndex];
  assert(account !== undefined && account !== null, 'whoever cancels is an account');
  for (const slot of openOrdersOf(state, account)) {
    const market = marketOfOrder(state, slot);
    if (only !== ALL_MARKETS && marketOf(state.orders, slot) !== only) continue;
    if (market.state === 'HALTED') continue;
    endOrder(state, market, slot, { element: NO_ELEMENT, state: 'CANCELED_BY_USER' }, out);
  }
}

/** The same for an owner who has gone: what a halted market keeps goes when the market opens. */
export function cancelForAbsent(
  state: State,
  accountIndex: AccountIndex,
  only: number,
  out: ByteWriter,
): void {
  const account = state.accounts[accountIndex];
  assert(account !== undefined && account !== null, 'whoever has gone is an account');
  for (const slot of openOrdersOf(state, account)) {
    const market = marketOf(state.orders, slot);
    const isMeant = only === ALL_MARKETS || market === only;
    if (!isMeant || marketOfOrder(state, slot).state !== 'HALTED') continue;
    armWhenOpen(state.deadlines, accountIndex, market);
  }
  cancelOpenOrders(state, accountIndex, only, out);
}

/** The next dead-man switch that has fired. Returns whether there was one. */
export function passNextDeadline(state: State, out: ByteWriter): boolean {
  const passed = state.pending.deadlines.shift();
  if (passed === undefined) return false;
  const account = passed.account as AccountIndex;
  const market = passed.market === ALL_MARKETS ? {} : { market: passed.market as MarketIndex };
  encodeEvent(out, { kind: 'deadline-passed', account, ...market });
  cancelForAbsent(state, account, passed.market, out);
  return true;
}
