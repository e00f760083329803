import { parseArgs } from 'node:util';
import { crisis } from './crisis.ts';
import { shortenedReport } from './shorten.ts';
import { type Failure, simulate } from './simulate.ts';
import { THEMES, type ThemeName } from './themes.ts';

/**
 * node test/simulation/run.ts --seed 1 --steps 1000 --seeds 100 --theme stops; --plain does not shorten
 * failures. Without a theme each seed draws its own. --crisis: core and model alone, in a market in which one
 * account fails after another.
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    steps: { type: 'string', default: '1000' },
    seeds: { type: 'string', default: '1' },
    theme: { type: 'string' },
    plain: { type: 'boolean', default: false },
    crisis: { type: 'boolean', default: false },
  },
});

if (values.theme !== undefined && !(values.theme in THEMES)) {
  throw new Error(`no theme ${values.theme}; there are ${Object.keys(THEMES).join(', ')}`);
}
const theme = values.theme === undefined ? {} : { theme: values.theme as ThemeName };
const first = Number(values.seed);
const steps = Number(values.steps);
const startedAt = performance.now();
let failures = 0;
let commands = 0;
for (let seed = first; seed < first + Number(values.seeds); seed++) {
  const { tally, failure } = values.crisis
    ? crisisRun(seed)
    : await simulate({ seed, steps, ...theme });
  commands += tally['commands'] ?? 0;
  const text = Object.entries(tally).map(([name, count]) => `${name} ${count}`);
  console.log(`seed ${seed}: ${failure === undefined ? 'holds' : 'FAILS'}, ${text.join(', ')}`);
  if (failure === undefined) continue;
  failures++;
  report(failure);
}
const seconds = (performance.now() - startedAt) / 1_000;
console.log(
  `${values.seeds} seeds of ${steps} steps, ${commands} commands in ${seconds.toFixed(1)} s ` +
    `(${Math.round(commands / seconds)} commands/s): ${failures} failed`,
);
process.exitCode = failures === 0 ? 0 : 1;

function crisisRun(seed: number): { tally: Record<string, number>; failure?: Failure } {
  const { seen, failure } = crisis(seed, steps);
  const tally = { commands: steps, ...Object.fromEntries(seen) };
  if (failure === undefined) return { tally };
  return { tally, failure: { ...failure, seed, step: failure.at } };
}

function report(failure: Failure): void {
  const { seed, step, differences } = failure;
  console.log(`\nseed ${seed} fails at step ${step}:`);
  console.log(differences.slice(0, 12).join('\n'));
  if (!values.plain) console.log(shortenedReport(failure).join('\n'));
}
