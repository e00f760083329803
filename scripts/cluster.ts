import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { type LocalCluster, startLocalCluster } from './local-cluster.ts';
import { logServer } from './log-server.ts';
import { type PostgresServer, postgresPrograms, startPostgres } from './postgres-server.ts';
import { PROGRAM } from './started-program.ts';

/**
 * The drill: `npm run cluster` starts three log servers, three engines, two gateways and PostgreSQL on this machine,
 * prints where they are, and lets one kill and start them by name. It leaves nothing behind.
 */
const HELP =
  'kill NAME · start NAME · pause NAME · resume NAME (gateway-1..2, engine-1..3, log-1..3, postgres) · status · hand-over · quit';

const found = logServer();
if ('missing' in found) {
  console.error(found.missing);
  process.exit(1);
}
const folder = mkdtempSync(join(tmpdir(), 'rialto-cluster-'));
console.log(
  'Starting three log servers, three engines, two gateways and PostgreSQL (a few seconds) ...',
);
const postgres = await historyServer();
const cluster = await startLocalCluster({
  program: found.program,
  folder,
  history: postgres?.url,
  onOutput: (name, text) => {
    for (const line of text.split('\n')) {
      const { msg } = wordsOf(line);
      if (msg !== undefined) console.log(`  ${name}: ${msg}`);
    }
  },
});
const quit = async (): Promise<void> => {
  await cluster.stop();
  await postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
};
process.once('SIGINT', () => void quit());
process.once('SIGTERM', () => void quit());
const leader = await cluster.untilLed();
await cluster.untilAllUp();
for (const { name, url } of [...cluster.gateways, ...cluster.engines]) {
  console.log(`  ${name}  ${url}${name === leader.name ? '  leads' : ''}`);
}
if (postgres !== undefined) console.log(`  postgres  ${postgres.url}  history of all nodes`);
const [gateway] = cluster.gateways;
const handout = join(folder, 'handout.json');
const wsUrl = gateway?.url.replace('http', 'ws');
const contents = { ...cluster.handout, baseUrl: gateway?.url, wsUrl: `${wsUrl}/v2/websocket` };
writeFileSync(handout, JSON.stringify(contents, null, 2), { mode: 0o600 });
const key = cluster.handout.families[0]?.accounts[0]?.keys.find(({ permissions }) =>
  permissions.includes('trade'),
);
console.log(`  a key of the demo family that trades: ${key?.accessKey}  ${key?.secret}`);
console.log(`  all keys, for bots: ${handout} (npm run -s rialto -- balances --handout FILE)`);
console.log(`  data and logs: ${folder}\n${HELP}`);

const terminal = createInterface({ input: process.stdin, output: process.stdout });
terminal.once('close', () => void quit());
for await (const line of terminal) {
  const [what = '', name = ''] = line.trim().split(/\s+/);
  if (what === 'quit') break;
  try {
    console.log(await done(cluster, what, name));
  } catch (cause) {
    console.log(cause instanceof Error ? cause.message : String(cause));
  }
}
await quit();

/** Where there is none, each node has its own history, as one without a server does. */
async function historyServer(): Promise<PostgresServer | undefined> {
  const programs = postgresPrograms();
  if ('missing' in programs) {
    console.log(`  without PostgreSQL: ${programs.missing}`);
    return undefined;
  }
  return startPostgres({ found: programs, folder: join(folder, 'postgres') });
}

async function done(
  { engines, gateways, servers }: LocalCluster,
  what: string,
  name: string,
): Promise<string> {
  const args = ['--config', engines[0]?.configFile ?? ''];
  const rialto = (command: string): string =>
    execFileSync(process.execPath, [PROGRAM, 'cluster', command, ...args], {
      encoding: 'utf8',
    }).trim();
  if (what === 'status' || what === 'hand-over') return rialto(what);
  const node = [...engines, ...gateways].find((one) => one.name === name);
  const at = servers.names.indexOf(name);
  const parts: readonly (Part | undefined)[] = [
    node && {
      kill: () => node.kill(),
      start: () => node.start(),
      pause: () => node.signal('SIGSTOP'),
      resume: () => node.signal('SIGCONT'),
    },
    at < 0
      ? undefined
      : {
          kill: () => servers.kill(at),
          start: () => servers.start(at),
          pause: () => servers.pause(at),
          resume: () => servers.resume(at),
        },
    name === 'postgres' ? postgres : undefined,
  ];
  const part = parts.find((one) => one !== undefined);
  const act = isAct(what) ? part?.[what] : undefined;
  if (act === undefined) return HELP;
  await act();
  return `${what} ${name}: done`;
}

const ACTS = ['kill', 'start', 'pause', 'resume'] as const;
type Act = (typeof ACTS)[number];
type Part = Readonly<Record<Act, () => unknown>>;
function isAct(word: string): word is Act {
  return (ACTS as readonly string[]).includes(word);
}

/** The engines log JSON. */
function wordsOf(line: string): { readonly msg?: string } {
  try {
    return JSON.parse(line) as { readonly msg?: string };
  } catch {
    return line === '' ? {} : { msg: line };
  }
}
