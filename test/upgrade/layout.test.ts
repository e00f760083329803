import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ByteWriter, type Plain } from '../../src/bytes/pack.ts';
import { linesOf, stateLayout } from '../../src/core/layout.ts';
import { newState } from '../../src/core/state.ts';
import { readerOf } from '../../src/core/upgrade.ts';
import { apply } from '../../src/core/venue.ts';
import type { Command } from '../../src/domain/commands.ts';
import { decodeEvents } from '../../src/domain/event-codec.ts';
import { sequence, timeMs } from '../../src/domain/units.ts';
import { VERSION } from '../../src/domain/version.ts';
import { applyToModel } from '../simulation/model/apply.ts';
import { eventLine } from '../simulation/model/event-lines.ts';
import { newModel } from '../simulation/model/state.ts';
import { Random } from '../simulation/random.ts';
import { THEMES } from '../simulation/themes.ts';
import { Traders } from '../simulation/traders.ts';
import { genesisOf, START_MS } from '../simulation/world.ts';

test('the sample that the layout is read from lacks nothing that a busy venue has', () => {
  const known = new Set(stateLayout().split('\n'));
  const missing = new Set<string>();
  for (let seed = 1; seed <= 5; seed++) {
    const random = new Random(seed);
    const model = newModel();
    const traders = new Traders(random, THEMES.wallet);
    const state = newState();
    const out = new ByteWriter();
    let nowMs = START_MS;
    const submit = (command: Command): void => {
      out.clear();
      apply(state, { sequence: sequence(state.sequence + 1), timeMs: timeMs(nowMs), command }, out);
      applyToModel(model, nowMs, command, decodeEvents(out.view()).map(eventLine));
    };
    submit(genesisOf(random, true));
    for (let step = 0; step < 300; step++) {
      nowMs += random.between(0, 2_000);
      model.timeMs = nowMs;
      if (random.chance(0.2)) submit(traders.wholeRound(model));
      if (random.chance(0.2)) submit({ kind: 'tick' });
      submit(traders.next(model));
      if (step % 10 !== 0) continue;
      for (const line of linesOf(state as unknown as Plain)) {
        if (!known.has(line)) missing.add(line);
      }
    }
  }
  expect([...missing].sort()).toEqual([]);
});

test('the program has the version of its package, which is none that only reads old data', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect(VERSION).toBe(version);
  expect(readerOf('rules 1')?.version).not.toBe(`Rialto ${VERSION}`);
});

test('a member more, less or of another type is another layout', () => {
  const lines = (value: object): string => [...linesOf(value as Plain)].join('\n');
  const plain = { count: 1, rows: [{ name: 'a' }], columns: new Int32Array(2) };
  expect(lines({ ...plain, count: 2 })).toBe(lines(plain));
  for (const other of [
    { ...plain, more: 1 },
    { rows: plain.rows, columns: plain.columns },
    { ...plain, count: 1n },
    { ...plain, rows: [{ name: 1 }] },
    { ...plain, columns: new Float64Array(2) },
  ]) {
    expect(lines(other)).not.toBe(lines(plain));
  }
});
