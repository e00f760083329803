import { request } from 'node:http';
import type { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { HandoutKey } from '../../src/cli/handout.ts';
import { RialtoStream, type StreamMessage } from '../../src/client/index.ts';
import { ENDPOINTS } from '../../src/wire/endpoints.ts';
import { StreamClient } from '../stream/stream-client.ts';
import { type InProcess, startInProcess } from './in-process.ts';
import { signedHeaders } from './venue.ts';

const threads: Worker[] = [];
let started: InProcess;
beforeAll(async () => {
  started = await startInProcess(
    { isDemo: true, onGatewayThread: (thread) => threads.push(thread) },
    { gateways: 2, openRegistration: true },
  );
});
let isStopped = false;
afterAll(() => (isStopped ? undefined : started?.stop()));

type Answer = { readonly status: number; readonly body: string; readonly data: never };
type Request = {
  readonly method?: string;
  readonly path: string;
  readonly query?: string;
  readonly body?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly family?: number;
};

let nonces = 0;

/** A request on its own connection: any of the threads may get it. */
function ask({ method = 'GET', path, query = '', body, headers, family = 0 }: Request) {
  const key = started.keyOf(family, 'read', 'trade', 'withdraw');
  const nonce = String(++nonces);
  const call = { method, path, query, nonce, ...(body === undefined ? {} : { body }) };
  const signed = headers ?? signedHeaders(started.handout.baseUrl, call, key);
  return send({ method, url: path + (query === '' ? '' : `?${query}`), body, headers: signed });
}

type Sent = {
  readonly method: string;
  readonly url: string;
  readonly body: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
};

const send = ({ method, url, body, headers }: Sent): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { port } = started.venue;
    const host = `localhost:${port}`;
    const options = { host: '127.0.0.1', port, method, path: url, agent: false };
    const length = { 'content-length': String(Buffer.byteLength(body ?? '')) };
    const all = { ...headers, ...length, host, 'content-type': 'application/json' };
    const outgoing = request({ ...options, headers: all }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      response.on('end', () => {
        const found = text.startsWith('{') ? JSON.parse(text) : {};
        resolve({ status: response.statusCode ?? 0, body: text, data: found.data as never });
      });
      response.on('error', reject);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });

const ORDER = { marketCode: 'BTC-USDT', side: 'BUY', orderType: 'LIMIT', price: '59000' } as const;
const placed = (quantity = '0.001'): string => JSON.stringify({ orders: [{ ...ORDER, quantity }] });
const place = (body = placed()): Promise<Answer> =>
  ask({ method: 'POST', path: '/v3/orders/place', body });
const openIds = async (): Promise<string[]> => {
  const { status, data } = await ask({ path: '/v3/orders/working' });
  expect(status).toBe(200);
  return (data as { orderId: string }[]).map(({ orderId }) => orderId);
};
const idOf = ({ data }: Answer): string => (data as { orderId: string }[])[0]?.orderId ?? '';
const management = async (path: string): Promise<Response> =>
  fetch(`${started.venue.managementUrl}${path}`);

/** Polls until the condition holds; otherwise the test times out. */
async function until(isSo: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 25));
}

const TIMES = Array.from({ length: 6 });

test('what one connection was answered, every other shows at once', async () => {
  expect(await (await management('/ready')).json()).toMatchObject({ ready: true, gateways: 2 });
  for (const _ of TIMES.slice(0, 3)) {
    const orderId = idOf(await place());
    const seen = await Promise.all(TIMES.map(openIds));
    expect(seen.every((ids) => ids.includes(orderId))).toBe(true);
    const body = JSON.stringify({ orders: [{ marketCode: ORDER.marketCode, orderId }] });
    expect((await ask({ method: 'DELETE', path: '/v3/orders/cancel', body })).status).toBe(200);
    const after = await Promise.all(TIMES.map(openIds));
    expect(after.some((ids) => ids.includes(orderId))).toBe(false);
    // Each thread queries history itself, and waits for what was answered.
    const past = await Promise.all(
      TIMES.map(() => ask({ path: '/v3/orders/status', query: `orderId=${orderId}` })),
    );
    expect(past.map(({ status }) => status)).toEqual(TIMES.map(() => 200));
  }
});

