/**
 * Records a run of the simulator: `node test/recorded/record.ts --seed 1 --steps 6000`. Done once, before a
 * change that must not alter behaviour; a run recorded after it would prove nothing.
 *
 * `--again` records new answers to the recorded commands, after a change that is meant to alter some: first prove
 * that without that change alone the old ones hold.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { simulate } from '../simulation/simulate.ts';
import { fromText, replayRecorded, type TimedCommand, toText } from './recorded-run.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    steps: { type: 'string', default: '6000' },
    commands: { type: 'string', default: '10000' },
    again: { type: 'boolean', default: false },
  },
});
const at = (name: string): URL => new URL(name, import.meta.url);
const write = (name: string, value: unknown): void =>
  writeFileSync(at(name), gzipSync(toText(value), { level: 9 }));
const recorded = (): TimedCommand[] =>
  fromText(gunzipSync(readFileSync(at('commands.json.gz'))).toString('utf8'));

async function simulated(): Promise<TimedCommand[]> {
  const taken: TimedCommand[] = [];
  const { failure } = await simulate({
    seed: Number(values.seed),
    steps: Number(values.steps),
    onCommand: (timed) => taken.push(timed),
  });
  if (failure !== undefined) throw new Error(`the run fails: ${failure.differences[0]}`);
  return taken.slice(0, Number(values.commands));
}

const commands = values.again ? recorded() : await simulated();
if (!values.again) write('commands.json.gz', commands);
write('answers.json.gz', await replayRecorded(commands));
console.log(`${commands.length} commands recorded`);
