import { endedWords } from '../shared/ended-words.ts';
import { compare, sum } from '../shared/number-text.ts';

/** The account's open orders, its fills, and the orders that have ended, as messages of the stream tell. Pure. */

export type OpenOrder = {
  readonly orderId: string;
  readonly marketCode: string;
  readonly side: 'BUY' | 'SELL';
  readonly orderType: string;
  readonly price: string;
  readonly stopPrice?: string;
  readonly triggerType?: string;
  readonly quantity: string;
  readonly remainQuantity: string;
  readonly timeInForce: string;
  readonly createdAt: string;
  readonly isTriggered: boolean;
};

/** A fill of one of the account's own orders, to be announced to its owner. */
export type OwnFill = {
  readonly matchId: string;
  readonly marketCode: string;
  readonly side: 'BUY' | 'SELL';
  readonly price: string;
  readonly quantity: string;
  readonly atMs: number;
};

/**
 * What one command has bought or sold in a market. Each fill is a message of its own, so there may still be more.
 */
export type FilledTogether = {
  readonly marketCode: string;
  readonly side: 'BUY' | 'SELL';
  readonly atMs: number;
  readonly count: number;
  readonly quantity: string;
  readonly lowest: string;
  readonly highest: string;
  /** Those that are told one by one, the oldest first. */
  readonly first: readonly OwnFill[];
};

/**
 * Open orders that one command has ended by one rule, or into one state. Each order is a message of its own,
 * so the count may still grow: `at` and `why` say that it is the same news.
 */
export type EndedOrders = {
  readonly why: string;
  readonly at: string;
  readonly count: number;
  readonly first: OpenOrder;
};

export type LiveOrders = {
  /** By id. A map: copying ten thousand takes a millisecond. */
  readonly orders: ReadonlyMap<string, OpenOrder>;
  readonly fills: readonly OwnFill[];
  /** The newest first, as with fills. */
  readonly filled: readonly FilledTogether[];
  /** Likewise. */
  readonly ended: readonly EndedOrders[];
  /** Counts orders that have ended, also those that were never seen open: views of them read again. */
  readonly endings: number;
};

export const NO_ORDERS: LiveOrders = {
  orders: new Map(),
  fills: [],
  filled: [],
  ended: [],
  endings: 0,
};

const FILLS_MAX = 200;
const ENDED_MAX = 20;
/** More fills than these in one command are told as one. */
export const ALONE_MAX = 3;

/** One of a message's `data`. */
export type Row = Readonly<Record<string, never>> & {
  readonly [name: string]: string | boolean | undefined | readonly string[];
};

const ENDED = new Set(['FILLED', 'CANCELED', 'CANCELLED', 'EXPIRED', 'REJECTED']);
/** A stop is OPEN too; a closed order says so in its notice, or is FILLED. */
const isOpen = (row: Row): boolean =>
  row['notice'] !== 'OrderClosed' && !ENDED.has(String(row['status']).split('_')[0] ?? '');

type OrderRows = { readonly rows: readonly Row[]; readonly isSnapshot: boolean };

/**
 * The orders after some messages: all are copied, once for all messages, as there may be thousands of both. A
 * snapshot has every open order.
 */
export function applyOrders(before: LiveOrders, messages: readonly OrderRows[]): LiveOrders {
  const orders = new Map(before.orders);
  const fills: OwnFill[] = [];
  let { ended, endings } = before;
  for (const { rows, isSnapshot } of messages) {
    if (isSnapshot) orders.clear();
    for (const row of rows) {
      const orderId = String(row['orderId']);
      if (row['notice'] === 'OrderMatched') fills.push(ownFill(row));
      if (isOpen(row)) {
        orders.set(orderId, openOrder(row));
        continue;
      }
      ended = withEnd(ended, row, orders.get(orderId));
      orders.delete(orderId);
      endings++;
    }
  }
  return {
    ...{ orders, ended, endings },
    fills: fills.length === 0 ? before.fills : newestOf(fills, before.fills),
    filled: fills.reduce(withFill, before.filled),
  };
}

