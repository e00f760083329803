import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { logServer } from '../../scripts/log-server.ts';
import { type LogServers, startLogServers } from '../../scripts/log-servers.ts';

/** Three log servers for a suite; undefined, with the reason on the terminal, if there are none. */
export async function threeServers(): Promise<LogServers | undefined> {
  const found = logServer();
  if ('missing' in found) {
    if (process.env['CI'] === 'true') throw new Error(found.missing);
    console.warn(`skipped, tests against real log servers: ${found.missing}`);
    return undefined;
  }
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
