import { runKills, seeded } from '../durability/kills.ts';

/**
 * The long version of what the tests do in short: `npm run soak -- kills 50 SEED`.
 * Prints what it saw, and fails when it saw a fault.
 */
const [what = 'kills', count = '50', seed = String(Date.now() % 100_000)] = process.argv.slice(2);

if (what !== 'kills') throw new Error(`nothing to soak is called ${what}: try kills`);
console.log(`kills: ${count}, seed ${seed}`);
const report = await runKills(Number(count), seeded(Number(seed)));
console.log(JSON.stringify(report, null, 2));
process.exit(report.faults.length === 0 ? 0 : 1);
