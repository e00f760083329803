import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { rmSync } from 'node:fs';
import type { Handout, HandoutKey } from '../src/cli/handout.ts';
import { messageToSign } from '../src/wire/signing.ts';
import { type Figure, median } from './figures.ts';
import { type LoadFigures, runLoad } from './load.ts';
import { cpuMicroseconds, startVenue, stop } from './program.ts';

/**
 * S3 and S4: signed REST against the program itself, durable before the answer, with a bare
 * node:http echo of the same requests in turns. Requests are signed before the clock starts. Buyer
 * and seller take turns at one price, so that every second order meets the one before it.
 *
 * CPU time is that of the whole process, all threads, from the kernel's books: it says what an order
 * costs whatever else the machine is doing. Rates and latencies do not.
 */
export type RestOptions = {
  readonly requests: number;
  readonly rounds: number;
  readonly connections?: number;
  /** Flags for the server's runtime, e.g. --cpu-prof. */
  readonly nodeFlags?: readonly string[];
};

const MARKET = { marketCode: 'BTC-USDT', price: '60000', quantity: '0.0001' };
const ORDERS_PATH = '/v3/orders/place';

export async function benchRest(options: RestOptions): Promise<Figure[]> {
  const { requests, rounds, connections = 64 } = options;
  const venue = await startVenue(options.nodeFlags ?? []);
  const echo = await startEcho();
  try {
    const signer = new Signer(venue.handout, venue.port);
    const flood = async (
      { port, child }: { readonly port: number; readonly child: ChildProcess },
      count: number,
      orders: number,
      rate?: number,
    ): Promise<Flood> => {
      const prepared = signer.requests(count, orders);
      const before = cpuMicroseconds(child);
      const load = await runLoad({
        port,
        requests: prepared,
        connections,
        check: port === venue.port ? checkPlaced : () => undefined,
        ...(rate === undefined ? {} : { rate }),
      });
      // Follower and history work on for a moment after the last answer: that is part of the cost.
      if (port === venue.port) await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
      return { ...load, cpuPerOrder: (cpuMicroseconds(child) - before) / (count * orders) };
    };
    const echoes: Flood[] = [];
    const singles: Flood[] = [];
    const eights: Flood[] = [];
    for (let round = 0; round < rounds; round++) {
      echoes.push(await flood(echo, requests, 1));
      singles.push(await flood(venue, requests, 1));
      eights.push(await flood(venue, Math.ceil(requests / 4), 8));
    }
    const halfRate = median(singles.map(({ perSecond }) => perSecond)) / 2;
    const few = Math.min(requests, Math.ceil(halfRate * 5));
    const echoHalf = await flood(echo, few, 1, halfRate);
    const venueHalf = await flood(venue, few, 1, halfRate);
    return figuresOf({ echoes, singles, eights, echoHalf, venueHalf });
  } finally {
    await stop(venue.child);
    await stop(echo.child);
    rmSync(venue.directory, { recursive: true, force: true });
  }
}

type Flood = LoadFigures & { readonly cpuPerOrder: number };
const SETTLE_MS = 500;

