import { compare } from '../shared/number-text.ts';
import type { LiveState } from './live-state.ts';

/** The account's data by REST, as far as the stream has it, too. */
export type RestState = {
  readonly orders: readonly { readonly orderId: string; readonly quantity: string }[];
  readonly balances: readonly {
    readonly asset: string;
    readonly total: string;
    readonly reserved: string;
  }[];
};

/** The differences between the page and the venue, as text; empty if they agree. Pure. */
export function differencesOf(state: LiveState, rest: RestState): readonly string[] {
  const found: string[] = [];
  const open = new Set<string>();
  for (const { orderId, quantity } of rest.orders) {
    open.add(orderId);
    const shown = state.orders.get(orderId);
    if (shown === undefined) found.push(`order ${orderId} is open and not shown`);
    else if (compare(shown.quantity, quantity) !== 0) {
      found.push(`order ${orderId} is ${quantity} and shown as ${shown.quantity}`);
    }
  }
  for (const orderId of state.orders.keys()) {
    if (!open.has(orderId)) found.push(`order ${orderId} is shown and not open`);
  }
  for (const { asset, total, reserved } of rest.balances) {
    const shown = state.balances[asset];
    const isSame =
      compare(shown?.total ?? '0', total) === 0 && compare(shown?.reserved ?? '0', reserved) === 0;
    if (!isSame) found.push(`${asset} is ${total} and shown as ${shown?.total ?? 'nothing'}`);
  }
  return found;
}
