import { execFile } from 'node:child_process';

/** What the drill can do to a part of the cluster, by its name. */
export type DrillPart = {
  readonly name: string;
  isRunning(): boolean;
} & Readonly<Record<Act, () => unknown>>;

const ACTS = ['kill', 'start', 'pause', 'resume'] as const;
type Act = (typeof ACTS)[number];
const CLUSTER_COMMANDS = ['status', 'hand-over'] as const;
type ClusterCommand = (typeof CLUSTER_COMMANDS)[number];

export const DRILL_HELP =
  'kill NAME · start NAME · pause NAME · resume NAME (gateway-1..2, engine-1..3, log-1..3, postgres) · status · hand-over · quit';

/** Executes one input line of the drill; returns the answer as text. */
export async function drillLine(
  line: string,
  parts: readonly DrillPart[],
  run: (what: ClusterCommand) => Promise<string>,
): Promise<string> {
  const [what = '', name = ''] = line.trim().split(/\s+/);
  const command = CLUSTER_COMMANDS.find((word) => word === what);
  if (command !== undefined) return run(command);
  const act = ACTS.find((word) => word === what);
  if (act === undefined) return DRILL_HELP;
  const part = parts.find((one) => one.name === name);
  if (part === undefined) {
    const names = parts.map((one) => one.name).join(', ');
    return name === '' ? DRILL_HELP : `there is no ${name} here: ${names}`;
  }
  if (act === 'start' && part.isRunning()) return `${name} runs already`;
  if (act !== 'start' && !part.isRunning()) return `${name} does not run: start ${name}`;
  await part[act]();
  return `${what} ${name}: done`;
}

/**
 * The output of a program, or why it failed, without the command line that the drill built. Asynchronous:
 * meanwhile the drill restarts what has ended.
 */
export function outputOf(file: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(file, args, { encoding: 'utf8' }, (failure, stdout, stderr) => {
      const output = stdout.trim();
      const why = stderr.trim() || failure?.message || '';
      resolve(failure === null ? output : [output, why].filter((text) => text !== '').join('\n'));
    });
  });
}
