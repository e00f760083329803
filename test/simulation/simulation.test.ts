import { expect, test } from 'vitest';
import type { State } from '../../src/core/state.ts';
import { defaultCatalogue, startPrices } from '../../src/defaults/catalogue.ts';
import type { Command } from '../../src/domain/commands.ts';
import type { OrderRequest } from '../../src/domain/orders.ts';
import { amount, type KeyIndex, type MarketIndex, usdPrice } from '../../src/domain/units.ts';
import {
  FAILING_RUNS,
  FUNDING_SEEDS,
  fundingRun,
  type PlannedRun,
  TRADING_RUNS,
} from './ci-runs.ts';
import { applyToModel } from './model/apply.ts';
import { newModel } from './model/state.ts';
import { Random } from './random.ts';
import { shortenedReport } from './shorten.ts';
import { firstDivergence, type Sabotage, type Timed } from './side-by-side.ts';
import { simulate } from './simulate.ts';
import type { Tally } from './tally.ts';
import { genesisOf, START_MS } from './world.ts';

test('whatever traders, prices and crashes bring, the venue does what the rules say', async () => {
  const all = { matches: 0, crashes: 0, repeats: 0 };
  for (const run of TRADING_RUNS) {
    const { matches, crashes, repeats } = await runThatHolds(run);
    all.matches += matches;
    all.crashes += crashes;
    all.repeats += repeats;
  }
  // The runs were not idle.
  expect(all.matches).toBeGreaterThan(40);
  expect(all.crashes).toBeGreaterThan(2);
  expect(all.repeats).toBeGreaterThan(10);
});

/** What failing accounts go through, and how often it must have occurred. */
const WAYS: Partial<Record<keyof Tally, number>> = {
  riskyOrders: 10,
  liquidations: 3,
  crashesAmidst: 2,
};

test('accounts fail, the venue crashes amidst, and all of it ends', async () => {
  const seen: Partial<Record<keyof Tally, number>> = {};
  const missing = (): string[] =>
    Object.entries(WAYS).flatMap(([way, least]) =>
      (seen[way as keyof Tally] ?? 0) < least ? [way] : [],
    );
  // Which seed causes what changes with every change of the traders: as many runs as needed.
  for (const run of FAILING_RUNS) {
    if (missing().length === 0) break;
    const tally = await runThatHolds(run);
    for (const way of Object.keys(WAYS) as (keyof Tally)[]) {
      seen[way] = (seen[way] ?? 0) + tally[way];
    }
  }
  expect(missing()).toEqual([]);
});

test('funding is paid for an hour of which half was measured, and for no other', async () => {
  let payments = 0;
  for (const seed of FUNDING_SEEDS) {
    // In some runs no position is left by then.
    if (payments > 0) break;
    expect((await runThatHolds(fundingRun(seed, 1_799))).fundingPayments).toBe(0);
    payments = (await runThatHolds(fundingRun(seed, 1_800))).fundingPayments;
  }
  expect(payments).toBeGreaterThan(0);
});

