/**
 * Quotes both sides of BTC-USDT around the mark price and moves the quotes with it.
 * Should this program die, the venue cancels its quotes: a dead-man switch is set with every round.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { decimals, RialtoClient } from 'rialto/client';

const MARKET = 'BTC-USDT';
const QUANTITY = '0.01';
/** Of the price, to either side. */
const HALF_SPREAD = '0.002';
const LABELS = { BUY: 'maker bid', SELL: 'maker ask' } as const;

const rounds = Number(process.argv[3] ?? 10);
const client = await RialtoClient.fromHandout(process.argv[2] ?? './data/handout.json', {
  account: 'desk-a',
  permission: 'trade',
});

/** A tick is the smallest step of a price: down for what we pay, up for what we ask. */
function quotesAround(mark: string, tick: string) {
  const away = decimals.multiply(mark, HALF_SPREAD);
  return {
    BUY: decimals.round(decimals.subtract(mark, away), tick, 'down'),
    SELL: decimals.round(decimals.add(mark, away), tick, 'up'),
  };
}

/** A label names one open order: an open quote is moved, a filled one is placed anew. */
async function quote(side: 'BUY' | 'SELL', price: string): Promise<string> {
  const label = LABELS[side];
  const [moved] = await client.modifyOrders({ orders: [{ marketCode: MARKET, label, price }] });
  if (moved?.submitted === true) return `${side} moved to ${price}`;
  const [placed] = await client.placeOrders({
    responseType: 'FULL',
    orders: [
      {
        ...{ marketCode: MARKET, label, side, price, quantity: QUANTITY },
        ...{ orderType: 'LIMIT', timeInForce: 'MAKER_ONLY_REPRICE' },
      },
    ],
  });
  if (placed?.submitted === true) return `${side} ${QUANTITY} at ${placed.price}`;
  return `${side} refused: ${placed?.message}`;
}

try {
  for (let round = 1; round <= rounds; round++) {
    await client.cancelAllAfter({ timeout: '30000', marketCode: MARKET });
    const [market] = await client.markets({ marketCode: MARKET });
    if (market === undefined) throw new Error(`there is no ${MARKET} here`);
    const prices = quotesAround(market.markPrice, market.tickSize);
    const said = [await quote('BUY', prices.BUY), await quote('SELL', prices.SELL)];
    console.log(`Round ${round}, mark ${market.markPrice}: ${said.join(', ')}.`);
    if (round < rounds) await wait(1_000);
  }
} finally {
  await client.cancelAllOrders({ marketCode: MARKET });
  await client.cancelAllAfter({ timeout: '0', marketCode: MARKET });
  const trades = await client.trades({ marketCode: MARKET, limit: '500' });
  console.log(`Quotes canceled; ${trades.length} trades of this account in the last day.`);
}
