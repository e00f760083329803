import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from 'citty';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { config as configCommand } from '../../src/cli/config.ts';
import { init } from '../../src/cli/init.ts';
import { type ConfigFile, venueConfig } from '../../src/config.ts';
import { keepWallet } from '../../src/connectors/wallets/chain-files.ts';
import { defaultCatalogue } from '../../src/defaults/catalogue.ts';
import { knownCatalogue } from '../../src/engine/known-catalogue.ts';
import { identityOf } from '../../src/identity.ts';
import { startVenue, withStoppedVenue } from '../../src/main.ts';

const folder = mkdtempSync(join(tmpdir(), 'rialto-config-check-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string): string => join(folder, name);
const FOUND = { data: 'venue', port: 0, managementPort: 0, logLevel: 'silent' } as const;

beforeAll(async () => {
  const genesis = () => ({ kind: 'genesis', steps: defaultCatalogue('init') }) as const;
  const config = venueConfig(FOUND, folder);
  await withStoppedVenue({ config, genesis }, async () => undefined);
  writeFileSync(at('other.key'), 'a'.repeat(64));
  writeFileSync(at('no.key'), 'hello');
  mkdirSync(at('folder.key'));
  mkdirSync(at('plain'));
  writeFileSync(at('plain/events'), '');
});

/** What `config check` says. */
const checked = (found: object): Promise<string> =>
  said((rawArgs) => runCommand(configCommand, { rawArgs }), found, 'check');

async function said(
  run: (rawArgs: string[]) => Promise<unknown>,
  found: object,
  ...args: string[]
): Promise<string> {
  const file = at('rialto.json');
  writeFileSync(file, JSON.stringify({ ...FOUND, ...found }));
  const lines: string[] = [];
  const hear = (line: unknown): void => void lines.push(String(line));
  vi.spyOn(console, 'log').mockImplementation(hear);
  vi.spyOn(console, 'error').mockImplementation(hear);
  vi.spyOn(process, 'exit').mockImplementation(() => {
    throw new Error('the program ended');
  });
  await run([...args, file]).catch(() => undefined);
  vi.restoreAllMocks();
  return lines.join('\n');
}

/** What a start says. */
async function started(found: ConfigFile): Promise<string> {
  try {
    const venue = await startVenue({ config: venueConfig({ ...FOUND, ...found }, folder) });
    await venue.stop();
    return 'it starts';
  } catch (cause) {
    return (cause as Error).message;
  }
}

const network = (more: object = {}) =>
  ({
    chain: 'evm',
    ...{ url: 'http://127.0.0.1:1', chainId: 1, keys: { file: 'wallets.seed' } },
    ...more,
  }) as const;

const REFUSED: readonly (readonly [ConfigFile, RegExp])[] = [
  [{ host: '127.0.0.1:3000' }, /^host is an address .*, not "127.0.0.1:3000"; nearest "127.0.0.1"/],
  [{ managementHost: 'http://[::1]/' }, /^managementHost is an address .*; nearest "::1"$/],
  [{ host: 'a b' }, /^host is an address .*, not "a b"; nearest "a"$/],
  // An address for documentation, which no machine has.
  [
    { host: '192.0.2.1' },
    /^cannot listen on 192.0.2.1:0 \(host, port\): this machine does not have/,
  ],
  [{ masterKeyFile: 'none.key' }, /^the master key is in neither .*none.key nor RIALTO_MASTER_KEY/],
  [
    { masterKeyFile: 'no.key' },
    /no.key: a master key is 64 hexadecimal digits; this has 5 characters$/,
  ],
  [{ masterKeyFile: 'other.key' }, /^the master key does not open .*operators.json/],
  [{ data: 'plain' }, /plain\/events is a file, where a folder belongs/],
  [
    { chains: { Etherum: network() } },
    /^chains: there is no network Etherum; did you mean Ethereum\? There are Ethereum, /,
  ],
  [{ chains: { Ethereum: network() } }, /^chains.Ethereum is evm, .* made with simulated, /],
  [
    { chains: { Ethereum: network({ keys: { command: 'sign', timeoutMs: 1_000 } }) } },
    /^chains.Ethereum.xpub is missing/,
  ],
];

test.each(REFUSED)(
  'config check refuses what a start refuses, in its words: %j',
  async (found, words) => {
    const said = await checked(found);
    expect(said).toMatch(words);
    expect(await started(found)).toBe(said);
  },
);

test('config check takes a venue that starts, and one that is not made yet', async () => {
  expect(await checked({})).toContain(`data in ${at('venue')}\n`);
  expect(await started({})).toBe('it starts');
  expect(await checked({ host: '::', port: 3_000 })).toContain('http://[::]:3000, management on');
  expect(await checked({ masterKeyFile: 'folder.key' })).toMatch(
    /folder.key cannot be opened: EISDIR/,
  );
  expect(await checked({ data: 'new' })).toContain(`${at('new')} (not made yet: rialto init)`);
});

test('init refuses tokens and keys that no start could serve, before it makes a venue', async () => {
  const found = (tokenId: string, file: string, data = 'chained') => ({
    data,
    chains: { Ethereum: network({ keys: { file }, tokens: { USDT: { tokenId, decimals: 6 } } }) },
  });
  const token = '0x5FbDB2315678afecb367f032d93F642f64180aa3';
  const begin = (...wanted: Parameters<typeof found>) =>
    said((rawArgs) => runCommand(init, { rawArgs }), found(...wanted), '--config');
  const rows: readonly (readonly [Parameters<typeof found>, RegExp])[] = [
    [['0x5FbDB', 'a.seed'], /^chains.Ethereum.tokens.USDT.tokenId is .*; "0x5FbDB" is none$/],
    [
      [token.replace('f', 'F'), 'a.seed'],
      / is mistyped: its small and capital letters do not fit$/,
    ],
    [[token, 'no/a.seed'], /^chains.Ethereum.keys.file .*: there is no folder .*no$/],
  ];
  for (const [wanted, words] of rows) {
    expect(await begin(...wanted)).toMatch(words);
    expect(existsSync(at('chained'))).toBe(false);
  }
  // The chain takes addresses with their checksum only.
  expect(await begin(token.toLowerCase(), 'a.seed')).toContain('The venue in');
  expect(await checked(found(token.toLowerCase(), 'a.seed'))).toContain('is right');
  expect(
    knownCatalogue(at('chained'), identityOf(at('chained')).venueId)?.networks(),
  ).toContainEqual(
    expect.objectContaining({
      assets: expect.arrayContaining([expect.objectContaining({ tokenId: token })]),
    }),
  );
  // Once addresses were given to customers, lost keys are not made anew.
  await keepWallet(at('chained'), 'Ethereum', '0xhot');
  rmSync(at('a.seed'));
  expect(await begin(token, 'a.seed')).toBe(
    `${at('a.seed')} is missing, and Ethereum is served with its keys (hot wallet 0xhot): bring it back from a copy`,
  );
  expect(existsSync(at('a.seed'))).toBe(false);
});

test('of a node of a cluster: servers and files', async () => {
  const cluster = { node: 'engine-1', servers: ['nats://127.0.0.1:9'] };
  const rows: readonly (readonly [object, RegExp])[] = [
    [{ servers: ['http://a'] }, /^cluster.servers\[0\] is an address such as nats:.* http:\/\/a$/],
    [{ monitors: ['a:8222'] }, /^cluster.monitors\[0\] is an address such as https/],
    [{ url: 'engine-1' }, /^cluster.url is an address such as https.*; it is no address$/],
    [{ credentialsFile: '' }, /cluster.credentialsFile is text that is not empty/],
    [{ credentialsFile: 'none' }, /none cannot be opened: ENOENT/],
    [{ tls: { caFile: 'ca.pem' } }, /ca.pem cannot be opened: ENOENT/],
  ];
  for (const [more, words] of rows) {
    expect(await checked({ cluster: { ...cluster, ...more } })).toMatch(words);
  }
  expect(await checked({ cluster })).toContain('the configuration is right');
});
