import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { logServer } from '../../scripts/log-server.ts';
import { type LogServers, startLogServers } from '../../scripts/log-servers.ts';

const found = logServer();

/** False, with the reason on the terminal, if there is no log server for this platform. */
export function areServersThere(): boolean {
  if (!('missing' in found)) return true;
  if (process.env['CI'] === 'true') throw new Error(found.missing);
  console.warn(`skipped, tests against real log servers: ${found.missing}`);
  return false;
}

/**
 * Three log servers for a suite. To be started in a hook: a suite of which no test is chosen is loaded, and
 * nothing that it starts then is stopped.
 */
export async function threeServers(): Promise<LogServers> {
  if ('missing' in found) throw new Error(found.missing);
  const folder = mkdtempSync(join(tmpdir(), 'rialto-log-'));
  const servers = await startLogServers({ program: found.program, folder, count: 3 });
  return {
    ...servers,
    stop: async () => {
      await servers.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** After the servers start there is no leader for some seconds. */
export async function withRetry<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (cause) {
      if (tries === 100) throw cause;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
