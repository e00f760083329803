import { expect, test } from 'vitest';
import type { Command } from '../domain/commands.ts';
import { refuse } from '../domain/rejections.ts';
import { type ClockChange, EngineClock, type EngineClockOptions, manualClocks } from './clock.ts';
import { startClockWatch } from './clock-watch.ts';
import { type Engine, unrecorded } from './engine.ts';

const START_MS = 1_800_000_000_000;
const DAY_MS = 86_400_000;

function setUp(options: Partial<EngineClockOptions> = {}) {
  const clocks = manualClocks(START_MS);
  const clock = new EngineClock({ clocks, notBeforeMs: 0, ...options });
  /** Time passes, looked at four times a second; answers what was found. */
  const pass = (ms: number): ClockChange[] => {
    const changes: ClockChange[] = [];
    for (let left = ms; left > 0; left -= 250) {
      clocks.advance(Math.min(250, left));
      const found = clock.check();
      if (found !== undefined) changes.push(found);
    }
    return changes;
  };
  return { clocks, clock, pass };
}

test('engine time follows the monotonic clock', () => {
  const { clocks, clock, pass } = setUp();
  expect(clock.nowMs()).toBe(START_MS);
  clocks.advance(1.7);
  expect(clock.nowMs()).toBe(START_MS + 1);
  expect(pass(10_000)).toEqual([]);
  expect(clock.nowMs()).toBe(START_MS + 10_001);
});

test('a wall clock one day ahead for half a second changes nothing but the counters', () => {
  const { clocks, clock, pass } = setUp();
  clocks.setWall(DAY_MS);
  const gone = pass(500);
  clocks.setWall(-DAY_MS);
  const back = pass(500);
  expect([...gone, ...back].map(({ kind }) => kind)).toEqual(['jumped', 'returned']);
  expect(clock.nowMs()).toBe(START_MS + 1_000);
  expect(clock.reading()).toMatchObject({ jumpsForward: 1, jumpsBackward: 0, stepsTaken: 0 });
});

test('small differences are drawn in by a millisecond a second, either way, never backwards', () => {
  for (const differenceMs of [4_000, -4_000]) {
    const { clocks, clock, pass } = setUp();
    clocks.setWall(differenceMs);
    let lastMs = clock.nowMs();
    for (let second = 0; second < 1_000; second++) {
      expect(pass(1_000)).toEqual([]);
      expect(clock.nowMs() - lastMs).toBeGreaterThanOrEqual(998);
      expect(clock.nowMs() - lastMs).toBeLessThanOrEqual(1_002);
      lastMs = clock.nowMs();
    }
    const drawnMs = clock.nowMs() - START_MS - 1_000_000;
    expect(Math.abs(drawnMs - Math.sign(differenceMs) * 1_000)).toBeLessThanOrEqual(1);
    pass(3_100_000);
    const { wallMs, engineMs } = clock.reading();
    expect(Math.abs(wallMs - engineMs)).toBeLessThanOrEqual(1);
  }
});

test('a monotonic clock that is slow by a tenth per mille stays with the wall clock', () => {
  const { clocks, clock, pass } = setUp();
  for (let second = 0; second < 100_000; second += 50) {
    pass(50_000);
    clocks.setWall(5);
  }
  const { wallMs, engineMs } = clock.reading();
  expect(Math.abs(wallMs - engineMs)).toBeLessThanOrEqual(6);
});

test.each([5_001, 90_000, 300_000])(
  'a jump of %i ms is due when it has stood for 60 s',
  (jumpMs) => {
    const { clocks, clock, pass } = setUp();
    clocks.setWall(jumpMs);
    expect(pass(60_000).map(({ kind }) => kind)).toEqual(['jumped']);
    expect(clock.nowMs()).toBe(START_MS + 60_000);
    const [due] = pass(250);
    expect(due).toEqual({ kind: 'due', aheadMs: jumpMs, wallMs: clocks.wallMs() });
    expect(clock.stepTo(clocks.wallMs())).toBeUndefined();
    expect(clock.nowMs()).toBe(clocks.wallMs());
    expect(pass(120_000)).toEqual([]);
    expect(clock.reading()).toMatchObject({ jumpsForward: 1, stepsTaken: 1 });
  },
);

