import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ORDER_ID_START } from '../src/domain/ids.ts';
import type { AccountIndex } from '../src/domain/units.ts';
import { type OpenHistory, openHistory } from '../src/history/history.ts';
import { openProjector, type Projector } from '../src/history/projector.ts';
import type { JournalReader } from '../src/journal/journal.ts';
import { openSegmentReader } from '../src/journal/segment-reader.ts';
import { openSegments, type Segments } from '../src/journal/segments.ts';
import { cpuNanoseconds, cpuNanosecondsOf, type Figure, printTable } from './figures.ts';
import { generateFlow, THIN_FLOW } from './flow.ts';
import { FIRST_ACCOUNT, HistoryLog, PERPETUAL, SPOT, START_MS } from './history-log.ts';

/**
 * S8: how many matches a second history makes rows of, read from an event log on disk, and what a
 * page of each list costs when it holds so many trades and when it holds ten times as many.
 *
 * The machine has neighbours. So the rate is by CPU time, beside what reading and checking the log
 * alone takes in the same minute; and a page is asked several times, rounds apart, and its least
 * time counts: what the neighbours add is not in it, nor is a disk that must be waited for.
 */
export type HistorySizes = { readonly trades: number };

const STAMP = 'bench';
/** As the follower stores them. */
const GROUP = 4_096;
/** Pages asked of each list: half of them the newest, half anywhere in the younger half. */
const PAGES = 1_000;
const ROUNDS = 5;
const PAGE_ROWS = 200;
/** As many as trade in S2. */
const ACCOUNTS = 1_000;

