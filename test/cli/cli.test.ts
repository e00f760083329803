import { spawn, spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { freePort } from '../../scripts/free-ports.ts';
import { PROGRAM } from '../../scripts/started-program.ts';
import { RialtoClient } from '../../src/client/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'rialto-cli-'));
afterAll(() => rmSync(folder, { recursive: true }));

function rialto(...args: string[]): { readonly out: string; readonly code: number | null } {
  const { stdout, stderr, status } = spawnSync(process.execPath, [PROGRAM, ...args], {
    encoding: 'utf8',
  });
  return { out: stdout + stderr, code: status };
}

/** Starts a program that keeps running, and waits for the line that says it is open. */
async function serve(args: readonly string[]): Promise<{ stop(): Promise<number | null> }> {
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: 'pipe' });
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  let output = '';
  await new Promise<void>((resolve, reject) => {
    const collect = (text: Buffer): void => {
      output += text.toString();
      if (output.includes('Rialto is open')) resolve();
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.once('exit', () => reject(new Error(output)));
  });
  return {
    stop: () => {
      child.kill('SIGTERM');
      return exited;
    },
  };
}

test('a venue of one’s own: init, account, key, serve, verify', async () => {
  const config = join(folder, 'rialto.json');
  const data = join(folder, 'venue');
  expect(rialto('init', '--config', config, '--data', data).out).toContain('is ready');
  expect(statSync(join(data, 'master.key')).mode & 0o777).toBe(0o600);
  expect(rialto('account', 'create', '--config', config, '--family', 'acme').out).toMatch(
    /^account 3\d{4} acme\/main\n$/,
  );
  const sub = rialto('account', 'create', '--config', config, '--family', 'acme', '--name', 'desk');
  expect(sub.code).toBe(0);
  const key = ['key', 'create', '--config', config, '--family', 'acme'];
  const made = rialto(...key, '--permissions', 'read,trade').out;
  const [, accessKey = '', secret = ''] =
    /account {3}acme\/main\naccessKey (\S+)\nsecret {4}(\S+)/.exec(made) ?? [];
  expect(secret.length).toBeGreaterThan(30);

  const port = await freePort();
  const file = JSON.parse(readFileSync(config, 'utf8')) as object;
  writeFileSync(
    config,
    JSON.stringify({ ...file, port, managementPort: 0, hostAliases: ['venue.example'] }),
  );
  const running = await serve(['serve', '--config', config]);
  const client = new RialtoClient({ baseUrl: `http://localhost:${port}`, accessKey, secret });
  expect(await client.account()).toMatchObject([{ name: 'main', balances: [] }]);
  expect(await client.accountNames()).toMatchObject([{ name: 'desk' }]);
  // The same commands work on the running venue, through its management listener.
  const at = ['--config', config];
  const second = JSON.parse(rialto(...key, '--name', 'desk', '--json').out);
  expect(second).toMatchObject({ family: 'acme', name: 'desk', permissions: ['read'] });
  expect(rialto('account', 'restrict', ...at, '--family', 'acme', '--set', 'locked').out).toBe(
    'acme: locked\n',
  );
  expect(rialto('account', 'list', ...at).out).toMatch(
    /^account {2}name .*\n3\d{4} {4}acme\/main {2}PORTFOLIO {2}active {2}locked /,
  );
  expect(rialto('key', 'revoke', ...at, '--key', accessKey).out).toBe(
    `revoked ${accessKey} of acme/main\n`,
  );
  await expect(client.account()).rejects.toThrow('API key is invalid');
  const listed = rialto('key', 'list', ...at).out;
  expect(listed).toMatch(new RegExp(`^access key .*\n${accessKey} .* revoked `));
  expect(listed).not.toContain(secret);
  expect(await running.stop()).toBe(0);
  expect(rialto('verify', '--data', data).out).toMatch(/\nbalanced\n$/);
  // The configuration names the data directory, and the archive.
  expect(rialto('verify', ...at).out).toMatch(/\nbalanced\n$/);
  const archiving = join(folder, 'archiving.json');
  const retention = { action: 'archive', folder: 'unmounted' };
  writeFileSync(archiving, JSON.stringify({ ...file, retention }));
  const unmounted = rialto('verify', '--config', archiving);
  expect(unmounted).toEqual({ out: `${join(folder, 'unmounted')} is not there\n`, code: 1 });
  // And on the stopped one, where nothing was lost.
  const keys = JSON.parse(rialto('key', 'list', '--data', data, '--json').out);
  expect(keys).toMatchObject([
    { accessKey, revoked: true },
    { accessKey: second.accessKey, revoked: false },
  ]);
});

test.skipIf(!existsSync('/dev/full'))(
  'what is printed to a full disk is not said to be done; a secret is shown elsewhere',
  () => {
    const data = join(folder, 'full');
    const at = ['--data', data, '--family', 'acme'];
    rialto('init', '--config', join(folder, 'full.json'), '--data', data);
    rialto('account', 'create', ...at);
    const full = openSync('/dev/full', 'w');
    const printed = (...args: string[]) =>
      spawnSync(process.execPath, [PROGRAM, ...args], {
        encoding: 'utf8',
        stdio: ['ignore', full, 'pipe'],
      });
    expect(printed('key', 'create', ...at)).toMatchObject({
      stderr: expect.stringMatching(
        /^standard output takes nothing \(ENOSPC.*\); this is shown here, this once:\naccount {3}acme\/main\naccessKey \S+\nsecret {4}\S+\n$/,
      ),
      status: 1,
    });
    expect(printed('key', 'list', '--data', data)).toMatchObject({
      stderr: expect.stringMatching(/^the result is not printed: ENOSPC/),
      status: 1,
    });
    closeSync(full);
  },
);

