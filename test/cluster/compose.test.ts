import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ENGINES, GATEWAYS } from '../../scripts/local-cluster.ts';
import { SERVER_SETTINGS } from '../../scripts/log-servers.ts';
import { type ConfigFile, readConfigFile, venueConfig } from '../../src/config.ts';

/** Containers must run the same as the drill and the tests: checked here without containers. */
const FOLDER = 'ops/cluster';
const compose = readFileSync(`${FOLDER}/compose.yml`, 'utf8');
const nodes = [...ENGINES, ...GATEWAYS.slice(0, 2)];

/** The lines of a service, up to the next one. */
function serviceOf(name: string): string {
  const from = compose.indexOf(`\n  ${name}:\n`);
  expect(from, name).toBeGreaterThan(0);
  const rest = compose.slice(from + 1);
  return rest.slice(0, rest.slice(1).search(/\n( {2})?[a-z]/) + 1);
}

test('the nodes of the composed cluster are those of the drill, each with its role and its configuration', () => {
  for (const name of nodes) {
    const role = name.replace(/-.*/, '');
    const file = `/etc/rialto/${name}.json`;
    expect(serviceOf(name)).toContain(
      `command: ["serve", "--role", "${role}", "--config", "${file}"]`,
    );
    expect(existsSync(`${FOLDER}/compose/${name}.json`), name).toBe(true);
    // Its health check looks for the venue there.
    expect(serviceOf(name)).toContain(`RIALTO_DATA: /var/lib/rialto/${name} `);
  }
  for (const name of ['log-1', 'log-2', 'log-3', 'postgres']) serviceOf(name);
  const copied = /for node in ([a-z0-9- ]+);/.exec(serviceOf('prepare'))?.[1]?.split(' ');
  expect(copied).toEqual(nodes.slice(1));
});

test('each configuration is one that a node takes, with the log servers and the history of all', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rialto-compose-'));
  try {
    const password = join(folder, 'password');
    writeFileSync(password, 'secret');
    for (const name of nodes) {
      const { found } = readConfigFile(`${FOLDER}/compose/${name}.json`);
      const history = { ...found.history, passwordFile: password } as NonNullable<
        ConfigFile['history']
      >;
      const { cluster, data, host } = venueConfig({ ...found, history }, folder);
      expect({ host, data }).toEqual({ host: '0.0.0.0', data: `/var/lib/rialto/${name}` });
      expect(cluster).toMatchObject({
        node: name,
        servers: ['nats://log-1:4222', 'nats://log-2:4222', 'nats://log-3:4222'],
        monitors: ['http://log-1:8222', 'http://log-2:8222', 'http://log-3:8222'],
        url: `http://${name}:3000`,
      });
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('log servers in containers, on machines and of the drill are set up alike', () => {
  for (const file of [`${FOLDER}/compose/nats-server.conf`, `${FOLDER}/nats-server.conf`]) {
    const text = readFileSync(file, 'utf8');
    for (const setting of SERVER_SETTINGS) expect(text, file).toContain(`\n${setting}\n`);
    expect(text).toMatch(/sync_interval: always/);
  }
  const [, major = '', minor = '', patch = ''] =
    /image: nats:(\d+)\.(\d+)\.(\d+)/.exec(compose) ?? [];
  // As required by unsafeReasons in nats-safety.ts.
  expect(Number(major) * 1e6 + Number(minor) * 1e3 + Number(patch)).toBeGreaterThanOrEqual(2012003);
});
