import { expect, test } from 'vitest';
import { DRILL_HELP, type DrillPart, drillLine, outputOf } from '../../scripts/drill.ts';

function part(name: string, done: string[]): DrillPart {
  let isUp = true;
  return {
    name,
    isRunning: () => isUp,
    kill: async () => {
      isUp = false;
      done.push(`kill ${name}`);
    },
    start: () => {
      isUp = true;
      done.push(`start ${name}`);
    },
    pause: () => done.push(`pause ${name}`),
    resume: () => done.push(`resume ${name}`),
  };
}

test('a line of the drill does to the part that it names what it says, once', async () => {
  const done: string[] = [];
  const parts = ['engine-1', 'log-2', 'postgres'].map((name) => part(name, done));
  const ask = async (what: string): Promise<string> => `asked ${what}`;
  const say = (line: string): Promise<string> => drillLine(line, parts, ask);
  expect(await say('pause engine-1')).toBe('pause engine-1: done');
  expect(await say(' resume  engine-1 ')).toBe('resume engine-1: done');
  expect(await say('start log-2')).toBe('log-2 runs already');
  expect(await say('kill log-2')).toBe('kill log-2: done');
  expect(await say('kill log-2')).toBe('log-2 does not run: start log-2');
  expect(await say('start log-2')).toBe('start log-2: done');
  expect(await say('kill postgres')).toBe('kill postgres: done');
  expect(await say('kill engine-9')).toBe('there is no engine-9 here: engine-1, log-2, postgres');
  expect(await say('status')).toBe('asked status');
  expect(await say('hand-over')).toBe('asked hand-over');
  for (const line of ['', 'kill', 'help', 'toString log-2'])
    expect(await say(line)).toBe(DRILL_HELP);
  expect(done).toEqual([
    'pause engine-1',
    'resume engine-1',
    'kill log-2',
    'start log-2',
    'kill postgres',
  ]);
});

test('what the drill runs is quoted without the command line, whether it succeeds or not', async () => {
  const run = (script: string): Promise<string> => outputOf(process.execPath, ['-e', script]);
  expect(await run('console.log("all is well")')).toBe('all is well');
  expect(await run('console.error("there is no leader"); process.exitCode = 1')).toBe(
    'there is no leader',
  );
});
