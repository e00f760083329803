import { ByteWriter } from '../src/bytes/pack.ts';
import { audit } from '../src/core/audit/audit.ts';
import { RULES_VERSION } from '../src/core/snapshot.ts';
import { newState, type State } from '../src/core/state.ts';
import { apply } from '../src/core/venue.ts';
import type { Command, CreditGenesis, SetupCommand, Stamped } from '../src/domain/commands.ts';
import { ORDER_ID_START } from '../src/domain/ids.ts';
import type { MarketSpec } from '../src/domain/market.ts';
import {
  amount,
  type KeyIndex,
  type MarketIndex,
  type Sequence,
  type TimeMs,
  usdPrice,
} from '../src/domain/units.ts';
import { writeEntry } from '../src/engine/codec.ts';
import { timeOurs } from './book.ts';
import { cpuNanoseconds, median } from './figures.ts';
import { DEFAULT_FLOW, type Flow, generateFlow, OP_CANCEL } from './flow.ts';

/**
 * S2: the whole core in process. The flow as place and cancel commands of 1,000 funded accounts, on spot and
 * on a perpetual: checks, holds, matching, settlement, fees, margin, the command as the journal would store
 * it, encoded events and their digest; no disk.
 *
 * Compared with the book alone on the same flow, alternating within one run. The clock is the CPU time of
 * this thread, so that other load on the machine does not count.
 */
export type CoreFigures = {
  readonly book: Rounds;
  readonly spot: Rounds;
  readonly perpetual: Rounds;
};
/** Nanoseconds per command: the fastest round, and the median, which on a shared machine includes other load. */
export type Rounds = { readonly best: number; readonly median: number };
export type CoreMarket = 'spot' | 'perpetual';

const ACCOUNTS = 1_000;
const START_MS = 1_750_000_000_000;

/** The book alone, the core on spot, the core on a perpetual. */
export function benchCore(flow: Flow, rounds = 5): CoreFigures {
  const book: number[] = [];
  const spot: number[] = [];
  const perpetual: number[] = [];
  for (let round = 0; round < rounds; round++) {
    book.push(nanosecondsOf(flow, () => timeOurs(flow)));
    spot.push(runCore(flow, 'spot'));
    perpetual.push(runCore(flow, 'perpetual'));
  }
  const rounded = (taken: number[]): Rounds => ({
    best: Math.min(...taken),
    median: median(taken),
  });
  return { book: rounded(book), spot: rounded(spot), perpetual: rounded(perpetual) };
}

/** Nanoseconds per command. */
export function runCore(flow: Flow, name: CoreMarket, state = fundedVenue(name)): number {
  const nanoseconds = nanosecondsOf(flow, () => work(flow, state));
  const { faults } = audit(state);
  if (faults.length > 0) throw new Error(`not balanced: ${faults[0]}`);
  const matches = state.markets[0]?.matches;
  if (matches !== flow.expected.trades) {
    throw new Error(`${matches} matches, not ${flow.expected.trades}`);
  }
  return nanoseconds;
}

function work({ words }: Flow, state: State): void {
  const events = new ByteWriter(1 << 16);
  const entry = new ByteWriter(1 << 12);
  for (let at = 0; at < words.length; at += 4) {
    const stamped = {
      sequence: (state.sequence + 1) as Sequence,
      timeMs: START_MS as TimeMs,
      command: commandOf(words, at, TERMS),
    };
    events.clear();
    apply(state, stamped, events);
    entry.clear();
    writeEntry(entry, stamped, state.digest, RULES_VERSION);
  }
}

/** Genesis and the whole flow, sequenced. */
export function* stampedFlow({ words }: Flow, genesis: Command): Generator<Stamped> {
  let sequence = 1;
  const timeMs = START_MS as TimeMs;
  yield { sequence: 1 as Sequence, timeMs, command: genesis };
  for (let at = 0; at < words.length; at += 4) {
    yield { sequence: ++sequence as Sequence, timeMs, command: commandOf(words, at, TERMS) };
  }
}

const nanosecondsOf = (flow: Flow, run: () => void): number =>
  cpuNanoseconds(run) / flow.operations;

/** How an operation of the flow becomes a command: its account, market and order ids. */
export type FlowTerms = {
  readonly market: MarketIndex;
  readonly accounts: number;
  readonly orderIdOf: (id: number) => number;
  readonly clientOrderIdOf: (id: number) => bigint;
};

const TERMS: FlowTerms = {
  market: 0 as MarketIndex,
  accounts: ACCOUNTS,
  orderIdOf: (id) => ORDER_ID_START + id - 1,
  clientOrderIdOf: () => 0n,
};

