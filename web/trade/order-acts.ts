import type { AmendmentSent, RialtoClient } from '../../src/client/index.ts';
import { askerNow } from '../shared/asker.ts';
import { type Refused, refusedAs, refusedOf } from '../shared/refused-members.ts';
import { clientOf, endedBy, sessions } from '../shared/session.ts';
import { connection, live, marketOf, markets } from './feed.ts';
import type { OpenOrder } from './live-orders.ts';
import { amendedWords } from './order-words.ts';
import { bandNow, takenNearest } from './price-band.ts';

/** Acts on open orders. The list changes when the venue confirms, not before. */

function signedIn(): RialtoClient | undefined {
  const { session } = sessions.get();
  return session === undefined ? undefined : clientOf(session);
}

export async function cancelOrder({ marketCode, orderId }: OpenOrder): Promise<void> {
  const client = signedIn();
  const asker = askerNow();
  if (client === undefined) return;
  try {
    const [answer] = await client.cancelOrders({ orders: [{ marketCode, orderId }] });
    if (answer?.submitted === false) {
      asker.notify('bad', 'Not cancelled', `${answer.code}: ${answer.message}`);
    } else if (asker.isHere() && !connection.get().isLive) forget(orderId);
  } catch (reason) {
    if (!endedBy(reason)) asker.notifyFailure(reason, notCancelled('The order'));
  }
}

const notCancelled = (what: string) => ({
  ...{ refused: 'Not cancelled', unknown: 'Cancel not confirmed' },
  doubt: `${what} may still be open.`,
});

/** The stream would report it; while it is lost, the venue's answer does. */
const forget = (orderId: string): void =>
  live.update((state) => {
    const orders = new Map(state.orders);
    orders.delete(orderId);
    return { ...state, orders };
  });

/**
 * When a row or line disappears, the focus moves to the next one, or to the list or the chart if that was the
 * last.
 */
export function focusNeighbour(inRow: Element | null): void {
  const line = inRow?.closest('.ln[data-key]');
  if (line !== null && line !== undefined) {
    const lines = [...document.querySelectorAll('.ln[data-key]')];
    const at = lines.indexOf(line);
    const beside = lines[at + 1] ?? lines[at - 1];
    const there = beside?.querySelector<HTMLElement>('[role=slider]');
    (there ?? document.querySelector<HTMLElement>('.chart .plot'))?.focus();
    return;
  }
  const row = inRow?.closest('tr');
  const neighbour = row?.nextElementSibling ?? row?.previousElementSibling;
  const next = neighbour?.querySelector<HTMLElement>('.acts2 button');
  (next ?? row?.closest<HTMLElement>('[role=tabpanel]'))?.focus();
}

export async function cancelAll(marketCode: string | undefined): Promise<void> {
  const client = signedIn();
  const asker = askerNow();
  if (client === undefined) return;
  try {
    await client.cancelAllOrders(marketCode === undefined ? {} : { marketCode });
    asker.notify('info', 'Orders are being cancelled');
  } catch (reason) {
    if (!endedBy(reason)) asker.notifyFailure(reason, notCancelled('Orders'));
  }
}

type Change = Pick<AmendmentSent, 'price' | 'stopPrice' | 'limitPrice' | 'quantity'>;

/**
 * Returns the reason if it was refused: the caller shows it where the change was made. Somebody else who has
 * signed in since is shown none.
 */
export async function amendOrder(order: OpenOrder, change: Change): Promise<Refused | undefined> {
  const { marketCode, orderId, orderType } = order;
  const client = signedIn();
  const asker = askerNow();
  if (client === undefined) return refusedOf(new Error('Not signed in'), []);
  const { price, ...rest } = change;
  // The limit of a stop has a different member name.
  const named =
    price === undefined
      ? rest
      : { ...rest, [orderType === 'STOP_LIMIT' ? 'limitPrice' : 'price']: price };
  try {
    const [answer] = await client.modifyOrders({ orders: [{ marketCode, orderId, ...named }] });
    if (!asker.isHere()) return undefined;
    if (answer?.submitted === false) {
      const refused = refusedAs(answer.code ?? '', answer.message ?? '', Object.keys(named));
      return { ...refused, nearest: nearestTaken(order, refused) };
    }
    const { kind, title, text } = amendedWords(order, change, answer ?? {});
    asker.notify(kind, title, text);
    return undefined;
  } catch (reason) {
    endedBy(reason);
    if (!asker.isHere()) return undefined;
    const refused = refusedOf(reason, Object.keys(named));
    return { ...refused, nearest: nearestTaken(order, refused) };
  }
}

function nearestTaken({ marketCode }: OpenOrder, { field, nearest }: Refused): string | undefined {
  const market = marketOf(markets.get(), marketCode);
  if (nearest === undefined || market === undefined) return nearest;
  return takenNearest(field, nearest, bandNow(market, live.get().statuses[marketCode]));
}
