import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { DRILL_HELP, type DrillPart, drillLine, outputOf } from './drill.ts';
import { type LocalCluster, startLocalCluster } from './local-cluster.ts';
import { logServer } from './log-server.ts';
import { type PostgresServer, postgresPrograms, startPostgres } from './postgres-server.ts';
import { PROGRAM } from './started-program.ts';

/**
 * The drill: `npm run cluster` starts three log servers, three engines, two gateways and PostgreSQL on this
 * machine, prints their addresses, and lets you kill and start them by name. It leaves nothing behind.
 */
const found = logServer();
if ('missing' in found) {
  console.error(found.missing);
  process.exit(1);
}
const folder = mkdtempSync(join(tmpdir(), 'rialto-cluster-'));
console.log(
  'Starting three log servers, three engines, two gateways and PostgreSQL (a few seconds) ...',
);
let starting: Promise<LocalCluster> | undefined;
let serving: Promise<PostgresServer | undefined> | undefined;
let isQuitting = false;
const quit = async (exitCode = 0): Promise<void> => {
  if (isQuitting) return;
  isQuitting = true;
  // A cluster that is still starting is stopped once it has started: nothing else knows its processes.
  await starting?.then((cluster) => cluster.stop()).catch(() => undefined);
  await serving?.then((postgres) => postgres?.stop()).catch(() => undefined);
  rmSync(folder, { recursive: true, force: true });
  process.exit(exitCode);
};
// Closing a terminal sends SIGHUP, which does not end the nodes and servers.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => void quit());
}
try {
  serving = historyServer();
  const postgres = await serving;
  starting = startLocalCluster({
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
  const cluster = await starting;
  await show(cluster, postgres);
  await takeLines(cluster, postgres);
} catch (cause) {
  console.error(cause instanceof Error ? cause.message : String(cause));
  await quit(1);
}
await quit();

async function show(cluster: LocalCluster, postgres: PostgresServer | undefined): Promise<void> {
  const { engines, gateways, handout } = cluster;
  const leader = await cluster.untilLed();
  await cluster.untilAllUp();
  for (const { name, url } of [...gateways, ...engines]) {
    console.log(`  ${name}  ${url}${name === leader.name ? '  leads' : ''}`);
  }
  if (postgres !== undefined) console.log(`  postgres  ${postgres.url}  history of all nodes`);
  const [gateway] = gateways;
  const file = join(folder, 'handout.json');
  // From the venue of which the log was made, which has ended: its own addresses and its sandbox are gone.
  const { sandboxToken: _, ...lasting } = handout;
  const contents = {
    ...lasting,
    baseUrl: gateway?.url,
    wsUrl: `${gateway?.url.replace('http', 'ws')}/v2/websocket`,
    managementUrl: gateway?.managementUrl,
    consoleUrl: `${gateway?.managementUrl}/console`,
  };
  writeFileSync(file, JSON.stringify(contents, null, 2), { mode: 0o600 });
  const key = handout.families[0]?.accounts[0]?.keys.find(({ permissions }) =>
    permissions.includes('trade'),
  );
  console.log(`  a key of the demo family that trades: ${key?.accessKey}  ${key?.secret}`);
  console.log(`  all keys, for bots: ${file} (npm run -s rialto -- balances --handout FILE)`);
  console.log(`  data, configurations and the logs of the servers: ${folder}\n${DRILL_HELP}`);
}

async function takeLines(
  cluster: LocalCluster,
  postgres: PostgresServer | undefined,
): Promise<void> {
  const parts = partsOf(cluster, postgres);
  const config = cluster.engines[0]?.configFile ?? '';
  const ask = (what: string): Promise<string> =>
    outputOf(process.execPath, [PROGRAM, 'cluster', what, '--config', config]);
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  terminal.once('close', () => void quit());
  for await (const line of terminal) {
    if (line.trim() === 'quit') return;
    try {
      console.log(await drillLine(line, parts, ask));
    } catch (cause) {
      console.log(cause instanceof Error ? cause.message : String(cause));
    }
  }
}

/** If there is none, each node has its own history, as without a server. */
async function historyServer(): Promise<PostgresServer | undefined> {
  const programs = postgresPrograms();
  if ('missing' in programs) {
    console.log(`  without PostgreSQL: ${programs.missing}`);
    return undefined;
  }
  return startPostgres({ found: programs, folder: join(folder, 'postgres') });
}

function partsOf(
  { engines, gateways, servers }: LocalCluster,
  postgres: PostgresServer | undefined,
): DrillPart[] {
  const nodes = [...engines, ...gateways].map((node) => ({
    name: node.name,
    isRunning: () => node.isRunning(),
    kill: () => node.kill(),
    start: () => node.start(),
    pause: () => node.signal('SIGSTOP'),
    resume: () => node.signal('SIGCONT'),
  }));
  const logs = servers.names.map((name, at) => ({
    name,
    isRunning: () => servers.isRunning(at),
    kill: () => servers.kill(at),
    start: () => servers.start(at),
    pause: () => servers.pause(at),
    resume: () => servers.resume(at),
  }));
  return [
    ...nodes,
    ...logs,
    ...(postgres === undefined ? [] : [{ ...postgres, name: 'postgres' }]),
  ];
}

/** The engines log JSON. */
function wordsOf(line: string): { readonly msg?: string } {
  try {
    return JSON.parse(line) as { readonly msg?: string };
  } catch {
    return line === '' ? {} : { msg: line };
  }
}
