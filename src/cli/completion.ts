import type { ArgsDef, CommandDef } from 'citty';
import { command } from './command.ts';
import { print } from './print.ts';

/** The words that may follow each command: "order" -> buy, sell ...; "order buy" -> --price ... */
export type Words = ReadonlyMap<string, readonly string[]>;

export async function wordsOf(command: CommandDef, path = ''): Promise<Map<string, string[]>> {
  const subs = await resolved(command.subCommands);
  const args = ((await resolved(command.args)) ?? {}) as ArgsDef;
  const options = Object.entries(args).filter(([, { type }]) => type !== 'positional');
  const own = [...Object.keys(subs ?? {}), ...options.map(([name]) => `--${name}`)];
  const all = new Map([[path, own]]);
  for (const [name, sub] of Object.entries(subs ?? {})) {
    const found = (await resolved(sub)) as CommandDef;
    for (const [at, words] of await wordsOf(found, `${path} ${name}`.trim())) all.set(at, words);
  }
  return all;
}

async function resolved<Value>(value: Value | (() => Value | Promise<Value>)): Promise<Value> {
  return typeof value === 'function' ? (value as () => Promise<Value>)() : value;
}

const ARGS = {
  shell: { type: 'positional', required: true, description: 'bash|zsh|fish' },
} as const;

/** `root` is evaluated when the command runs, because it contains this command. */
export const completionOf = (root: () => CommandDef) =>
  command({
    meta: { name: 'completion', description: 'Print a completion script for your shell' },
    args: ARGS,
    run: async (args) => {
      const scriptOf = SHELLS[args.shell];
      if (scriptOf === undefined) throw new Error(`there is bash, zsh and fish, not ${args.shell}`);
      print(scriptOf(await wordsOf(root())));
    },
  });

const casesOf = (words: Words): string =>
  [...words].map(([path, after]) => `    "${path}") words="${after.join(' ')}" ;;`).join('\n');

/** The words typed so far that are commands make up the path. */
const bash = (words: Words): string => `_rialto() {
  local path="" word words
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) path="\${path:+$path }$word" ;; esac
  done
  while :; do
    words=""
    case "$path" in
${casesOf(words)}
    esac
    [ -n "$words" ] && break
    case "$path" in *" "*) path="\${path% *}" ;; *) break ;; esac
  done
  COMPREPLY=($(compgen -W "$words --help" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _rialto rialto`;

const zsh = (words: Words): string => `autoload -U +X bashcompinit && bashcompinit\n${bash(words)}`;

const fish = (words: Words): string =>
  [...words]
    .filter(([, after]) => after.length > 0)
    .map(([path, after]) => {
      const names = path === '' ? [] : path.split(' ');
      const seen = names.map((name) => `__fish_seen_subcommand_from ${name}`).join('; and ');
      const when = seen === '' ? '__fish_use_subcommand' : seen;
      return `complete -c rialto -n '${when}' -a '${after.join(' ')}'`;
    })
    .join('\n');

const SHELLS: Readonly<Record<string, (words: Words) => string>> = { bash, zsh, fish };
