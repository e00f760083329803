import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ByteWriter } from '../src/bytes/pack.ts';
import { RULES_VERSION, snapshotOf, stateFrom } from '../src/core/snapshot.ts';
import { newState } from '../src/core/state.ts';
import { apply } from '../src/core/venue.ts';
import type { Command } from '../src/domain/commands.ts';
import {
  type AccountIndex,
  type AssetIndex,
  amount,
  type KeyIndex,
  type Sequence,
  type TimeMs,
} from '../src/domain/units.ts';
import { EngineClock, realClocks } from '../src/engine/clock.ts';
import { encodeEntry, writeEntry } from '../src/engine/codec.ts';
import { memoryPoison } from '../src/engine/poison.ts';
import { RecentOutcomes } from '../src/engine/recent-outcomes.ts';
import { replay } from '../src/engine/recovery.ts';
import { Sequencer } from '../src/engine/sequencer.ts';
import { openSegments, type Segments } from '../src/journal/segments.ts';
import { type CoreMarket, fundedVenue, genesisOf, runCore, stampedFlow } from './core.ts';
import { cpuNanoseconds, type Figure } from './figures.ts';
import type { Flow } from './flow.ts';

const STAMP = 'bench';
const START_MS = 1_750_000_000_000;

/** Transfers through the core in memory, then through the real sequencer onto the real disk. */
export async function benchTransfers(count: number, inFlight = 64): Promise<Figure[]> {
  const inMemory = memoryTransfers(count);
  const perSecond = await durableTransfers(count, inFlight);
  const memoryRate = 1e9 / inMemory;
  return [
    { id: 'E1', name: 'transfers in memory, codec included', value: memoryRate, unit: '/s' },
    {
      id: 'E2',
      name: `transfers durable, ${inFlight} in flight`,
      value: perSecond,
      unit: '/s',
      ratio: perSecond / memoryRate,
      to: 'of in memory',
    },
  ];
}

function memoryTransfers(count: number): number {
  const state = newState();
  const events = new ByteWriter(1 << 16);
  const entry = new ByteWriter(1 << 12);
  const work = (command: Command): void => {
    events.clear();
    const sequence = (state.sequence + 1) as Sequence;
    apply(state, { sequence, timeMs: START_MS as TimeMs, command }, events);
  };
  work(familyGenesis());
  const run = (upTo: number): void => {
    for (let at = 0; at < upTo; at++) {
      const command = transferOf(at);
      work(command);
      entry.clear();
      const stamped = { sequence: 1 as Sequence, timeMs: START_MS as TimeMs, command };
      writeEntry(entry, stamped, state.digest, RULES_VERSION);
    }
  };
  run(Math.min(count, 20_000)); // warm
  return cpuNanoseconds(() => run(count)) / count;
}

async function durableTransfers(count: number, inFlight: number): Promise<number> {
  return withSegments(async (journal) => {
    const recent = new RecentOutcomes({
      nextSequence: 1,
      readOlder: () => Promise.reject(new Error('nothing is repeated here')),
    });
    const engine = new Sequencer({
      state: newState(),
      journal,
      clock: new EngineClock({ clocks: realClocks, notBeforeMs: 0 }),
      poison: memoryPoison(),
      recent,
      soon: setImmediate,
      onDurable: (sequence) => recent.stored(sequence),
      onFailure: (reason) => {
        throw reason;
      },
    });
    await engine.submit(familyGenesis());
    let next = 0;
    const caller = async (): Promise<void> => {
      while (next < count) {
        const { outcome } = await engine.submit(transferOf(next++));
        if (outcome.events[0]?.kind !== 'transferred') throw new Error('a transfer was refused');
      }
    };
    const startedMs = performance.now();
    await Promise.all(Array.from({ length: inFlight }, caller));
    const seconds = (performance.now() - startedMs) / 1_000;
    await engine.drain();
    return count / seconds;
  });
}

/**
 * The core with a state that was read from a snapshot, as after a restart; alternating with S2, the best of each.
 * Both layouts of records in one process cost each some percent, which one of them alone does not.
 */
