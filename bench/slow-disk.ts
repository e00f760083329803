import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Figure, median } from './figures.ts';
import { runLoad } from './load.ts';
import { startVenue, stop, type Venue } from './program.ts';
import { checkPlaced, Signer } from './rest.ts';

/**
 * Signed orders over 64 connections, with a normal disk and one whose every fsync takes 5 ms longer: requests
 * must be read while the writer waits for it. Both venues alternate in one run.
 */
export type SlowDiskOptions = { readonly requests: number; readonly rounds: number };

const CONNECTIONS = 64;

export async function benchSlowDisk({ requests, rounds }: SlowDiskOptions): Promise<Figure[]> {
  const preload = resolve('bench/delayed-fsync.ts');
  const quick = await startVenue();
  const slow = await startVenue(['--import', preload]);
  const flood = async ({ handout, port }: Venue, count: number): Promise<number> => {
    const prepared = new Signer(handout, `localhost:${port}`).requests(count, 1);
    const load = {
      ports: [port],
      requests: prepared,
      connections: CONNECTIONS,
      check: checkPlaced,
    };
    return (await runLoad(load)).perSecond;
  };
  try {
    const seen: { readonly quick: number; readonly slow: number }[] = [];
    for (let round = 0; round < rounds; round++) {
      seen.push({ quick: await flood(quick, requests), slow: await flood(slow, requests) });
    }
    const [asIs, delayed] = [
      median(seen.map((one) => one.quick)),
      median(seen.map((one) => one.slow)),
    ];
    return [
      { id: 'S3', name: 'signed REST, disk as it is', value: asIs, unit: 'requests/s' },
      {
        id: 'S3',
        name: 'signed REST, 5 ms more an fsync',
        value: delayed,
        unit: 'requests/s',
        ratio: delayed / asIs,
        to: 'with the disk as it is',
        goal: '>= 0.8',
        isMet: delayed / asIs >= 0.8,
      },
    ];
  } finally {
    for (const { child, directory } of [quick, slow]) {
      await stop(child);
      rmSync(directory, { recursive: true, force: true });
    }
  }
}
