import { createServer } from 'node:net';

/**
 * Below the range of ephemeral ports, so that nobody takes one while its server is down. Test files run beside
 * each other: every worker has a part of its own.
 */
const PORTS_FROM = 20_000;
const PARTS = 4;
const PART_PORTS = 3_000;
/** One that was given need not be listened on yet, or may be down for a moment: so many are not given again. */
const REMEMBERED = 1_000;
const given = new Set<number>();

export async function freePorts(count: number): Promise<number[]> {
  const found: number[] = [];
  while (found.length < count) found.push(await freePort());
  return found;
}

export async function freePort(): Promise<number> {
  const part = Number(process.env['VITEST_POOL_ID'] ?? process.pid) % PARTS;
  for (;;) {
    const port = PORTS_FROM + part * PART_PORTS + Math.floor(Math.random() * PART_PORTS);
    if (given.has(port)) continue;
    given.add(port);
    const [oldest = 0] = given;
    if (given.size > REMEMBERED) given.delete(oldest);
    if (await isFree(port)) return port;
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ host: '127.0.0.1', port, exclusive: true }, () =>
      probe.close(() => resolve(true)),
    );
  });
