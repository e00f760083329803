import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CommandDef } from 'citty';
import { expect, test } from 'vitest';
import { rialto } from '../src/cli/commands.ts';
import { announceManagement } from '../src/operators.ts';

/** Files for operators are read by other programs: what can be checked without those is checked here. */

/** The command that the words name, and the words it does not know. */
async function unknownWords(words: readonly string[]): Promise<string[]> {
  let command: CommandDef = rialto;
  let at = 0;
  for (; at < words.length; at++) {
    const all = (await resolved(command.subCommands)) ?? {};
    const next = all[words[at] as string];
    if (next === undefined) break;
    command = (await resolved(next)) as CommandDef;
  }
  const args = ((await resolved(command.args)) ?? {}) as Record<string, { readonly type?: string }>;
  const rest = words.slice(at);
  const takesPlaces = Object.values(args).filter(({ type }) => type === 'positional').length;
  const places: string[] = [];
  const unknown: string[] = [];
  for (let index = 0; index < rest.length; index++) {
    const word = rest[index] as string;
    if (!word.startsWith('--')) places.push(word);
    else {
      const arg = args[word.slice(2)];
      if (arg === undefined) unknown.push(word);
      if (arg?.type !== 'boolean') index++;
    }
  }
  return at === 0 ? [...words] : [...unknown, ...places.slice(takesPlaces)];
}

const resolved = async <Value>(
  value: Value | (() => Value | Promise<Value>) | Promise<Value> | undefined,
): Promise<Value | undefined> =>
  typeof value === 'function' ? await (value as () => Value | Promise<Value>)() : await value;

/** Continued lines joined, comments removed. */
const linesOf = (file: string): string[] =>
  readFileSync(file, 'utf8')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'));

const COMMAND = '/opt/rialto/node_modules/.bin/rialto';

