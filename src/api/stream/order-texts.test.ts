import fc from 'fast-check';
import { expect, test } from 'vitest';
import { quantityText } from '../../domain/market.ts';
import type { OrderRecord } from '../../domain/orders.ts';
import { amountText } from '../figures.ts';
import { directory, wholeOrder } from '../orders/any-order.fixture.ts';
import { enginePrice, isByAmount, settleAssetOf } from '../orders/shapes.ts';
import { cancelText, modifyText, placeText } from './order-texts.ts';

test('answers built by hand are what printing their members gives, byte for byte', () => {
  const seen = { byAmount: 0, stops: 0, labels: 0 };
  fc.assert(
    fc.property(wholeOrder, fc.boolean(), (order, isNamed) => {
      if (isByAmount(order)) seen.byAmount++;
      if (order.isStop) seen.stops++;
      if (order.texts?.label !== undefined) seen.labels++;
      const sent = isNamed ? { clientOrderId: '7' } : {};
      expect(placeText(directory, order, sent)).toBe(JSON.stringify(placed(order, isNamed)));
      expect(modifyText(directory, order)).toBe(JSON.stringify(modified(order)));
      expect(cancelText(directory, order)).toBe(JSON.stringify(canceled(order)));
    }),
    { numRuns: 2_000 },
  );
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(100);
});

function placed(order: OrderRecord, isNamed: boolean): object {
  const spec = directory.market(order.market);
  const limit = enginePrice(spec, order.priceTicks === 0 ? order.stopTicks : order.priceTicks);
  return {
    ...(isNamed ? { clientOrderId: String(order.clientOrderId) } : {}),
    ...order.texts,
    marketCode: spec.code,
    side: order.side,
    orderType: order.orderType,
    ...(isByAmount(order)
      ? { amount: amountText(directory, settleAssetOf(directory, spec), order.amountParts) }
      : { quantity: quantityText(spec, order.totalLots, spec.quantityScale) }),
    ...(order.orderType === 'MARKET' ? {} : { timeInForce: order.timeInForce, price: limit }),
    limitPrice: limit,
    ...(order.isStop
      ? { stopPrice: enginePrice(spec, order.stopTicks), triggerType: order.triggerType }
      : {}),
    orderId: String(order.orderId),
    source: order.source,
  };
}

function modified(order: OrderRecord): object {
  const spec = directory.market(order.market);
  const limit = enginePrice(spec, order.priceTicks);
  return {
    clientOrderId: String(order.clientOrderId),
    ...order.texts,
    orderId: String(order.orderId),
    side: order.side,
    quantity: quantityText(spec, order.totalLots, spec.quantityScale),
    price: limit,
    limitPrice: limit,
    ...(order.isStop ? { stopPrice: enginePrice(spec, order.stopTicks) } : {}),
    orderType: order.orderType,
    marketCode: spec.code,
  };
}

const canceled = (order: OrderRecord): object => ({
  marketCode: directory.market(order.market).code,
  clientOrderId: String(order.clientOrderId),
  ...order.texts,
  orderId: String(order.orderId),
});
