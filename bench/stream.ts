import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { rmSync } from 'node:fs';
import { WebSocket } from 'ws';
import type { Handout, HandoutKey } from '../src/cli/handout.ts';
import { type Figure, median } from './figures.ts';
import { cpuMicroseconds, mainThreadMs, startVenue, stop, type Venue, WARM_UP } from './program.ts';

/**
 * S5: orders over the stream, durable before the answer, alternating with a bare echo of the same messages by
 * the same library. S10: what a command costs the engine's thread with one listener and with thousands, and
 * with some that do not read.
 */
export type StreamOptions = {
  readonly messages: number;
  readonly rounds: number;
  readonly sessions?: number;
  readonly listeners?: number;
};

const ORDER = { marketCode: 'BTC-USDT', price: '60000', quantity: '0.0001', orderType: 'LIMIT' };

export async function benchStream(options: StreamOptions): Promise<Figure[]> {
  const { messages, rounds, sessions = 64, listeners = 2_000 } = options;
  const venue = await startVenue();
  const echo = await startProgram('bench/ws-echo.ts', []);
  try {
    const traders = await openWarm(venue, sessions);
    const echoes = await openSockets(Number(echo.output), sessions);
    const echoed: Flood[] = [];
    const placed: Flood[] = [];
    for (let round = 0; round < rounds; round++) {
      echoed.push(await flood(echoes, messages, echo.child));
      placed.push(await flood(traders, messages, venue.child));
    }
    const where = ', sockets of the engine';
    const figures = [
      ...orderFigures(echoed, placed, where),
      ...(await fanOut(venue, traders, { listeners, rounds, where })),
    ];
    await stop(venue.child);
    return [...figures, ...(await withThread(options, { echoes, child: echo.child }))];
  } finally {
    await stop(venue.child);
    await stop(echo.child);
    rmSync(venue.directory, { recursive: true, force: true });
  }
}

type Echo = { readonly echoes: readonly WebSocket[]; readonly child: ChildProcess };

/** Both with the sockets on a gateway thread, as `serve` does with three or more cores. */
async function withThread(options: StreamOptions, echo: Echo): Promise<Figure[]> {
  const { messages, rounds, sessions = 64, listeners = 2_000 } = options;
  const venue = await startVenue([], ['--gateways', '1']);
  try {
    const traders = await openWarm(venue, sessions);
    const where = ', sockets on a gateway thread';
    const echoed: Flood[] = [];
    const placed: Flood[] = [];
    for (let round = 0; round < rounds; round++) {
      echoed.push(await flood(echo.echoes, messages, echo.child));
      placed.push(await flood(traders, messages, venue.child));
    }
    return [
      ...orderFigures(echoed, placed, where),
      ...(await fanOut(venue, traders, { listeners, rounds, where, goal: 1.1 })),
    ];
  } finally {
    await stop(venue.child);
    rmSync(venue.directory, { recursive: true, force: true });
  }
}

async function openWarm(venue: Venue, sessions: number): Promise<WebSocket[]> {
  const traders = await openTraders(venue, sessions);
  for (let step = 0; step < WARM_UP.steps; step++) {
    await flood(traders, WARM_UP.orders, venue.child);
  }
  return traders;
}

type Flood = {
  readonly perSecond: number;
  readonly cpuMicroseconds: number;
  readonly mainMicroseconds: number;
};

/** Each socket sends its next message when the previous one was answered. */
async function flood(
  sockets: readonly WebSocket[],
  messages: number,
  child: ChildProcess,
): Promise<Flood> {
  const [cpuBefore, mainBefore] = [cpuMicroseconds(child), mainThreadMs(child)];
  const startedMs = performance.now();
  let sent = 0;
  const sentBy = [0, 0];
  await Promise.all(
    sockets.map(
      (socket, at) =>
        new Promise<void>((resolve, reject) => {
          const send = (): void => {
            if (sent >= messages) {
              socket.off('message', onAnswer);
              resolve();
              return;
            }
            const turn = sent++;
            // Each family changes sides after two orders of its own, whichever of its sockets is answered
            // first: so neither runs out of funds, and both together leave no orders open.
            const family = at & 1;
            const own = sentBy[family] as number;
            sentBy[family] = own + 1;
            const side = ((own >> 1) & 1) === family ? 'BUY' : 'SELL';
            socket.send(JSON.stringify({ op: 'placeorder', tag: turn, data: { ...ORDER, side } }));
          };
          const onAnswer = (data: Buffer): void => {
            const text = data.toString();
            if (text.includes('"submitted":false')) reject(new Error(text));
            else send();
          };
          socket.on('message', onAnswer);
          send();
        }),
    ),
  );
  const seconds = (performance.now() - startedMs) / 1_000;
  await new Promise((resolve) => setTimeout(resolve, 500));
  return {
    perSecond: messages / seconds,
    cpuMicroseconds: (cpuMicroseconds(child) - cpuBefore) / messages,
    mainMicroseconds: ((mainThreadMs(child) - mainBefore) * 1_000) / messages,
  };
}