test('a jump that does not stand still for 60 s begins to be watched anew', () => {
  const { clocks, pass } = setUp();
  clocks.setWall(90_000);
  pass(59_000);
  clocks.setWall(5_000);
  expect(pass(59_000).map(({ kind }) => kind)).toEqual(['jumped']);
  expect(pass(1_500).map(({ kind }) => kind)).toContain('due');
});

test('a larger jump is taken in dev, or when an operator confirms it, and not otherwise', () => {
  const { clocks, clock, pass } = setUp();
  clocks.setWall(DAY_MS);
  expect(pass(600_000).map(({ kind }) => kind)).toEqual(['jumped']);
  expect(clock.nowMs()).toBe(START_MS + 600_000);
  expect(clock.stepTo(START_MS)).toMatch(/^the wall clock says 2027-01-16T08:10:00.000Z, not /);
  expect(clock.stepTo(clocks.wallMs())).toBeUndefined();
  expect(clock.nowMs()).toBe(START_MS + 600_000 + DAY_MS);

  const dev = setUp({ takesAnyJump: true });
  dev.clocks.setWall(DAY_MS);
  expect(dev.pass(60_250).map(({ kind }) => kind)).toEqual(['jumped', 'due']);
});

test('a jump backward is never taken, not even when confirmed', () => {
  const { clocks, clock, pass } = setUp({ takesAnyJump: true });
  clocks.setWall(-3_600_000);
  expect(pass(600_000).map(({ kind }) => kind)).toEqual(['jumped']);
  expect(clock.stepTo(clocks.wallMs())).toMatch(/^the wall clock is 3600000 ms behind/);
  expect(clock.nowMs()).toBe(START_MS + 600_000);
  expect(clock.reading()).toEqual({
    engineMs: START_MS + 600_000,
    wallMs: START_MS + 600_000 - 3_600_000,
    jumpsForward: 0,
    jumpsBackward: 1,
    stepsTaken: 0,
  });
});

test('after a start behind the journal time stands still until it has caught up', () => {
  const { clock, pass } = setUp({ notBeforeMs: START_MS + 4_000 });
  expect(clock.nowMs()).toBe(START_MS + 4_000);
  pass(3_000);
  expect(clock.nowMs()).toBe(START_MS + 4_000);
  pass(3_000);
  expect(clock.nowMs()).toBe(START_MS + 6_000);
});

test('the watch submits a due step until it is taken, and says once why it is not', async () => {
  const { clocks, clock } = setUp();
  const submitted: Command[] = [];
  const words: string[] = [];
  let look: () => void = () => undefined;
  let refusals = 3;
  const engine = {
    submit: async (command: Command) => {
      if (refusals-- > 0) return unrecorded(refuse('BUSY', 'the follower is behind'), 0, 0);
      submitted.push(command);
      if (command.kind === 'step-clock') clock.stepTo(command.toMs);
      return { outcome: { events: [] } };
    },
  } as unknown as Engine;
  startClockWatch({
    clock,
    engine,
    every: (_periodMs, run) => {
      look = run;
      return () => undefined;
    },
    onNotice: (text) => words.push(text),
  });
  clocks.setWall(90_000);
  for (let quarter = 0; quarter < 300; quarter++) {
    clocks.advance(250);
    look();
    await Promise.resolve();
  }
  expect(submitted).toEqual([
    { kind: 'step-clock', actor: 'clock', fromMs: START_MS + 61_000, toMs: START_MS + 151_000 },
  ]);
  expect(words).toHaveLength(3);
  expect(words[0]).toContain('90000 ms ahead of engine time');
  expect(words[1]).toContain('engine time does not step: ');
  expect(words[1]).toContain('the follower is behind');
  expect(words[2]).toContain('engine time has stepped');
});
