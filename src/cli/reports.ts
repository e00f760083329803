import type { ReplyOf } from '../wire/endpoint.ts';
import { getLiquidationsOf } from '../wire/operator-cases.ts';
import {
  getOverview,
  getRisk,
  getSolvency,
  listActs,
  search as searchEndpoint,
} from '../wire/operator-reports.ts';
import { operatorCommand } from './operator-command.ts';
import { tableText, timeCell } from './table.ts';

/** What operators look at. */

type Solvency = ReplyOf<typeof getSolvency>[number];
const SOLVENCY_COLUMNS: Readonly<Record<string, (one: Solvency) => string>> = {
  asset: ({ asset }) => asset,
  liabilities: ({ liabilities }) => liabilities,
  wallets: ({ wallets }) => wallets,
  'on chain': ({ onChain }) => onChain ?? '-',
  surplus: ({ surplus }) => surplus,
  'native debt': ({ nativeDebt }) => nativeDebt,
  clearing: ({ clearing }) => clearing,
  deficit: ({ deficit }) => deficit,
  'network costs': ({ networkCosts }) => networkCosts,
  suspense: ({ suspense }) => suspense,
};

export const solvency = operatorCommand({
  name: 'solvency',
  description: 'What the venue owes and what it has, per asset',
  args: {},
  run: (client) => client.call(getSolvency, {}),
  text: (all) => tableText(all, SOLVENCY_COLUMNS),
});

type Act = ReplyOf<typeof listActs>[number];
const ACT_COLUMNS: Readonly<Record<string, (one: Act) => string>> = {
  'time (UTC)': ({ time }) => timeCell(time),
  actor: ({ actor }) => actor,
  act: ({ act, refused }) => (refused ? `refused: ${act}` : act),
  subject: ({ subject }) => subject,
  before: ({ before }) => before || '-',
  after: ({ after }) => after || '-',
  reason: ({ reason }) => reason || '-',
};

export const audit = operatorCommand({
  name: 'audit',
  description: 'Acts of operators, newest first',
  args: {
    actor: { type: 'string', description: 'only of this one, e.g. operator:local' },
    limit: { type: 'string', default: '50', description: 'how many' },
    before: { type: 'string', description: 'only before this sequence' },
  },
  run: (client, { actor, limit, before }) =>
    client.call(listActs, {
      limit,
      ...(actor === undefined ? {} : { actor }),
      ...(before === undefined ? {} : { beforeSequence: before }),
    }),
  text: (all) => tableText(all, ACT_COLUMNS),
});

type Liquidated = ReplyOf<typeof getLiquidationsOf>[number];
const LIQUIDATION_COLUMNS: Readonly<Record<string, (one: Liquidated) => string>> = {
  'time (UTC)': ({ createdAt }) => timeCell(createdAt),
  account: ({ accountId }) => accountId,
  holder: ({ family, name }) => `${family}/${name}`,
  step: ({ event, phase }) => (phase === undefined ? event : `${event} ${phase}`),
  what: ({ marketCode, asset }) => marketCode ?? asset ?? '-',
  closed: ({ filledQuantity, given }) => filledQuantity ?? given ?? '-',
  help: ({ help }) => help ?? '-',
  id: ({ id }) => id,
};

export const liquidations = operatorCommand({
  name: 'liquidations',
  description: 'Liquidations of the venue, step by step, newest first',
  args: {
    account: { type: 'string', description: 'only of this account, by its id' },
    limit: { type: 'string', default: '50', description: 'how many' },
    before: { type: 'string', description: 'only before this id' },
  },
  run: (client, { account, limit, before }) =>
    client.call(getLiquidationsOf, {
      limit,
      ...(account === undefined ? {} : { accountId: account }),
      ...(before === undefined ? {} : { beforeId: before }),
    }),
  text: (all) => tableText(all, LIQUIDATION_COLUMNS),
});

export const overview = operatorCommand({
  name: 'overview',
  description: 'The venue at a glance',
  args: {},
  run: (client) => client.call(getOverview, {}),
  text: overviewText,
});

function overviewText(seen: ReplyOf<typeof getOverview>): string {
  const rows = [
    ['time', `${timeCell(seen.time)} UTC`],
    ['sequence', seen.sequence],
    ['digest', seen.digest],
    ['commands a second', seen.commandsPerSecond],
    ['waiting for the disk', seen.waiting],
    ['history is behind by', seen.historyLag],
    ['held withdrawals', seen.heldWithdrawals],
    ['deposits to look at', seen.waitingDeposits],
    ['accounts at ratio 50', seen.accountsAtRisk],
    ['liquidating', seen.liquidating],
    ['insurance', seen.insurance],
    ['deficit', seen.deficit],
    ...(seen.ordersRefused === undefined ? [] : [['orders are refused', seen.ordersRefused]]),
    ...(seen.historyTrouble === undefined ? [] : [['history', seen.historyTrouble]]),
    ...seen.markets
      .filter(({ operational }) => !operational)
      .map((one) => [one.marketCode, `${one.state} ${one.reason}`.trim()]),
    ...seen.chains.map(({ network, height, hotWallet, trouble }) => [
      network,
      `block ${height}, hot wallet ${hotWallet}${trouble === undefined ? '' : `, ${trouble}`}`,
    ]),
  ];
  return rows.map(([name = '', value = '']) => `${name.padEnd(22)}${value}`).join('\n');
}

type RiskRow = ReplyOf<typeof getRisk>['top'][number];
const RISK_COLUMNS: Readonly<Record<string, (one: RiskRow) => string>> = {
  account: ({ family, name }) => `${family}/${name}`,
  ratio: ({ marginRatio }) => marginRatio,
  collateral: ({ collateral }) => collateral,
  'maintenance margin': ({ maintenanceMargin }) => maintenanceMargin,
  notional: ({ notional }) => notional,
  state: ({ liquidating }) => (liquidating ? 'liquidating' : '-'),
};

export const risk = operatorCommand({
  name: 'risk',
  description: 'Accounts by margin ratio, and those with the highest',
  args: { limit: { type: 'string', default: '20', description: 'how many of the highest' } },
  run: (client, { limit }) => client.call(getRisk, { limit }),
  text: ({ histogram, top }) =>
    [
      ...histogram.map(({ from, accounts }) => `from ${from.padStart(3)} %  ${accounts}`),
      '',
      tableText(top, RISK_COLUMNS),
    ].join('\n'),
});

export const search = operatorCommand({
  name: 'search',
  description: 'Accounts, orders, withdrawals and keys by id, name or text',
  args: { for: { type: 'string', required: true, description: 'what to look for' } },
  run: (client, args) => client.call(searchEndpoint, { q: args.for }),
  text: foundText,
});

function foundText(found: ReplyOf<typeof searchEndpoint>): string {
  const lines = [
    ...found.families.map((name) => `family      ${name}`),
    ...found.accounts.map((one) => `account     ${one.accountId} ${one.family}/${one.name}`),
    ...found.keys.map((one) => `key         ${one.accessKey} of ${one.accountId}`),
    ...found.orders.map(
      (one) => `order       ${one.orderId} ${one.marketCode} of ${one.accountId}`,
    ),
    ...found.withdrawals.map((one) => `withdrawal  ${one.id} ${one.status} of ${one.accountId}`),
    ...found.deposits.map((one) => `deposit     ${one.id} ${one.status} of ${one.accountId}`),
    ...(found.cut ? ['there may be more'] : []),
  ];
  return lines.length === 0 ? 'nothing found' : lines.join('\n');
}
