/** Places a limit order below the market with ccxt, looks at it, and cancels it. */
import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import ccxt from 'ccxt';

const file = process.argv[2] ?? './data/handout.json';
const { baseUrl, families } = JSON.parse(readFileSync(file, 'utf8'));
const key = families[0].accounts[0].keys.find(({ permissions }) => permissions.includes('trade'));
const exchange = new ccxt.oxfun({
  apiKey: key.accessKey,
  secret: key.secret,
  // On Node ccxt needs an agent for plain http; an https address needs none.
  agent: new Agent({ keepAlive: true }),
});
Object.assign(exchange.urls.api, { public: baseUrl, private: baseUrl });

await exchange.loadMarkets();
const { markPrice } = await exchange.fetchTicker('BTC/USDT');
const price = exchange.priceToPrecision('BTC/USDT', 0.95 * markPrice);
console.log(`BTC/USDT is at ${markPrice}; buying 0.01 at ${price}.`);
const { id } = await exchange.createOrder('BTC/USDT', 'limit', 'buy', 0.01, price);
const order = await exchange.fetchOrder(id, 'BTC/USDT');
console.log(`Order ${id} is ${order.status}, ${order.remaining} of it open.`);

await exchange.cancelOrder(id, 'BTC/USDT');
console.log(`Canceled: ${(await exchange.fetchOrder(id, 'BTC/USDT')).status}.`);
