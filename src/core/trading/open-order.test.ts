import { expect, test } from 'vitest';
import { type CoreVenue, venueWith } from '../../../test/support/core-venue.ts';
import { ByteReader, ByteWriter } from '../../bytes/pack.ts';
import { readOrder, writeOrder, writeRecord } from '../../domain/order-codec.ts';
import { ORDER_OFFSETS, WORD_BYTES } from '../../domain/order-layout.ts';
import type { OrderRequest } from '../../domain/orders.ts';
import { NO_ORDER, type OrderSlot } from '../memory/order-rows.ts';

const plain: Omit<OrderRequest, 'market' | 'version'> = {
  ...{ side: 'SELL', orderType: 'LIMIT', timeInForce: 'GTC', stpMode: 'NONE' },
  ...{ triggerType: 'MARK_PRICE', clientOrderId: 0n, priceTicks: 65_000, stopTicks: 0 },
  ...{ sizeLots: 10, displayLots: 0, amountParts: 0n, reduceOnly: false },
};
const ORDERS: readonly [string, Partial<OrderRequest>][] = [
  ['a resting order', {}],
  ['an iceberg', { displayLots: 3, clientOrderId: 5n }],
  ['a stop', { side: 'BUY', orderType: 'STOP_LIMIT', stopTicks: 70_000, priceTicks: 71_000 }],
  ['an order with a label', { texts: { label: 'mine' } }],
];

/** A venue with one free row, which holds either what an order has left in it or nothing but ones. */
function withFreeRow(isOverwritten: boolean): CoreVenue {
  const venue = venueWith({ one: { main: { OX: '100000000', USDT: '1000000' } } });
  const unit = 10n ** 8n;
  const price = (asset: string, usd: bigint) => ({ asset, price: usd as never });
  const prices = [price('BTC', 60_000n * unit), price('OX', unit / 100n), price('USDT', unit)];
  venue.apply({ kind: 'set-index-prices', prices });
  place(venue, {
    side: 'BUY',
    priceTicks: 59_000,
    stpMode: 'EXPIRE_BOTH',
    texts: { label: 'old' },
  });
  venue.apply({ kind: 'cancel-all', by: { key: venue.key('one', 'main', 'trade') } });
  const { orders } = venue.state;
  // A link of ones is the end of a list.
  expect([orders.freeSlot, NO_ORDER]).toEqual([0, -1]);
  if (isOverwritten) {
    // Nothing is ever written behind the last field, or to the bytes that align the others.
    orders.codes.fill(0xff, 0, ORDER_OFFSETS.heldParts + WORD_BYTES);
    orders.codes[ORDER_OFFSETS.reserved] = 0;
  }
  return venue;
}

function place(venue: CoreVenue, order: Partial<OrderRequest>): void {
  const market = venue.market('BTC-USD-SWAP-LIN');
  const version = venue.state.markets[market]?.version ?? 0;
  const by = { key: venue.key('one', 'main', 'trade') };
  const orders = [{ ...plain, market, version, ...order }];
  const kinds = venue.apply({ kind: 'place-orders', by, source: 10, orders }).map((e) => e.kind);
  expect(kinds).toEqual(['order-opened']);
}

test.each(ORDERS)('%s takes nothing from the order whose row it takes over', (_, order) => {
  const [venue, other] = [withFreeRow(false), withFreeRow(true)];
  place(venue, order);
  place(other, order);
  expect(venue.state.orders.freeSlot).toBe(NO_ORDER);
  expect(other.bytes()).toEqual(venue.bytes());
});

test.each(ORDERS)('%s is the same as a record and as a row', (_, order) => {
  const venue = withFreeRow(true);
  place(venue, order);
  const [ofRow, ofRecord] = [new ByteWriter(), new ByteWriter()];
  writeOrder(ofRow, venue.state.orders, 0 as OrderSlot);
  writeRecord(ofRecord, readOrder(new ByteReader(ofRow.view())));
  expect(ofRecord.view()).toEqual(ofRow.view());
});