export function benchRestored(flow: Flow, name: CoreMarket, rounds: number): Figure {
  let fresh = Number.POSITIVE_INFINITY;
  let restored = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    fresh = Math.min(fresh, runCore(flow, name));
    const state = stateFrom(snapshotOf(fundedVenue(name)));
    restored = Math.min(restored, runCore(flow, name, state));
  }
  return {
    id: 'S7',
    name: `whole core after a restart, ${name}`,
    value: 1e9 / restored,
    unit: 'commands/s',
    ratio: fresh / restored,
    to: 'of S2',
    goal: '>= 0.85',
    isMet: fresh / restored >= 0.85,
  };
}

/**
 * Replay of the flow from a journal on disk, checking each entry's digest; alternating with S2, the best of
 * each.
 */
export async function benchReplay(flow: Flow, name: CoreMarket, rounds: number): Promise<Figure> {
  return withSegments(async (journal) => {
    const state = newState();
    const out = new ByteWriter(1 << 16);
    let group: Uint8Array[] = [];
    const write = async (): Promise<void> => {
      await journal.append(group, journal.lastSequence + 1);
      group = [];
    };
    for (const stamped of stampedFlow(flow, genesisOf(name))) {
      out.clear();
      apply(state, stamped, out);
      group.push(encodeEntry(stamped, state.digest, RULES_VERSION));
      if (group.length === 4_096) await write();
    }
    await write();
    let coreNanoseconds = Number.POSITIVE_INFINITY;
    let nanoseconds = Number.POSITIVE_INFINITY;
    for (let round = 0; round < rounds; round++) {
      coreNanoseconds = Math.min(coreNanoseconds, runCore(flow, name));
      const fresh = newState();
      const spent = cpuNanoseconds(() => replay(fresh, journal.read(1)));
      nanoseconds = Math.min(nanoseconds, spent / (flow.operations + 1));
      if (fresh.sequence !== state.sequence) throw new Error('replay has not come to the end');
    }
    const ratio = coreNanoseconds / nanoseconds;
    return {
      id: 'S7',
      name: `recovery: replay from disk, ${name}`,
      value: 1e9 / nanoseconds,
      unit: 'commands/s',
      ratio,
      to: 'of S2',
      goal: '>= 0.8',
      isMet: ratio >= 0.8,
    };
  });
}

async function withSegments<Result>(work: (journal: Segments) => Promise<Result>): Promise<Result> {
  const directory = mkdtempSync(join(tmpdir(), 'rialto-bench-'));
  try {
    const journal = await openSegments({ directory: join(directory, 'journal'), stamp: STAMP });
    try {
      return await work(journal);
    } finally {
      await journal.close();
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** One family of three accounts; rows 7 and up are accounts, after the venue's own. */
function familyGenesis(): Command {
  const actor = 'bench';
  const named = (name: string) => ({ family: 'f', name });
  return {
    kind: 'genesis',
    steps: [
      { kind: 'define-asset', actor, asset: { code: 'OX', scale: 8, loanToValue: 0n } },
      { kind: 'define-asset', actor, asset: { code: 'USDT', scale: 8, loanToValue: 0n } },
      ...['main', 'a', 'b'].flatMap((name) => [
        {
          kind: 'create-account' as const,
          actor,
          account: named(name),
          accountType: 'PORTFOLIO' as const,
        },
        {
          kind: 'credit-genesis' as const,
          account: named(name),
          asset: 'USDT',
          amount: amount(10n ** 15n),
        },
      ]),
      {
        kind: 'create-key',
        actor,
        account: named('main'),
        accessKey: 'k',
        sealedSecret: new Uint8Array(),
        permissions: ['read', 'trade'],
      },
    ],
  };
}

const FIRST_ACCOUNT = 7;

const transferOf = (at: number): Command => ({
  kind: 'transfer',
  by: { key: 0 as KeyIndex },
  asset: 1 as AssetIndex,
  amount: amount(BigInt(1 + (at % 100))),
  from: (FIRST_ACCOUNT + (at % 3)) as AccountIndex,
  to: (FIRST_ACCOUNT + ((at + 1) % 3)) as AccountIndex,
});
