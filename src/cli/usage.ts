import { stripVTControlCharacters } from 'node:util';
import { type ArgsDef, type CommandDef, type CommandMeta, renderUsage } from 'citty';
import { EXAMPLES } from './examples.ts';

/** What `--help` prints: the library's text, and below it lines to copy. Colours are for terminals. */
export async function printUsage<Args extends ArgsDef>(
  command: CommandDef<Args>,
  parent?: CommandDef<Args>,
): Promise<void> {
  const text = await usageText(command, parent);
  const isPlain = !process.stdout.isTTY || process.env['NO_COLOR'] !== undefined;
  console.log(isPlain ? stripVTControlCharacters(text) : text);
}

export async function usageText<Args extends ArgsDef>(
  command: CommandDef<Args>,
  parent?: CommandDef<Args>,
): Promise<string> {
  const usage = await renderUsage(command, await fromRoot(parent));
  return `${usage}\n${await examplesText(command, parent)}`;
}

/** The library colours its complaints everywhere; colours are for terminals. */
export function plainErrors(): void {
  if (process.stderr.isTTY && process.env['NO_COLOR'] === undefined) return;
  const print = console.error;
  console.error = (...words: unknown[]) =>
    print(...words.map((one) => (typeof one === 'string' ? stripVTControlCharacters(one) : one)));
}

/** The library names a command and its parent only: below a parent the program's own name would be missing. */
async function fromRoot<Args extends ArgsDef>(
  parent: CommandDef<Args> | undefined,
): Promise<CommandDef<Args> | undefined> {
  const name = await nameOf(parent);
  return name === '' || name === ROOT ? parent : { ...parent, meta: { name: `${ROOT} ${name}` } };
}

async function examplesText<Args extends ArgsDef>(
  command: CommandDef<Args>,
  parent?: CommandDef<Args>,
): Promise<string> {
  const lines = examplesFor(await nameOf(command), await nameOf(parent));
  return lines.length === 0 ? '' : `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}\n`;
}

/** For a subcommand, the examples of its parent that are about it, if there are any. */
export function examplesFor(name: string, parent: string): readonly string[] {
  if (parent === '' && name === ROOT) return EXAMPLES[''] ?? [];
  if (parent === '' || parent === ROOT) return EXAMPLES[name] ?? [];
  const all = EXAMPLES[parent] ?? [];
  const about = all.filter((line) => line.startsWith(`${ROOT} ${parent} ${name} `));
  return about.length > 0 ? about : all;
}

const ROOT = 'rialto';

async function nameOf<Args extends ArgsDef>(
  command: CommandDef<Args> | undefined,
): Promise<string> {
  const meta = command?.meta;
  const found = (await (typeof meta === 'function' ? meta() : meta)) as CommandMeta | undefined;
  return found?.name ?? '';
}
