import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join, resolve } from 'node:path';

const PROGRAMS: Readonly<Record<string, string>> = {
  '.ts': process.execPath,
  '.mjs': process.execPath,
  '.py': 'python3',
  '.sh': 'sh',
};

/** The folder of somebody who uses the SDK and ccxt. It goes with the run. */
export function userProject(): string {
  const project = mkdtempSync(join(tmpdir(), 'rialto-user-'));
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }\n');
  const modules = join(project, 'node_modules');
  mkdirSync(modules);
  symlinkSync(resolve('.'), join(modules, 'rialto'), 'dir');
  symlinkSync(resolve('node_modules/ccxt'), join(modules, 'ccxt'), 'dir');
  return project;
}

/** The fenced blocks of a text in one language. */
export const blocksOf = (text: string, language: string): string[] =>
  [...text.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, 'g'))].map(
    ([, block]) => block ?? '',
  );

/** What a program prints; fails with that when the program does. */
export const outputOf = (file: string, ...args: string[]): Promise<string> =>
  new Promise((done, fail) => {
    const program = PROGRAMS[extname(file)] as string;
    const path = `${resolve('node_modules/.bin')}:${process.env['PATH']}`;
    const env = { ...process.env, PATH: path };
    execFile(program, [file, ...args], { env, timeout: 240_000 }, (error, stdout, stderr) => {
      if (error === null) done(stdout);
      else fail(new Error(`${file}: ${error.message}\n${stdout}${stderr}`));
    });
  });
