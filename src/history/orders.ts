import { readOrder, writeRecord } from '../domain/order-codec.ts';
import type { OrderRecord } from '../domain/orders.ts';
import { ByteReader, ByteWriter } from '../domain/pack.ts';
import type { Rejection } from '../domain/rejections.ts';
import { ORDER_STATES, type OrderState } from '../domain/terms.ts';
import type { AccountIndex } from '../domain/units.ts';
import type { Database } from './database.ts';
import type { Subject } from './subject.ts';

/** An order that is over, as it stood when it closed. */
export type ClosedOrderRow = {
  readonly order: OrderRecord;
  readonly state: OrderState;
  readonly reason: Rejection | undefined;
  readonly closedAtMs: number;
};
/** By the venue's id, by the caller's, or by both, which must then agree. Zero names none. */
export type OrderAsk = {
  readonly account: AccountIndex;
  readonly orderId?: number | undefined;
  readonly clientOrderId?: bigint | undefined;
};
export type OrderQueries = {
  /** Of several with one clientOrderId, the one that was placed last. */
  order(ask: OrderAsk): ClosedOrderRow | undefined;
};

/**
 * Written once, when it closes: open orders are the engine's to tell. The record is kept as the
 * event log has it (domain/order-codec.ts): with that format, this revision rises too.
 */
export const ORDERS: Subject<OrderQueries> = {
  name: 'orders',
  revision: 2,
  tables: [
    `CREATE TABLE orders (
      order_id INTEGER PRIMARY KEY,
      account INTEGER NOT NULL,
      client_order_id INTEGER NOT NULL,
      closed_ms INTEGER NOT NULL,
      state INTEGER NOT NULL,
      reason TEXT,
      record BLOB NOT NULL
    ) STRICT`,
    `CREATE INDEX orders_by_client_id ON orders (account, client_order_id, order_id)
      WHERE client_order_id <> 0`,
  ],
  projection: (database) => {
    const insert = database.change(
      `INSERT INTO orders (order_id, account, client_order_id, closed_ms, state, reason, record)
        VALUES (?, ?, ?, ?, ?, ?, ?)`,
    );
    const out = new ByteWriter();
    return {
      'order-closed': ({ order, state, reason = null }, timeMs) => {
        out.clear();
        writeRecord(out, order);
        const { orderId, account, clientOrderId } = order;
        const code = ORDER_STATES.indexOf(state);
        return insert(orderId, account, clientOrderId, timeMs, code, reason, out.view());
      },
    };
  },
  queries: (database) => ({ order: orderReader(database) }),
};

function orderReader(database: Database): OrderQueries['order'] {
  const byId = database.query<Stored>(`SELECT ${COLUMNS} FROM orders WHERE order_id = ? LIMIT 1`);
  const byClientId = database.query<Stored>(
    `SELECT ${COLUMNS} FROM orders INDEXED BY orders_by_client_id
      WHERE account = ? AND client_order_id = ? AND client_order_id <> 0
      ORDER BY order_id DESC LIMIT 1`,
  );
  return ({ account, orderId = 0, clientOrderId = 0n }) => {
    const [row] = orderId === 0 ? byClientId(account, clientOrderId) : byId(orderId);
    if (row === undefined) return undefined;
    const found = restored(row);
    if (found.order.account !== account) return undefined;
    const isNamed = clientOrderId === 0n || found.order.clientOrderId === clientOrderId;
    return isNamed ? found : undefined;
  };
}

const COLUMNS = 'closed_ms, state, reason, record';

type Stored = {
  readonly closed_ms: bigint;
  readonly state: bigint;
  readonly reason: Rejection | null;
  readonly record: Uint8Array;
};

const restored = (row: Stored): ClosedOrderRow => ({
  order: readOrder(new ByteReader(row.record)),
  state: ORDER_STATES[Number(row.state)] as OrderState,
  reason: row.reason ?? undefined,
  closedAtMs: Number(row.closed_ms),
});
