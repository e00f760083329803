import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { outcomeForResults, refusalOf, resultsOf } from '../../src/api/request/outcome.ts';
import { ByteWriter } from '../../src/bytes/pack.ts';
import { newState } from '../../src/core/state.ts';
import { apply } from '../../src/core/venue.ts';
import { encodeOutcome } from '../../src/domain/event-codec.ts';
import type { Sequence, TimeMs } from '../../src/domain/units.ts';
import { Released } from '../../src/engine/released.ts';
import {
  type Answers,
  fromText,
  replayRecorded,
  type TimedCommand,
  toText,
} from './recorded-run.ts';

const read = <Value>(name: string): Value =>
  fromText<Value>(gunzipSync(readFileSync(new URL(name, import.meta.url))).toString('utf8'));

test('results decoded from a few events equal those from all events', () => {
  const state = newState();
  const events = new ByteWriter();
  let decoded = 0;
  let all = 0;
  for (const [index, { timeMs, command }] of read<TimedCommand[]>('commands.json.gz').entries()) {
    events.clear();
    const sequence = (index + 1) as Sequence;
    apply(state, { sequence, timeMs: timeMs as TimeMs, command }, events);
    const outcome = new ByteWriter();
    encodeOutcome(outcome, timeMs, events.view());
    const submitted = new Released(sequence, outcome.view());
    const few = outcomeForResults(submitted, 0);
    expect(resultsOf(few), JSON.stringify(command.kind)).toEqual(resultsOf(submitted.outcome));
    expect(refusalOf(few)).toEqual(refusalOf(submitted.outcome));
    decoded += few.events.length;
    all += submitted.outcome.events.length;
  }
  expect(decoded).toBeGreaterThan(6_000);
  expect(decoded).toBeLessThan(all);
});

test('ten thousand recorded commands give the answers they gave when they were recorded', async () => {
  const commands = read<TimedCommand[]>('commands.json.gz');
  const recorded = read<Answers>('answers.json.gz');
  const now = fromText<Answers>(toText(await replayRecorded(commands)));
  expect(now.views.map(({ sequence }) => sequence)).toEqual(
    recorded.views.map(({ sequence }) => sequence),
  );
  recorded.views.forEach((look, at) => {
    expect(now.views[at]).toEqual(look);
  });
  expect(now.history).toEqual(recorded.history);
});