function withFill(filled: readonly FilledTogether[], fill: OwnFill): readonly FilledTogether[] {
  const { marketCode, side, atMs, quantity, price } = fill;
  const place = filled.findIndex(
    (one) => one.atMs === atMs && one.side === side && one.marketCode === marketCode,
  );
  const same = filled[place];
  if (same === undefined) {
    const terms = { marketCode, side, atMs, quantity, lowest: price, highest: price };
    return [{ ...terms, count: 1, first: [fill] }, ...filled].slice(0, FILLS_MAX);
  }
  return filled.with(place, {
    ...same,
    count: same.count + 1,
    quantity: sum(same.quantity, quantity),
    lowest: compare(price, same.lowest) < 0 ? price : same.lowest,
    highest: compare(price, same.highest) > 0 ? price : same.highest,
    first: same.count < ALONE_MAX ? [...same.first, fill] : same.first,
  });
}

const newestOf = (fills: readonly OwnFill[], before: readonly OwnFill[]): readonly OwnFill[] =>
  [...fills.toReversed(), ...before].slice(0, FILLS_MAX);

function withEnd(
  ended: readonly EndedOrders[],
  row: Row,
  order: OpenOrder | undefined,
): readonly EndedOrders[] {
  const why = whyEnded(row);
  const at = String(row['timestamp']);
  // What ends in the command that has placed it is said by the answer to that.
  const hasStood = at !== row['createdAt'];
  if (order === undefined || why === undefined || !hasStood) return ended;
  const place = ended.findIndex((one) => one.at === at && one.why === why);
  const same = ended[place];
  if (same === undefined)
    return [{ why, at, count: 1, first: order }, ...ended].slice(0, ENDED_MAX);
  return ended.with(place, { ...same, count: same.count + 1 });
}

/** Ends that the owner has asked for, or that its fills tell. */
const EXPECTED = new Set(['FILLED', 'CANCELED_BY_USER', 'CANCELED_BY_AMEND']);

/** A rule of the venue in its own words, else the state that says which one it was. */
function whyEnded(row: Row): string | undefined {
  const { code, message, status } = row as Readonly<Record<string, string | undefined>>;
  if (message !== undefined) return `${code}: ${message}`;
  return status === undefined || EXPECTED.has(status) ? undefined : endedWords(status);
}

function openOrder(row: Row): OpenOrder {
  const { stopPrice, triggerType } = row as Readonly<Record<string, string | undefined>>;
  return {
    orderId: String(row['orderId']),
    marketCode: String(row['marketCode']),
    side: row['side'] === 'SELL' ? 'SELL' : 'BUY',
    orderType: String(row['orderType']),
    price: String(row['price']),
    ...(stopPrice === undefined ? {} : { stopPrice }),
    ...(triggerType === undefined ? {} : { triggerType }),
    quantity: String(row['quantity']),
    remainQuantity: String(row['remainQuantity']),
    timeInForce: String(row['timeInForce']),
    createdAt: String(row['createdAt']),
    isTriggered: row['isTriggered'] === 'true' || row['isTriggered'] === true,
  };
}

const ownFill = (row: Row): OwnFill => ({
  matchId: String(row['matchId']),
  marketCode: String(row['marketCode']),
  side: row['side'] === 'SELL' ? 'SELL' : 'BUY',
  price: String(row['matchPrice']),
  quantity: String(row['matchQuantity']),
  atMs: Number(row['timestamp']),
});

/** A stop that has not triggered waits; everything else is in the book. */
export const isWaitingStop = ({ orderType, isTriggered }: OpenOrder): boolean =>
  orderType.startsWith('STOP') && !isTriggered;

export type Changed = {
  readonly price?: string | undefined;
  readonly stopPrice?: string | undefined;
  readonly quantity?: string | undefined;
};

/** The same or a smaller size at the same price keeps its priority; everything else goes to the back. */
export const keepsPlace = (order: OpenOrder, { price, stopPrice, quantity }: Changed): boolean =>
  stopPrice === undefined &&
  (price === undefined || compare(price, order.price) === 0) &&
  (quantity === undefined || compare(quantity, order.quantity) <= 0);
