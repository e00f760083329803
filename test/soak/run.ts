import { writeFileSync } from 'node:fs';
import { anvilProgram } from '../../src/connectors/chains/anvil.fixture.ts';
import { audit } from '../../src/core/audit/audit.ts';
import { runEvm } from '../chains/evm-run.ts';
import { runClusterKills } from '../cluster/cluster-run.ts';
import { logFigures } from '../cluster/log-figures.ts';
import { runGates, runJoins, runUpgrades } from '../cluster/replacements.ts';
import { runStops } from '../cluster/stops.ts';
import { runChainKills } from '../durability/chain-kills.ts';
import { findFaketime, runClockSteps } from '../durability/clock-steps.ts';
import { runKills, seeded } from '../durability/kills.ts';
import { runOrderKills } from '../durability/order-kills.ts';
import { accountOf, clientFor, keyOf, startVenue } from '../http/venue.ts';
import { figuresOf, marketSvg } from '../market/market-plot.ts';
import { runMarket } from '../market/market-run.ts';
import { runDay } from '../risk/day.ts';
import { runModel } from '../stream/model.ts';
import { runSlowListeners } from '../stream/slow-listeners.ts';
import openRunFolder from '../support/run-folder.ts';

/**
 * The long versions of the tests: `npm run soak -- kills 50 SEED` (transfers), or
 * `npm run soak -- order-kills 50 SEED`, or `npm run soak -- day 3000 SEED` (accounts), or
 * `npm run soak -- stream 10000 SEED` (steps with lost connections), or `npm run soak -- listeners 2000`, or
 * `npm run soak -- chain 200 SEED` (deposits and withdrawals on a development node), or
 * `npm run soak -- chain-kills 50 SEED` (the program with its simulated chains), or
 * `npm run soak -- market 1440 SEED` (minutes of a living market, drawn into docs/market.svg), or
 * `npm run soak -- cluster 20 SEED` (gateways, engines and log servers are killed, paused and cut off), or
 * `npm run soak -- stops 18 SEED` (nodes that are cut off from their log are asked to end), or
 * `npm run soak -- join 5 SEED` (the log is purged, an engine with an empty disk joins), or
 * `npm run soak -- upgrade 2` (every gateway and engine is replaced), or
 * `npm run soak -- gate 2` (all nodes continue as a version with another data layout), or
 * `npm run soak -- log 500` (how fast three log servers acknowledge), or
 * `npm run soak -- clock` (needs faketime). Prints its findings, and fails if there was a fault.
 */
const [what = 'kills', count = '50', seed = String(Date.now() % 100_000)] = process.argv.slice(2);
// What its venues write is removed with it.
process.once('exit', openRunFolder());

/** Reports if the library is missing, in which case nothing was tested. */
async function runClock(): Promise<{ readonly faults: readonly string[] }> {
  const library = findFaketime();
  if (library === undefined) return { faults: ['there is no faketime here'] };
  return runClockSteps(library, true);
}

async function runStream(
  steps: number,
  random: () => number,
): Promise<{ readonly faults: readonly string[] }> {
  const gateways = random() < 0.5 ? '0' : '2';
  const args = ['--limits', 'off', '--market', 'off', '--gateways', gateways];
  const venue = await startVenue({ args });
  const key = keyOf(accountOf(venue, 'main'), 'read', 'trade', 'withdraw');
  const [own, other] = [clientFor(venue), clientFor(venue, 'main', 1)];
  const seed = Math.floor(random() * 1e9);
  try {
    return await runModel({ baseUrl: venue.baseUrl, key, own, other, steps, seed });
  } finally {
    await venue.stop();
  }
}

/** Ten of them do not read. */
async function runListeners(count: number): Promise<{ readonly faults: readonly string[] }> {
  const venue = await startVenue({ args: ['--limits', 'off', '--market', 'off'] });
  const [maker, taker] = [clientFor(venue), clientFor(venue, 'main', 1)];
  const port = Number(new URL(venue.baseUrl).port);
  try {
    const key = keyOf(accountOf(venue, 'main'), 'read', 'trade', 'withdraw');
    return await runSlowListeners({
      ...{ port, key, maker, taker, quick: count, slow: 10, trades: 400 },
    });
  } finally {
    await venue.stop();
  }
}

async function runChain(
  count: number,
  random: () => number,
): Promise<{ readonly faults: readonly string[] }> {
  const program = anvilProgram();
  if (program === undefined)
    return { faults: ['there is no development node for this platform: set RIALTO_ANVIL'] };
  const seed = Math.floor(random() * 1e9);
  return runEvm({ program, deposits: count, withdrawals: count, seed });
}

/** A living market in the core alone, at full speed: crossed or shallow books and trouble are faults. */
async function runMarketDay(minutes: number, random: () => number) {
  const seed = Math.floor(random() * 1e9);
  const run = runMarket({ seed, minutes });
  const markets = run.markets.map(figuresOf);
  const title = `A living market, ${minutes} minutes of it (seed ${seed}): 15-minute candles, spread, volume`;
  writeFileSync('docs/market.svg', marketSvg(run, DRAWN, title));
  const faults = [
    ...audit(run.state).faults,
    ...[...run.trouble].map(([what, count]) => `${what}: ${count}`),
    ...markets.flatMap(({ code, crossed, shallow }) =>
      crossed + shallow === 0 ? [] : [`${code}: ${crossed} crossed, ${shallow} shallow`],
    ),
  ];
  return { commands: run.commands, markets, faults };
}

const DRAWN = ['BTC-USD-SWAP-LIN', 'ETH-USDT', 'OX-USD-SWAP-LIN'];

const soaks = {
  chain: runChain,
  'chain-kills': runChainKills,
  cluster: runClusterKills,
  stops: runStops,
  join: runJoins,
  upgrade: runUpgrades,
  gate: runGates,
  log: logFigures,
  clock: runClock,
  stream: runStream,
  listeners: runListeners,
  kills: runKills,
  'order-kills': runOrderKills,
  market: runMarketDay,
  day: async (accounts: number, random: () => number) =>
    runDay({ accounts, seconds: 86_400, seed: Math.floor(random() * 1e9) }),
};
const soak = soaks[what as keyof typeof soaks];
if (soak === undefined)
  throw new Error(`soak one of ${Object.keys(soaks).join(', ')}, not ${what}`);
console.log(`${what}: ${count}, seed ${seed}`);
const report = await soak(Number(count), seeded(Number(seed)));
console.log(
  JSON.stringify(report, (_, value) => (typeof value === 'bigint' ? String(value) : value), 2),
);
process.exit(report.faults.length === 0 ? 0 : 1);
