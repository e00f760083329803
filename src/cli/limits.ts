import { defineCommand } from 'citty';
import { getLimits, setOrderLimits } from '../wire/operator-markets.ts';
import { setWithdrawalLimits } from '../wire/operator-wallet.ts';
import { operatorCommand } from './operator-command.ts';

const show = operatorCommand({
  name: 'show',
  description: 'All limits',
  args: {},
  run: (client) => client.call(getLimits, {}),
  text: ({ perMarket, inAll, daily, automatic }) =>
    `open orders  ${perMarket} a market, ${inAll} in all\n` +
    `withdrawals  ${daily} native a family in 24 hours, ${automatic} at once without an operator`,
});

const orders = operatorCommand({
  name: 'orders',
  description: 'How many orders an account may have open',
  args: {
    'per-market': { type: 'string', required: true, description: 'in one market' },
    'in-all': { type: 'string', required: true, description: 'in all markets together' },
  },
  run: (client, args) =>
    client.call(setOrderLimits, { perMarket: args['per-market'], inAll: args['in-all'] }),
  text: (set) => `${set.perMarket} orders a market, ${set.inAll} in all`,
});

const withdrawals = operatorCommand({
  name: 'withdrawals',
  description: 'What a family may withdraw, by index value in native',
  args: {
    daily: { type: 'string', required: true, description: 'in 24 hours' },
    automatic: { type: 'string', required: true, description: 'at once without an operator' },
  },
  run: (client, { daily, automatic }) => client.call(setWithdrawalLimits, { daily, automatic }),
  text: (set) => `${set.daily} native in 24 hours, ${set.automatic} at once`,
});

export const limits = defineCommand({
  meta: { name: 'limits', description: 'Limits of a venue, running or stopped' },
  subCommands: { show, orders, withdrawals },
});
