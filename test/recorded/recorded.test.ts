import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import {
  type Answers,
  fromText,
  replayRecorded,
  type TimedCommand,
  toText,
} from './recorded-run.ts';

const read = <Value>(name: string): Value =>
  fromText<Value>(gunzipSync(readFileSync(new URL(name, import.meta.url))).toString('utf8'));

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
