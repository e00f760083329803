import { runKills, seeded } from '../durability/kills.ts';
import { runOrderKills } from '../durability/order-kills.ts';

/**
 * The long version of what the tests do in short: `npm run soak -- kills 50 SEED` (transfers), or
 * `npm run soak -- order-kills 50 SEED`. Prints what it saw, and fails when it saw a fault.
 */
const [what = 'kills', count = '50', seed = String(Date.now() % 100_000)] = process.argv.slice(2);

const soaks = { kills: runKills, 'order-kills': runOrderKills };
const soak = soaks[what as keyof typeof soaks];
if (soak === undefined)
  throw new Error(`soak one of ${Object.keys(soaks).join(', ')}, not ${what}`);
console.log(`${what}: ${count}, seed ${seed}`);
const report = await soak(Number(count), seeded(Number(seed)));
console.log(JSON.stringify(report, null, 2));
process.exit(report.faults.length === 0 ? 0 : 1);
