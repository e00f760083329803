import { defineCommand } from 'citty';
import { MARKET_STATES } from '../domain/terms.ts';
import { setMarketState } from '../wire/operator.ts';
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

export const market = defineCommand({
  meta: { name: 'market', description: 'Markets of a venue, running or stopped' },
  subCommands: { state },
});
