import type { RialtoClient } from '../../../src/client/index.ts';
import { getClosedOrders } from '../../../src/wire/closed-orders.ts';
import { getDeposits } from '../../../src/wire/deposits.ts';
import { getFunding } from '../../../src/wire/funding.ts';
import { getLiquidations } from '../../../src/wire/liquidations.ts';
import { getTrades } from '../../../src/wire/trades.ts';
import { getTransfers } from '../../../src/wire/transfers.ts';
import { getWallet } from '../../../src/wire/wallet.ts';
import { getWithdrawals } from '../../../src/wire/withdrawals.ts';

/** The histories: their endpoint, the columns shown, and the columns of an exported file. */

export type Row = Readonly<Record<string, unknown>> & { readonly id: string };
export type PageQuery = {
  readonly limit: string;
  readonly startTime: string;
  readonly endTime: string;
  readonly beforeId?: string;
};
/**
 * A `word` is one of the interface's enumerations, a `name` comes from elsewhere: BTC, XRPL. A `price` and a
 * `size` have at least the decimals of the market's tick and lot.
 */
export type Cell =
  | ('time' | 'market' | 'side' | 'number' | 'signed')
  | ('price' | 'size' | 'rate')
  | ('word' | 'name' | 'status' | 'code');
export type Shown = {
  readonly name: string;
  readonly title: string;
  readonly cell: Cell;
  /** Part of the width; the others share what is left in these proportions. */
  readonly share: number;
};
export type Filter = {
  readonly marketCode?: string;
  readonly asset?: string;
  readonly type?: string;
};
export type Kind = {
  readonly name: string;
  readonly label: string;
  readonly pageMax: number;
  readonly takes: readonly (keyof Filter)[];
  readonly columns: readonly Shown[];
  /** Every member of a row, in the order of the interface. */
  readonly members: readonly string[];
  readonly read: (
    client: RialtoClient,
    query: PageQuery,
    filter: Filter,
  ) => Promise<readonly Row[]>;
};

const time = (name: string, title = 'Time'): Shown => ({ name, title, cell: 'time', share: 1.9 });
const market: Shown = { name: 'marketCode', title: 'Market', cell: 'market', share: 1.2 };
const side: Shown = { name: 'side', title: 'Side', cell: 'side', share: 0.6 };
const column = (name: string, title: string, cell: Cell, share = 1): Shown => ({
  ...{ name, title, cell, share },
});