test('the same signed bytes sent to all of them at once have one effect', async () => {
  const body = placed('0.002');
  const key = started.keyOf(0, 'read', 'trade', 'withdraw');
  const call = { method: 'POST', path: '/v3/orders/place', nonce: 'once', body };
  const headers = signedHeaders(started.handout.baseUrl, call, key);
  const sent = { method: 'POST', url: call.path, body, headers };
  const answers = await Promise.all([...TIMES, ...TIMES].map(() => send(sent)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  const [orderId = '', ...others] = new Set(answers.map(idOf));
  expect(others).toEqual([]);
  expect((await openIds()).filter((id) => id === orderId)).toEqual([orderId]);
});

test('what changes keys, names or accounts holds on every thread at once, amid orders', async () => {
  const trade = started.keyOf(0, 'read', 'trade');
  const get = (key: HandoutKey): Promise<Answer> => {
    const call = { method: 'GET', path: '/v3/balances', query: '', nonce: String(++nonces) };
    const headers = signedHeaders(started.handout.baseUrl, call, key);
    return send({ method: 'GET', url: call.path, body: undefined, headers });
  };
  for (const round of TIMES.slice(0, 3).keys()) {
    const orders = TIMES.map(() => place());
    const body = JSON.stringify({ label: `short-lived ${round}`, permissions: ['read'] });
    const made = await ask({ method: 'POST', path: '/v3/api-keys', body });
    expect(`${made.status} ${made.body}`).toMatch(/^200 /);
    const key = made.data as HandoutKey;
    const before = await Promise.all([...TIMES.map(() => get(key)), ...orders]);
    expect(before.map(({ status }) => status)).toEqual(before.map(() => 200));
    const more = TIMES.map(() => place());
    const revoked = JSON.stringify({ accessKey: key.accessKey });
    expect((await ask({ method: 'DELETE', path: '/v3/api-keys', body: revoked })).status).toBe(200);
    const after = await Promise.all(TIMES.map(() => get(key)));
    expect(after.map(({ status }) => status)).toEqual(TIMES.map(() => 401));
    expect((await get(trade)).status).toBe(200);
    await Promise.all(more);
  }
});

test('chains and their heights are asked of the thread that has them', async () => {
  const query = 'asset=USDT&network=Ethereum';
  const found = await Promise.all(TIMES.map(() => ask({ path: '/v3/deposit-addresses', query })));
  expect(new Set(found.map(({ body }) => body)).size).toBe(1);
  expect(found[0]?.data).toMatchObject({ address: expect.stringMatching(/^0x/) });
  const { accountId } = started.handout.families[0]?.accounts[0] ?? {};
  const paid = await ask({
    ...{ method: 'POST', path: '/sandbox/v1/deposit' },
    headers: { authorization: `Bearer ${started.venue.sandboxToken}` },
    body: JSON.stringify({ accountId, asset: 'XRP', quantity: '5' }),
  });
  expect(paid).toMatchObject({ status: 200, data: { txId: expect.any(String) } });
  const mined = await ask({
    ...{ method: 'POST', path: '/sandbox/v1/chain' },
    headers: { authorization: `Bearer ${started.venue.sandboxToken}` },
    body: JSON.stringify({ network: 'XRPL', mine: '3' }),
  });
  expect(mined).toMatchObject({ status: 200, data: { height: expect.any(String) } });
  expect((await ask({ path: '/v3/wallet/unfinished' })).status).toBe(200);
});

test('a listener that comes back to any thread goes on where it was', async () => {
  const market = `trade:${ORDER.marketCode}`;
  const first = await StreamClient.open(started.venue.port);
  first.send({ op: 'subscribe', tag: 's', seq: true, args: [market] });
  const seqs: number[] = [];
  const trade = async (): Promise<void> => {
    const sides = [
      { side: 'SELL', family: 0 },
      { side: 'BUY', family: 1 },
    ] as const;
    for (const { side, family } of sides) {
      const order = { ...ORDER, side, price: '60000', quantity: '0.001' };
      const body = JSON.stringify({ orders: [order] });
      expect((await ask({ method: 'POST', path: '/v3/orders/place', body, family })).status).toBe(
        200,
      );
    }
  };
  await first.next(({ event }) => event === 'subscribe');
  await trade();
  const update = await first.next(({ table }) => table === 'trade');
  first.close();
  seqs.push(update.seq as number);
  await trade();
  for (const _ of TIMES) {
    const again = await StreamClient.open(started.venue.port);
    again.send({ op: 'subscribe', tag: 's', fromSeq: seqs[0], args: [market] });
    expect(await again.next(({ event }) => event === 'resume')).toMatchObject({ resumed: true });
    const missed = await again.next(({ table }) => table === 'trade');
    expect(missed.seq).toBe((seqs[0] as number) + 1);
    again.close();
  }
});

test('a thread that dies is replaced, its clients come back, and trading goes on', async () => {
  const streams = await Promise.all(
    TIMES.map(() => RialtoStream.fromHandout(started.handout, { random: () => 0 })),
  );
  const received = streams.map(() => new Set<string>());
  for (const [at, stream] of streams.entries()) {
    stream.subscribe('order:all', ({ data }: StreamMessage) => {
      for (const { orderId } of (data ?? []) as { orderId: string }[]) received[at]?.add(orderId);
    });
  }
  await until(() => streams.every(({ isReady }) => isReady));
  const before = threads.length;
  for (const thread of threads.slice(-2)) {
    const count = threads.length;
    await thread.terminate();
    await until(() => threads.length > count);
    await until(async () => {
      const ready = await (await management('/ready')).json();
      return (ready as { gateways?: number }).gateways === 2;
    });
  }
  expect(threads.length).toBe(before + 2);
  await until(() => streams.every(({ isReady }) => isReady));
  const orderId = idOf(await place(placed('0.003')));
  expect(orderId).not.toBe('');
  await until(() => received.every((ids) => ids.has(orderId)));
  const metrics = await (await management('/metrics')).text();
  expect(metrics).toMatch(/^rialto_gateway_deaths_total 2$/m);
  expect(metrics).toMatch(/^rialto_stream_connections 6$/m);
  expect(metrics).toMatch(/^rialto_http_requests_total\{path="\/v3\/orders\/place".* [1-9]/m);
  for (const stream of streams) stream.close();
});

test('with cancelOnDisconnect orders end with the connection, also where the thread that has it dies', async () => {
  const client = started.clientOf(1);
  await client.cancelAllOrders({});
  const isGuarded = new Promise<Worker>((resolve) => {
    for (const thread of threads.slice(-2)) {
      thread.on('message', ({ kind, keys }: { kind: string; keys?: readonly number[] }) => {
        if (kind === 'guarded' && keys?.length === 1) resolve(thread);
      });
    }
  });
  const careful = await StreamClient.open(started.venue.port);
  await careful.login(started.keyOf(1), { cancelOnDisconnect: true });
  const body = placed();
  expect((await ask({ method: 'POST', path: '/v3/orders/place', body, family: 1 })).status).toBe(
    200,
  );
  expect(await client.workingOrders()).toHaveLength(1);
  await (await isGuarded).terminate();
  await until(async () => (await client.workingOrders().catch(() => [null])).length === 0);
  careful.close();
});

test('no endpoint answers that it is broken', async () => {
  for (const { method, path } of ENDPOINTS) {
    const body = method === 'GET' ? undefined : '{}';
    const { status, body: text } = await ask({ method, path, body, family: 1 });
    expect(`${method} ${path} ${status < 500 ? 'well' : text}`).toBe(`${method} ${path} well`);
  }
});

test('it tells listeners that it closes, answers what was asked, and ends', async () => {
  const listener = await StreamClient.open(started.venue.port);
  listener.send({ op: 'subscribe', args: [`trade:${ORDER.marketCode}`] });
  await listener.next(({ event }) => event === 'subscribe');
  const placing = place();
  const stopped = placing.then(() => started.stop());
  isStopped = true;
  expect((await placing).status).toBe(200);
  expect(await listener.next(({ event }) => event === 'shutdown')).toBeDefined();
  await stopped;
  await expect(
    send({ method: 'GET', url: '/v3/time', body: undefined, headers: {} }),
  ).rejects.toThrow();
});