test('init makes the venue of a cluster with the configuration of its first node, once', () => {
  const config = join(folder, 'engine-1.json');
  const cluster = {
    ...{ node: 'engine-1', servers: ['nats://127.0.0.1:9'], monitors: ['http://127.0.0.1:9'] },
    ...{ stream: 'rialto', url: 'http://127.0.0.1:9' },
  };
  writeFileSync(config, JSON.stringify({ data: 'engine-1', cluster }));
  const made = rialto('init', '--config', config);
  expect(made.out).toContain(
    `is ready (sequence 1). Next:\n  rialto cluster create --config ${config}`,
  );
  const again = rialto('init', '--config', config);
  expect(again.code).toBe(1);
  expect(again.out).toContain("is a node of a cluster, and its journal is the log's");
});

test('init changes nothing that is there, and says so', () => {
  const config = join(folder, 'again.json');
  const init = ['init', '--config', config];
  expect(rialto(...init, '--data', join(folder, 'again')).code).toBe(0);
  expect(rialto(...init).out).toContain(`${join(folder, 'again')} is ready`);
  const elsewhere = rialto(...init, '--data', join(folder, 'elsewhere'));
  expect(elsewhere).toMatchObject({ code: 1 });
  expect(elsewhere.out).toContain(`has data in ${join(folder, 'again')}, not in`);
  const genesis = join(folder, 'genesis.json');
  writeFileSync(genesis, '{ "families": [{ "name": "acme", "accounts": [{ "name": "main" }] }] }');
  const late = rialto(...init, '--genesis', genesis);
  expect(late).toMatchObject({ code: 1 });
  expect(late.out).toContain('has begun already');
  expect(late.out).toContain('without --genesis, what a stopped init left undone is completed');
});

test('colours are for terminals only', () => {
  // In the tests' own environment the library prints none.
  const env = { PATH: process.env['PATH'], TERM: 'xterm' };
  const wrong = spawnSync(process.execPath, [PROGRAM, 'nonsense'], { encoding: 'utf8', env });
  expect(wrong).toMatchObject({ stderr: 'Unknown command nonsense\n', status: 1 });
});

test('what is wrong is said in a sentence, with exit code 1', () => {
  const missing = rialto('serve', '--config', join(folder, 'none.json'));
  expect(missing).toMatchObject({ code: 1 });
  expect(missing.out).toContain('does not exist: rialto init');
  const bad = join(folder, 'bad.json');
  writeFileSync(bad, '{"prot": 3000}');
  expect(rialto('serve', '--config', bad).out).toContain('bad.json');
  expect(rialto('dev', '--port', 'many').out).toContain('--port is a whole number');
  expect(rialto('dev', '--limits', 'maybe').out).toContain('--limits is on or off, not maybe');
  expect(rialto('verify', '--data', folder).out).toContain('holds no venue');
  expect(rialto('dev', '--past', '8d').out).toContain('--past is hours or days up to 7d');
  expect(rialto('dev', '--gateways', '17').out).toContain(
    '--gateways is a whole number of threads from 0 to 16, not 17',
  );
  expect(rialto('dev', '--seed', 'x').out).toContain('--seed is a whole number');
  expect(rialto('dev', '--host', '').out).toContain(
    '--host is empty; leave it out for its default',
  );
  expect(rialto('catalogue', '--json').out).toBe(
    'there is no option --json: this command has none\n',
  );
  expect(rialto('catalogue', 'all').out).toBe('all is one word too many; there is none\n');
  const late = ['key', 'create', '--data', folder, '--family', 'a', '--expires', 'tomorrow'];
  expect(rialto(...late).out).toBe(
    '--expires is a date, such as 2027-01-31 or 2027-01-31T12:00:00Z, not tomorrow\n',
  );
  expect(rialto('dev', '--prot', '3999').out).toContain('there is no option --prot');
});

test('--reset forgets a venue, and refuses a folder that is none', async () => {
  const data = join(folder, 'reset');
  const handout = join(folder, 'handout.json');
  const start = (...more: string[]) =>
    serve(['dev', '--port', '0', '--data', data, '--market', 'off', '--handout', handout, ...more]);
  const keyNow = () =>
    (
      JSON.parse(readFileSync(handout, 'utf8')) as {
        families: { accounts: { keys: object[] }[] }[];
      }
    ).families[0]?.accounts[0]?.keys[0];
  await (await start()).stop();
  const first = keyNow();
  await (await start()).stop();
  expect(keyNow()).toEqual(first);
  await (await start('--reset')).stop();
  expect(keyNow()).not.toEqual(first);
  expect(rialto('dev', '--reset', '--data', folder).out).toContain('holds no venue');
});
