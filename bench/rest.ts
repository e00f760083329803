import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Handout, HandoutKey } from '../src/cli/handout.ts';
import { messageToSign } from '../src/wire/signing.ts';
import { type Figure, median } from './figures.ts';
import { type LoadFigures, runLoad } from './load.ts';

/**
 * S3 and S4: signed REST against the program itself, durable before the answer, with a bare
 * node:http echo of the same requests in turns. Requests are signed before the clock starts. Buyer
 * and seller take turns at one price, so that every second order meets the one before it.
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
    const flood = (port: number, count: number, orders: number, rate?: number) =>
      runLoad({
        port,
        requests: signer.requests(count, orders),
        connections,
        check: port === venue.port ? checkPlaced : () => undefined,
        ...(rate === undefined ? {} : { rate }),
      });
    const echoes: LoadFigures[] = [];
    const singles: LoadFigures[] = [];
    const eights: LoadFigures[] = [];
    for (let round = 0; round < rounds; round++) {
      echoes.push(await flood(echo.port, requests, 1));
      singles.push(await flood(venue.port, requests, 1));
      eights.push(await flood(venue.port, Math.ceil(requests / 4), 8));
    }
    const single = median(singles.map(({ perSecond }) => perSecond));
    const halfRate = single / 2;
    const few = Math.min(requests, Math.ceil(halfRate * 5));
    const echoHalf = await flood(echo.port, few, 1, halfRate);
    const venueHalf = await flood(venue.port, few, 1, halfRate);
    return figuresOf({ echoes, eights, single, echoHalf, venueHalf });
  } finally {
    await stop(venue.child);
    await stop(echo.child);
    rmSync(venue.directory, { recursive: true, force: true });
  }
}

function figuresOf(seen: {
  readonly echoes: readonly LoadFigures[];
  readonly eights: readonly LoadFigures[];
  readonly single: number;
  readonly echoHalf: LoadFigures;
  readonly venueHalf: LoadFigures;
}): Figure[] {
  const { single, echoHalf, venueHalf } = seen;
  const echo = median(seen.echoes.map(({ perSecond }) => perSecond));
  const orders = 8 * median(seen.eights.map(({ perSecond }) => perSecond));
  const slower = venueHalf.p99Ms / echoHalf.p99Ms;
  return [
    { id: 'S3', name: 'bare node:http echo', value: echo, unit: 'requests/s' },
    {
      id: 'S3',
      name: 'signed REST, one order a request',
      value: single,
      unit: 'requests/s',
      ratio: single / echo,
      to: 'of the echo',
      goal: '>= 0.5',
      isMet: single / echo >= 0.5,
    },
    {
      id: 'S3',
      name: `p99 at half that load (p50 ${venueHalf.p50Ms.toFixed(2)} ms)`,
      value: venueHalf.p99Ms,
      unit: 'ms',
      ratio: slower,
      to: "the echo's",
      goal: '<= 3',
      isMet: slower <= 3,
    },
    {
      id: 'S4',
      name: 'signed REST, 8 orders a request',
      value: orders,
      unit: 'orders/s',
      ratio: orders / single,
      to: 'S3',
      goal: '>= 4',
      isMet: orders / single >= 4,
    },
  ];
}

function checkPlaced(body: string): void {
  const { success, data } = JSON.parse(body) as {
    success: boolean;
    data: { submitted: boolean; message?: string }[];
  };
  if (success && data.every(({ submitted }) => submitted)) return;
  throw new Error(`an order was refused: ${body.slice(0, 400)}`);
}

/** Signs on behalf of the main accounts of both families, in turns. */
class Signer {
  readonly #keys: readonly HandoutKey[];
  readonly #host: string;
  #nonce = 0;

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
    const nonce = String(++this.#nonce);
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

type Venue = {
  readonly child: ChildProcess;
  readonly handout: Handout;
  readonly port: number;
  readonly directory: string;
};

/** The program, as people start it, with an empty venue in a temporary directory. */
async function startVenue(nodeFlags: readonly string[]): Promise<Venue> {
  const directory = mkdtempSync(join(tmpdir(), 'rialto-bench-'));
  const file = join(directory, 'handout.json');
  const program = fileURLToPath(new URL('../src/cli/rialto.ts', import.meta.url));
  const options = ['--port', '0', '--data', join(directory, 'data'), '--handout', file];
  const child = spawn(
    process.execPath,
    [...nodeFlags, program, 'dev', ...options, '--market', 'off', '--log', 'error'],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  for (let waitedMs = 0; !existsSync(file); waitedMs += 50) {
    if (waitedMs > 30_000 || child.exitCode !== null) throw new Error('the venue did not start');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const handout = JSON.parse(readFileSync(file, 'utf8')) as Handout;
  return { child, handout, port: Number(new URL(handout.baseUrl).port), directory };
}

async function startEcho(): Promise<{ readonly child: ChildProcess; readonly port: number }> {
  const program = fileURLToPath(new URL('./echo.ts', import.meta.url));
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const port = await new Promise<number>((resolve, reject) => {
    child.stdout?.once('data', (text: Buffer) => resolve(Number(text.toString())));
    child.once('exit', () => reject(new Error('the echo did not start')));
  });
  return { child, port };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}

if (import.meta.main) {
  const nodeFlags = process.argv.slice(3);
  const requests = Number(process.argv[2] ?? 20_000);
  console.table(await benchRest({ requests, rounds: 1, nodeFlags }));
}
