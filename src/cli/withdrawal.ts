import { defineCommand } from 'citty';
import type { ReplyOf } from '../wire/endpoint.ts';
import {
  cancelWithdrawalOf,
  holdWithdrawal,
  listWithdrawals,
  releaseWithdrawal,
} from '../wire/operator-wallet.ts';
import { allPages, ID_ARG, operatorCommand, REASON_ARG } from './operator-command.ts';
import { tableText, timeCell } from './table.ts';

type Listed = ReplyOf<typeof listWithdrawals>[number];

const COLUMNS: Readonly<Record<string, (one: Listed) => string>> = {
  id: ({ id }) => id,
  account: ({ family, name }) => `${family}/${name}`,
  quantity: ({ quantity, asset }) => `${quantity} ${asset}`,
  network: ({ network }) => network,
  to: ({ address, memo }) => (memo === undefined ? address : `${address} ${memo}`),
  status: ({ status }) => status,
  holds: ({ holds }) => holds.join(',') || '-',
  'released by': ({ releasedBy }) => releasedBy.join(',') || '-',
  checked: ({ checks }) => checksCell(checks),
  'requested (UTC)': ({ requestedAt }) => timeCell(requestedAt),
};

function checksCell({
  secondFactor,
  whitelisted,
  value,
  spent,
  dailyLimit,
}: Listed['checks']): string {
  const factor = secondFactor ?? 'no factor';
  const saved = whitelisted ? 'whitelisted' : 'not whitelisted';
  return `${factor}, ${saved}, worth ${value} with ${spent} of ${dailyLimit} taken before`;
}

const list = operatorCommand({
  name: 'list',
  description: 'Unfinished withdrawals, with the checks they passed and why they wait',
  args: { held: { type: 'boolean', default: false, description: 'only those that wait' } },
  run: (client, { held }) =>
    allPages<Listed>((last) =>
      client.call(listWithdrawals, {
        ...(held ? { held: 'true' } : {}),
        ...(last === undefined ? {} : { afterId: last.id }),
      }),
    ),
  text: (all) => tableText(all, COLUMNS),
});

const ACT_ARGS = { id: ID_ARG, reason: REASON_ARG } as const;

type Now = ReplyOf<typeof releaseWithdrawal>;

function nowText({ id, status, holds, done }: Now): string {
  const waits = holds.length === 0 ? '' : ` (${holds.join(', ')})`;
  return `withdrawal ${id}: ${status}${waits}${done ? '' : '; another operator must release it too'}`;
}

const hold = operatorCommand({
  name: 'hold',
  description: 'Hold a withdrawal for review',
  args: ACT_ARGS,
  run: (client, { id, reason }) => client.call(holdWithdrawal, { id, reason }),
  text: nowText,
});

const release = operatorCommand({
  name: 'release',
  description: 'Release a withdrawal; above the limit two operators must',
  args: ACT_ARGS,
  run: (client, { id, reason }) => client.call(releaseWithdrawal, { id, reason }),
  text: nowText,
});

const cancel = operatorCommand({
  name: 'cancel',
  description: 'Cancel a withdrawal: all of it returns to the account',
  args: ACT_ARGS,
  run: (client, { id, reason }) => client.call(cancelWithdrawalOf, { id, reason }),
  text: nowText,
});

export const withdrawal = defineCommand({
  meta: { name: 'withdrawal', description: 'Withdrawals that are not finished' },
  subCommands: { list, hold, release, cancel },
});