export function commandOf(words: Int32Array, at: number, terms: FlowTerms): Command {
  const head = words[at] as number;
  const id = words[at + 1] as number;
  const { market } = terms;
  const by = { key: (id % terms.accounts) as KeyIndex };
  if ((head & 0xff) === OP_CANCEL) {
    const orderId = terms.orderIdOf(id);
    return { kind: 'cancel-orders', by, orders: [{ market, orderId, clientOrderId: 0n }] };
  }
  return {
    kind: 'place-orders',
    by,
    source: 11,
    orders: [
      {
        market,
        version: 1,
        side: head >> 8 === 0 ? 'BUY' : 'SELL',
        orderType: 'LIMIT',
        timeInForce: 'GTC',
        stpMode: 'NONE',
        triggerType: 'MARK_PRICE',
        reduceOnly: false,
        clientOrderId: terms.clientOrderIdOf(id),
        priceTicks: words[at + 2] as number,
        stopTicks: 0,
        sizeLots: words[at + 3] as number,
        displayLots: 0,
        amountParts: 0n,
      },
    ],
  };
}

/** One market around 1,000.00, and enough funds for whatever the flow does. */
export function genesisOf(
  name: CoreMarket,
  { accounts = ACCOUNTS, assets = 3 }: { accounts?: number; assets?: number } = {},
): Command {
  const actor = 'bench';
  const isSpot = name === 'spot';
  const market: MarketSpec = {
    code: isSpot ? 'FLW-USDT' : 'FLW-USD-SWAP-LIN',
    name: 'Flow',
    referencePair: 'FLW/USDT',
    type: isSpot ? 'SPOT' : 'FUTURE',
    base: 'FLW',
    counter: isSpot ? 'USDT' : 'USD',
    priceScale: 2,
    tickParts: 1n,
    quantityScale: 4,
    lotParts: 1n,
    maxOrderLots: 1_000_000,
    band: 500_000_000n,
    impactNotional: isSpot ? 0n : 10n ** 14n,
    tiers: isSpot ? [] : [{ leverage: 20, notionalCap: 10n ** 18n }],
    state: 'OPEN',
  };
  const asset = (code: string): SetupCommand => ({
    kind: 'define-asset',
    actor,
    asset: { code, scale: 8, loanToValue: 900_000_000n },
  });
  const price = (code: string, parts: bigint) => ({ asset: code, price: usdPrice(parts) });
  const others = Array.from({ length: assets - 3 }, (_, at) => `MORE${at}`);
  const steps: (SetupCommand | CreditGenesis)[] = [
    asset('OX'),
    asset('USDT'),
    asset('FLW'),
    ...others.map(asset),
    { kind: 'define-market', actor, market },
    {
      kind: 'set-index-prices',
      prices: [price('OX', 1_000_000n), price('USDT', 10n ** 8n), price('FLW', 10n ** 11n)],
    },
  ];
  for (let i = 0; i < accounts; i++) {
    const account = { family: `f${i}`, name: 'main' };
    steps.push({ kind: 'create-account', actor, account, accountType: 'PORTFOLIO' });
    const funds = isSpot ? ['OX', 'USDT', 'FLW', ...others] : ['OX'];
    for (const code of funds) {
      steps.push({
        kind: 'credit-genesis',
        account,
        asset: code,
        amount: amount(10n ** 18n / BigInt(accounts)),
      });
    }
    steps.push({
      kind: 'create-key',
      actor,
      account,
      accessKey: `k${i}`,
      sealedSecret: new Uint8Array(),
      permissions: ['read', 'trade'],
    });
  }
  return { kind: 'genesis', steps };
}

export function fundedVenue(name: CoreMarket): State {
  const state = newState();
  const first = { sequence: 1 as Sequence, timeMs: START_MS as TimeMs, command: genesisOf(name) };
  apply(state, first, new ByteWriter());
  return state;
}

if (import.meta.main) {
  const flow = generateFlow({ ...DEFAULT_FLOW, operations: Number(process.argv[2] ?? 500_000) });
  const figures = benchCore(flow);
  for (const [name, { best, median: middle }] of Object.entries(figures)) {
    const rate = `${(1_000 / best).toFixed(3)} M/s`;
    const times = `${(best / figures.book.best).toFixed(1)} x the book`;
    console.log(
      `${name.padEnd(12)}best ${best.toFixed(0).padStart(5)} ns, median ${middle.toFixed(0).padStart(5)} ns ${rate.padStart(12)}  ${times}`,
    );
  }
  console.log('goals: spot 1 M/s and 8 x the book, perpetual 0.8 M/s and 10 x');
}
