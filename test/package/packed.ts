import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

/** The package as users get it: packed from a copy of this folder, installed into an empty project. */
const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, '../..');
const BIN = dirname(process.execPath);

export type Packed = {
  readonly tarball: string;
  readonly files: readonly string[];
  /** The folder of the project into which it is installed. */
  readonly project: string;
  remove(): void;
};

export async function installPacked(): Promise<Packed> {
  const folder = mkdtempSync(join(tmpdir(), 'rialto-package-'));
  const copy = join(folder, 'copy');
  const project = join(folder, 'project');
  // `npm pack` replaces package.json for a moment: not in a folder whose other tests may read it.
  const { stdout: tracked } = await run(
    'git',
    ['ls-files', '--cached', '--others', '--exclude-standard'],
    { cwd: ROOT, maxBuffer: 1 << 24 },
  );
  for (const path of tracked.trim().split('\n')) {
    if (!/^(src|web|scripts|docs)\/|^[^/]+$/.test(path)) continue;
    cpSync(join(ROOT, path), join(copy, path), { recursive: true, preserveTimestamps: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'), 'dir');
  const { stdout } = await npm(copy, 'pack', '--json', '--pack-destination', folder);
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf('[')));
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{ "name": "bot", "private": true }\n');
  const tarball = join(folder, packed.filename);
  // The pinned runtime is a large download; these tests run on the current one.
  await npm(project, 'install', '--omit=optional', tarball);
  return {
    ...{ tarball, project },
    files: packed.files.map(({ path }: { path: string }) => path),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** This machine's npm, on this runtime. */
export const npm = (cwd: string, ...args: readonly string[]) =>
  run('npm', [...args, '--no-fund', '--no-audit', '--loglevel=error'], {
    cwd,
    maxBuffer: 1 << 26,
    env: { ...process.env, PATH: `${BIN}:${process.env['PATH']}` },
  });

export const MODULE_BOT = `import { RialtoClient, RialtoStream } from 'rialto/client';
const order = { marketCode: 'BTC-USDT', side: 'BUY', orderType: 'LIMIT', quantity: '0.01', price: '59000' };
const client = await RialtoClient.fromHandout(process.argv[2]);
const placed = await client.placeOrders({ responseType: 'FULL', orders: [order] });
const stream = await RialtoStream.fromHandout(process.argv[2], { permission: 'trade' });
const [answer] = await stream.command('cancelorder', { marketCode: 'BTC-USDT', orderId: placed[0].orderId });
stream.close();
console.log(JSON.stringify({ placed: placed[0].status, canceled: answer.submitted, node: process.version }));
`;
/** The same for `require`, which has no top-level await. */
export const REQUIRE_BOT = `${MODULE_BOT.replace(/^import (.*) from (.*);/, 'const $1 = require($2);\nvoid (async () => {')}})();\n`;

export type BotResult = {
  readonly placed: string;
  readonly canceled: boolean;
  readonly node: string;
};

/** Runs a bot of the project on any Node. */
export async function runBot(
  { project }: Packed,
  bot: { readonly name: string; readonly text: string; readonly node: string },
  handout: string,
): Promise<BotResult> {
  writeFileSync(join(project, bot.name), bot.text);
  const { stdout } = await run(bot.node, [bot.name, handout], {
    cwd: project,
  });
  return JSON.parse(stdout) as BotResult;
}
