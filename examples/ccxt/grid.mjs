/**
 * A grid on SOL/USDT with ccxt: buys below the price, sells above it. Once a second it looks which orders are gone and
 * places one a step further on the other side. In the end it cancels its orders.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { exchangeOf } from './venue.mjs';

const SYMBOL = 'SOL/USDT';
const AMOUNT = 1;
const LEVELS = 3;
/** From one level to the next, of the price. */
const STEP = 0.001;

const rounds = Number(process.argv[3] ?? 20);
const exchange = exchangeOf(process.argv[2]);

await exchange.loadMarkets();
const { markPrice } = await exchange.fetchTicker(SYMBOL);
const step = STEP * markPrice;
/** By order id. */
const open = new Map();

async function place(side, wanted) {
  const price = Number(exchange.priceToPrecision(SYMBOL, wanted));
  const { id } = await exchange.createOrder(SYMBOL, 'limit', side, AMOUNT, price);
  open.set(id, { side, price });
  console.log(`${side} ${AMOUNT} at ${price}.`);
}

console.log(`${SYMBOL} is at ${markPrice}; ${LEVELS} orders a side.`);
try {
  for (let level = 1; level <= LEVELS; level++) {
    await place('buy', markPrice - level * step);
    await place('sell', markPrice + level * step);
  }
  for (let round = 1; round <= rounds; round++) {
    await wait(1_000);
    const resting = new Set((await exchange.fetchOpenOrders(SYMBOL)).map(({ id }) => id));
    for (const [id, { side, price }] of [...open].filter(([id]) => !resting.has(id))) {
      open.delete(id);
      console.log(`Filled: ${side} at ${price}.`);
      if (side === 'buy') await place('sell', price + step);
      else await place('buy', price - step);
    }
  }
} finally {
  for (const id of open.keys()) await exchange.cancelOrder(id, SYMBOL).catch(() => undefined);
  console.log(`${open.size} orders canceled.`);
}