function figuresOf(seen: {
  readonly echoes: readonly Flood[];
  readonly singles: readonly Flood[];
  readonly eights: readonly Flood[];
  readonly echoHalf: Flood;
  readonly venueHalf: Flood;
}): Figure[] {
  const { echoHalf, venueHalf } = seen;
  const rate = (floods: readonly Flood[]) => median(floods.map(({ perSecond }) => perSecond));
  const cpu = (floods: readonly Flood[]) => median(floods.map(({ cpuPerOrder }) => cpuPerOrder));
  const echoCpu = cpu(seen.echoes);
  const least = (id: string, name: string, unit: string, value: number, to: number): Figure => ({
    id,
    name,
    value,
    unit,
    ratio: value / to,
    to: 'of the echo',
    goal: '>= 0.5',
    isMet: value / to >= 0.5,
  });
  const most = (id: string, name: string, value: number, to: number, goal: number): Figure => ({
    id,
    name,
    value,
    unit: name.startsWith('p99') ? 'ms' : 'us CPU',
    ratio: value / to,
    to: "the echo's",
    goal: `<= ${goal}`,
    isMet: value / to <= goal,
  });
  const p99Name = `p99 at half that load (p50 ${venueHalf.p50Ms.toFixed(2)} ms)`;
  return [
    { id: 'S3', name: 'bare node:http echo', value: rate(seen.echoes), unit: 'requests/s' },
    { id: 'S3', name: 'bare node:http echo', value: echoCpu, unit: 'us CPU' },
    least('S3', 'signed REST, one order', 'requests/s', rate(seen.singles), rate(seen.echoes)),
    most('S3', 'signed REST, one order, all threads', cpu(seen.singles), echoCpu, 2.2),
    most('S3', p99Name, venueHalf.p99Ms, echoHalf.p99Ms, 3),
    { id: 'S4', name: 'signed REST, 8 orders', value: 8 * rate(seen.eights), unit: 'orders/s' },
    most('S4', 'signed REST, 8 orders, each order', cpu(seen.eights), echoCpu, 1.1),
  ];
}

export function checkPlaced(body: string): void {
  const { success, data } = JSON.parse(body) as {
    success: boolean;
    data: { submitted: boolean; message?: string }[];
  };
  if (success && data.every(({ submitted }) => submitted)) return;
  throw new Error(`an order was refused: ${body.slice(0, 400)}`);
}

/** No two requests of a run are the same bytes. */
let lastNonce = 0;

/** Signs on behalf of the main accounts of both families, in turns. */
export class Signer {
  readonly #keys: readonly HandoutKey[];
  readonly #host: string;

  constructor({ families }: Handout, port: number) {
    this.#host = `localhost:${port}`;
    this.#keys = families.map(({ accounts }) => {
      const key = accounts[0]?.keys.find(({ permissions }) => permissions.includes('trade'));
      if (key === undefined) throw new Error('every demo family has a key that may trade');
      return key;
    });
  }

  requests(count: number, ordersPer: number): Buffer[] {
    const timestamp = new Date().toISOString();
    return Array.from({ length: count }, (_, at) => {
      // Every fourth request the two change sides, so that neither runs out of anything.
      const side = (at & 1) === ((at >> 1) & 1) ? 'BUY' : 'SELL';
      const order = { ...MARKET, side, orderType: 'LIMIT', timeInForce: 'GTC' };
      const body = JSON.stringify({ orders: Array.from({ length: ordersPer }, () => order) });
      return this.#sign(this.#keys[at & 1] as HandoutKey, timestamp, body);
    });
  }

  #sign({ accessKey, secret }: HandoutKey, timestamp: string, body: string): Buffer {
    const nonce = String(++lastNonce);
    const host = this.#host;
    const parts = { timestamp, nonce, method: 'POST', host, path: ORDERS_PATH, sixth: body };
    const signature = createHmac('sha256', secret).update(messageToSign(parts)).digest('base64');
    return Buffer.from(
      `POST ${ORDERS_PATH} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\nAccessKey: ${accessKey}\r\n` +
        `Timestamp: ${timestamp}\r\nNonce: ${nonce}\r\nSignature: ${signature}\r\n\r\n${body}`,
    );
  }
}

async function startEcho(): Promise<{ readonly child: ChildProcess; readonly port: number }> {
  const child = spawn(process.execPath, ['bench/echo.ts'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const port = await new Promise<number>((resolve, reject) => {
    child.stdout?.once('data', (text: Buffer) => resolve(Number(text.toString())));
    child.once('exit', () => reject(new Error('the echo did not start')));
  });
  return { child, port };
}

if (import.meta.main) {
  const nodeFlags = process.argv.slice(3);
  const requests = Number(process.argv[2] ?? 20_000);
  console.table(await benchRest({ requests, rounds: 1, nodeFlags }));
}
