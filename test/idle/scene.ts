import { type IndexPrices, startIndexPrices } from '../../src/connectors/index-prices.ts';
import type { PriceSource } from '../../src/connectors/price-source.ts';
import { RULES_VERSION } from '../../src/core/snapshot.ts';
import type { Command } from '../../src/domain/commands.ts';
import type { Side } from '../../src/domain/terms.ts';
import { manualClock } from '../../src/engine/clock.ts';
import { decodeEntry } from '../../src/engine/codec.ts';
import { FreshEngine } from '../../src/engine/fresh-engine.ts';
import { memoryPoison } from '../../src/engine/poison.ts';
import { RecentOutcomes } from '../../src/engine/recent-outcomes.ts';
import { Sequencer } from '../../src/engine/sequencer.ts';
import { startTicker } from '../../src/engine/ticker.ts';
import { numberedFrom } from '../../src/journal/journal.ts';
import { openMemory } from '../../src/journal/memory.ts';
import { venueWith } from '../support/core-venue.ts';
import { limitOrder } from '../support/limit-order.ts';

export const BTC = 'BTC-USD-SWAP-LIN';
const START_PRICES = { OX: '0.01', USDT: '1', USDC: '1', ETH: '3000', SOL: '150', XRP: '0.5' };

/** The real writer, prices and ticker over a journal in memory, with clock and timers controlled by the test. */
export async function scene(options: { readonly isAlwaysAwake?: boolean } = {}) {
  const venue = venueWith({ alice: { main: { OX: '1000000' } }, bob: { main: { OX: '1000000' } } });
  venue.state.sequence = 0;
  const clock = manualClock(venue.nowMs);
  /** The kinds of the commands of each append: what one fsync made durable. */
  const groups: string[][] = [];
  const sequencer = sequencerOf(venue, clock, groups);
  /** Of the stream. */
  const listeners = { any: options.isAlwaysAwake === true };
  const isIdle = (): boolean => !listeners.any && sequencer.isIdle();
  const timers: { readonly periodMs: number; readonly run: () => void }[] = [];
  const every = (periodMs: number, run: () => void): (() => void) => {
    timers.push({ periodMs, run });
    return () => undefined;
  };
  const quoted = { btc: '60000' as string | undefined };
  const source: PriceSource = {
    name: 'source',
    prices: async () => {
      if (quoted.btc === undefined) throw new Error('silent');
      return { prices: new Map(Object.entries({ ...START_PRICES, BTC: quoted.btc })) };
    },
  };
  const nowMs = (): number => sequencer.nowMs();
  const prices: IndexPrices = await startIndexPrices({
    engine: sequencer,
    sources: [source],
    every,
    nowMs,
    isIdle,
    onTrouble: () => undefined,
  });
  const failures: unknown[] = [];
  const onFailure = (reason: unknown): void => void failures.push(reason);
  const afterPause = (): void => void prices.wake();
  const ticker = startTicker({ engine: sequencer, every, isIdle, afterPause, onFailure });
  const engine = new FreshEngine({ engine: sequencer, isIdle, keepers: [prices, ticker] });
  const trade = (family: string, commands: object): Command =>
    ({ by: { key: venue.key(family, 'main', 'trade') }, ...commands }) as Command;
  return {
    venue,
    clock,
    groups,
    engine,
    sequencer,
    prices,
    ticker,
    quoted,
    listeners,
    order: (family: string, side: Side, priceTicks: number, sizeLots: number): Command =>
      trade(family, {
        kind: 'place-orders',
        source: 11,
        orders: [limitOrder(venue.market(BTC), side, priceTicks, sizeLots)],
      }),
    cancelAll: (family: string): Command => trade(family, { kind: 'cancel-all' }),
    btc: async () => {
      const [view] = await engine.view('markets', { market: venue.market(BTC) });
      if (view === undefined) throw new Error('there is a market');
      return view;
    },
    /** Time passes, and every timer runs when it is due. */
    async pass(seconds: number): Promise<void> {
      for (let at = 0; at < seconds * 1_000; at += 50) {
        clock.advance(50);
        for (const { periodMs, run } of timers) if ((at + 50) % periodMs === 0) run();
        if ((at + 50) % 500 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      await sequencer.whenIdle();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

function sequencerOf(
  venue: ReturnType<typeof venueWith>,
  clock: ReturnType<typeof manualClock>,
  groups: string[][],
): Sequencer {
  const journal = openMemory();
  const append = journal.append.bind(journal);
  // So that every group passes through here.
  journal.appendNow = () => false;
  journal.append = (entries, first) => {
    groups.push(
      numberedFrom(first, entries).map(
        (entry) => decodeEntry(entry, RULES_VERSION).stamped.command.kind,
      ),
    );
    return append(entries, first);
  };
  return new Sequencer({
    state: venue.state,
    journal,
    clock,
    poison: memoryPoison(),
    recent: new RecentOutcomes({
      nextSequence: 1,
      readOlder: () => Promise.reject(new Error('nothing older')),
    }),
    soon: setImmediate,
    onDurable: () => undefined,
    onFailure: (reason) => {
      throw reason;
    },
  });
}
