import { createHmac } from 'node:crypto';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { messageToSign } from '../../src/wire/signing.ts';
import { accountOf, type HandoutKey, keyOf, startVenue, type Venue } from './venue.ts';

/** Only on Linux does loopback have more than one source address. */
const isLinux = process.platform === 'linux';

let venue: Venue;
let key: HandoutKey;
const sockets: Socket[] = [];
beforeAll(async () => {
  if (!isLinux) return;
  venue = await startVenue({ descriptors: 300 });
  key = keyOf(accountOf(venue, 'main'), 'read', 'trade', 'withdraw');
});
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  return venue?.stop();
});

const portOf = (url: string): number => Number(new URL(url).port);

/** A connection that sends nothing. */
async function silent(localAddress: string): Promise<Socket> {
  const socket = connect({ port: portOf(venue.baseUrl), host: '127.0.0.1', localAddress });
  sockets.push(socket);
  socket.on('error', () => undefined);
  await new Promise((resolve) => {
    socket.once('connect', resolve);
    socket.once('close', resolve);
  });
  return socket;
}

/** A signed call from another address of this machine. */
function call(localAddress: string, method: string, path: string, body = ''): Promise<number> {
  const { host } = new URL(venue.baseUrl);
  const timestamp = new Date().toISOString();
  const message = messageToSign({ timestamp, nonce: '1', method, host, path, sixth: body });
  const headers = {
    ...{ AccessKey: key.accessKey, Timestamp: timestamp, Nonce: '1', Host: host },
    Signature: createHmac('sha256', key.secret).update(message).digest('base64'),
  };
  return new Promise((resolve, reject) => {
    const port = portOf(venue.baseUrl);
    const options = { port, host: '127.0.0.1', method, path, headers, localAddress };
    const outgoing = request(options, (answer) => {
      answer.resume();
      answer.on('end', () => resolve(answer.statusCode ?? 0));
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

test.skipIf(!isLinux)(
  'a crowd of silent connections takes nothing from the journal, nor from others',
  async () => {
    // 300 descriptors, 256 of them reserved: 44 connections, 22 per address.
    const crowd = await Promise.all(Array.from({ length: 600 }, () => silent('127.0.0.1')));
    while (crowd.filter(({ closed }) => !closed).length > 22) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const body = JSON.stringify({
      orders: [
        {
          marketCode: 'BTC-USDT',
          side: 'BUY',
          orderType: 'LIMIT',
          quantity: '0.001',
          price: '59000',
        },
      ],
    });
    for (let times = 0; times < 5; times++) {
      expect(await call('127.0.0.2', 'POST', '/v3/orders/place', body)).toBe(200);
      // History is behind the follower: what it shows, the follower has written.
      expect(await call('127.0.0.2', 'GET', '/v3/trades')).toBe(200);
    }
    const metrics = await (await fetch(`${venue.handout.managementUrl}/metrics`)).text();
    expect(metrics).toMatch(/rialto_http_connections_max 44\n/);
    const refused = /connections_refused_total\{reason="address"\} (\d+)/.exec(metrics)?.[1];
    expect(Number(refused)).toBe(600 - 22);
    await Promise.all(Array.from({ length: 40 }, () => silent('127.0.0.3')));
    // The system accepts a connection before the venue does: the venue's reaction comes a moment later.
    await vi.waitFor(
      async () => {
        const full = await (await fetch(`${venue.handout.managementUrl}/metrics`)).text();
        expect(full).toMatch(/connections_refused_total\{reason="total"\} [1-9]/);
      },
      { timeout: 120_000, interval: 50 },
    );
    for (const socket of sockets.splice(0)) socket.destroy();
  },
);
