import type { ByteWriter } from '../../bytes/pack.ts';
import type { PlaceOrders } from '../../domain/commands.ts';
import { encodeEvent, encodeOrderEvent, ORDER_OPENED } from '../../domain/event-codec.ts';
import type { OrderRequest } from '../../domain/orders.ts';
import { type Refusal, refuse } from '../../domain/rejections.ts';
import type { AccountIndex } from '../../domain/units.ts';
import { addStop } from '../book/stops.ts';
import { sweepStops } from '../memory/pending.ts';
import type { Account, State } from '../state.ts';
import { admitOrder } from '../trading/admit-order.ts';
import { demandOf } from '../trading/check-funds.ts';
import { checkPlacement } from '../trading/check-placement.ts';
import { endOrder } from '../trading/end-order.ts';
import { executeOrder } from '../trading/execute-order.ts';
import { openPlaced } from '../trading/open-order.ts';
import { isStop, type Placing, sizeOf } from '../trading/placing.ts';
import { newWork, type Work } from '../trading/work.ts';

/**
 * Up to eight orders, each accepted or refused by itself, in the order they were sent. Together they
 * plan and match no more than one request may.
 */
export function placeOrders(state: State, command: PlaceOrders, out: ByteWriter): undefined {
  const work = newWork();
  for (let element = 0; element < command.orders.length; element++) {
    const refusal = place(state, command, element, work, out);
    if (refusal === undefined) continue;
    const { rejected: reason, message } = refusal;
    encodeEvent(out, { kind: 'order-refused', element, reason, message });
  }
  return undefined;
}

/** Validates, then applies. Nothing changes before every check has passed. */
function place(
  state: State,
  command: PlaceOrders,
  element: number,
  work: Work,
  out: ByteWriter,
): Refusal | undefined {
  const accountIndex = state.keys[command.by.key]?.account as AccountIndex;
  const account = state.accounts[accountIndex] as Account;
  const order = command.orders[element] as OrderRequest;
  const market = state.markets[order.market];
  if (market === undefined) return refuse('MARKET_UNKNOWN');
  const sizeLots = sizeOf(market, order);
  const placing: Placing = { accountIndex, account, market, order, sizeLots };
  const refusal = checkPlacement(state, placing, command);
  if (refusal !== undefined) return refusal;
  const demand = demandOf(placing);
  const unfunded = admitOrder(state, placing, demand, work);
  if (unfunded !== undefined) return unfunded;

  const slot = openPlaced(state, placing, command.source, demand);
  if (isStop(order)) {
    addStop(market.stops, state.orders, slot);
    sweepStops(state.pending, order.market);
    encodeOrderEvent(out, ORDER_OPENED, element, state.orders, slot);
  } else if (demand.isUnfillable) {
    endOrder(state, market, slot, { element, state: 'CANCELED_BY_FOK' }, out);
  } else work.matchesLeft -= executeOrder(state, market, slot, element, out, demand.ordersMax);
  return undefined;
}
