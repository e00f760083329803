import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Figure, median } from './figures.ts';
import { runLoad } from './load.ts';
import { startVenue, stop, type Venue, WARM_UP } from './program.ts';
import { checkPlaced, Signer } from './rest.ts';

/**
 * Signed orders over 64 connections, with a normal disk and one whose every fsync takes 5 ms longer: requests
 * must be read while the writer waits for it. Both venues alternate in one run.
 *
 * A connection that waits for each response sends at most one request in two fsyncs, whatever the server does.
 * So the goal is measured with sixteen requests on each connection, and one on each is reported beside it.
 */
export type SlowDiskOptions = { readonly requests: number; readonly rounds: number };

const CONNECTIONS = 64;
const PIPELINED = 16;

export async function benchSlowDisk({ requests, rounds }: SlowDiskOptions): Promise<Figure[]> {
  const preload = resolve('bench/delayed-fsync.ts');
  const asIs = await startVenue();
  const delayed = await startVenue(['--import', preload]);
  const flood = async (
    { handout, port }: Venue,
    count: number,
    pipelined: number,
  ): Promise<number> => {
    const prepared = new Signer(handout, `localhost:${port}`).requests(count, 1);
    const load = {
      ...{ ports: [port], requests: prepared, connections: CONNECTIONS, pipelined },
      check: checkPlaced,
    };
    return (await runLoad(load)).perSecond;
  };
  const compare = async (pipelined: number): Promise<{ asIs: number; delayed: number }> => {
    const seen: { readonly asIs: number; readonly delayed: number }[] = [];
    for (let round = 0; round < rounds; round++) {
      const quick = await flood(asIs, requests, pipelined);
      seen.push({ asIs: quick, delayed: await flood(delayed, requests, pipelined) });
    }
    return {
      asIs: median(seen.map((one) => one.asIs)),
      delayed: median(seen.map((one) => one.delayed)),
    };
  };
  try {
    for (let step = 0; step < WARM_UP.steps; step++) {
      for (const venue of [asIs, delayed]) await flood(venue, WARM_UP.orders, PIPELINED);
    }
    const many = await compare(PIPELINED);
    const one = await compare(1);
    const figure = (name: string, value: number): Figure => ({
      ...{ id: 'S3', name: `signed REST, ${name}`, value, unit: 'requests/s' },
    });
    const isMet = many.delayed / many.asIs >= 0.8;
    const to = 'with the disk as it is';
    return [
      figure(`${PIPELINED} requests per connection, disk as it is`, many.asIs),
      {
        ...figure(`${PIPELINED} requests per connection, 5 ms more an fsync`, many.delayed),
        ...{ ratio: many.delayed / many.asIs, to, goal: '>= 0.8', isMet },
      },
      figure('one request per connection, disk as it is', one.asIs),
      {
        ...figure('one request per connection, 5 ms more an fsync', one.delayed),
        ...{ ratio: one.delayed / one.asIs, to },
      },
    ];
  } finally {
    for (const { child, directory } of [asIs, delayed]) {
      await stop(child);
      rmSync(directory, { recursive: true, force: true });
    }
  }
}
