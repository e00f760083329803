import { defineCommand } from 'citty';
import { MARKET_STATES, type MarketState } from '../domain/terms.ts';
import type { ReplyOf } from '../wire/endpoint.ts';
import {
  cancelMarketOrders,
  listBackstops,
  listMarkets,
  setBackstop,
  setMarketState,
  setTick,
  setTiers,
} from '../wire/operator-markets.ts';
import { MARKET_ARG, operatorCommand, REASON_ARG } from './operator-command.ts';
import { oneOf } from './options.ts';
import { tableText, timeCell } from './table.ts';

const REASON = { ...REASON_ARG, description: 'why; everybody sees it' } as const;
const STATE_ARGS = { market: MARKET_ARG, reason: REASON } as const;

const stateText = (set: ReplyOf<typeof setMarketState>): string =>
  `${set.marketCode}: ${set.state} (${set.reason})`;

const state = operatorCommand({
  name: 'state',
  description: 'Open a market, leave it cancels only, or halt it',
  args: {
    ...STATE_ARGS,
    set: { type: 'string', required: true, description: MARKET_STATES.join('|') },
  },
  run: (client, { market: marketCode, set, reason }) =>
    client.call(setMarketState, {
      marketCode,
      state: oneOf('--set', MARKET_STATES, set),
      reason,
    }),
  text: stateText,
});

const into = (name: string, wanted: MarketState, description: string) =>
  operatorCommand({
    name,
    description,
    args: STATE_ARGS,
    run: (client, { market: marketCode, reason }) =>
      client.call(setMarketState, { marketCode, state: wanted, reason }),
    text: stateText,
  });

type Listed = ReplyOf<typeof listMarkets>[number];

const COLUMNS: Readonly<Record<string, (one: Listed) => string>> = {
  market: ({ marketCode }) => marketCode,
  state: ({ state: now, operational }) =>
    now === 'OPEN' && !operational ? 'OPEN, waits for prices' : now,
  reason: ({ reason }) => reason || '-',
  index: ({ index }) => index,
  mark: ({ mark }) => mark,
  'open interest': ({ openInterest }) => openInterest,
  tick: ({ tickSize }) => tickSize,
  lot: ({ minSize }) => minSize,
  tiers: ({ tiers }) => tiers.map(tierText).join(' ') || '-',
  'prices of (UTC)': ({ priceAt }) => timeCell(priceAt),
};

const tierText = ({ leverage, notionalCap }: Listed['tiers'][number]): string =>
  `${leverage}x:${notionalCap}`;

const list = operatorCommand({
  name: 'list',
  description: 'Every market with its state, prices and terms',
  args: {},
  run: (client) => client.call(listMarkets, {}),
  text: (all) => tableText(all, COLUMNS),
});

const tiers = operatorCommand({
  name: 'tiers',
  description: 'New leverage tiers of a perpetual that is halted and empty',
  args: {
    market: MARKET_ARG,
    set: {
      type: 'string',
      required: true,
      description: 'leverage and cap in native, e.g. 20x:100000000,10x:300000000',
    },
    reason: REASON_ARG,
  },
  run: (client, { market: marketCode, set, reason }) =>
    client.call(setTiers, { marketCode, tiers: tiersFrom(set), reason }),
  text: (one) => `${one.marketCode}: ${one.tiers.map(tierText).join(' ')}`,
});

const tick = operatorCommand({
  name: 'tick',
  description: 'Another tick of a market that is halted and empty',
  args: {
    market: MARKET_ARG,
    set: { type: 'string', required: true, description: 'the smallest step of a price, e.g. 0.5' },
    reason: REASON_ARG,
  },
  run: (client, { market: marketCode, set: tickSize, reason }) =>
    client.call(setTick, { marketCode, tickSize, reason }),
  text: (one) => `${one.marketCode}: tick ${one.tickSize}`,
});

function tiersFrom(text: string): { leverage: string; notionalCap: string }[] {
  return text.split(',').map((word) => {
    const found = /^(\d+)x:(\d+(?:\.\d+)?)$/.exec(word.trim());
    if (found === null) throw new Error(`--set has tiers like 20x:100000000, not ${word}`);
    return { leverage: found[1] ?? '', notionalCap: found[2] ?? '' };
  });
}

const cancelOrders = operatorCommand({
  name: 'cancel-orders',
  description: 'Cancel all orders of a market, in any state',
  args: { market: MARKET_ARG, reason: REASON_ARG },
  run: async (client, { market: marketCode, reason }) => {
    let canceled = 0;
    for (;;) {
      const part = await client.call(cancelMarketOrders, { marketCode, reason });
      canceled += Number(part.canceled);
      if (!part.left) return { marketCode, canceled: String(canceled) };
    }
  },
  text: ({ marketCode, canceled }) => `${marketCode}: ${canceled} orders cancelled`,
});

const backstop = operatorCommand({
  name: 'backstop',
  description: 'Who takes over positions of failing accounts',
  args: {
    family: { type: 'string', required: true, description: 'family of the account' },
    name: { type: 'string', default: 'main', description: 'name of the account' },
    market: { ...MARKET_ARG, description: 'code of a perpetual market' },
    quantity: { type: 'string', required: true, description: 'largest position; 0 ends it' },
  },
  run: (client, { family, name, market: marketCode, quantity }) =>
    client.call(setBackstop, { family, name, marketCode, quantity }),
  text: (set) => `${set.marketCode}: ${set.family}/${set.name} takes over up to ${set.quantity}`,
});

type Backstop = ReplyOf<typeof listBackstops>[number];

const BACKSTOP_COLUMNS: Readonly<Record<string, (one: Backstop) => string>> = {
  market: ({ marketCode }) => marketCode,
  account: ({ family, name }) => `${family}/${name}`,
  'up to': ({ quantity }) => quantity,
};

const backstops = operatorCommand({
  name: 'backstops',
  description: 'List who takes over positions of failing accounts',
  args: {},
  run: (client) => client.call(listBackstops, {}),
  text: (all) => tableText(all, BACKSTOP_COLUMNS),
});

export const market = defineCommand({
  meta: { name: 'market', description: 'Markets of a venue, running or stopped' },
  subCommands: {
    list,
    state,
    open: into('open', 'OPEN', 'Open a market'),
    'cancel-only': into('cancel-only', 'CANCEL_ONLY', 'Leave a market cancels only'),
    halt: into('halt', 'HALTED', 'Halt a market: operators cancel only'),
    tiers,
    tick,
    'cancel-orders': cancelOrders,
    backstop,
    backstops,
  },
});
