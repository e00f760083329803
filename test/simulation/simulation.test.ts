import { expect, test } from 'vitest';
import type { State } from '../../src/core/state.ts';
import { startPrices } from '../../src/domain/catalogue.ts';
import type { Command } from '../../src/domain/commands.ts';
import { type KeyIndex, type MarketIndex, usdPrice } from '../../src/domain/units.ts';
import { FAILING_RUNS, type PlannedRun, TRADING_RUNS } from './ci-runs.ts';
import { applyToModel } from './model/apply.ts';
import { newModel } from './model/state.ts';
import { Random } from './random.ts';
import { shortenedReport } from './shorten.ts';
import { firstDivergence, type Timed } from './side-by-side.ts';
import { simulate, type Tally } from './simulate.ts';
import { genesisOf, START_MS } from './world.ts';

test.each(TRADING_RUNS)(
  'whatever traders, prices and crashes bring, the venue does what the rules say (seed $seed)',
  async (run) => {
    const tally = await runThatHolds(run);
    expect(tally.matches).toBeGreaterThan(20);
    expect(tally.crashes).toBeGreaterThan(2);
    expect(tally.repeats).toBeGreaterThan(5);
  },
);

/** What accounts in trouble go through, and how often it must have been seen. */
const WAYS: Partial<Record<keyof Tally, number>> = {
  riskyOrders: 10,
  liquidations: 3,
  crashesAmidst: 3,
  byNobody: 1,
  byBook: 1,
  byInsured: 1,
  byDeleveraging: 1,
  collateralSales: 1,
  fundingPayments: 1,
};

test('accounts fail in every way there is, the venue crashes amidst, and all of it ends', async () => {
  const seen: Partial<Record<keyof Tally, number>> = {};
  const missing = (): string[] =>
    Object.entries(WAYS).flatMap(([way, least]) =>
      (seen[way as keyof Tally] ?? 0) < least ? [way] : [],
    );
  // Which seed brings what shifts with every change of the traders: as many runs as it takes.
  for (const run of FAILING_RUNS) {
    if (missing().length === 0) break;
    const tally = await runThatHolds(run);
    for (const way of Object.keys(WAYS) as (keyof Tally)[]) {
      seen[way] = (seen[way] ?? 0) + tally[way];
    }
  }
  expect(missing()).toEqual([]);
}, 60_000);

async function runThatHolds({ seed, steps }: PlannedRun): Promise<Tally> {
  const { failure, tally } = await simulate({ seed, steps });
  if (failure === undefined) return tally;
  const report = [...failure.differences, ...shortenedReport(failure)].join('\n');
  return expect.fail(`seed ${seed} fails at step ${failure.step}:\n${report}`);
}

test('the same seed is the same run', async () => {
  const runs = await Promise.all([1, 2].map(() => simulate({ seed: 77, steps: 60 })));
  expect(runs[0]?.tally).toEqual(runs[1]?.tally);
});

test('a venue that takes one part too much is found, and the list of commands is short', async () => {
  const sabotage = (state: State, command: Command): void => {
    if (command.kind === 'modify-orders') takeOnePart(state);
  };
  const { failure } = await simulate({ seed: 5, steps: 300, sabotage });
  if (failure === undefined) return expect.fail('nobody has noticed');
  expect(failure.differences.join('\n')).toContain('available OX');
  const [title, ...lines] = shortenedReport(failure, sabotage);
  expect(title).toMatch(/^shortened from \d+ to 2 commands:$/);
  expect(lines[0]).toContain('genesis');
  expect(lines[1]).toContain('modify-orders');
});

/** From somebody to the venue: no sum notices it. */
function takeOnePart(state: State): void {
  const rich = state.accounts.findIndex(
    (account, row) => account !== null && purse(state, row) > 0n,
  );
  const { stride, available } = state.ledger;
  available[rich * stride] = purse(state, rich) - 1n;
  available[FEES_ROW * stride] = purse(state, FEES_ROW) + 1n;
}
const FEES_ROW = 1;
const purse = (state: State, row: number): bigint =>
  state.ledger.available[row * state.ledger.stride] ?? 0n;

test('an account has at most 2,000 open orders in a market', () => {
  const genesis = genesisOf(new Random(6));
  const requests = Array.from({ length: 252 }, () => eightBids());
  const commands = [genesis, ...requests].map(
    (command, index): Timed => ({ timeMs: START_MS + index, command }),
  );
  expect(firstDivergence(commands, undefined, 100)).toBeUndefined();
  const model = newModel();
  const told = commands.map(({ timeMs, command }) => applyToModel(model, timeMs, command));
  expect(told.at(-3)?.every((line) => line.startsWith('order-opened'))).toBe(true);
  expect(told.at(-2)?.every((line) => line.includes('TOO_MANY_OPEN_ORDERS'))).toBe(true);
});

test('a stop whose price came while nothing could be valued fires when everything has a price', () => {
  const genesis = genesisOf(new Random(6));
  const buyer = { key: 0 as KeyIndex };
  const stop = { ...bid, orderType: 'STOP_MARKET', stopTicks: 61_000, priceTicks: 0 } as const;
  const round = (codes: readonly string[]): Command => ({
    kind: 'set-index-prices',
    prices: startPrices()
      .filter(({ asset }) => codes.length === 0 || codes.includes(asset))
      .map((one) => (one.asset === 'BTC' ? { ...one, price: usdPrice(6_150_000_000_000n) } : one)),
  });
  const commands: Timed[] = [
    { timeMs: START_MS, command: genesis },
    {
      timeMs: START_MS,
      command: { kind: 'place-orders', by: buyer, source: 11, orders: [stop] },
    },
    // Only bitcoin is heard of, and native is too old: the stop waits.
    { timeMs: START_MS + 40_000, command: round(['BTC']) },
    { timeMs: START_MS + 41_000, command: round([]) },
  ];
  expect(firstDivergence(commands)).toBeUndefined();
  const model = newModel();
  const told = commands.map(({ timeMs, command }) => applyToModel(model, timeMs, command));
  expect(told[2]?.some((line) => line.startsWith('order-triggered'))).toBe(false);
  expect(told[3]?.some((line) => line.startsWith('order-triggered'))).toBe(true);
});

/** Bids for one lot, far below anybody: they only rest, and need no margin. */
const bid = {
  market: 0 as MarketIndex,
  version: 1,
  side: 'BUY',
  orderType: 'LIMIT',
  timeInForce: 'GTC',
  stpMode: 'NONE',
  triggerType: 'MARK_PRICE',
  clientOrderId: 0n,
  priceTicks: 55_000,
  stopTicks: 0,
  sizeLots: 1,
  displayLots: 0,
  amountParts: 0n,
  reduceOnly: true,
} as const;

function eightBids(): Command {
  return {
    kind: 'place-orders',
    by: { key: 0 as KeyIndex },
    source: 11,
    orders: Array.from({ length: 8 }, () => bid),
  };
}
