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

/** A project folder of a user of the SDK and ccxt. It is removed after the run. */
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

/** The output of a program; if it fails, the error contains it. */
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
