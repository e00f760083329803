import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyHistory } from '../src/history/copy.ts';
import { openProjector, type Projector } from '../src/history/projector.ts';
import { OUTCOMES_MAX } from '../src/history/worker.ts';
import type { JournalReader } from '../src/journal/journal.ts';
import { openSegmentReader } from '../src/journal/segment-reader.ts';
import { openSegments, type Segments } from '../src/journal/segments.ts';
import { cpuNanoseconds, cpuNanosecondsOf, type Figure, printTable } from './figures.ts';
import { generateFlow, THIN_FLOW } from './flow.ts';
import { HistoryLog, type Traded } from './history-log.ts';
import { benchPages } from './history-pages.ts';

/**
 * S8: how many matches per second history projects, read from an event log on disk, and what a page of each
 * list costs with that many trades and with ten times as many.
 *
 * The machine is shared, so the rate is by CPU time, compared with reading and checking the log alone in the
 * same minute. The log is read as history's own thread reads one when it is behind.
 */
export type HistorySizes = {
  readonly trades: number;
  /**
   * For small runs: pages are timed in a second history with so few accounts, and so slow a clock, that a
   * tenth of the trades fills them. That shows whether their cost grows with what an account has, not with
   * the number of pages in the file.
   */
  readonly areFewAccounts?: boolean;
};

const STAMP = 'bench';
/** As the follower stores them. */
const GROUP = 4_096;
/** As many as trade in S2; a million trades are about a day. */
const ACCOUNTS = 1_000;
const TRADES_A_DAY = 1e6;
const COMMAND_MS = 60;

export async function benchHistory({ trades, areFewAccounts = false }: HistorySizes) {
  const many = { accounts: ACCOUNTS, stepMs: COMMAND_MS };
  if (!areFewAccounts) return benchTraded(trades, many, 'rates and pages');
  const slowness = (10 * TRADES_A_DAY) / trades;
  const few = { accounts: ACCOUNTS / slowness, stepMs: COMMAND_MS * slowness };
  return [
    ...(await benchTraded(trades, many, 'rates')),
    ...(await benchTraded(trades, few, 'pages')),
  ];
}

async function benchTraded(
  trades: number,
  traded: Traded,
  what: 'rates' | 'pages' | 'rates and pages',
): Promise<Figure[]> {
  const directory = mkdtempSync(join(tmpdir(), 'rialto-bench-'));
  const file = join(directory, 'history.db');
  const projector = await openProjector({ file, stamp: STAMP });
  const events = join(directory, 'events');
  const eventLog = await openSegments({ directory: events, stamp: STAMP });
  // As history's own thread reads it.
  const reader = openSegmentReader({ directory: events, checks: 'checksum' });
  try {
    // A flow has a match for every third operation; it is replayed on two markets.
    const flow = generateFlow({ ...THIN_FLOW, operations: Math.ceil(trades * 0.85) });
    const run = { log: new HistoryLog(flow, traded), eventLog, reader, projector };
    const about = (at: string) => ({
      ...{ file: at, stamp: STAMP, accounts: traded.accounts },
      ...{ matches: run.log.matches, timeMs: run.log.timeMs },
    });
    const first = await grow(run, trades / 10);
    const few = about(join(directory, 'few.db'));
    await copyHistory(file, few.file);
    await grow(run, trades * 0.9);
    const last = await grow(run, trades);
    // Checkpoints its write-ahead log into the file.
    await projector.close();
    const rates = [
      rateFigure('from none', first),
      rateFigure(`at ${trades.toLocaleString('en-US')} trades`, last),
      sizeFigure(file, run.log.matches),
    ];
    return [
      ...(what === 'pages' ? [] : rates),
      ...(what === 'rates' ? [] : await benchPages(few, about(file))),
    ];
  } finally {
    await projector.close();
    reader.close();
    await eventLog.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

type Run = {
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

/** Extends the log until it holds this many trades, then projects them; only projecting is timed. */
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
  const nanoseconds = await cpuNanosecondsOf(async () => {
    while (projector.sequence < eventLog.lastSequence) {
      const upTo = Math.min(projector.sequence + OUTCOMES_MAX.file, eventLog.lastSequence);
      await projector.project(reader.read(projector.sequence + 1, upTo));
    }
  });
  if (projector.sequence !== eventLog.lastSequence) throw new Error('history is behind');
  return { matches: log.matches - before, nanoseconds, readNanoseconds };
}

function readAll(entries: Iterable<{ readonly bytes: Uint8Array }>): number {
  let bytesRead = 0;
  for (const { bytes } of entries) bytesRead += bytes.length;
  return bytesRead;
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

if (import.meta.main) {
  const trades = Number(process.argv[2] ?? 1e6);
  printTable(await benchHistory({ trades, areFewAccounts: process.argv[3] === 'few' }));
}
