import { assert } from '../domain/assert.ts';
import { decodeEvents } from '../domain/event-codec.ts';
import type { PriceGrid } from '../domain/market.ts';
import type { OrderTexts } from '../domain/order-layout.ts';
import { namesIn } from '../domain/order-texts.ts';
import type { OrderRecord } from '../domain/orders.ts';
import type { Rejection } from '../domain/rejections.ts';
import { storedOrderOf } from '../domain/stored-events.ts';
import type { OrderState } from '../domain/terms.ts';
import type { AccountIndex, MarketIndex } from '../domain/units.ts';
import { pageTermsReader, type TermsAt } from './catalogue.ts';
import type { Database } from './database.ts';
import { ORDER_PLACES, OrderPlaceWriter, orderPlaceReader } from './order-places.ts';
import {
  type ListedRecord,
  PackedListWriter,
  packedListReader,
  packedTable,
} from './packed-lists.ts';
import type { PageQuery } from './pages.ts';
import { SortedRows } from './sorted-rows.ts';
import type { Subject } from './subject.ts';
import type { Table } from './tables.ts';

/** A closed order, as it was when it closed. */
export type ClosedOrderRow = {
  readonly order: OrderRecord;
  /** The grid of its ticks: a market's grid may change, though not while it has orders. */
  readonly grid: PriceGrid;
  readonly state: OrderState;
  readonly reason: Rejection | undefined;
  readonly closedAtMs: number;
};
/**
 * By the venue's id, by the client's, or by both, which must then match; zero stands for none. Or by a text
 * that names the order.
 */
export type OrderQuery = {
  readonly account: AccountIndex;
  readonly orderId?: number | undefined;
  readonly clientOrderId?: bigint | undefined;
  readonly named?: OrderTexts | undefined;
};
export type OrderQueries = {
  /** If several have the same clientOrderId or name, the one that was placed last. */
  order(query: OrderQuery): Promise<ClosedOrderRow | undefined>;
  /** Orders by when they closed, newest first. */
  orders(query: OrdersQuery): Promise<readonly ListedOrderRow[]>;
};
/** The id is that of the entry: the next page continues after it. */
export type ListedOrderRow = ClosedOrderRow & { readonly id: bigint };
export type OrdersQuery = PageQuery & {
  readonly account: AccountIndex;
  readonly market?: MarketIndex | undefined;
};

const TABLE = packedTable('orders');
const CLIENT_IDS: Table = {
  name: 'client_order_ids',
  columns: { account: 'integer', client_order_id: 'integer', order_id: 'integer' },
  key: ['account', 'client_order_id', 'order_id'],
};
const NAMES: Table = {
  name: 'order_names',
  columns: { account: 'integer', name: 'text', text: 'text', order_id: 'integer' },
  key: ['account', 'name', 'text', 'order_id'],
};

/**
 * Written once, when an order closes: open orders are read from the engine. An account's orders are a list in
 * the encoding of the event (domain/event-codec.ts), with a part for each market: when that encoding changes,
 * raise this revision too. Two more tables hold the position of each order in the list, and the orders that a
 * clientOrderId or a text names.
 */
export const ORDERS: Subject<OrderQueries> = {
  name: 'orders',
  revision: 5,
  tables: [TABLE, ORDER_PLACES, CLIENT_IDS, NAMES],
  projection: (database) => {
    const orders = new PackedListWriter(database, TABLE);
    const places = new OrderPlaceWriter(database);
    const clientIds = new SortedRows(database, CLIENT_IDS);
    const names = new SortedRows(database, NAMES);
    const writers = [orders, places, clientIds, names];
    return {
      ofTransaction: {
        begin: () => {
          for (const writer of writers) writer.begin();
        },
        finish: async () => {
          for (const writer of writers) await writer.finish();
        },
      },
      stored: {
        'order-closed': (event, timeMs, id) => {
          const orderId = storedOrderOf.orderId(event);
          const account = storedOrderOf.account(event);
          orders.add(account, storedOrderOf.market(event), id, timeMs);
          orders.append(event, event.start, event.end);
          places.add(orderId, id);
          let rows = 1;
          if (storedOrderOf.hasClientOrderId(event)) {
            clientIds.add(account, storedOrderOf.clientOrderId(event), orderId);
            rows++;
          }
          const texts = storedOrderOf.texts(event);
          if (texts === undefined) return rows;
          for (const [name, text] of namesIn(texts)) {
            names.add(account, name, text, orderId);
            rows++;
          }
          return rows;
        },
      },
    };
  },
  queries: (database) => ({ order: orderReader(database), orders: ordersReader(database) }),
};

function orderReader(database: Database): OrderQueries['order'] {
  const orders = packedListReader(database, TABLE);
  const placeOf = orderPlaceReader(database);
  const termsOfPage = pageTermsReader(database);
  const byClientId = database.query<{ order_id: bigint }>(
    `SELECT order_id FROM client_order_ids WHERE account = ? AND client_order_id = ?
      ORDER BY order_id DESC LIMIT 1`,
  );
  const byName = database.query<{ order_id: bigint }>(
    `SELECT order_id FROM order_names WHERE account = ? AND name = ? AND text = ?
      ORDER BY order_id DESC LIMIT 1`,
  );
  const idOf = async (query: OrderQuery): Promise<number> => {
    const { account, orderId = 0, clientOrderId = 0n, named } = query;
    const [first] = namesIn(named ?? {});
    if (first !== undefined) {
      return Number((await byName(account, ...first))[0]?.order_id ?? 0);
    }
    if (orderId !== 0) return orderId;
    return Number((await byClientId(account, clientOrderId))[0]?.order_id ?? 0);
  };
  const find = async (query: OrderQuery) => {
    const { account, clientOrderId = 0n } = query;
    const orderId = await idOf(query);
    const place = await placeOf(orderId);
    // Looked up in the list of the requesting account: another account's order is not found.
    const record = place === undefined ? undefined : await orders.find(account, place);
    const found = record && (await restored(record, termsOfPage()));
    const isNamed = clientOrderId === 0n || found?.order.clientOrderId === clientOrderId;
    return isNamed ? found : undefined;
  };
  return (query) => database.snapshot(() => find(query));
}

function ordersReader(database: Database): OrderQueries['orders'] {
  const orders = packedListReader(database, TABLE);
  const termsOfPage = pageTermsReader(database);
  return async ({ account, market, ...page }) => {
    const termsAt = termsOfPage();
    const records = await orders.page({
      ...page,
      list: account,
      ...(market === undefined ? {} : { parts: [market, market] }),
    });
    return Promise.all(
      records.map(async (record) => ({
        id: BigInt(record.id),
        ...(await restored(record, termsAt)),
      })),
    );
  };
}

async function restored(
  { id, timeMs, fields }: ListedRecord,
  termsAt: TermsAt,
): Promise<ClosedOrderRow> {
  const [event] = decodeEvents(fields);
  assert(event?.kind === 'order-closed', 'the list of orders holds how they closed');
  const { order, state, reason } = event;
  const { grid } = await termsAt(order.market, BigInt(id));
  return { order, grid, state, reason, closedAtMs: timeMs };
}
