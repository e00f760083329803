import { defineCommand } from 'citty';
import type { ReplyOf } from '../wire/endpoint.ts';
import { completeDeposit, listDeposits, reverseDeposit } from '../wire/operator-wallet.ts';
import { allPages, ID_ARG, operatorCommand, REASON_ARG } from './operator-command.ts';
import { tableText, timeCell } from './table.ts';

type Listed = ReplyOf<typeof listDeposits>[number];

const COLUMNS: Readonly<Record<string, (one: Listed) => string>> = {
  id: ({ id }) => id,
  account: ({ family, name }) => `${family}/${name}`,
  quantity: ({ quantity, asset }) => `${quantity} ${asset}`,
  network: ({ network }) => network,
  transaction: ({ txId, output }) => `${txId}:${output}`,
  status: ({ status, vanished }) => (vanished ? `${status}, vanished` : status),
  hold: ({ hold }) => hold ?? '-',
  'reversed by': ({ reversedBy }) => reversedBy.join(',') || '-',
  'seen (UTC)': ({ seenAt }) => timeCell(seenAt),
};

const list = operatorCommand({
  name: 'list',
  description: 'Deposits that their chain could still undo',
  args: {
    waiting: { type: 'boolean', default: false, description: 'only those on hold or vanished' },
  },
  run: (client, { waiting }) =>
    allPages<Listed>((last) =>
      client.call(listDeposits, {
        ...(waiting ? { waiting: 'true' } : {}),
        ...(last === undefined ? {} : { afterId: last.id }),
      }),
    ),
  text: (all) => tableText(all, COLUMNS),
});

const ACT_ARGS = { id: ID_ARG, reason: REASON_ARG } as const;

const nowText = ({ id, status, done }: ReplyOf<typeof reverseDeposit>): string =>
  `deposit ${id}: ${status}${done ? '' : '; another operator must do the same'}`;

const complete = operatorCommand({
  name: 'complete',
  description: 'Credit a deposit that waits in suspense',
  args: ACT_ARGS,
  run: (client, { id, reason }) => client.call(completeDeposit, { id, reason }),
  text: nowText,
});

const reverse = operatorCommand({
  name: 'reverse',
  description: 'Take back a deposit that vanished from its chain; two operators must',
  args: ACT_ARGS,
  run: (client, { id, reason }) => client.call(reverseDeposit, { id, reason }),
  text: nowText,
});

export const deposit = defineCommand({
  meta: { name: 'deposit', description: 'Deposits that are not final' },
  subCommands: { list, complete, reverse },
});