export async function benchHistory({ trades }: HistorySizes): Promise<Figure[]> {
  const directory = mkdtempSync(join(tmpdir(), 'rialto-bench-'));
  const file = join(directory, 'history.db');
  const projector = await openProjector({ file, stamp: STAMP });
  const events = join(directory, 'events');
  const eventLog = await openSegments({ directory: events, stamp: STAMP });
  // As history's own thread reads it.
  const reader = openSegmentReader({ directory: events, checks: 'checksum' });
  try {
    // A flow has a match for every third operation; it is played on two markets.
    const flow = generateFlow({ ...THIN_FLOW, operations: Math.ceil(trades * 0.85) });
    const run = { file, log: new HistoryLog(flow, ACCOUNTS), eventLog, reader, projector };
    const first = await grow(run, trades / 10);
    const few = await timePages(run);
    await grow(run, trades * 0.9);
    const last = await grow(run, trades);
    const many = await timePages(run);
    return [
      rateFigure('from none', first),
      rateFigure(`at ${trades.toLocaleString('en-US')} trades`, last),
      sizeFigure(file, run.log.matches),
      ...pageFigures(few, many),
    ];
  } finally {
    await projector.close();
    reader.close();
    await eventLog.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

type Run = {
  readonly file: string;
  readonly log: HistoryLog;
  readonly eventLog: Segments;
  readonly reader: JournalReader;
  readonly projector: Projector;
};
type Grown = {
  readonly matches: number;
  readonly nanoseconds: number;
  readonly readNanoseconds: number;
};

/** Writes the log on until it holds so many trades, then projects that, and only that is timed. */
async function grow({ log, eventLog, reader, projector }: Run, trades: number): Promise<Grown> {
  const before = log.matches;
  const from = eventLog.lastSequence;
  while (2 * log.matches < trades) {
    const group: Uint8Array[] = [];
    for (let bytes = log.next(); bytes !== undefined; bytes = log.next()) {
      group.push(bytes);
      if (group.length === GROUP) break;
    }
    if (group.length === 0) throw new Error('the flow was too short');
    await eventLog.append(group, eventLog.lastSequence + 1);
  }
  const unread = () => reader.read(from + 1, eventLog.lastSequence);
  const readNanoseconds = cpuNanoseconds(() => readAll(unread()));
  const nanoseconds = await cpuNanosecondsOf(() => projector.project(unread()));
  if (projector.sequence !== eventLog.lastSequence) throw new Error('history is behind');
  return { matches: log.matches - before, nanoseconds, readNanoseconds };
}

function readAll(entries: Iterable<{ readonly bytes: Uint8Array }>): number {
  let bytesRead = 0;
  for (const { bytes } of entries) bytesRead += bytes.length;
  return bytesRead;
}

type Page = { readonly name: string; readonly microseconds: readonly number[] };

async function timePages({ file, log }: Run): Promise<Page[]> {
  const history = await openHistory({ file, stamp: STAMP, after: () => () => undefined });
  try {
    const pages: Page[] = [];
    for (const { name, ask } of LISTS) {
      const places = placesIn(log);
      const microseconds = places.map(() => Number.POSITIVE_INFINITY);
      for (let round = 0; round < ROUNDS; round++) {
        for (const [at, place] of places.entries()) {
          // By the clock: the CPU time of a thread may be counted in steps of 4 ms.
          const startedMs = performance.now();
          await ask(history, place);
          const took = (performance.now() - startedMs) * 1_000;
          microseconds[at] = Math.min(took, microseconds[at] as number);
        }
      }
      pages.push({ name, microseconds: microseconds.sort((a, b) => a - b) });
    }
    return pages;
  } finally {
    await history.close();
  }
}

type Place = {
  readonly account: AccountIndex;
  readonly toMs: number;
  readonly random: number;
  readonly matches: number;
};

function placesIn({ timeMs, matches }: HistoryLog): Place[] {
  const random = randomOf(7);
  return Array.from({ length: PAGES }, (_, n) => {
    const account = (FIRST_ACCOUNT + Math.floor(ACCOUNTS * random())) as AccountIndex;
    const agoMs = n % 2 === 0 ? 0 : Math.floor(((timeMs - START_MS) / 2) * random());
    return { account, toMs: timeMs - agoMs, random: random(), matches };
  });
}

type List = { readonly name: string; ask(history: OpenHistory, place: Place): unknown };

const window = ({ account, toMs }: Place) => ({ account, fromMs: 0, toMs, limit: PAGE_ROWS });
const LISTS: readonly List[] = [
  { name: 'trades', ask: (history, place) => history.trades(window(place)) },
  {
    name: 'trades of a market',
    ask: (history, place) => history.trades({ ...window(place), market: PERPETUAL }),
  },
  { name: 'wallet', ask: (history, place) => history.walletEntries(window(place)) },
  {
    name: 'wallet, fees only',
    ask: (history, place) => history.walletEntries({ ...window(place), type: 'TRADE_FEE' }),
  },
  {
    name: 'order by id',
    ask: (history, { account, random, matches }) =>
      history.order({ account, orderId: ORDER_ID_START + Math.floor(2 * matches * random) }),
  },
  {
    name: 'order by clientOrderId',
    ask: (history, { account, random, matches }) => {
      const clientOrderId = BigInt(ORDER_ID_START + Math.floor(2 * matches * random));
      return history.order({ account, clientOrderId });
    },
  },
  { name: 'closed orders', ask: (history, place) => history.orders(window(place)) },
  {
    name: 'closed orders of a market',
    ask: (history, place) => history.orders({ ...window(place), market: PERPETUAL }),
  },
  {
    name: 'exchange trades',
    ask: (history, { toMs }) => history.exchangeTrades({ fromMs: 0, toMs, limit: PAGE_ROWS }),
  },
  {
    name: 'exchange trades of a market',
    ask: (history, { toMs }) =>
      history.exchangeTrades({ fromMs: 0, toMs, limit: PAGE_ROWS, market: SPOT }),
  },
  { name: 'funding', ask: (history, place) => history.fundingPayments(window(place)) },
  {
    name: "a day's candles",
    ask: (history, { toMs }) => history.dayStats({ market: SPOT, fromMs: toMs - 86_400_000 }),
  },
  { name: '500 candles of a minute', ask: (history, place) => candles(history, place, 60) },
  { name: '500 candles of half an hour', ask: (history, place) => candles(history, place, 1_800) },
  { name: 'hours of an account', ask: (history, place) => history.accountHours(window(place)) },
];

/** The longest page: what there is within seven days. */
const candles = (history: OpenHistory, { toMs }: Place, seconds: number) =>
  history.candles({
    market: SPOT,
    lengthMs: seconds * 1_000,
    fromMs: toMs - 7 * 86_400_000,
    toMs,
    limit: 500,
  });

/** Park-Miller: the same places in every run. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

function rateFigure(when: string, { matches, nanoseconds, readNanoseconds }: Grown): Figure {
  const perSecond = (1e9 * matches) / nanoseconds;
  return {
    id: 'S8',
    name: `history, ${when}`,
    value: perSecond,
    unit: 'matches/s',
    ratio: nanoseconds / readNanoseconds,
    to: 'the cost of reading the log',
    goal: '>= 50,000',
    isMet: perSecond >= 50_000,
  };
}

const sizeFigure = (file: string, matches: number): Figure => ({
  id: 'S8',
  name: 'history on disk, with two closed orders a match',
  value: statSync(file).size / matches,
  unit: 'bytes a match',
});

function pageFigures(few: readonly Page[], many: readonly Page[]): Figure[] {
  return many.map(({ name, microseconds }, at) => {
    const before = few[at]?.microseconds ?? [];
    const ratio = percentile(microseconds, 0.99) / percentile(before, 0.99);
    const halves = [before, microseconds].map((each) => percentile(each, 0.5).toFixed(0));
    return {
      id: 'S8',
      name: `${name}: p99 (p50 ${halves.join(', then ')} us)`,
      value: percentile(microseconds, 0.99),
      unit: 'us',
      ratio,
      to: 'with a tenth of the trades',
      goal: '<= 1.5',
      isMet: ratio <= 1.5,
    };
  });
}

const percentile = (sorted: readonly number[], part: number): number =>
  sorted[Math.floor(sorted.length * part)] ?? 0;

if (import.meta.main) printTable(await benchHistory({ trades: Number(process.argv[2] ?? 1e6) }));
