import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, expect, test } from 'vitest';
import { freePort } from '../../scripts/free-ports.ts';
import type { Handout } from '../http/venue.ts';
import { startProgram } from './running.ts';

const folder = mkdtempSync(join(tmpdir(), 'rialto-serve-'));
afterAll(() => rmSync(folder, { recursive: true }));

const pem = (name: string): string => `test/support/tls/${name}.pem`;

/** The name in the certificate that a new connection gets. */
const shownBy = (port: number): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, host: 'localhost', rejectUnauthorized: false }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN));
      socket.end();
    });
    socket.once('error', reject);
  });

const modesIn = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' }).map((name) => {
    const stat = statSync(join(directory, name));
    return `${stat.isDirectory() ? 'directory' : 'file'} ${(stat.mode & 0o777).toString(8)}`;
  });

test.each([
  { gateways: 0, name: 'on one thread' },
  { gateways: 2, name: 'on gateway threads' },
])(
  'a service $name: private data, certificates read again on SIGHUP, an end in words',
  async ({ gateways }) => {
    const config = join(folder, `rialto-${gateways}.json`);
    const data = join(folder, `data-${gateways}`);
    expect(await startProgram(['init', '--config', config, '--data', data]).exited).toBe(0);
    const tls = { keyFile: join(folder, 'key.pem'), certFile: join(folder, 'cert.pem') };
    const usePair = (pair: number): void => {
      copyFileSync(pem(`key-${pair}`), tls.keyFile);
      copyFileSync(pem(`cert-${pair}`), tls.certFile);
    };
    usePair(1);
    const port = await freePort();
    const file = JSON.parse(readFileSync(config, 'utf8')) as object;
    writeFileSync(
      config,
      JSON.stringify({ ...file, port, managementPort: 0, tls, gateways, logLevel: 'warn' }),
    );
    const running = startProgram(['serve', '--config', config]);
    await running.until('Rialto is open: https://');

    expect(statSync(data).mode & 0o777).toBe(0o700);
    expect(new Set(modesIn(data))).toEqual(new Set(['directory 700', 'file 600']));

    const shown = async (): Promise<string[]> => {
      const names = await Promise.all([1, 2, 3, 4, 5, 6].map(() => shownBy(port)));
      return [...new Set(names)];
    };
    expect(await shown()).toEqual(['venue-1.test']);
    usePair(2);
    running.child.kill('SIGHUP');
    await running.until('TLS certificate reloaded, valid to');
    expect(await shown()).toEqual(['venue-2.test']);
    // A key that does not match: the venue continues with the previous pair.
    copyFileSync(pem('key-1'), tls.keyFile);
    running.child.kill('SIGHUP');
    await running.until('TLS certificate not reloaded, the old one stays');
    expect(await shown()).toEqual(['venue-2.test']);

    expect(await running.stop()).toBe(0);
    const words = running
      .output()
      .split('\n')
      .flatMap((line) => /"msg":"([^"]*)"/.exec(line)?.[1] ?? []);
    expect(words.at(-2)).toBe('closing');
    expect(words.at(-1)).toMatch(/^closed at sequence \d+$/);

    // `dev` neither opens nor deletes its data.
    for (const more of [[], ['--reset']]) {
      const shown = startProgram([
        'dev',
        '--port',
        '0',
        '--data',
        data,
        '--market',
        'off',
        ...more,
      ]);
      expect(await shown.exited).toBe(1);
      expect(shown.output()).toContain('holds a venue of `serve`');
    }
  },
);

test('dev shows secrets at its first start only, and keeps them in its handout', async () => {
  const data = join(folder, 'dev');
  const handoutFile = join(data, 'handout.json');
  const start = async () => {
    const running = startProgram(['dev', '--port', '0', '--data', data, '--market', 'off']);
    await running.until('Rialto is open');
    await running.until({ file: handoutFile });
    const handout = JSON.parse(readFileSync(handoutFile, 'utf8')) as Handout;
    expect(await running.stop()).toBe(0);
    const secrets = handout.families.flatMap(({ accounts }) =>
      accounts.flatMap(({ keys }) => keys.map(({ secret }) => secret)),
    );
    return { output: running.output(), secrets };
  };
  const first = await start();
  expect(first.secrets.length).toBeGreaterThan(5);
  for (const secret of first.secrets) expect(first.output).toContain(secret);
  expect(statSync(handoutFile).mode & 0o777).toBe(0o600);
  const second = await start();
  expect(second.secrets).toEqual(first.secrets);
  for (const secret of second.secrets) expect(second.output).not.toContain(secret);
  expect(second.output).toContain(handoutFile);
});
