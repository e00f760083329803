import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { Handout } from '../http/venue.ts';
import { type Running, startProgram } from './running.ts';

const folder = mkdtempSync(join(tmpdir(), 'rialto-log-'));
afterAll(() => rmSync(folder, { recursive: true }));

type Output = {
  readonly name: string;
  readonly stdout: 'pipe' | number;
  /** Called once the program runs. */
  readonly turn: (running: Running) => void;
};
const OUTPUTS: readonly Output[] = [
  { name: 'a full disk', stdout: openSync('/dev/full', 'w'), turn: () => undefined },
  { name: 'a reader that has stopped', stdout: 'pipe', turn: ({ child }) => child.stdout?.pause() },
  { name: 'a reader that has gone', stdout: 'pipe', turn: ({ child }) => child.stdout?.destroy() },
];

/** At this level every request is a line, and the path makes it as long as needed. */
const LONG_PATH = `/${'x'.repeat(4_000)}`;
const REQUESTS = 250;

test.each(OUTPUTS)(
  '$name as standard output stops nothing: lines are dropped and counted',
  async ({ name, stdout, turn }) => {
    const data = join(folder, name);
    const file = join(data, 'handout.json');
    const args = ['dev', '--port', '0', '--data', data, '--market', 'off', '--log', 'debug'];
    const running = startProgram(args, { stdio: ['ignore', stdout, 'pipe'] });
    await running.until({ file });
    turn(running);
    const { baseUrl, managementUrl } = JSON.parse(readFileSync(file, 'utf8')) as Handout;
    for (let request = 0; request < REQUESTS; request++) {
      const answer = await fetch(baseUrl + LONG_PATH);
      expect(answer.status).toBe(404);
      await answer.text();
    }
    const metrics = await (await fetch(`${managementUrl}/metrics`)).text();
    const dropped = Number(/rialto_log_dropped_total (\d+)/.exec(metrics)?.[1]);
    expect(dropped).toBeGreaterThan(50);
    expect(await running.stop()).toBe(0);
  },
);