test('the image copies files that exist and runs a command that exists', async () => {
  const instructions = linesOf('Dockerfile').map((line) => {
    const [, name = '', rest = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
    return { name, rest };
  });
  const KNOWN = ['FROM', 'WORKDIR', 'COPY', 'RUN', 'ENV', 'USER', 'VOLUME', 'EXPOSE'];
  const ALSO = ['STOPSIGNAL', 'HEALTHCHECK', 'ENTRYPOINT', 'CMD'];
  for (const { name } of instructions) expect([...KNOWN, ...ALSO]).toContain(name);
  const of = (name: string): string[] =>
    instructions.filter((one) => one.name === name).map(({ rest }) => rest);
  for (const copied of of('COPY').filter((rest) => !rest.startsWith('--from='))) {
    for (const path of copied.split(' ').slice(0, -1)) expect(existsSync(path), path).toBe(true);
  }
  expect(JSON.parse(of('ENTRYPOINT')[0] ?? '')).toEqual([COMMAND]);
  expect(await unknownWords(JSON.parse(of('CMD')[0] ?? ''))).toEqual([]);
  const [health = ''] = of('HEALTHCHECK');
  const check = JSON.parse(health.slice(health.indexOf('['))) as string[];
  expect(check.slice(0, 2)).toEqual(['node', '-e']);
  expect(of('ENV')).toContain(`RIALTO_DATA=${of('VOLUME')[0]}`);
  expect(readFileSync('compose.yml', 'utf8')).toContain(`"${of('EXPOSE')[0]}:${of('EXPOSE')[0]}"`);
});

test('the health check of the image finds the venue wherever it listens', async () => {
  const line = linesOf('Dockerfile').find((one) => one.startsWith('HEALTHCHECK')) ?? '';
  const [, ...words] = JSON.parse(line.slice(line.indexOf('['))) as string[];
  const data = mkdtempSync(join(tmpdir(), 'rialto-image-'));
  const codeOf = (): Promise<number | null> =>
    new Promise((resolve) => {
      const env = { ...process.env, RIALTO_DATA: data };
      spawn(process.execPath, words, { env, stdio: 'ignore' }).once('exit', resolve);
    });
  expect(await codeOf()).toBe(1);
  let status = 200;
  const server = createServer((request, response) => {
    response.writeHead(request.url === '/health' ? status : 404).end('{}');
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  announceManagement(data, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  expect(await codeOf()).toBe(0);
  status = 503;
  expect(await codeOf()).toBe(1);
  await new Promise((resolve) => server.close(resolve));
  expect(await codeOf()).toBe(1);
});

test('units of a cluster are started again for as long as it takes', () => {
  for (const name of ['engine', 'gateway']) {
    const lines = linesOf(`ops/cluster/rialto-${name}.service`);
    expect(lines).toContain('Restart=always');
    // By default systemd gives up after five starts in ten seconds, fewer than a node needs at a gate.
    expect(lines.slice(0, lines.indexOf('[Service]'))).toContain('StartLimitIntervalSec=0');
  }
});

test('the image is made of what is not ignored', () => {
  const ignored = readFileSync('.dockerignore', 'utf8').split('\n');
  for (const needed of ['src', 'web', 'scripts', 'docs', 'package.json']) {
    expect(ignored, needed).not.toContain(needed);
  }
});

test('the unit runs commands that exist, and systemd reads it', async ({ skip }) => {
  const file = 'ops/systemd/rialto.service';
  const lines = linesOf(file);
  for (const line of lines) expect(line).toMatch(/^\[(Unit|Service|Install)\]$|^[A-Za-z]+=.*$/);
  const commands = lines.filter((line) => /^ExecStart(Pre)?=/.test(line));
  expect(commands.length).toBe(2);
  for (const line of commands) {
    const [path, ...words] = line.slice(line.indexOf('=') + 1).split(' ');
    expect(path).toBe(COMMAND);
    expect(await unknownWords(words), line).toEqual([]);
  }
  if (!existsSync('/usr/bin/systemd-analyze')) return skip('systemd-analyze is not here');
  const folder = mkdtempSync(join(tmpdir(), 'rialto-unit-'));
  try {
    // The only thing that may be missing is the program, which is not installed here.
    const unit = join(folder, 'rialto.service');
    writeFileSync(unit, readFileSync(file, 'utf8').replaceAll(COMMAND, '/bin/true'));
    const said = execFileSync('systemd-analyze', ['verify', unit], { stdio: 'pipe' });
    expect(said.toString()).toBe('');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('a venue that was killed ends with the exit code of its signal', () => {
  const started = (end: string) =>
    `import { handOver } from './scripts/hand-over.mjs'; handOver('sh', ['-c', '${end}']);`;
  const codeOf = (end: string) =>
    spawnSync(process.execPath, ['--input-type=module', '-e', started(end)]).status;
  expect(['exit 75', 'kill -9 $$', 'kill -15 $$'].map(codeOf)).toEqual([75, 137, 143]);
});

test('a machine without a library that the runtime needs is told what to install', () => {
  const start = `import { handOver } from './scripts/hand-over.mjs'; handOver('sh', ['-c', 'exit 127']);`;
  const args = ['--input-type=module', '-e', start];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(status).toBe(127);
  expect(stderr).toContain('apt-get install libatomic1');
  expect(readFileSync('Dockerfile', 'utf8')).toContain('libatomic1');
});

test('the bundle of a running program outlives newer ones', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rialto-bundles-'));
  try {
    const names = [1, 2, 3, 4, 5, 6, 7].map((n) => `program-${String(n).repeat(16)}`);
    for (const [at, name] of names.entries()) {
      mkdirSync(join(folder, name));
      // Marked for a process that runs, one that has ended, and none.
      if (at === 0) writeFileSync(join(folder, name, `used-by-${process.pid}`), '');
      if (at === 1) writeFileSync(join(folder, name, 'used-by-999999999'), '');
      utimesSync(join(folder, name), at, at);
    }
    // One that another start removes at the same time: it is listed, and then it is not there.
    symlinkSync('gone', join(folder, `program-${'8'.repeat(16)}`));
    const forget = `import { forgetOldest, useBundle } from './scripts/kept-bundles.mjs';
      import { existsSync } from 'node:fs';
      forgetOldest(${JSON.stringify(folder)}, 'program');
      useBundle(${JSON.stringify(join(folder, names[3] as string, 'rialto.js'))}, process.pid);
      useBundle('src/cli/rialto.ts', process.pid);
      const mark = ${JSON.stringify(join(folder, names[3] as string, 'used-by-'))} + process.pid;
      console.log(existsSync(mark));`;
    const args = ['--input-type=module', '-e', forget];
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect([stdout, stderr]).toEqual(['true\n', '']);
    expect(readdirSync(folder)).toEqual([names[0], ...names.slice(3)]);
    // The mark goes with its process.
    expect(readdirSync(join(folder, names[3] as string))).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('no alarm compares an empty sum with 0: an empty sum has no value', () => {
  const expressions = linesOf('ops/prometheus/rules.yml').filter((line) => /^\s*expr:/.test(line));
  expect(expressions.length).toBeGreaterThan(10);
  for (const line of expressions) expect(line).not.toMatch(/\b(sum|count)\(.*\) == 0/);
});
