import { defineCommand } from 'citty';
import { setOrderLimits } from '../wire/operator-markets.ts';
import { operate, VENUE_ARGS } from './operate.ts';
import { refuseUnknown } from './options.ts';
import { orExplain } from './run.ts';
import { jsonText } from './table.ts';

const ORDERS_ARGS = {
  ...VENUE_ARGS,
  'per-market': { type: 'string', required: true, description: 'in one market' },
  'in-all': { type: 'string', required: true, description: 'in all markets together' },
} as const;

const orders = defineCommand({
  meta: { name: 'orders', description: 'How many orders an account may have open' },
  args: ORDERS_ARGS,
  run: ({ args }) =>
    orExplain(async () => {
      refuseUnknown(args, ORDERS_ARGS);
      const request = { perMarket: args['per-market'], inAll: args['in-all'] };
      const set = await operate(args, (client) => client.call(setOrderLimits, request));
      console.log(
        args.json ? jsonText(set) : `${set.perMarket} orders a market, ${set.inAll} in all`,
      );
    }),
});

export const limits = defineCommand({
  meta: { name: 'limits', description: 'Limits of a venue, running or stopped' },
  subCommands: { orders },
});
