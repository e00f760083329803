import { parseArgs } from 'node:util';
import { fuzz } from './fuzz.ts';
import { fuzzStream } from './stream.ts';
import { fuzzedVenue } from './venue.ts';

/**
 * npm run fuzz -- --seed 1 --count 100000: requests of every kind against the whole program; with --operator
 * those of operators on the management listener, with --stream messages of the stream instead.
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '10000' },
    stream: { type: 'boolean', default: false },
    operator: { type: 'boolean', default: false },
  },
});
const [seed, count] = [Number(values.seed), Number(values.count)];
if (!Number.isSafeInteger(seed) || !(count > 0))
  throw new Error('--seed and --count are whole numbers');
const startedMs = performance.now();
const target = await fuzzedVenue();
if (values.stream) {
  const report = await fuzzStream(target, { seed, count });
  await target.stop();
  console.log(JSON.stringify(report, null, 2));
  process.exit(report.faults.length === 0 ? 0 : 1);
}
const { faults, byStatus, ...counts } = await fuzz(values.operator ? target.operators : target, {
  seed,
  count,
});
await target.stop();
const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
console.log(`seed ${seed}: ${counts.requests} requests in ${seconds} s`);
console.log(
  Object.entries(counts)
    .map(([name, value]) => `${name} ${value}`)
    .join(', '),
);
console.log(
  Object.entries(byStatus)
    .map(([status, value]) => `${status}: ${value}`)
    .join(', '),
);
for (const fault of faults) console.log(`\n${fault}`);
const { serverErrors, dropped, effects, misshapen } = counts;
process.exit(serverErrors + dropped + effects + misshapen === 0 ? 0 : 1);
