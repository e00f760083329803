import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheFolder, unpackPackages } from '../../scripts/distribution-packages.ts';
import { freePort } from '../../scripts/free-ports.ts';
import { PROGRAM } from '../../scripts/started-program.ts';
import { RialtoClient, RialtoError } from '../../src/client/index.ts';

/**
 * The library that fakes the time of day for a program: the machine's own, or the distribution's package in a
 * cache folder; undefined if there is neither.
 */
export function findFaketime(): string | undefined {
  const fetched = join(cacheFolder(), 'faketime');
  const places = ['/usr/lib', '/usr/local/lib', '/opt/homebrew/lib', join(fetched, 'usr', 'lib')];
  const found = faketimeIn(places);
  if (found !== undefined) return found;
  try {
    unpackPackages({ names: ['libfaketime'], place: fetched });
  } catch {
    return undefined;
  }
  return faketimeIn(places);
}

function faketimeIn(places: readonly string[]): string | undefined {
  for (const place of places.filter((path) => existsSync(path))) {
    const folders = [place, ...readdirSync(place).map((name) => join(place, name))];
    for (const folder of folders) {
      const file = join(folder, 'faketime', 'libfaketimeMT.so.1');
      if (existsSync(file)) return file;
    }
  }
  return undefined;
}

/** What clients saw while the venue's wall clock was wrong. */
export type Seen = {
  readonly step: string;
  /** Answers to signed requests of a client with the right time, and of one with the venue's wall clock. */
  readonly rightClock: Readonly<Record<string, number>>;
  readonly wallClock: Readonly<Record<string, number>>;
  readonly ready: Readonly<Record<string, number>>;
};
export type ClockReport = { readonly seen: readonly Seen[]; readonly faults: readonly string[] };

const DAY_S = 86_400;

/**
 * A served venue whose wall clock is set while its monotonic clock is not changed. The long run waits for the
 * 60 s after which a jump is accepted, and has an operator confirm a jump of a day.
 */
export async function runClockSteps(library: string, isLong: boolean): Promise<ClockReport> {
  const venue = await startUnderFaketime(library);
  const faults: string[] = [];
  const seen: Seen[] = [];
  const look = async (step: string, forMs: number): Promise<Seen> => {
    const one = await venue.look(step, forMs);
    seen.push(one);
    return one;
  };
  const expectOnly = (one: Seen, who: 'rightClock' | 'wallClock' | 'ready', what: string): void => {
    const answers = Object.keys(one[who]);
    if (answers.length === 1 && answers[0] === what) return;
    faults.push(`${one.step}: ${who} saw ${JSON.stringify(one[who])}, not only ${what}`);
  };
  try {
    expectOnly(await look('right', 500), 'rightClock', '200');
    venue.setWall(DAY_S);
    expectOnly(await look('one day ahead for half a second', 500), 'rightClock', '200');
    venue.setWall(0);
    const back = await look('right again', 1_500);
    expectOnly(back, 'rightClock', '200');
    venue.setWall(-3_600);
    await venue.settle();
    const behind = await look('one hour behind', 2_000);
    expectOnly(behind, 'rightClock', '200');
    expectOnly(behind, 'ready', '503');
    venue.setWall(0);
    await venue.settle();
    expectOnly(await look('right once more', 500), 'ready', '200');
    if (!isLong) return { seen, faults };
    venue.setWall(90);
    await venue.settle();
    const ahead = await look('90 s ahead, not yet taken', 55_000);
    expectOnly(ahead, 'rightClock', '200');
    expectOnly(ahead, 'ready', '503');
    await new Promise((resolve) => setTimeout(resolve, 7_000));
    const taken = await look('90 s ahead, taken', 3_000);
    expectOnly(taken, 'wallClock', '200');
    expectOnly(taken, 'ready', '200');
    venue.setWall(90 + DAY_S);
    await venue.settle();
    const day = await look('a day more, nobody confirms it', 65_000);
    expectOnly(day, 'ready', '503');
    const refused = venue.confirm(Date.now());
    if (!refused.includes('the wall clock says')) faults.push(`a wrong time: ${refused}`);
    venue.confirm(Date.now() + (90 + DAY_S) * 1_000);
    const confirmed = await look('the day was confirmed', 3_000);
    expectOnly(confirmed, 'wallClock', '200');
    expectOnly(confirmed, 'ready', '200');
    return { seen, faults };
  } finally {
    await venue.stop();
  }
}

async function startUnderFaketime(library: string) {
  const folder = mkdtempSync(join(tmpdir(), 'rialto-clock-'));
  const config = join(folder, 'rialto.json');
  const wallFile = join(folder, 'wall');
  const port = await freePort();
  writeFileSync(wallFile, '+0\n');
  rialto('init', '--config', config, '--data', join(folder, 'venue'));
  const file = JSON.parse(readFileSync(config, 'utf8')) as object;
  writeFileSync(config, JSON.stringify({ ...file, port, managementPort: 0, limits: false }));
  rialto('account', 'create', '--config', config, '--family', 'acme');
  const key = JSON.parse(
    rialto('key', 'create', '--config', config, '--family', 'acme', '--json'),
  ) as { accessKey: string; secret: string };
  const child = spawn(process.execPath, [PROGRAM, 'serve', '--config', config], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: wallFile,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  await new Promise<void>((resolve) => {
    child.stdout.on('data', (text: Buffer) => {
      if (text.toString().includes('Rialto is open')) resolve();
    });
  });
  const address = join(folder, 'venue', 'management.json');
  const { managementUrl } = JSON.parse(readFileSync(address, 'utf8')) as { managementUrl: string };
  let wallAheadMs = 0;
  const clientAt = (aheadMs: () => number) =>
    new RialtoClient({
      baseUrl: `http://localhost:${port}`,
      ...key,
      retry: false,
      followClock: false,
      nowMs: () => Date.now() + aheadMs(),
    });
  const right = clientAt(() => 0);
  const onWall = clientAt(() => wallAheadMs);
  return {
    setWall: (aheadS: number): void => {
      wallAheadMs = aheadS * 1_000;
      writeFileSync(wallFile, `${aheadS < 0 ? '' : '+'}${aheadS}\n`);
    },
    /** Waits until the venue has checked its clock. */
    settle: () => new Promise((resolve) => setTimeout(resolve, 600)),
    look: async (step: string, forMs: number): Promise<Seen> => {
      const counts = { rightClock: {}, wallClock: {}, ready: {} };
      for (const until = Date.now() + forMs; Date.now() < until; ) {
        count(counts.rightClock, await statusOf(right.account()));
        count(counts.wallClock, await statusOf(onWall.account()));
        count(counts.ready, String((await fetch(`${managementUrl}/ready`)).status));
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      return { step, ...counts };
    },
    confirm: (timeMs: number): string =>
      rialto('clock', 'confirm', '--config', config, '--time', new Date(timeMs).toISOString()),
    stop: async (): Promise<void> => {
      child.kill('SIGTERM');
      await exited;
      rmSync(folder, { recursive: true });
    },
  };
}

function count(counts: Record<string, number>, what: string): void {
  counts[what] = (counts[what] ?? 0) + 1;
}

/** "200", or the status and the rejection code. */
async function statusOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return '200';
  } catch (cause) {
    if (cause instanceof RialtoError) return `${cause.status} ${cause.code}`;
    throw cause;
  }
}

function rialto(...args: string[]): string {
  const { stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], {
    encoding: 'utf8',
  });
  return stdout + stderr;
}
