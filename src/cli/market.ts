import { defineCommand } from 'citty';
import { MARKET_STATES } from '../domain/terms.ts';
import { setBackstop, setMarketState } from '../wire/operator-markets.ts';
import { operate, VENUE_ARGS } from './operate.ts';
import { oneOf, refuseUnknown } from './options.ts';
import { orExplain } from './run.ts';
import { jsonText } from './table.ts';

const STATE_ARGS = {
  ...VENUE_ARGS,
  market: { type: 'string', required: true, description: 'code of the market' },
  set: { type: 'string', required: true, description: MARKET_STATES.join('|') },
  reason: { type: 'string', required: true, description: 'why; everybody sees it' },
} as const;

const state = defineCommand({
  meta: { name: 'state', description: 'Open a market, leave it cancels only, or halt it' },
  args: STATE_ARGS,
  run: ({ args }) =>
    orExplain(async () => {
      refuseUnknown(args, STATE_ARGS);
      const { market: marketCode, reason } = args;
      const wanted = oneOf('--set', MARKET_STATES, args.set);
      const set = await operate(args, (client) =>
        client.call(setMarketState, { marketCode, state: wanted, reason }),
      );
      console.log(args.json ? jsonText(set) : `${set.marketCode}: ${set.state} (${set.reason})`);
    }),
});

const BACKSTOP_ARGS = {
  ...VENUE_ARGS,
  family: { type: 'string', required: true, description: 'family of the account' },
  name: { type: 'string', default: 'main', description: 'name of the account' },
  market: { type: 'string', required: true, description: 'code of a perpetual market' },
  quantity: { type: 'string', required: true, description: 'largest position; 0 ends it' },
} as const;

const backstop = defineCommand({
  meta: { name: 'backstop', description: 'Who takes over positions of failing accounts' },
  args: BACKSTOP_ARGS,
  run: ({ args }) =>
    orExplain(async () => {
      refuseUnknown(args, BACKSTOP_ARGS);
      const { family, name, market: marketCode, quantity } = args;
      const request = { family, name, marketCode, quantity };
      const set = await operate(args, (client) => client.call(setBackstop, request));
      const text = `${set.marketCode}: ${set.family}/${set.name} takes over up to ${set.quantity}`;
      console.log(args.json ? jsonText(set) : text);
    }),
});

export const market = defineCommand({
  meta: { name: 'market', description: 'Markets of a venue, running or stopped' },
  subCommands: { state, backstop },
});
