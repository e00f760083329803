import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { CLUSTER_HOST, type LocalNode, startLocalCluster } from '../scripts/local-cluster.ts';
import { ByteWriter } from '../src/bytes/pack.ts';
import { RULES_VERSION } from '../src/core/snapshot.ts';
import { newState, type State } from '../src/core/state.ts';
import { apply } from '../src/core/venue.ts';
import type { Command } from '../src/domain/commands.ts';
import type { KeyIndex, MarketIndex, Sequence, TimeMs } from '../src/domain/units.ts';
import { encodeEntry } from '../src/engine/codec.ts';
import { joinedAt } from '../src/engine/join-snapshot.ts';
import { replay } from '../src/engine/recovery.ts';
import { stampOf } from '../src/engine/stamp.ts';
import { identityOf } from '../src/identity.ts';
import { Entry } from '../src/journal/journal.ts';
import { openSegmentReader } from '../src/journal/segment-reader.ts';
import { openSegments } from '../src/journal/segments.ts';
import type { Figure } from './figures.ts';
import { runLoad } from './load.ts';
import { checkPlaced, Signer } from './rest.ts';

export type JoinOptions = {
  readonly program: string;
  readonly folder: string;
  readonly nodeFlags: readonly string[];
  readonly openOrders: number;
};

/** The orders after the snapshot, which are read from the log. */
const TAIL_ORDERS = 2_000;
const CHECK_MS = 50;
const MARKET = 'OX-USDT';
const ORDERS_PER_COMMAND = 8;
const GROUP = 2_048;

/**
 * C4: an engine with an empty disk joins a venue with `openOrders` open orders, by the log alone, and by a
 * snapshot of another node and the rest of the log. It is ready when it answers and its journal ends like the
 * leader's: each entry contains the digest of everything before it.
 */
export async function benchJoin(options: JoinOptions): Promise<Figure[]> {
  const { program, folder, nodeFlags, openOrders } = options;
  let output = '';
  const cluster = await startLocalCluster({
    ...{ program, folder, nodeFlags, gateways: 0 },
    // The first snapshot has all but a few of these orders, and there is no second one.
    snapshots: { everyCommands: Math.ceil(openOrders / ORDERS_PER_COMMAND) },
    later: ['engine-2', 'engine-3'],
    onVenue: (data) => placeOrders(data, openOrders),
    onOutput: (_, text) => {
      output += text;
    },
  });
  try {
    const leader = await cluster.untilLed();
    const [, second, third] = cluster.engines as [LocalNode, LocalNode, LocalNode];
    const joined = async (node: LocalNode): Promise<number> => {
      const wanted = entriesFrom(leader, 1).at(-1);
      if (wanted === undefined) throw new Error('the leader has no journal');
      const beganMs = performance.now();
      node.start();
      await cluster.untilAllUp();
      let found = entriesFrom(node, wanted.sequence)[0];
      while (found === undefined) {
        await pause(CHECK_MS);
        found = entriesFrom(node, wanted.sequence)[0];
      }
      const tookMs = performance.now() - beganMs;
      if (Buffer.compare(found.bytes, wanted.bytes) !== 0) throw new Error(`${node.name} differs`);
      return tookMs / 1_000;
    };
    const byLog = await joined(second);
    while (!output.includes('is in the')) await pause(CHECK_MS);
    const ports = [Number(new URL(leader.url).port)];
    const requests = new Signer(cluster.handout, CLUSTER_HOST).requests(TAIL_ORDERS, 1);
    await runLoad({ ports, requests, connections: 64, check: checkPlaced });
    const bySnapshot = await joined(third);
    if (joinedAt(third.data) === 0) throw new Error(`${third.name} did not begin with a snapshot`);
    const orders = openOrders.toLocaleString('en-US');
    const name = `an empty engine joins, ${orders} open orders`;
    return [
      { id: 'C4', name: `${name}, by the log alone`, value: byLog, unit: 's' },
      {
        ...{ id: 'C4', name: `${name}, by a snapshot and ${TAIL_ORDERS} orders after it` },
        ...{ value: bySnapshot, unit: 's', ratio: bySnapshot / byLog, to: 'by the log alone' },
      },
    ];
  } finally {
    await cluster.stop();
  }
}

/** The entries from a sequence on, of a journal that is being written. */
function entriesFrom({ data }: LocalNode, sequence: number): Entry[] {
  const reader = openSegmentReader({ directory: join(data, 'journal'), checks: 'checksum' });
  const entries: Entry[] = [];
  try {
    for (const { sequence: at, bytes } of reader.read(sequence, Number.MAX_SAFE_INTEGER)) {
      entries.push(new Entry(at, bytes.slice()));
    }
  } catch {
    // The end, or an entry that is not there yet.
  } finally {
    reader.close();
  }
  return entries;
}

/** Appends bids that match nothing to the journal of a stopped venue, as its engine would. */
async function placeOrders(data: string, count: number): Promise<void> {
  const stamp = stampOf(identityOf(data).venueId);
  const journal = await openSegments({ directory: join(data, 'journal'), stamp });
  try {
    const state = newState();
    replay(state, journal.read(1));
    const out = new ByteWriter(1 << 16);
    let group: Uint8Array[] = [];
    const write = async (): Promise<void> => {
      await journal.append(group, journal.lastSequence + 1);
      group = [];
    };
    for (const command of orderCommands(state, count)) {
      out.clear();
      const sequence = (state.sequence + 1) as Sequence;
      const stamped = { sequence, timeMs: state.timeMs as TimeMs, command };
      apply(state, stamped, out);
      group.push(encodeEntry(stamped, state.digest, RULES_VERSION));
      if (group.length === GROUP) await write();
    }
    if (group.length > 0) await write();
    if (state.orders.openCount < count) throw new Error('orders are missing');
  } finally {
    await journal.close();
  }
}

function* orderCommands(state: State, count: number): Generator<Command> {
  const most = 1_000_000;
  yield { kind: 'set-order-limits', actor: 'bench', perMarket: most, inAll: most };
  const market = state.markets.findIndex(({ spec }) => spec.code === MARKET) as MarketIndex;
  const of = state.markets[market];
  const lowestTicks = of?.price.lowerTicks ?? 0;
  const terms = { side: 'BUY', orderType: 'LIMIT', timeInForce: 'GTC', stpMode: 'NONE' } as const;
  const order = {
    ...{ market, version: of?.version ?? 1, ...terms, triggerType: 'MARK_PRICE' as const },
    ...{ clientOrderId: 0n, stopTicks: 0, sizeLots: 1, displayLots: 0, amountParts: 0n },
    reduceOnly: false,
  };
  for (let placed = 0; placed < count; placed += ORDERS_PER_COMMAND) {
    const orders = Array.from(
      { length: Math.min(ORDERS_PER_COMMAND, count - placed) },
      (_, at) => ({
        ...order,
        priceTicks: lowestTicks + ((placed + at) % 40),
      }),
    );
    yield { kind: 'place-orders', by: { key: 1 as KeyIndex }, source: 11, orders };
  }
}
