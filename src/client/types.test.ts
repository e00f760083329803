import { expect, expectTypeOf, test } from 'vitest';
import type { OrderSent, OrderType, RialtoClient, Side, StpMode, TimeInForce } from './index.ts';

type Placed = Awaited<ReturnType<RialtoClient['placeOrders']>>[number];
type Working = Awaited<ReturnType<RialtoClient['workingOrders']>>[number];
type Status = Awaited<ReturnType<RialtoClient['orderStatus']>>;

test('requests and responses are typed with the values of the interface, and not as plain strings', () => {
  expectTypeOf<OrderSent['side']>().toEqualTypeOf<'BUY' | 'SELL'>();
  expectTypeOf<OrderSent['orderType']>().toEqualTypeOf<OrderType>();
  expectTypeOf<NonNullable<OrderSent['timeInForce']>>().toEqualTypeOf<TimeInForce>();
  expectTypeOf<NonNullable<OrderSent['selfTradePreventionMode']>>().toEqualTypeOf<StpMode>();
  expectTypeOf<NonNullable<Placed['side']>>().toEqualTypeOf<Side>();
  expectTypeOf<NonNullable<Placed['timeInForce']>>().toEqualTypeOf<TimeInForce>();
  expectTypeOf<Working['status']>().toEqualTypeOf<'OPEN' | 'PARTIALLY_FILLED'>();
  expectTypeOf<Status['orderType']>().toEqualTypeOf<OrderType>();
  expectTypeOf<OrderSent['label']>().toEqualTypeOf<string | undefined>();
  expectTypeOf<Working['label']>().toEqualTypeOf<string | undefined>();
  const order: OrderSent = { marketCode: 'BTC-USDT', side: 'BUY', orderType: 'LIMIT' };
  // @ts-expect-error not a valid value
  const misspelt: OrderSent = { ...order, side: 'buy' };
  // @ts-expect-error an unknown member
  const unknown: OrderSent = { ...order, Price: '1' };
  expect([misspelt.side, 'Price' in unknown]).toEqual(['buy', true]);
});
