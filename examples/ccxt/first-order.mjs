/** Places a limit order below the market with ccxt, looks at it, and cancels it. */
import { exchangeOf } from './venue.mjs';

const exchange = exchangeOf(process.argv[2]);

await exchange.loadMarkets();
const { markPrice } = await exchange.fetchTicker('BTC/USDT');
const price = exchange.priceToPrecision('BTC/USDT', 0.95 * markPrice);
console.log(`BTC/USDT is at ${markPrice}; buying 0.01 at ${price}.`);
const { id } = await exchange.createOrder('BTC/USDT', 'limit', 'buy', 0.01, price);
const order = await exchange.fetchOrder(id, 'BTC/USDT');
console.log(`Order ${id} is ${order.status}, ${order.remaining} of it open.`);

await exchange.cancelOrder(id, 'BTC/USDT');
console.log(`Canceled: ${(await exchange.fetchOrder(id, 'BTC/USDT')).status}.`);
