import { endedWords } from '../shared/ended-words.ts';
import { decimalsOf, grouped, shown } from '../shared/number-text.ts';
import { type Changed, isWaitingStop, keepsPlace, type OpenOrder } from './live-orders.ts';

/** An order in a few words. */

type Terms = { readonly base: string; readonly tickSize: string; readonly minSize: string };

/**
 * The price that it is shown at: a stop's is its trigger, whatever limit the venue gives it for when it
 * triggers.
 */
export const standingPrice = (order: OpenOrder): string =>
  isWaitingStop(order) ? (order.stopPrice ?? order.price) : order.price;

export const orderWords = (order: OpenOrder): string =>
  `${order.side === 'BUY' ? 'Buy' : 'Sell'} ${kindWord(order)}`;

function kindWord(order: OpenOrder): string {
  if (isWaitingStop(order)) return 'stop';
  return isAtMarket(order) ? 'market' : 'limit';
}

/** A stop without a limit that has triggered: what is shown as its price is its protective price. */
const isAtMarket = ({ orderType }: OpenOrder): boolean => orderType === 'MARKET';

/** "Sell stop 1.2500 BTC at 57,492". */
export function orderLine(order: OpenOrder, terms: Terms): string {
  const line = `${orderWords(order)} ${sizeText(order.remainQuantity, terms)}`;
  return isAtMarket(order) ? line : `${line} at ${priceText(standingPrice(order), terms)}`;
}

/** "sell 1.2500 BTC with its stop at 57,492 in BTC/USD Perp": the figures of its row, and where it is. */
export function cancelWords(order: OpenOrder, terms: Terms & { readonly name: string }): string {
  const side = order.side === 'BUY' ? 'buy' : 'sell';
  const at = isWaitingStop(order) ? 'with its stop at' : 'at';
  const price = priceText(standingPrice(order), terms);
  return `${side} ${sizeText(order.quantity, terms)} ${at} ${price} in ${terms.name}`;
}

type Answer = {
  readonly status?: string | undefined;
  readonly code?: string | undefined;
  readonly message?: string | undefined;
};
type Words = { readonly kind: 'info' | 'warn'; readonly title: string; readonly text: string };

/** What became of an amended order: a size that was filled before ends it, a price through the book fills it. */
export function amendedWords(order: OpenOrder, change: Changed, answer: Answer): Words {
  const { status = '', code, message } = answer;
  if (status.startsWith('CANCELED')) {
    const why = message === undefined ? endedWords(status) : `${code}: ${message}`;
    const isFilled = status === 'CANCELED_BY_AMEND' && change.quantity !== undefined;
    const text = isFilled ? `${why}. That much of it was filled before.` : why;
    return { kind: 'warn', title: 'Order ended', text };
  }
  const now = `Now ${grouped(change.price ?? change.stopPrice ?? change.quantity ?? '')}.`;
  const place = keepsPlace(order, change)
    ? 'It keeps its place in the queue.'
    : 'It stands at the end of the queue.';
  const then = status === 'FILLED' ? 'It is filled.' : isWaitingStop(order) ? '' : place;
  return { kind: 'info', title: 'Order changed', text: `${now} ${then}`.trim() };
}

export const sizeText = (quantity: string, { base, minSize }: Terms): string =>
  `${shown(quantity.replace('-', ''), decimalsOf(minSize))} ${base}`;

export const priceText = (price: string, { tickSize }: Terms): string =>
  shown(price, decimalsOf(tickSize));
