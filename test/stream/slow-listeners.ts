import type { WebSocket } from 'ws';
import type { RialtoClient } from '../../src/client/index.ts';
import { StreamClient } from './stream-client.ts';

/** Thousands of listeners, a few of which do not read: the others receive everything, the slow ones are cut off. */
export type SlowRun = {
  readonly port: number;
  readonly quick: number;
  readonly slow: number;
  /** Of the maker: slow listeners subscribe to its orders, which nobody else receives. */
  readonly key: { readonly accessKey: string; readonly secret: string };
  readonly maker: RialtoClient;
  readonly taker: RialtoClient;
  readonly trades: number;
};
export type SlowReport = {
  readonly received: number;
  readonly cutOff: number;
  readonly faults: readonly string[];
};

const BTC = 'BTC-USD-SWAP-LIN';
/**
 * Orders that only the slow listeners receive: about ten megabytes, more than a connection and the system
 * buffer together.
 */
const UNHEARD_ROUNDS = 1_500;
/** How long a connection that was cut off may take to end once it is read. */
const ENDS_MS = 10_000;

export async function runSlowListeners(run: SlowRun): Promise<SlowReport> {
  const faults: string[] = [];
  const sockets: WebSocket[] = [];
  const received: number[] = [];
  const listen = async (at: number): Promise<void> => {
    const client = await StreamClient.open(run.port);
    sockets.push(client.socket);
    client.send({ op: 'subscribe', args: [`trade:${BTC}`, `depth:${BTC}`] });
    await client.next(({ table }) => table === 'depth');
    received[at] = 0;
    client.socket.removeAllListeners('message');
    client.received.length = 0;
    client.socket.on('message', (data: Buffer) => {
      if (data.includes('"trade"')) received[at] = (received[at] ?? 0) + 1;
    });
  };
  for (let at = 0; at < run.quick; at += 50) {
    const count = Math.min(50, run.quick - at);
    await Promise.all(Array.from({ length: count }, (_, place) => listen(at + place)));
  }
  const slow = await Promise.all(
    Array.from({ length: run.slow }, () => StreamClient.open(run.port)),
  );
  for (const client of slow) {
    await client.login(run.key);
    await client.ask({ op: 'subscribe', args: ['order:all'] }, 's');
    client.socket.pause();
  }
  const order = (side: 'BUY' | 'SELL') => ({
    ...{ marketCode: BTC, side, orderType: 'LIMIT' as const },
    ...{ quantity: '0.0001', price: '60000' },
  });
  for (let trade = 0; trade < run.trades; trade += 8) {
    await run.maker.placeOrders({ orders: Array.from({ length: 8 }, () => order('SELL')) });
    await run.taker.placeOrders({ orders: Array.from({ length: 8 }, () => order('BUY')) });
  }
  const far = { ...order('SELL'), price: '63000' };
  for (let round = 0; round < UNHEARD_ROUNDS; round++) {
    await run.maker.placeOrders({ orders: Array.from({ length: 8 }, () => far) });
    await run.maker.cancelAllOrders({ marketCode: BTC });
  }
  const until = Date.now() + 20_000;
  while (received.some((count) => count < run.trades) && Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  received.forEach((count, at) => {
    if (count !== run.trades) faults.push(`listener ${at} heard ${count} of ${run.trades} trades`);
  });
  for (const client of slow) client.socket.resume();
  const cutOff = (await Promise.all(slow.map(isCutOff))).filter(Boolean).length;
  if (cutOff < run.slow) faults.push(`${cutOff} of ${run.slow} who do not read were cut off`);
  if (sockets.some(({ readyState }) => readyState !== 1)) faults.push('one who reads was cut off');
  const total = received.reduce((sum, count) => sum + count, 0);
  for (const socket of [...sockets, ...slow.map(({ socket }) => socket)]) socket.terminate();
  return { received: total, cutOff, faults: faults.slice(0, 10) };
}

/** When it reads again, it receives what was in transit, and then the end. */
const isCutOff = (client: StreamClient): Promise<boolean> =>
  Promise.race([
    client.closing().then(() => true),
    new Promise<boolean>((resolve) => setTimeout(() => resolve(false), ENDS_MS).unref()),
  ]);
