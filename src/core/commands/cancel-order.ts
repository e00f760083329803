import type { ByteWriter } from '../../bytes/pack.ts';
import type { CancelAll, CancelOrders } from '../../domain/commands.ts';
import { encodeEvent } from '../../domain/event-codec.ts';
import type { OrderRef } from '../../domain/orders.ts';
import { type Refusal, refuse } from '../../domain/rejections.ts';
import type { AccountIndex } from '../../domain/units.ts';
import { ALL_MARKETS } from '../memory/deadlines.ts';
import { NO_ORDER } from '../memory/order-rows.ts';
import type { State } from '../state.ts';
import { cancelOpenOrders } from '../trading/cancel-open-orders.ts';
import { checkLate } from '../trading/check-placement.ts';
import { endOrder, marketOfOrder } from '../trading/end-order.ts';
import { findOrder } from '../trading/find-order.ts';

/** Up to eight orders, each found and cancelled by itself. */
export function cancelOrders(state: State, command: CancelOrders, out: ByteWriter): undefined {
  for (let element = 0; element < command.orders.length; element++) {
    const refusal = cancel(state, command, element, out);
    if (refusal === undefined) continue;
    const { rejected: reason, message } = refusal;
    encodeEvent(out, { kind: 'order-refused', element, reason, message });
  }
  return undefined;
}

function cancel(
  state: State,
  command: CancelOrders,
  element: number,
  out: ByteWriter,
): Refusal | undefined {
  const accountIndex = state.keys[command.by.key]?.account as AccountIndex;
  const slot = findOrder(state, accountIndex, command.orders[element] as OrderRef);
  if (slot === NO_ORDER) return refuse('ORDER_NOT_FOUND');
  const market = marketOfOrder(state, slot);
  if (market.state === 'HALTED') return refuse('MARKET_CLOSED', `${market.spec.code} is HALTED`);
  const late = checkLate(state, command);
  if (late !== undefined) return late;
  endOrder(state, market, slot, { element, state: 'CANCELED_BY_USER' }, out);
  return undefined;
}

/**
 * All open orders of the account, of one market if named. Halted markets keep theirs; those of an owner who is absent
 * go when the market opens.
 */
export function cancelAll(state: State, command: CancelAll, out: ByteWriter): undefined {
  const { by, market: only = ALL_MARKETS, afterDisconnect: isAbsent = false } = command;
  const accountIndex = state.keys[by.key]?.account as AccountIndex;
  cancelOpenOrders(state, { accountIndex, only, isAbsent }, out);
  return undefined;
}
