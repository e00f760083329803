import { defineCommand } from 'citty';
import { FUNDS, MAIN_ACCOUNT_NAME } from '../domain/terms.ts';
import type { ReplyOf } from '../wire/endpoint.ts';
import { listPrices, setPrice } from '../wire/operator-markets.ts';
import {
  listFunds,
  listNetworks,
  moveFunds,
  payIn,
  payOut,
  releaseFee,
  rescanNetwork,
  setFee,
  setNetwork,
} from '../wire/operator-wallet.ts';
import { ASSET_ARG, NETWORK_ARG, operatorCommand, REASON_ARG } from './operator-command.ts';
import { oneOf, onOff } from './options.ts';
import { tableText, timeCell } from './table.ts';

/** Prices, fees, networks and the venue's own purses. */

type Price = ReplyOf<typeof listPrices>[number];
const PRICE_COLUMNS: Readonly<Record<string, (one: Price) => string>> = {
  asset: ({ asset }) => asset,
  USD: ({ price }) => price,
};

export const price = defineCommand({
  meta: { name: 'price', description: 'Index prices' },
  subCommands: {
    list: operatorCommand({
      name: 'list',
      description: 'The index price of every asset',
      args: {},
      run: (client) => client.call(listPrices, {}),
      text: (all) => tableText(all, PRICE_COLUMNS),
    }),
    set: operatorCommand({
      name: 'set',
      description: 'Set an index price, by any factor and at once',
      args: {
        asset: ASSET_ARG,
        price: { type: 'string', required: true, description: 'in USD' },
        reason: REASON_ARG,
      },
      run: (client, args) =>
        client.call(setPrice, { asset: args.asset, price: args.price, reason: args.reason }),
      text: (one) => `${one.asset}: ${one.price} USD`,
    }),
  },
});

type Way = ReplyOf<typeof listNetworks>[number];
const word = (isOpen: boolean): string => (isOpen ? 'open' : 'closed');
const WAY_COLUMNS: Readonly<Record<string, (one: Way) => string>> = {
  network: ({ network: name }) => name,
  asset: ({ asset }) => asset,
  deposits: ({ deposits }) => word(deposits),
  withdrawals: ({ withdrawals }) => word(withdrawals),
  fee: ({ fee, feeFixed }) => (feeFixed ? `${fee} fixed` : fee),
  'fee set (UTC)': ({ feeSetAt }) => timeCell(feeSetAt),
  'read up to block': ({ height }) => height,
};

const listWays = operatorCommand({
  name: 'list',
  description: 'Every asset on every network',
  args: {},
  run: (client) => client.call(listNetworks, {}),
  text: (all) => tableText(all, WAY_COLUMNS),
});

export const fees = defineCommand({
  meta: { name: 'fees', description: 'Withdrawal fees' },
  subCommands: {
    list: listWays,
    set: operatorCommand({
      name: 'set',
      description: 'Fix the withdrawal fee of an asset on a network; once a minute',
      args: {
        network: NETWORK_ARG,
        asset: ASSET_ARG,
        fee: { type: 'string', required: true, description: 'in the asset' },
      },
      run: (client, { network: name, asset, fee }) =>
        client.call(setFee, { network: name, asset, fee }),
      text: (one) => `${one.asset} on ${one.network}: ${one.fee}`,
    }),
    release: operatorCommand({
      name: 'release',
      description: "Let a fixed fee follow the chain's estimate again",
      args: { network: NETWORK_ARG, asset: ASSET_ARG },
      run: (client, { network: name, asset }) => client.call(releaseFee, { network: name, asset }),
      text: (one) => `${one.asset} on ${one.network}: ${one.fee}, follows the chain`,
    }),
  },
});

