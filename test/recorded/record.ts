/**
 * Records a run of the simulator: `node test/recorded/record.ts --seed 1 --steps 6000`. Done once, before a
 * change that must not alter behaviour; a run recorded after it would prove nothing.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { simulate } from '../simulation/simulate.ts';
import { replayRecorded, type TimedCommand, toText } from './recorded-run.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    steps: { type: 'string', default: '6000' },
    commands: { type: 'string', default: '10000' },
  },
});
const taken: TimedCommand[] = [];
const { failure } = await simulate({
  seed: Number(values.seed),
  steps: Number(values.steps),
  onCommand: (timed) => taken.push(timed),
});
if (failure !== undefined) throw new Error(`the run fails: ${failure.differences[0]}`);
const commands = taken.slice(0, Number(values.commands));
const write = (name: string, value: unknown): void =>
  writeFileSync(new URL(name, import.meta.url), gzipSync(toText(value), { level: 9 }));
write('commands.json.gz', commands);
write('answers.json.gz', await replayRecorded(commands));
console.log(`${commands.length} commands recorded`);