async function runThatHolds(run: PlannedRun): Promise<Tally> {
  const { failure, tally } = await simulate(run);
  if (failure === undefined) return tally;
  const report = [...failure.differences, ...shortenedReport(failure)].join('\n');
  return expect.fail(`seed ${run.seed} fails at step ${failure.step}:\n${report}`);
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

test('an account that the watch overlooks is found, at 100 and at 50', () => {
  const short = trade([order('SELL', 60_000, 300)], [order('BUY', 60_000, 300)]);
  // A spot order far from any match: at 50 it must be cancelled.
  const resting = place(0, [{ ...order('BUY', 5_500_000, 1), market: BTC_USDT }]);
  const quickly = [...short, ...climb(1.1, 8)];
  const slowly = [...short, resting, ...climb(1.02, 30)];
  expect(firstDivergence(quickly)).toBeUndefined();
  expect(firstDivergence(slowly)).toBeUndefined();
  const neverDue = (state: State): void => void state.watch.dueAt.fill(Number.POSITIVE_INFINITY);
  expect(found(quickly, neverDue)).toContain('is overlooked at 100');
  expect(found(slowly, neverDue)).toContain('keeps order');
});

test('fills that the watch does not count are found by the next price', () => {
  const enlarged = [
    ...trade([order('SELL', 60_000, 1)], [order('BUY', 60_000, 1)]),
    place(0, [order('SELL', 60_000, 2_600)]),
    place(1, [order('BUY', 60_000, 2_600)]),
    ...climb(1.05, 1),
  ];
  expect(firstDivergence(enlarged)).toBeUndefined();
  const uncounted = (state: State): void => void state.watch.allowance.fill(2n ** 60n);
  expect(found(enlarged, uncounted)).toContain('is overlooked at 100');
});

const found = (commands: readonly Timed[], sabotage: Sabotage): string | undefined =>
  firstDivergence(commands, sabotage)?.differences.join('\n');

/** Bitcoin rises by a factor per round. */
const climb = (factor: number, rounds: number): Timed[] =>
  Array.from({ length: rounds }, (_, round): Timed => {
    const price = usdPrice(BigInt(Math.floor(6_000_000_000_000 * factor ** (round + 1))));
    const prices = startPrices().map((one) => (one.asset === 'BTC' ? { ...one, price } : one));
    return { timeMs: START_MS + 1_000 * round, command: { kind: 'set-index-prices', prices } };
  });

const BTC_USDT = 4 as MarketIndex;

/** Two accounts with a hundred thousand native and some dollars each, in a venue with the default catalogue. */
function smallGenesis(): Command {
  const actor = 'simulation';
  const steps: Extract<Command, { kind: 'genesis' }>['steps'][number][] = [
    ...defaultCatalogue(actor),
  ];
  for (const family of ['one', 'two']) {
    const account = { family, name: 'main' };
    steps.push({ kind: 'create-account', actor, account, accountType: 'PORTFOLIO' });
    for (const [asset, units] of [
      ['OX', 100_000n],
      ['USDT', 100n],
    ] as const) {
      steps.push({ kind: 'credit-genesis', account, asset, amount: amount(units * 10n ** 8n) });
    }
    const sealedSecret = new Uint8Array([1]);
    const permissions = ['read', 'trade'] as const;
    steps.push({
      kind: 'create-key',
      actor,
      account,
      accessKey: family,
      sealedSecret,
      permissions,
    });
  }
  return { kind: 'genesis', steps };
}

const order = (side: 'BUY' | 'SELL', priceTicks: number, sizeLots: number): OrderRequest => ({
  ...bid,
  side,
  priceTicks,
  sizeLots,
  reduceOnly: false,
});

const place = (key: number, orders: readonly OrderRequest[]): Timed => ({
  timeMs: START_MS,
  command: { kind: 'place-orders', by: { key: key as KeyIndex }, source: 11, orders },
});

/** The first account's orders, then the second's, from the opening of the venue on. */
const trade = (first: readonly OrderRequest[], second: readonly OrderRequest[]): Timed[] => [
  { timeMs: START_MS, command: smallGenesis() },
  place(0, first),
  place(1, second),
];

/** From an account to the venue: no total shows it. */
function takeOnePart(state: State): void {
  const rich = state.accounts.findIndex(
    (account, accountIndex) => account !== null && purse(state, accountIndex) > 0n,
  );
  const { stride, available } = state.ledger;
  available[rich * stride] = purse(state, rich) - 1n;
  available[FEES_ROW * stride] = purse(state, FEES_ROW) + 1n;
}
const FEES_ROW = 1;
const purse = (state: State, accountIndex: number): bigint =>
  state.ledger.available[accountIndex * state.ledger.stride] ?? 0n;

test('an account has at most 2,000 open orders in a market', () => {
  const genesis = genesisOf(new Random(6));
  const requests = Array.from({ length: 252 }, () => eightBids());
  const commands = [genesis, ...requests].map(
    (command, index): Timed => ({ timeMs: START_MS + index, command }),
  );
  expect(firstDivergence(commands, undefined, 100)).toBeUndefined();
  const model = newModel();
  const emitted = commands.map(({ timeMs, command }) => applyToModel(model, timeMs, command));
  expect(emitted.at(-3)?.every((line) => line.startsWith('order-opened'))).toBe(true);
  expect(emitted.at(-2)?.every((line) => line.includes('TOO_MANY_OPEN_ORDERS'))).toBe(true);
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
    // Only bitcoin is reported, and native is stale: the stop waits.
    { timeMs: START_MS + 40_000, command: round(['BTC']) },
    { timeMs: START_MS + 41_000, command: round([]) },
  ];
  expect(firstDivergence(commands)).toBeUndefined();
  const model = newModel();
  const emitted = commands.map(({ timeMs, command }) => applyToModel(model, timeMs, command));
  expect(emitted[2]?.some((line) => line.startsWith('order-triggered'))).toBe(false);
  expect(emitted[3]?.some((line) => line.startsWith('order-triggered'))).toBe(true);
});

/** Bids for one lot, far below all others: they only rest, and need no margin. */
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
