import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { rmSync } from 'node:fs';
import type { Handout, HandoutKey } from '../src/cli/handout.ts';
import { messageToSign } from '../src/wire/signing.ts';
import { MEMORY_FOLDER, quantile, sampleDisk } from './disk.ts';
import { type Figure, median } from './figures.ts';
import { type LoadFigures, runLoad } from './load.ts';
import { cpuMicroseconds, mainThreadMs, startVenue, stop, type Venue, WARM_UP } from './program.ts';

/**
 * S3 and S4: signed REST requests to the program itself, durable before the answer, alternating with a bare
 * node:http echo of the same requests. Requests are signed before the clock starts. Buyer and seller
 * alternate at one price, so that every second order matches the previous one.
 *
 * CPU time is that of the whole process, all threads, as reported by the kernel: it shows what an order costs
 * whatever else the machine is doing. Rates and latencies do not. A second venue serves the same on a gateway
 * thread, to show the cost for the engine's thread. At half load a third one keeps its data in memory, and the
 * disk is timed alone: together they show which part of the slowest hundredth is the program's.
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
  const threaded = await startVenue(options.nodeFlags ?? [], ['--gateways', '1']);
  const inMemory =
    MEMORY_FOLDER === undefined
      ? undefined
      : await startVenue(options.nodeFlags ?? [], [], MEMORY_FOLDER);
  const venues = [venue, threaded, ...(inMemory === undefined ? [] : [inMemory])];
  const echo = await startEcho();
  try {
    const flood = async (
      to: { readonly port: number; readonly child: ChildProcess } | Venue,
      count: number,
      orders: number,
      rate?: number,
    ): Promise<Flood> => {
      const { port, child } = to;
      const isVenue = 'handout' in to;
      const signer = new Signer(
        (isVenue ? to : venue).handout,
        `localhost:${isVenue ? port : venue.port}`,
      );
      const prepared = signer.requests(count, orders);
      const [before, mainBefore] = [cpuMicroseconds(child), mainThreadMs(child)];
      const load = await runLoad({
        ports: [port],
        requests: prepared,
        connections,
        check: isVenue ? checkPlaced : () => undefined,
        ...(rate === undefined ? {} : { rate }),
      });
      // Follower and history continue for a moment after the last answer: that is part of the cost.
      if (isVenue) await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
      const all = count * orders;
      return {
        ...load,
        cpuPerOrder: (cpuMicroseconds(child) - before) / all,
        mainPerOrder: ((mainThreadMs(child) - mainBefore) * 1_000) / all,
      };
    };
    for (let step = 0; step < WARM_UP.steps; step++) {
      for (const warmed of venues) await flood(warmed, WARM_UP.orders, 1);
    }
    const echoes: Flood[] = [];
    const singles: Flood[] = [];
    const eights: Flood[] = [];
    const onThread: Flood[] = [];
    for (let round = 0; round < rounds; round++) {
      echoes.push(await flood(echo, requests, 1));
      singles.push(await flood(venue, requests, 1));
      onThread.push(await flood(threaded, requests, 1));
      eights.push(await flood(venue, Math.ceil(requests / 4), 8));
    }
    const halfRate = median(singles.map(({ perSecond }) => perSecond)) / 2;
    const few = Math.min(requests, Math.ceil(halfRate * 5));
    const echoHalves: Flood[] = [];
    const venueHalves: Flood[] = [];
    const memoryHalves: Flood[] = [];
    const diskMs: number[] = [];
    for (let round = 0; round < HALF_ROUNDS; round++) {
      echoHalves.push(await flood(echo, few, 1, halfRate));
      venueHalves.push(await flood(venue, few, 1, halfRate));
      if (inMemory !== undefined) memoryHalves.push(await flood(inMemory, few, 1, halfRate));
      diskMs.push(...(await sampleDisk(DISK_MS)));
    }
    return [
      ...figuresOf({ echoes, singles, eights, onThread, echoHalves, venueHalves }),
      ...diskFigures({ echoHalves, memoryHalves, diskMs }),
    ];
  } finally {
    await Promise.all([...venues, echo].map(({ child }) => stop(child)));
    for (const { directory } of venues) rmSync(directory, { recursive: true, force: true });
  }
}

type Flood = LoadFigures & { readonly cpuPerOrder: number; readonly mainPerOrder: number };
const SETTLE_MS = 500;
/**
 * The whole heap is collected about every ten seconds: a round without a collection and a round with two say
 * little alone.
 */
const HALF_ROUNDS = 5;
const DISK_MS = 2_000;
/** Everything waits for a write that takes so long; if that is a hundredth of the time, it decides the p99. */
const STALL_MS = 3;