function orderFigures(echoed: readonly Flood[], placed: readonly Flood[], where: string): Figure[] {
  const rate = (floods: readonly Flood[]) => median(floods.map(({ perSecond }) => perSecond));
  const cpu = (floods: readonly Flood[]) => median(floods.map(({ cpuMicroseconds: used }) => used));
  const ratio = rate(placed) / rate(echoed);
  return [
    { id: 'S5', name: 'bare ws echo', value: rate(echoed), unit: 'messages/s' },
    { id: 'S5', name: 'bare ws echo', value: cpu(echoed), unit: 'us CPU' },
    {
      ...{
        id: 'S5',
        name: `orders over the stream${where}`,
        value: rate(placed),
        unit: 'orders/s',
        ratio,
      },
      ...{ to: 'of the echo', goal: '>= 0.5', isMet: ratio >= 0.5 },
    },
    {
      ...{ id: 'S5', name: `orders over the stream${where}, all threads`, value: cpu(placed) },
      ...{ unit: 'us CPU', ratio: cpu(placed) / cpu(echoed), to: "the echo's" },
    },
  ];
}

type FanOut = {
  readonly listeners: number;
  readonly rounds: number;
  readonly where: string;
  readonly goal?: number;
};

/** A steady flow of orders, slow enough to leave the engine's thread idle half of the time. */
const PACED_PER_SECOND = 2_000;

async function fanOut(
  venue: Venue,
  traders: readonly WebSocket[],
  { listeners, rounds, where, goal }: FanOut,
): Promise<Figure[]> {
  const channel = 'depth:BTC-USDT';
  const cost = async (count: number): Promise<number> => {
    const child = await startProgram('bench/listeners.ts', [
      String(venue.port),
      String(count),
      channel,
    ]);
    const used = await paced(traders, venue.child);
    await stop(child.child);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    return used;
  };
  const one: number[] = [];
  const many: number[] = [];
  for (let round = 0; round < rounds; round++) {
    one.push(await cost(1));
    many.push(await cost(listeners));
  }
  const ratio = median(many) / median(one);
  return [
    {
      ...{ id: 'S10', name: `a command, one listener${where}`, value: median(one) },
      unit: 'us main thread',
    },
    {
      ...{ id: 'S10', name: `a command, ${listeners} listeners on one book${where}` },
      value: median(many),
      ...{ unit: 'us main thread', ratio, to: 'one listener' },
      ...(goal === undefined ? {} : { goal: `<= ${goal} (noise)`, isMet: ratio <= goal }),
    },
  ];
}

/** CPU time of the engine's thread per order, over five seconds of a steady flow that moves the book. */
async function paced(traders: readonly WebSocket[], child: ChildProcess): Promise<number> {
  const beforeMs = mainThreadMs(child);
  let sent = 0;
  let answered = 0;
  for (const socket of traders) socket.on('message', () => answered++);
  const startedMs = performance.now();
  while (performance.now() - startedMs < 5_000) {
    const due = ((performance.now() - startedMs) / 1_000) * PACED_PER_SECOND;
    while (sent < due) {
      const socket = traders[sent % traders.length] as WebSocket;
      const side = ((sent >> 7) & 1) === (sent & 1) ? 'BUY' : 'SELL';
      socket.send(JSON.stringify({ op: 'placeorder', tag: sent, data: { ...ORDER, side } }));
      sent++;
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  while (answered < sent) await new Promise((resolve) => setTimeout(resolve, 20));
  for (const socket of traders) socket.removeAllListeners('message');
  return ((mainThreadMs(child) - beforeMs) * 1_000) / sent;
}

async function openTraders(venue: Venue, count: number): Promise<WebSocket[]> {
  const sockets = await openSockets(venue.port, count, '/v2/websocket');
  await Promise.all(
    sockets.map(
      (socket, at) =>
        new Promise<void>((resolve) => {
          socket.on('message', (data: Buffer) => {
            if (!data.toString().includes('"login","success":true')) return;
            socket.removeAllListeners('message');
            resolve();
          });
          socket.send(JSON.stringify(loginOf(keyOf(venue.handout, at & 1))));
        }),
    ),
  );
  return sockets;
}

function openSockets(port: number, count: number, path = '/'): Promise<WebSocket[]> {
  const opening = Array.from({ length: count }, () => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { perMessageDeflate: false });
    return new Promise<WebSocket>((resolve, reject) => {
      socket.once('open', () => resolve(socket));
      socket.once('error', reject);
    });
  });
  return Promise.all(opening);
}

function keyOf({ families }: Handout, family: number): HandoutKey {
  const keys = families[family]?.accounts[0]?.keys ?? [];
  const key = keys.find(({ permissions }) => permissions.includes('trade'));
  if (key === undefined) throw new Error('every demo family has a key that may trade');
  return key;
}

function loginOf({ accessKey, secret }: HandoutKey): object {
  const timestamp = String(Date.now());
  const signature = createHmac('sha256', secret)
    .update(`${timestamp}GET/auth/self/verify`)
    .digest('base64');
  return { op: 'login', data: { apiKey: accessKey, timestamp, signature } };
}

/** Resolves with the first line of its output. */
async function startProgram(
  file: string,
  args: readonly string[],
): Promise<{ readonly child: ChildProcess; readonly output: string }> {
  const child = spawn(process.execPath, [file, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const output = await new Promise<string>((resolve, reject) => {
    child.stdout?.once('data', (text: Buffer) => resolve(text.toString().trim()));
    child.once('exit', () => reject(new Error(`${file} did not start`)));
  });
  // Later output is not read.
  child.stdout?.resume();
  return { child, output };
}

if (import.meta.main) {
  const messages = Number(process.argv[2] ?? 10_000);
  const listeners = Number(process.argv[3] ?? 2_000);
  console.table(await benchStream({ messages, listeners, rounds: 1 }));
}
