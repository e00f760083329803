import type { OrderRequest } from '../../src/domain/orders.ts';
import type { Side } from '../../src/domain/terms.ts';
import type { MarketIndex } from '../../src/domain/units.ts';

/** The simplest order: for tests and benchmarks in which nothing else matters. */
export const limitOrder = (
  market: MarketIndex,
  side: Side,
  priceTicks: number,
  sizeLots: number,
): OrderRequest => ({
  market,
  version: 1,
  side,
  orderType: 'LIMIT',
  timeInForce: 'GTC',
  stpMode: 'NONE',
  triggerType: 'MARK_PRICE',
  clientOrderId: 0n,
  priceTicks,
  stopTicks: 0,
  sizeLots,
  displayLots: 0,
  amountParts: 0n,
  reduceOnly: false,
});
