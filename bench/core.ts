import { audit } from '../src/core/audit.ts';
import { RULES_VERSION } from '../src/core/snapshot.ts';
import { newState, type State } from '../src/core/state.ts';
import { apply } from '../src/core/venue.ts';
import type { Command, CreditGenesis, SetupCommand } from '../src/domain/commands.ts';
import { ORDER_ID_START } from '../src/domain/ids.ts';
import type { MarketSpec } from '../src/domain/market.ts';
import { ByteWriter } from '../src/domain/pack.ts';
import {
  amount,
  type KeyIndex,
  type MarketIndex,
  type Sequence,
  type TimeMs,
  usdPrice,
} from '../src/domain/units.ts';
import { encodeEntry } from '../src/engine/codec.ts';
import { DEFAULT_FLOW, type Flow, generateFlow, OP_CANCEL } from './flow.ts';

/** The whole core in process: the flow as place and cancel commands of 1,000 funded accounts. */
export type CoreFigure = {
  readonly name: 'spot' | 'perpetual';
  readonly commandsPerSecond: number;
  readonly matches: number;
};

const ACCOUNTS = 1_000;
const START_MS = 1_750_000_000_000;

/** Codec and events included, no disk. */
export function runCore(flow: Flow, name: CoreFigure['name']): CoreFigure {
  const state = fundedVenue(name);
  const market = state.markets[0];
  if (market === undefined) throw new Error('the venue has a market');
  const out = new ByteWriter(1 << 16);
  const { words } = flow;
  const startedMs = performance.now();
  let written = 0;
  for (let at = 0; at < words.length; at += 4) {
    const command = commandOf(words, at);
    out.clear();
    const stamped = {
      sequence: (state.sequence + 1) as Sequence,
      timeMs: START_MS as TimeMs,
      command,
    };
    apply(state, stamped, out);
    written += encodeEntry(stamped, state.digest, RULES_VERSION).length;
  }
  const seconds = (performance.now() - startedMs) / 1_000;
  const { faults } = audit(state);
  if (faults.length > 0 || written === 0) throw new Error(`not balanced: ${faults[0]}`);
  if (market.matches !== flow.expected.trades) {
    throw new Error(`${market.matches} matches, not ${flow.expected.trades}`);
  }
  return {
    name,
    commandsPerSecond: Math.round(flow.operations / seconds),
    matches: market.matches,
  };
}

function commandOf(words: Int32Array, at: number): Command {
  const head = words[at] as number;
  const id = words[at + 1] as number;
  const by = { key: (id % ACCOUNTS) as KeyIndex };
  const market = 0 as MarketIndex;
  if ((head & 0xff) === OP_CANCEL) {
    const orderId = ORDER_ID_START + id - 1;
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
        clientOrderId: 0n,
        priceTicks: words[at + 2] as number,
        stopTicks: 0,
        sizeLots: words[at + 3] as number,
        displayLots: 0,
        amountParts: 0n,
        reduceOnly: false,
      },
    ],
  };
}

/** One market around 1,000.00, and money enough for whatever the flow does. */
function fundedVenue(name: CoreFigure['name']): State {
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
    tiers: isSpot ? [] : [{ leverage: 20, notionalCap: 10n ** 18n }],
    state: 'OPEN',
  };
  const asset = (code: string): SetupCommand => ({
    kind: 'define-asset',
    actor,
    asset: { code, scale: 8, loanToValue: 900_000_000n },
  });
  const price = (code: string, parts: bigint) => ({ asset: code, price: usdPrice(parts) });
  const steps: (SetupCommand | CreditGenesis)[] = [
    asset('OX'),
    asset('USDT'),
    asset('FLW'),
    { kind: 'define-market', actor, market },
    {
      kind: 'set-index-prices',
      prices: [price('OX', 1_000_000n), price('USDT', 10n ** 8n), price('FLW', 10n ** 11n)],
    },
  ];
  for (let i = 0; i < ACCOUNTS; i++) {
    const account = { family: `f${i}`, name: 'main' };
    steps.push({ kind: 'create-account', actor, account, accountType: 'PORTFOLIO' });
    const funds = isSpot ? ['OX', 'USDT', 'FLW'] : ['OX'];
    for (const code of funds) {
      steps.push({ kind: 'credit-genesis', account, asset: code, amount: amount(10n ** 15n) });
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
  const state = newState();
  const command: Command = { kind: 'genesis', steps };
  const first = { sequence: 1 as Sequence, timeMs: START_MS as TimeMs, command };
  apply(state, first, new ByteWriter());
  return state;
}

if (import.meta.main) {
  const flow = generateFlow({ ...DEFAULT_FLOW, operations: Number(process.argv[2] ?? 500_000) });
  for (let round = 0; round < 3; round++) {
    console.log(runCore(flow, 'spot'), runCore(flow, 'perpetual'));
  }
}