export const network = defineCommand({
  meta: { name: 'network', description: 'Assets on networks' },
  subCommands: {
    list: listWays,
    set: operatorCommand({
      name: 'set',
      description: 'Open or close deposits and withdrawals of an asset on a network',
      args: {
        network: NETWORK_ARG,
        asset: ASSET_ARG,
        deposits: { type: 'string', required: true, description: 'on|off' },
        withdrawals: { type: 'string', required: true, description: 'on|off' },
      },
      run: (client, { network: name, asset, deposits, withdrawals }) =>
        client.call(setNetwork, {
          network: name,
          asset,
          deposits: onOff('--deposits', deposits),
          withdrawals: onOff('--withdrawals', withdrawals),
        }),
      text: (one) =>
        `${one.asset} on ${one.network}: deposits ${word(one.deposits)}, withdrawals ${word(one.withdrawals)}`,
    }),
    rescan: operatorCommand({
      name: 'rescan',
      description: 'Read the blocks of a network of a running venue again from a height',
      args: {
        network: NETWORK_ARG,
        height: { type: 'string', required: true, description: 'the first block to read again' },
        reason: REASON_ARG,
      },
      run: (client, { network: name, height, reason }) =>
        client.call(rescanNetwork, { network: name, height, reason }),
      text: (one) => `${one.network} is read again from block ${one.height}`,
    }),
  },
});

type Funds = ReplyOf<typeof listFunds>[number];
const FUND_COLUMNS: Readonly<Record<string, (one: Funds) => string>> = {
  asset: ({ asset }) => asset,
  fees: (one) => one.fees,
  insurance: ({ insurance }) => insurance,
  rounding: ({ rounding }) => rounding,
  'network costs': ({ networkCosts }) => networkCosts,
  deficit: ({ deficit }) => deficit,
  suspense: ({ suspense }) => suspense,
};

const FUND_ARG = { type: 'string', required: true, description: FUNDS.join('|') } as const;
const MOVED_ARGS = {
  asset: ASSET_ARG,
  quantity: { type: 'string', required: true, description: 'how much' },
  reason: REASON_ARG,
} as const;
const accountArgs = (does: 'gives' | 'receives') =>
  ({
    family: { type: 'string', required: true, description: `the family that ${does}` },
    name: { type: 'string', default: MAIN_ACCOUNT_NAME, description: 'its account' },
  }) as const;

export const funds = defineCommand({
  meta: { name: 'funds', description: "The venue's own purses" },
  subCommands: {
    list: operatorCommand({
      name: 'list',
      description: 'Fees, insurance, costs and deficit by asset',
      args: {},
      run: (client) => client.call(listFunds, {}),
      text: (all) => tableText(all, FUND_COLUMNS),
    }),
    move: operatorCommand({
      name: 'move',
      description: "Move value between the venue's own purses",
      args: { from: FUND_ARG, to: FUND_ARG, ...MOVED_ARGS },
      run: (client, { from, to, asset, quantity, reason }) =>
        client.call(moveFunds, {
          from: oneOf('--from', FUNDS, from),
          to: oneOf('--to', FUNDS, to),
          asset,
          quantity,
          reason,
        }),
      text: (one) => tableText([one], FUND_COLUMNS),
    }),
    'pay-in': operatorCommand({
      name: 'pay-in',
      description: "Move what an account of the venue's own has into a purse of the venue",
      args: { ...accountArgs('gives'), to: FUND_ARG, ...MOVED_ARGS },
      run: (client, { family, name, to, asset, quantity, reason }) =>
        client.call(payIn, {
          ...{ family, name, asset, quantity, reason },
          to: oneOf('--to', FUNDS, to),
        }),
      text: (one) => tableText([one], FUND_COLUMNS),
    }),
    'pay-out': operatorCommand({
      name: 'pay-out',
      description:
        'Pay an account from a purse of the venue, such as the fees; takes two operators within a day',
      args: { from: FUND_ARG, ...accountArgs('receives'), ...MOVED_ARGS },
      run: (client, { family, name, from, asset, quantity, reason }) =>
        client.call(payOut, {
          ...{ family, name, asset, quantity, reason },
          from: oneOf('--from', FUNDS, from),
        }),
      text: (one) =>
        `${one.state === 'PAID' ? 'paid' : 'asked for; another operator must ask for the same within a day'}\n` +
        tableText([one], FUND_COLUMNS),
    }),
  },
});
