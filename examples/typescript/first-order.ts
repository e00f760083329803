/** Places a limit order below the market, looks at it, and cancels it. */
import { decimals, RialtoClient } from 'rialto/client';

const client = await RialtoClient.fromHandout(process.argv[2] ?? './data/handout.json');
const [market] = await client.markets({ marketCode: 'BTC-USDT' });
if (market === undefined) throw new Error('there is no BTC-USDT here');

// 5 % below the mark price, as a multiple of the tick: it rests in the book.
const price = decimals.round(decimals.multiply(market.markPrice, '0.95'), market.tickSize, 'down');
console.log(`BTC-USDT is at ${market.markPrice}; buying 0.01 at ${price}.`);
const [placed] = await client.placeOrders({
  responseType: 'FULL',
  orders: [{ marketCode: 'BTC-USDT', side: 'BUY', orderType: 'LIMIT', quantity: '0.01', price }],
});
if (placed?.orderId === undefined || !placed.submitted) {
  throw new Error(`refused: ${placed?.code} ${placed?.message}`);
}
const { orderId } = placed;
const order = await client.orderStatus({ orderId });
console.log(`Order ${orderId} is ${order.status}, ${order.remainQuantity} of it open.`);

const [canceled] = await client.cancelOrders({ orders: [{ marketCode: 'BTC-USDT', orderId }] });
console.log(`Canceled: ${canceled?.submitted}.`);
