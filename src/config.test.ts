import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readConfigFile, venueConfig } from './config.ts';
import { gatewayCount, gatewaysFor } from './config-gateways.ts';

const folder = mkdtempSync(join(tmpdir(), 'rialto-config-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'rialto.json');

function faultOf(text: string): string {
  writeFileSync(file, text);
  try {
    readConfigFile(file);
    return 'none';
  } catch (cause) {
    return (cause as Error).message.replace(`${file}: `, '').replace(`${file} `, '');
  }
}

test('what is right is taken', () => {
  const sources = ['start', { seed: 1, stepMillionths: 5 }, { file: 'prices.json' }];
  const tls = { keyFile: 'k', certFile: 'c' };
  const retention = { action: 'archive', folder: '/mnt/archive', journalBytes: 0 };
  const found = { port: 0, limits: false, logLevel: 'warn', sources, tls, retention };
  expect(faultOf(JSON.stringify(found))).toBe('none');
  expect(faultOf('{}')).toBe('none');
  expect(faultOf('\uFEFF{ "port": 0 } // as in the documentation\n')).toBe('none');
  expect(faultOf('/* where http://venue/ listens */ {"prot": 1}')).toContain('no member prot');
});

test('gateways are a few threads, on machines that share ports, and none of a cluster', () => {
  expect(venueConfig({}, folder).gateways).toBe(0);
  const cores = [1, 2, 3, 7, 8, 64].map((count) =>
    gatewaysFor({ cores: count, platform: 'linux' }),
  );
  expect(cores).toEqual([0, 0, 1, 1, 2, 4]);
  expect(gatewaysFor({ cores: 64, platform: 'darwin' })).toBe(0);
  expect(gatewayCount('--gateways', '2', 'linux')).toBe(2);
  for (const wrong of ['-1', '1.5', 'two', '17', '']) {
    expect(() => gatewayCount('--gateways', wrong, 'linux')).toThrow(
      `--gateways is a whole number of threads from 0 to 16, not ${wrong}`,
    );
  }
  expect(() => gatewayCount('gateways', 1, 'win32')).toThrow(
    'gateways: on win32 several threads cannot listen on one port; leave it out, or 0',
  );
  const cluster = { node: 'engine-1', servers: ['nats://a:4222'] };
  expect(() => venueConfig({ gateways: 1, cluster }, folder)).toThrow(
    'gateways: a node of a cluster has none; serve --role gateway is one',
  );
});

test('an origin is refused unless browsers send it so', () => {
  expect(venueConfig({ origins: ['https://a.example'] }, folder).origins).toHaveLength(1);
  expect(() => venueConfig({ origins: ['loopback', 'https://a.example/'] }, folder)).toThrow(
    /^origins\[1\] is an origin .* nearest "https:\/\/a\.example"$/,
  );
});

test('a host alias is what clients call, without scheme or path', () => {
  const hostAliases = ['api.example', 'api.example:8443', '[2001:db8::1]:80'];
  expect(venueConfig({ hostAliases }, folder).hostAliases).toEqual(hostAliases);
  for (const wrong of ['https://api.example', 'api.example/', 'a b', '']) {
    expect(() => venueConfig({ hostAliases: ['a', wrong] }, folder)).toThrow(
      `hostAliases[1] is a host as clients name it, such as "api.example" or "api.example:8443", not "${wrong}"`,
    );
  }
});

test('what is asked over HTTP has an address of that kind: sources of prices, nodes, services that sign', () => {
  const source = (url: string) => venueConfig({ sources: [{ name: 'a', url, paths: {} }] }, '.');
  const keys = { url: 'https://signer/', timeoutMs: 1_000 };
  const chain = { chain: 'evm', url: 'http://node:8545', chainId: 1, keys, xpub: 'x' } as const;
  const chains = (changes: object) =>
    venueConfig({ chains: { Ethereum: { ...chain, ...changes } } }, '.');
  expect(source('https://prices/now?for=BTC').sources).toMatchObject([{ name: 'a' }]);
  expect(chains({}).chains).toMatchObject({ Ethereum: { keys } });
  const wrong: readonly (readonly [string, string])[] = [
    ['ftp://host/x', 'ftp://host'],
    ['wss://node/v3/secret', 'wss://node'],
    ['host:8545', 'host://'],
    ['', 'no address'],
    ['http:', 'no address'],
  ];
  for (const [url, sent] of wrong) {
    const rest = ` is an address such as https://host/path; it is ${sent}`;
    expect(() => source(url)).toThrow(`sources[0].url${rest}`);
    expect(() => chains({ url })).toThrow(`chains.Ethereum.url${rest}`);
    expect(() => chains({ keys: { ...keys, url } })).toThrow(`chains.Ethereum.keys.url${rest}`);
  }
});

test('a price of gas that is no number of wei is shown as it was written', () => {
  const keys = { file: 'a' };
  const network = { chain: 'evm', url: 'http://node', chainId: 1, keys, pricePerGasMax: '5e11' };
  expect(() => venueConfig({ chains: { Ethereum: network } } as never, folder)).toThrow(
    'chains.Ethereum.pricePerGasMax is a whole number of wei in quotes, such as "500000000000", not "5e11"',
  );
});

test('two listeners do not share a port of one address', () => {
  const same = { port: 3000, managementPort: 3000 };
  for (const hosts of [{}, { host: 'localhost' }, { host: '0.0.0.0' }, { managementHost: '::' }]) {
    expect(() => venueConfig({ ...same, ...hosts }, folder)).toThrow(
      'managementPort is 3000, and so is port: the two listeners need one each',
    );
  }
  const apart = [
    { host: '10.0.0.1' },
    { host: '0.0.0.0', managementHost: '::1' },
    { host: '127.0.0.1', managementHost: '::1' },
  ];
  for (const hosts of apart) {
    expect(venueConfig({ ...same, ...hosts }, folder).managementPort).toBe(3000);
  }
  for (const hosts of [
    { host: '::', managementHost: '::1' },
    { host: '0.0.0.0', managementHost: '::' },
  ]) {
    expect(() => venueConfig({ ...same, ...hosts }, folder)).toThrow('so is port');
  }
  expect(venueConfig({ port: 0, managementPort: 0 }, folder).managementPort).toBe(0);
});

test('a file that cannot be read is not said to be wrong or missing', () => {
  expect(() => readConfigFile(folder)).toThrow(/^\S+ cannot be opened: EISDIR: /);
  symlinkSync('loop', join(folder, 'loop'));
  expect(() => readConfigFile(join(folder, 'loop', 'a'))).toThrow(/ cannot be opened: ELOOP: /);
});

test('what is wrong names the member, what it may be, what it is, and the nearest name', () => {
  const rows: [string, string | RegExp][] = [
    ['{"port": 3000', /^is not JSON: /],
    ['[]', /^the file is an object with data, host, port, .*, not \[\]$/],
    ['{"prot": 3000}', /^there is no member prot; did you mean "port"\? There are data, host, /],
    ['{"managmentPort": 1}', /did you mean "managementPort"\?/],
    ['{"tls": {"key": "k"}}', /^there is no member tls\.key; did you mean "keyFile"\? There are /],
    ['{"tls": {"keyFile": "k"}}', 'tls.certFile is missing; it is text that is not empty'],
    ['{"port": "3000"}', 'port is a whole number from 0 to 65535, not "3000"'],
    ['{"port": 70000}', 'port is a whole number from 0 to 65535, not 70000'],
    ['{"diskFreeMinBytes": -1}', 'diskFreeMinBytes is a whole number from 0, not -1'],
    ['{"retention": {}}', 'retention.action is missing; it is one of archive, delete'],
    [
      '{"retention": {"action": "delete", "snapshots": 1}}',
      'retention.snapshots is a whole number from 2 to 1000, not 1',
    ],
    ['{"gateways": 1.5}', 'gateways is a whole number from 0 to 16, not 1.5'],
    ['{"gateways": 17}', 'gateways is a whole number from 0 to 16, not 17'],
    ['{"limits": "on"}', 'limits is true or false, not "on"'],
    [
      '{"stream": {"messagesPerMinute": 1}}',
      /^there is no member stream\.messagesPerMinute; did you mean "messagesPerSecond"\?/,
    ],
    ['{"stream": {"idleMs": 1}}', 'stream.idleMs is a whole number from 10000 to 3600000, not 1'],
    ['{"host": null}', 'host is text that is not empty, not null'],
    ['{"host": ""}', 'host is text that is not empty, not ""'],
    ['{"managementHost": ""}', 'managementHost is text that is not empty, not ""'],
    ['{"masterKeyFile": ""}', 'masterKeyFile is text that is not empty, not ""'],
    ['{"data": ""}', 'data is text that is not empty, not ""'],
    ['{"tls": {"keyFile": "", "certFile": "c"}}', 'tls.keyFile is text that is not empty, not ""'],
    ['{"sources": [{"file": ""}]}', 'sources[0].file is text that is not empty, not ""'],
    [
      '{"retention": {"action": "archive", "folder": ""}}',
      'retention.folder is text that is not empty, not ""',
    ],
    [
      '{"logLevel": "loud"}',
      'logLevel is one of fatal, error, warn, info, debug, silent, not "loud"',
    ],
    ['{"hostAliases": "a"}', 'hostAliases is a list, not "a"'],
    ['{"hostAliases": ["a", 1]}', 'hostAliases[1] is text, not 1'],
    ['{"sources": []}', 'sources is a list that is not empty, not []'],
    [
      '{"sources": ["strat"]}',
      /^sources\[0\] is "start", or an object with seed, stepMillionths, or .*; not "strat"$/,
    ],
    [
      '{"sources": [{"seed": 1, "stepMillionths": 2000000}]}',
      'sources[0].stepMillionths is a whole number from 0 to 100000, not 2000000',
    ],
    ['{"sources": [{"name": "a", "url": "u"}]}', 'sources[0].paths is missing; it is an object'],
    [
      '{"sources": [{"name": "a", "url": "u", "paths": {"BTC": 1}}]}',
      'sources[0].paths.BTC is text that is not empty, not 1',
    ],
  ];
  for (const [text, expected] of rows) {
    if (typeof expected === 'string') expect(faultOf(text)).toBe(expected);
    else expect(faultOf(text)).toMatch(expected);
  }
});

test('history on a server: the password is never in the address, nor in a refusal', () => {
  const of = (history: { postgres: string; passwordFile?: string; schema?: string }) =>
    venueConfig({ history }, folder).history;
  const postgres = 'postgres://rialto@db:5432/venue?sslmode=require';
  expect(of({ postgres })).toEqual({
    ...{ url: postgres, password: undefined, schema: 'rialto', connections: 8 },
  });
  writeFileSync(join(folder, 'history.password'), 'open sesame\n');
  expect(of({ postgres, passwordFile: 'history.password' })?.password).toBe('open sesame');
  const rows: [Parameters<typeof of>[0], RegExp][] = [
    [{ postgres: 'postgres://rialto:sesame@db/venue' }, /postgres holds a password: put it into/],
    [{ postgres: 'postgres://rialto@db/venue?password=sesame' }, /postgres holds a password/],
    [{ postgres: 'mysql://rialto@db/venue' }, /is an address like postgres:\/\/user@host/],
    [{ postgres: 'postgres://rialto@db' }, /names no database/],
    [{ postgres: 'postgres://db/venue' }, /names no user/],
    [
      { postgres: 'postgres://rialto@db/venue?sslmod=require' },
      /^history.postgres has no parameter sslmod; did you mean sslmode\? There are sslmode, sslrootcert, /,
    ],
    [{ postgres: 'postgres://rialto@db/venue?pasword=sesame' }, /has no parameter pasword; /],
    [{ postgres: 'postgres://rialto@db/venue?constructor=1' }, /has no parameter constructor; /],
    [
      { postgres: 'postgres://rialto@db/venue?sslmode=requier' },
      /^history.postgres has sslmode=requier, which is one of disable, .*; nearest require$/,
    ],
    [
      { postgres: 'postgres://rialto@db/venue?sslrootcert=nowhere.pem' },
      /^history.postgres: sslrootcert cannot be read: ENOENT.*nowhere.pem/,
    ],
    [{ postgres, schema: 'public' }, /^history\.schema is a name of its own/],
    [{ postgres, schema: 'x; DROP TABLE y' }, /^history\.schema is a name of its own/],
    [{ postgres, passwordFile: 'nowhere' }, /^history\.passwordFile cannot be read: ENOENT/],
  ];
  for (const [history, reason] of rows) {
    expect(() => of(history)).toThrow(reason);
    expect(() => of(history)).not.toThrow(/sesame/);
  }
});
