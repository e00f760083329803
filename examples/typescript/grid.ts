/**
 * A grid on the BTC perpetual: buys below the price, sells above it. Each fill is answered with an order one step
 * further on the other side. In the end all orders are canceled and the position is closed.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { decimals, RialtoClient, RialtoStream } from 'rialto/client';

const MARKET = 'BTC-USD-SWAP-LIN';
const QUANTITY = '0.01';
const LEVELS = 3;
/** From one level to the next, of the price. */
const STEP = '0.0005';

type Notice = {
  readonly notice: string;
  readonly side: 'BUY' | 'SELL';
  readonly price: string;
  readonly marketCode: string;
  readonly status: string;
};

const file = process.argv[2] ?? './data/handout.json';
const seconds = Number(process.argv[3] ?? 20);
const whose = { account: 'desk-b', permission: 'trade' } as const;
const client = await RialtoClient.fromHandout(file, whose);
const stream = await RialtoStream.fromHandout(file, { ...whose, cancelOnDisconnect: true });

const [market] = await client.markets({ marketCode: MARKET });
if (market === undefined) throw new Error(`there is no ${MARKET} here`);
const { markPrice, tickSize } = market;
const step = decimals.round(decimals.multiply(markPrice, STEP), tickSize, 'up');

/** So many steps away; negative for below. */
const stepsFrom = (price: string, steps: number): string =>
  decimals.round(decimals.add(price, decimals.multiply(step, String(steps))), tickSize);

async function place(side: 'BUY' | 'SELL', price: string): Promise<void> {
  const order = { marketCode: MARKET, side, price, quantity: QUANTITY, orderType: 'LIMIT' };
  const [answer] = await stream.command('placeorder', { ...order, timeInForce: 'MAKER_ONLY' });
  console.log(`${side} ${QUANTITY} at ${price}${answer?.submitted ? '' : `: ${answer?.message}`}.`);
}

stream.subscribe('order:all', ({ data }) => {
  for (const { notice, status, side, price, marketCode } of data as readonly Notice[]) {
    if (notice !== 'OrderMatched' || status !== 'FILLED' || marketCode !== MARKET) continue;
    console.log(`Filled: ${side} at ${price}.`);
    const next = side === 'BUY' ? 'SELL' : 'BUY';
    void place(next, stepsFrom(price, side === 'BUY' ? 1 : -1)).catch(() => undefined);
  }
});

console.log(`${MARKET} is at ${markPrice}; ${LEVELS} orders a side, ${step} apart.`);
try {
  for (let level = 1; level <= LEVELS; level++) {
    await place('BUY', stepsFrom(markPrice, -level));
    await place('SELL', stepsFrom(markPrice, level));
  }
  await wait(seconds * 1_000);
} finally {
  stream.close();
  await client.cancelAllOrders({ marketCode: MARKET });
  const [account] = await client.positions({ marketCode: MARKET });
  const held = account?.positions?.[0]?.position ?? '0';
  if (decimals.compare(held, '0') !== 0) {
    const side = decimals.compare(held, '0') > 0 ? 'SELL' : 'BUY';
    const quantity = held.replace('-', '');
    const order = { marketCode: MARKET, side, quantity, orderType: 'MARKET' } as const;
    await client.placeOrders({ orders: [{ ...order, reduceOnly: true }] });
  }
  console.log(`Orders canceled; the position was ${held}, and is closed.`);
}