export const KINDS: readonly Kind[] = [
  {
    name: 'orders',
    label: 'Orders',
    pageMax: 200,
    takes: ['marketCode'],
    columns: [
      time('closedAt', 'Closed'),
      market,
      side,
      column('orderType', 'Type', 'word'),
      column('price', 'Price', 'price'),
      column('totalQuantity', 'Size', 'size'),
      column('cumulativeMatchedQuantity', 'Filled', 'size'),
      column('avgFillPrice', 'Average', 'price'),
      column('closeStatus', 'How it ended', 'status', 2.4),
    ],
    members: Object.keys(getClosedOrders.reply.items.properties),
    read: (client, query, { marketCode }) =>
      client.closedOrders({ ...query, ...(marketCode === undefined ? {} : { marketCode }) }),
  },
  {
    name: 'trades',
    label: 'Trades',
    pageMax: 500,
    takes: ['marketCode'],
    columns: [
      time('matchedAt'),
      market,
      side,
      column('matchPrice', 'Price', 'price'),
      column('matchedQuantity', 'Size', 'size'),
      column('total', 'Total', 'number', 1.2),
      column('fee', 'Fee', 'number'),
      column('feeAsset', 'Fee in', 'name', 0.6),
      column('orderMatchType', 'As', 'word', 0.7),
    ],
    members: Object.keys(getTrades.reply.items.properties),
    read: (client, query, { marketCode }) =>
      client.trades({ ...query, ...(marketCode === undefined ? {} : { marketCode }) }),
  },
  {
    name: 'funding',
    label: 'Funding',
    pageMax: 500,
    takes: ['marketCode'],
    columns: [
      time('createdAt'),
      market,
      column('payment', 'Payment OX', 'signed'),
      column('fundingRate', 'Rate', 'rate'),
      column('position', 'Position', 'size'),
      column('indexPrice', 'Index', 'price'),
    ],
    members: Object.keys(getFunding.reply.items.properties),
    read: (client, query, { marketCode }) =>
      client.funding({ ...query, ...(marketCode === undefined ? {} : { marketCode }) }),
  },
  {
    name: 'transfers',
    label: 'Transfers',
    pageMax: 200,
    takes: ['asset'],
    columns: [
      time('transferredAt'),
      column('asset', 'Asset', 'name', 0.7),
      column('quantity', 'Amount', 'number'),
      column('fromAccount', 'From', 'code'),
      column('toAccount', 'To', 'code'),
      column('status', 'Status', 'status'),
    ],
    members: Object.keys(getTransfers.reply.items.properties),
    read: (client, query, { asset }) =>
      client.transfers({ ...query, ...(asset === undefined ? {} : { asset }) }),
  },
  {
    name: 'deposits',
    label: 'Deposits',
    pageMax: 200,
    takes: ['asset'],
    columns: [
      time('creditedAt'),
      column('asset', 'Asset', 'name', 0.7),
      column('network', 'Network', 'name', 0.8),
      column('quantity', 'Amount', 'number'),
      column('status', 'Status', 'status', 0.8),
      column('address', 'Address', 'code', 1.6),
      column('txId', 'Transaction', 'code', 1.6),
    ],
    members: Object.keys(getDeposits.reply.items.properties),
    read: (client, query, { asset }) =>
      client.deposits({ ...query, ...(asset === undefined ? {} : { asset }) }),
  },
  {
    name: 'withdrawals',
    label: 'Withdrawals',
    pageMax: 200,
    takes: ['asset'],
    columns: [
      time('requestedAt', 'Requested'),
      column('asset', 'Asset', 'name', 0.7),
      column('network', 'Network', 'name', 0.8),
      column('quantity', 'Amount', 'number'),
      column('fee', 'Fee', 'number', 0.8),
      column('status', 'Status', 'status', 0.9),
      column('address', 'To', 'code', 1.6),
      column('txId', 'Transaction', 'code', 1.6),
    ],
    members: Object.keys(getWithdrawals.reply.items.properties),
    read: (client, query, { asset }) =>
      client.withdrawals({ ...query, ...(asset === undefined ? {} : { asset }) }),
  },
  {
    name: 'liquidations',
    label: 'Liquidations',
    pageMax: 500,
    takes: [],
    columns: [
      time('createdAt'),
      column('event', 'Event', 'status', 0.9),
      column('phase', 'Taken by', 'word', 0.9),
      market,
      column('position', 'Position', 'size'),
      column('filledQuantity', 'Closed', 'size'),
      column('markPrice', 'Mark', 'price'),
      column('fee', 'Fee OX', 'number'),
      column('collateral', 'Collateral OX', 'number', 1.2),
    ],
    members: Object.keys(getLiquidations.reply.items.properties),
    read: (client, query) => client.liquidations(query),
  },
  {
    name: 'ledger',
    label: 'Ledger',
    pageMax: 500,
    takes: ['type'],
    columns: [
      time('createdAt'),
      column('type', 'What', 'status'),
      column('asset', 'Asset', 'name', 0.7),
      column('amount', 'Amount', 'signed', 1.4),
    ],
    members: Object.keys(getWallet.reply.items.properties.walletHistory.items.properties),
    read: async (client, query, { type }) => {
      const meant = type === undefined ? {} : { type: type as 'TRADE' };
      return (await client.wallet({ ...query, ...meant }))[0]?.walletHistory ?? [];
    },
  },
];

export const kindOf = (name: string | null): Kind =>
  KINDS.find((kind) => kind.name === name) ?? (KINDS[0] as Kind);