function figuresOf(seen: {
  readonly echoes: readonly Flood[];
  readonly singles: readonly Flood[];
  readonly eights: readonly Flood[];
  /** One order per request, sockets on a gateway thread. */
  readonly onThread: readonly Flood[];
  /** At half of the venue's maximum rate. */
  readonly echoHalves: readonly Flood[];
  readonly venueHalves: readonly Flood[];
}): Figure[] {
  const rate = (floods: readonly Flood[]) => median(floods.map(({ perSecond }) => perSecond));
  const cpu = (floods: readonly Flood[]) => median(floods.map(({ cpuPerOrder }) => cpuPerOrder));
  const main = (floods: readonly Flood[]) => median(floods.map(({ mainPerOrder }) => mainPerOrder));
  const echoCpu = cpu(seen.echoes);
  const mainAlone = main(seen.singles);
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
  const p50 = median(seen.venueHalves.map(({ p50Ms }) => p50Ms));
  const p99Name = `p99 at half that load (p50 ${p50.toFixed(2)} ms)`;
  return [
    { id: 'S3', name: 'bare node:http echo', value: rate(seen.echoes), unit: 'requests/s' },
    { id: 'S3', name: 'bare node:http echo', value: echoCpu, unit: 'us CPU' },
    least('S3', 'signed REST, one order', 'requests/s', rate(seen.singles), rate(seen.echoes)),
    most('S3', 'signed REST, one order, all threads', cpu(seen.singles), echoCpu, 2.2),
    { id: 'S3', name: "signed REST, one order, engine's thread", value: mainAlone, unit: 'us CPU' },
    {
      ...{
        id: 'S3',
        name: 'with a gateway thread',
        value: rate(seen.onThread),
        unit: 'requests/s',
      },
      ...{ ratio: rate(seen.onThread) / rate(seen.singles), to: 'without' },
    },
    {
      ...{ id: 'S3', name: "with a gateway thread, engine's thread", value: main(seen.onThread) },
      ...{ unit: 'us CPU', ratio: main(seen.onThread) / mainAlone, to: 'without' },
    },
    {
      ...{ id: 'S3', name: 'with a gateway thread, all threads', value: cpu(seen.onThread) },
      ...{ unit: 'us CPU', ratio: cpu(seen.onThread) / cpu(seen.singles), to: 'without' },
    },
    most('S3', p99Name, p99Of(seen.venueHalves), p99Of(seen.echoHalves), 3),
    { id: 'S4', name: 'signed REST, 8 orders', value: 8 * rate(seen.eights), unit: 'orders/s' },
    most('S4', 'signed REST, 8 orders, each order', cpu(seen.eights), echoCpu, 1.1),
  ];
}

const p99Of = (floods: readonly Flood[]): number => median(floods.map(({ p99Ms }) => p99Ms));

/** What part of the slowest hundredth is not the disk's. */
function diskFigures(seen: {
  readonly echoHalves: readonly Flood[];
  readonly memoryHalves: readonly Flood[];
  readonly diskMs: readonly number[];
}): Figure[] {
  const disk = (name: string, share: number): Figure => ({
    ...{ id: 'S3', name: `the disk alone, once a millisecond, ${name}`, unit: 'ms' },
    value: quantile(seen.diskMs, share),
  });
  const inMemory = p99Of(seen.memoryHalves);
  const stalledMs = seen.diskMs.reduce((sum, ms) => (ms > STALL_MS ? sum + ms : sum), 0);
  const share = (100 * stalledMs) / (DISK_MS * HALF_ROUNDS);
  const figures: Figure[] = [
    disk('p50', 0.5),
    disk('p99', 0.99),
    {
      ...{ id: 'S3', name: `the disk alone, time in writes of more than ${STALL_MS} ms` },
      ...{ value: share, unit: '% of it' },
    },
  ];
  if (seen.memoryHalves.length === 0) return figures;
  return [
    {
      ...{ id: 'S3', name: 'p99 at half that load, data in memory', value: inMemory, unit: 'ms' },
      ...{ ratio: inMemory / p99Of(seen.echoHalves), to: "the echo's" },
    },
    ...figures,
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

/** No two requests of a run have the same bytes. */
let lastNonce = 0;

/** Signs for the main accounts of both families, alternating. */
export class Signer {
  readonly #keys: readonly HandoutKey[];
  readonly #host: string;

  /** `host` is the host for which requests are signed. */
  constructor({ families }: Handout, host: string) {
    this.#host = host;
    this.#keys = families.map(({ accounts }) => {
      const key = accounts[0]?.keys.find(({ permissions }) => permissions.includes('trade'));
      if (key === undefined) throw new Error('every demo family has a key that may trade');
      return key;
    });
  }

  requests(count: number, ordersPer: number): Buffer[] {
    const timestamp = new Date().toISOString();
    return Array.from({ length: count }, (_, at) => {
      // Every fourth request the two change sides, so that neither runs out of funds.
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
