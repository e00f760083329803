import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { StreamInfo } from '@nats-io/jetstream';
import { expect, test } from 'vitest';
import { openToAnybody, silentServers, unsafeReasons } from './nats-safety.ts';

test('a monitoring address that is closed, or of something else, is named with the reason', async () => {
  const other = createServer((_, response) => void response.end('{"success":false}'));
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as AddressInfo;
  const closed = 'http://127.0.0.1:2';
  const wrong = `http://127.0.0.1:${port}`;
  const info = {
    config: { storage: 'file', num_replicas: 3, deny_delete: true },
    cluster: { leader: 'log-1', replicas: [{ name: 'log-2' }, { name: 'log-3' }] },
  } as unknown as StreamInfo;
  try {
    const silent = await silentServers([closed, wrong]);
    const unsafe = await unsafeReasons(info, [closed, wrong]);
    for (const words of [silent, unsafe]) {
      expect(words[0]).toMatch(/^the monitoring address .* does not answer: .*ECONNREFUSED/);
      expect(words[1]).toBe(`${wrong} is not the monitoring address of a log server`);
    }
  } finally {
    await new Promise((resolve) => other.close(resolve));
  }
});

test('servers of other machines that know no node by a certificate or credentials are named', () => {
  const words = (servers: string[], more: object = {}) =>
    openToAnybody({ servers, credentialsFile: undefined, tls: undefined, ...more });
  expect(words(['nats://10.0.0.1:4222', 'nats://127.0.0.1:4222'])).toBe(
    'this node shows the log servers nats://10.0.0.1:4222 neither a certificate (cluster.tls) nor credentials ' +
      '(cluster.credentialsFile): whoever reaches them like this can act as the venue',
  );
  expect(words(['log-1'], { tls: { caFile: 'ca.pem' } })).toContain('log-1');
  expect(words(['nats://127.0.0.1:4222', 'localhost:4223', 'nats://[::1]:4222'])).toBeUndefined();
  expect(words(['tls://log-1:4222'], { tls: { certFile: 'node.pem' } })).toBeUndefined();
  expect(words(['tls://log-1:4222'], { credentialsFile: 'node.creds' })).toBeUndefined();
});
