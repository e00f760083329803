/**
 * `npm run bench`: every figure of the goals that this program can measure, as ratios within one run. `--only
 * s1,s2,...` measures some of them, `--quick` uses small sizes. Writes bench/out/results.json.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { benchBook } from './book.ts';
import { benchCluster } from './cluster.ts';
import { benchCore, type CoreFigures, type Rounds } from './core.ts';
import { benchReplay, benchRestored, benchTransfers } from './durable.ts';
import { type Figure, printTable } from './figures.ts';
import { DEFAULT_FLOW, type Flow, generateFlow } from './flow.ts';
import { benchHistory } from './history.ts';
import { benchLedger } from './ledger.ts';
import { benchMemory } from './memory.ts';
import { benchRest } from './rest.ts';
import { benchRisk } from './risk.ts';
import { benchSlowDisk } from './slow-disk.ts';
import { benchStream } from './stream.ts';
import { benchWorst } from './worst.ts';
import { benchWorstCommands } from './worst-command.ts';

const SUBJECTS = [
  's1',
  's2',
  'ledger',
  'durable',
  'risk',
  'worst',
  's3',
  's5',
  'slow-disk',
  's7',
  's8',
  's9',
  's12',
  'cluster',
] as const;
type Subject = (typeof SUBJECTS)[number];

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: SUBJECTS.join(',') },
    quick: { type: 'boolean', default: false },
  },
});
const wanted = new Set(values.only.toLowerCase().split(','));
// S4 is measured in the run of S3, because its reference is; S6 with the rest of the cluster.
if (wanted.has('s4')) wanted.add('s3');
if (wanted.has('s10')) wanted.add('s5');
if (wanted.has('s6')) wanted.add('cluster');
const isWanted = (subject: Subject): boolean => wanted.has(subject);
const { quick } = values;
const figures: Figure[] = [];
const CORE_ROUNDS = quick ? 3 : 5;

if (isWanted('s1') && !quick) figures.push(...bookFigures());
const flow = generateFlow({ ...DEFAULT_FLOW, operations: quick ? 200_000 : 1_000_000 });
// S2 is compared with the book on the same flow, which is the quick form of S1.
const core = isWanted('s2') || (isWanted('s1') && quick) ? benchCore(flow, CORE_ROUNDS) : undefined;
if (core !== undefined) figures.push(...coreFigures(core));
if (isWanted('ledger')) {
  figures.push(...benchLedger({ steps: quick ? 200_000 : 1_000_000, rounds: quick ? 3 : 5 }));
}
if (isWanted('durable')) figures.push(...(await benchTransfers(quick ? 20_000 : 200_000)));
if (isWanted('risk')) figures.push(...riskFigures(quick ? 10_000 : 100_000));
if (isWanted('worst')) figures.push(...benchWorstCommands({ scale: quick ? 0.1 : 1 }));
if (isWanted('s7')) figures.push(...(await replayFigures(flow)));
if (isWanted('s8')) {
  const trades = quick ? 200_000 : 10_000_000;
  figures.push(...(await benchHistory({ trades, areFewAccounts: quick })));
}
if (isWanted('s9')) {
  figures.push(
    ...benchMemory(
      quick ? { accounts: 10_000, orders: 100_000 } : { accounts: 100_000, orders: 1_000_000 },
    ),
  );
}
if (isWanted('s3')) {
  const size = quick ? { requests: 10_000, rounds: 1 } : { requests: 60_000, rounds: 3 };
  figures.push(...(await benchRest(size)));
}
// S10 is measured with the sessions of S5.
if (isWanted('s5')) {
  const size = quick ? { messages: 10_000, rounds: 1 } : { messages: 60_000, rounds: 3 };
  figures.push(...(await benchStream(size)));
}
if (isWanted('slow-disk')) {
  const size = quick ? { requests: 5_000, rounds: 1 } : { requests: 30_000, rounds: 3 };
  figures.push(...(await benchSlowDisk(size)));
}
if (isWanted('s12')) {
  figures.push(...(await benchWorst({ perMarket: quick ? 200 : 2_000, rounds: quick ? 1 : 5 })));
}

if (isWanted('cluster')) {
  figures.push(
    ...(await benchCluster(
      quick
        ? {
            ...{ groups: 100, requests: 3_000, rounds: 1, warmUp: 2_000 },
            ...{ kills: 3, openOrders: 50_000 },
          }
        : {
            ...{ groups: 500, requests: 20_000, rounds: 3, warmUp: 30_000 },
            // Below the venue's limit by as many orders as the load before a figure may leave open.
            ...{ kills: 10, openOrders: 999_000 },
          },
    )),
  );
}

printTable(figures);
write(figures);

function bookFigures(): Figure[] {
  const { rows, timesFaster, bytesPerOpenOrder } = benchBook();
  const found = rows.map(({ name, opsPerSecond }) => ({
    id: 'S1',
    name,
    value: opsPerSecond,
    unit: 'operations/s',
  }));
  return [
    ...found,
    {
      id: 'S1',
      name: 'the book, default flow',
      value: rows[0]?.opsPerSecond ?? 0,
      unit: 'operations/s',
      ratio: timesFaster,
      to: 'nodejs-order-book',
      goal: '>= 100 x, 6 M/s',
      isMet: timesFaster >= 100 && (rows[0]?.opsPerSecond ?? 0) >= 6e6,
    },
    {
      id: 'S1',
      name: 'an open order of 1,000,000, book and index',
      value: bytesPerOpenOrder,
      unit: 'bytes',
    },
  ];
}

function coreFigures({ book, spot, perpetual }: CoreFigures): Figure[] {
  const of = (name: string, taken: Rounds, timesMax: number, millions: number): Figure[] => [
    {
      id: 'S2',
      name: `whole core, ${name}, best of rounds`,
      value: 1e9 / taken.best,
      unit: 'commands/s',
      ratio: taken.best / book.best,
      to: 'the cost of the book',
      goal: `<= ${timesMax} x, ${millions} M/s`,
      isMet: taken.best <= timesMax * book.best && taken.best <= 1_000 / millions,
    },
    {
      id: 'S2',
      name: `whole core, ${name}, median`,
      value: 1e9 / taken.median,
      unit: 'commands/s',
      ratio: taken.median / book.median,
      to: 'the cost of the book',
    },
  ];
  return [
    {
      id: 'S1',
      name: 'the book on the flow of S2, best',
      value: 1e9 / book.best,
      unit: 'operations/s',
    },
    ...of('spot', spot, 8, 1),
    ...of('perpetual', perpetual, 10, 0.8),
  ];
}

async function replayFigures(taken: Flow): Promise<Figure[]> {
  return [
    await benchReplay(taken, 'spot', CORE_ROUNDS),
    await benchReplay(taken, 'perpetual', CORE_ROUNDS),
    benchRestored(taken, 'spot', CORE_ROUNDS),
    benchRestored(taken, 'perpetual', CORE_ROUNDS),
  ];
}

/** The cost of a price update must depend on the accounts in the market, not on those of the venue. */
function riskFigures(accounts: number): Figure[] {
  const rounds = 300;
  benchRisk({ accounts, inMarket: accounts / 100, rounds }); // Once to warm up.
  const few = benchRisk({ accounts, inMarket: accounts / 100, rounds });
  const many = benchRisk({ accounts, inMarket: accounts / 10, rounds });
  const name = (inMarket: number) =>
    `price update, ${accounts} accounts, ${inMarket} in the market`;
  return [
    { id: 'R', name: name(few.inMarket), value: few.microsecondsPerRound, unit: 'us' },
    {
      id: 'R',
      name: name(many.inMarket),
      value: many.microsecondsPerRound,
      unit: 'us',
      ratio: many.microsecondsPerRound / few.microsecondsPerRound,
      to: 'with a tenth of them',
      goal: '<= 10 x',
      isMet: many.microsecondsPerRound <= 10 * few.microsecondsPerRound,
    },
  ];
}

function write(taken: readonly Figure[]): void {
  const directory = 'bench/out';
  mkdirSync(directory, { recursive: true });
  // Results belong to a machine, not to the project.
  writeFileSync(join(directory, '.gitignore'), '*\n');
  const machine = { cpu: cpus()[0]?.model, cores: cpus().length, node: process.version };
  const results = { takenAt: new Date().toISOString(), quick, machine, figures: taken };
  writeFileSync(join(directory, 'results.json'), `${JSON.stringify(results, null, 2)}\n`);
}
