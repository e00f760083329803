import { readFileSync } from 'node:fs';
import pino from 'pino';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { fakeHistory } from '../fake-history.fixture.ts';
import { createServer, DEFAULT_API_CONFIG } from '../server.ts';
import { fakeEngine, keys, operatorsOf, passwords } from '../venue.fixture.ts';

const pem = (name: string): string => readFileSync(`test/support/tls/${name}.pem`, 'utf8');

const heardBy = (socket: WebSocket): Promise<string> =>
  new Promise((resolve, reject) => {
    socket.once('message', (data: Buffer) => resolve(data.toString()));
    socket.once('error', reject);
  });

test('the stream goes through the limits and the TLS of its listener', async () => {
  const server = createServer({
    ...{ engine: fakeEngine(), history: fakeHistory(), log: pino({ level: 'silent' }) },
    ...{ metrics: new Registry(), keys, passwords, operators: operatorsOf(), venueId: 'v' },
    config: {
      ...{ ...DEFAULT_API_CONFIG, port: 0, managementPort: 0, closeGraceMs: 100 },
      connections: { ...DEFAULT_API_CONFIG.connections, maxConnectionsPerAddress: 2 },
      tls: { key: pem('key-1'), cert: pem('cert-1') },
    },
  });
  const { port } = await server.listen();
  const open = () =>
    new WebSocket(`wss://127.0.0.1:${port}/v2/websocket`, { rejectUnauthorized: false });
  const first = open();
  expect(await heardBy(first)).toContain('"event":"Welcome"');
  expect(await heardBy(open())).toContain('"event":"Welcome"');
  expect(server.listeners).toBe(2);
  await expect(heardBy(open())).rejects.toThrow();
  const shutdown = heardBy(first);
  await server.close();
  expect(await shutdown).toContain('"event":"shutdown"');
});
