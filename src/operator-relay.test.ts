import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { afterEach, expect, test } from 'vitest';
import { pack } from './bytes/pack.ts';
import { newCursors } from './engine/cursors.ts';
import type { OpenEngine } from './engine/start.ts';
import { OperatorRelay, RELAYED_BYTES_MAX, serveRelayed } from './operator-relay.ts';
import type { Transport } from './replication/log.ts';
import { openOperatorListener } from './standby-listener.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Log servers that deliver at once. */
class MemoryTransport implements Transport {
  isConnected = true;
  readonly #receivers = new Map<string, (bytes: Uint8Array) => void>();

  post(topic: string, bytes: Uint8Array): boolean {
    if (!this.isConnected) return false;
    this.#receivers.get(topic)?.(bytes);
    // The client of the servers uses its buffer again.
    bytes.fill(0xff);
    return true;
  }

  receive(topic: string, onBytes: (bytes: Uint8Array) => void): () => void {
    this.#receivers.set(topic, onBytes);
    return () => this.#receivers.delete(topic);
  }
}

type Seen = { method: string; url: string; headers: IncomingHttpHeaders; body: string };

/** A leader's management listener that answers with what it has seen, and a standby in front of it. */
async function relayed({ writer = 'w1', bytes = 0, isAnswering = true } = {}) {
  const seen: Seen[] = [];
  const leader = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const chunks = await Array.fromAsync(request as AsyncIterable<Buffer>);
    seen.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
    if (!isAnswering) return;
    response.writeHead(201, { 'Content-Type': 'text/plain', 'Set-Cookie': ['a=1', 'b=2'] });
    response.end(bytes === 0 ? `served ${url}` : 'x'.repeat(bytes));
  });
  await new Promise<void>((resolve) => leader.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    leader.closeAllConnections();
    leader.close();
  });
  const transport = new MemoryTransport();
  const managementUrl = `http://127.0.0.1:${(leader.address() as AddressInfo).port}`;
  closing.push(serveRelayed(transport, 'w1', managementUrl));
  const timers: (() => void)[] = [];
  const after = (_delayMs: number, call: () => void) => {
    timers.push(call);
    return () => undefined;
  };
  const relay = new OperatorRelay({ transport, leadingWriter: () => writer, after });
  closing.push(() => relay.close());
  const engine = {
    cursors: newCursors(),
    leader: () => ({ node: 'engine-1', url: 'http://one', writer }),
  } as unknown as OpenEngine;
  const at = { host: '127.0.0.1', port: 0, data: tmpdir(), venueId: 'v' };
  const listener = await openOperatorListener({ engine, ...at, relay });
  closing.push(() => listener.close());
  const url = `http://127.0.0.1:${listener.port}`;
  return { url, seen, transport, timers };
}

test('what an operator asks of a standby is answered by the leader, as it was sent and as it was answered', async () => {
  const { url, seen } = await relayed();
  const response = await fetch(`${url}/operator/v1/markets?marketCode=BTC-USDT`, {
    method: 'POST',
    headers: { AccessKey: 'key', Signature: 'abc=', 'Content-Type': 'application/json' },
    body: '{"a":1}',
  });
  expect(response.status).toBe(201);
  expect(await response.text()).toBe('served /operator/v1/markets?marketCode=BTC-USDT');
  expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
  expect(seen).toMatchObject([
    {
      method: 'POST',
      body: '{"a":1}',
      headers: { accesskey: 'key', signature: 'abc=', host: new URL(url).host },
    },
  ]);
});

test('long bodies and answers are refused in words, and nothing reaches the leader of a long body', async () => {
  const { url, seen } = await relayed({ bytes: RELAYED_BYTES_MAX + 1 });
  const body = 'x'.repeat(RELAYED_BYTES_MAX + 1);
  const sent = await fetch(`${url}/operator/v1/x`, { method: 'POST', body });
  expect(sent.status).toBe(413);
  expect(seen).toEqual([]);
  const answer = await fetch(`${url}/operator/v1/report`);
  expect(answer.status).toBe(502);
  expect(await answer.text()).toContain('ask the leader or a gateway');
});

test('a leader that was replaced gets nothing; without an answer nobody claims to know what was done', async () => {
  const { url, seen, timers } = await relayed({ writer: 'w2' });
  const request = fetch(`${url}/operator/v1/overview`);
  while (timers.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  timers[0]?.();
  const response = await request;
  expect(response.status).toBe(503);
  expect(await response.text()).toContain('whether it acted is not known');
  expect(seen).toEqual([]);
});

test('a standby without log servers, and one with too many requests under way, says so', async () => {
  const { url, transport, seen } = await relayed({ isAnswering: false });
  transport.isConnected = false;
  expect((await fetch(`${url}/operator/v1/overview`)).status).toBe(503);
  transport.isConnected = true;
  const waiting = Array.from({ length: 64 }, () =>
    fetch(`${url}/operator/v1/overview`).catch(() => undefined),
  );
  while (seen.length < 64) await new Promise((resolve) => setTimeout(resolve, 5));
  const more = await fetch(`${url}/operator/v1/overview`);
  expect(await more.text()).toContain('64 requests are waiting');
  for (const close of closing.splice(0).reverse()) await close();
  await Promise.all(waiting);
});

test('messages that are no requests and no answers change nothing', async () => {
  const { url, transport } = await relayed();
  transport.post('operators.w1', new Uint8Array([1, 2, 3]));
  transport.post('operators.w1', new Uint8Array(0));
  expect((await fetch(`${url}/operator/v1/overview`)).status).toBe(201);
});

test('what anybody on the log servers sends in place of a request is ignored, however often', async () => {
  const { url, transport } = await relayed();
  for (let times = 0; times < 70; times++) {
    for (const sent of [null, 7, 'text', [], {}, { method: 5, headers: 'x', inbox: 'nobody' }]) {
      expect(transport.post('operators.w1', pack(sent))).toBe(true);
    }
  }
  expect((await fetch(`${url}/operator/v1/markets`)).status).toBe(201);
});
