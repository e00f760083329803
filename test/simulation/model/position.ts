import type { ModelMarket, Position } from './state.ts';
import { divideUp, valueAt } from './values.ts';

/** One match of a perpetual, seen from one side: lots bought, or with a minus sold. */
export type Fill = { readonly lots: number; readonly priceTicks: number };

/**
 * A match adds its value to the buyer's cost and subtracts it from the seller's. What it closes realises the
 * difference between its value and its share of the cost.
 */
export function afterFill(
  market: ModelMarket,
  { lots: held, cost }: Position,
  { lots, priceTicks }: Fill,
): { readonly position: Position; readonly closed: number; readonly realised: bigint } {
  const sign = Math.sign(lots);
  const isReducing = held !== 0 && Math.sign(held) !== sign;
  const closed = isReducing ? Math.min(Math.abs(lots), Math.abs(held)) : 0;
  const share = closed === 0 ? 0n : divideUp(cost * BigInt(closed), BigInt(Math.abs(held)));
  const received = -BigInt(sign) * valueAt(market, priceTicks, closed);
  const opened = BigInt(sign) * valueAt(market, priceTicks, Math.abs(lots) - closed);
  return {
    position: { lots: held + lots, cost: cost - share + opened },
    closed,
    realised: closed === 0 ? 0n : received - share,
  };
}

/** The same for several matches in turn. */
export function afterFills(
  market: ModelMarket,
  held: Position,
  fills: readonly Fill[],
): { readonly position: Position; readonly realised: bigint } {
  let position = held;
  let realised = 0n;
  for (const fill of fills) {
    const after = afterFill(market, position, fill);
    position = after.position;
    realised += after.realised;
  }
  return { position, realised };
}
