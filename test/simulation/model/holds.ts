import { assetOf, isPerpetual, type Model, type ModelOrder, marketAt } from './state.ts';
import { partsOfLots, valueAt } from './values.ts';

export type Held = { readonly asset: number; readonly parts: bigint };

/** Spot orders reserve price x quantity (BUY) or quantity (SELL), no fees; perpetual orders nothing. */
export function heldFor(model: Model, order: ModelOrder): Held {
  const market = marketAt(model, order.market);
  if (isPerpetual(market)) return { asset: -1, parts: 0n };
  if (order.side === 'SELL') {
    return { asset: assetOf(model, market.spec.base), parts: partsOfLots(market, order.openLots) };
  }
  const asset = assetOf(model, market.spec.counter);
  if (order.plannedCost !== undefined) {
    return { asset, parts: order.plannedCost - order.filledCost };
  }
  return { asset, parts: valueAt(market, order.priceTicks, order.openLots) };
}
