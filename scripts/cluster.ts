import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { type LocalCluster, startLocalCluster } from './local-cluster.ts';
import { logServer } from './log-server.ts';
import { PROGRAM } from './started-program.ts';

/**
 * The drill: `npm run cluster` starts three log servers, three engines and two gateways on this machine, prints where
 * they are, and lets one kill and start them by name. It leaves nothing behind.
 */
const HELP =
  'kill NAME · start NAME · pause NAME · resume NAME (gateway-1..2, engine-1..3, log-1..3) · status · hand-over · quit';

const found = logServer();
if ('missing' in found) {
  console.error(found.missing);
  process.exit(1);
}
const folder = mkdtempSync(join(tmpdir(), 'rialto-cluster-'));
console.log('Starting three log servers, three engines and two gateways (a few seconds) ...');
const cluster = await startLocalCluster({
  program: found.program,
  folder,
  onOutput: (name, text) => {
    for (const line of text.split('\n')) {
      const { msg } = wordsOf(line);
      if (msg !== undefined) console.log(`  ${name}: ${msg}`);
    }
  },
});
const quit = async (): Promise<void> => {
  await cluster.stop();
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
  if (node === undefined && at < 0) return HELP;
  const acts: Readonly<Record<string, () => unknown>> = {
    kill: () => node?.kill() ?? servers.kill(at),
    start: () => (node === undefined ? servers.start(at) : node.start()),
    pause: () => (node === undefined ? servers.pause(at) : node.signal('SIGSTOP')),
    resume: () => (node === undefined ? servers.resume(at) : node.signal('SIGCONT')),
  };
  const act = acts[what];
  if (act === undefined) return HELP;
  await act();
  return `${what} ${name}: done`;
}

/** The engines log JSON. */
function wordsOf(line: string): { readonly msg?: string } {
  try {
    return JSON.parse(line) as { readonly msg?: string };
  } catch {
    return line === '' ? {} : { msg: line };
  }
}
