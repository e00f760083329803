import { line, sideText } from './event-lines.ts';
import { chargeFee, countVolume } from './fees.ts';
import { pay, payRealised } from './money.ts';
import { afterFill } from './position.ts';
import {
  accountAt,
  assetOf,
  isByAmount,
  isPerpetual,
  type Model,
  type ModelOrder,
  marketAt,
  positionOf,
} from './state.ts';
import { partsOfLots, valueAt } from './values.ts';

/** One match: assets change hands, positions move, both sides pay their fee. */
export function settleMatch(
  model: Model,
  taker: ModelOrder,
  maker: ModelOrder,
  lots: number,
): void {
  const market = marketAt(model, taker.market);
  const value = valueAt(market, maker.priceTicks, lots);
  if (isByAmount(taker)) taker.totalLots += lots;
  else taker.openLots -= lots;
  maker.openLots -= lots;
  taker.filledCost += value;
  maker.filledCost += value;
  let realised = { taker: 0n, maker: 0n };
  if (isPerpetual(market)) {
    realised = {
      taker: fillPosition(model, taker, maker.priceTicks, lots),
      maker: fillPosition(model, maker, maker.priceTicks, lots),
    };
  } else {
    const [buyer, seller] = taker.side === 'BUY' ? [taker, maker] : [maker, taker];
    const counter = assetOf(model, market.spec.counter);
    const base = assetOf(model, market.spec.base);
    pay(model, buyer.account, seller.account, counter, value);
    pay(model, seller.account, buyer.account, base, partsOfLots(market, lots));
  }
  const takerFee = chargeFee(model, market, taker, { isTaker: true, lots, value });
  const makerFee = chargeFee(model, market, maker, { isTaker: false, lots, value });
  countVolume(model, market, [taker.family, maker.family], value);
  market.matches++;
  market.lastTicks = maker.priceTicks;
  model.emitted.push(
    line('order-matched', {
      market: taker.market,
      match: market.matches,
      price: maker.priceTicks,
      lots,
      takerSide: taker.side,
      taker: sideText({
        ...taker,
        feeAsset: takerFee.asset,
        fee: takerFee.parts,
        realised: realised.taker,
      }),
      maker: sideText({
        ...maker,
        feeAsset: makerFee.asset,
        fee: makerFee.parts,
        realised: realised.maker,
      }),
    }),
  );
}

function fillPosition(model: Model, order: ModelOrder, priceTicks: number, lots: number): bigint {
  const held = positionOf(model, order.account, order.market);
  const fill = { lots: order.side === 'BUY' ? lots : -lots, priceTicks };
  const { position, closed, realised } = afterFill(marketAt(model, order.market), held, fill);
  accountAt(model, order.account).positions.set(order.market, position);
  payRealised(model, order.account, order.market, realised);
  if (closed > 0) markForReview(model, order);
  return realised;
}

/** A position has shrunk: its closing orders are reviewed once before the next client's command. */
function markForReview(model: Model, { account, market, side }: ModelOrder): void {
  const isMarked = model.reviews.some(
    (one) => one.account === account && one.market === market && one.side === side,
  );
  if (!isMarked) model.reviews.push({ account, market, side });
}
