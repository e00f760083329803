import { defineCommand } from 'citty';
import { SECOND_FACTORS } from '../domain/wallet.ts';
import type { ReplyOf } from '../wire/endpoint.ts';
import { listFamilies, resetFactor } from '../wire/operator-accounts.ts';
import { allPages, operatorCommand, REASON_ARG } from './operator-command.ts';
import { oneOf } from './options.ts';
import { tableText, timeCell } from './table.ts';

type Listed = ReplyOf<typeof listFamilies>[number];

const COLUMNS: Readonly<Record<string, (one: Listed) => string>> = {
  family: (one) => one.family,
  accounts: ({ accounts }) => accounts.map(({ name }) => name).join(','),
  restrictions: ({ restrictions }) => restrictions.join(',') || '-',
  'fee tier': ({ feeTier }) => feeTier,
  'second factors': ({ secondFactors }) => secondFactors.join(',') || '-',
  'whitelist only': ({ whitelistOnly }) => (whitelistOnly ? 'yes' : 'no'),
  'blocked until (UTC)': ({ blockedUntil }) => timeCell(blockedUntil),
  'open withdrawals': ({ openWithdrawals }) => openWithdrawals,
};

const list = operatorCommand({
  name: 'list',
  description: 'Families, with their restrictions and what guards their money',
  args: { family: { type: 'string', description: 'only this one' } },
  run: (client, { family: name }) =>
    name === undefined
      ? allPages<Listed>((last) =>
          client.call(listFamilies, last === undefined ? {} : { afterFamily: last.family }),
        )
      : client.call(listFamilies, { family: name }),
  text: (all) => tableText(all, COLUMNS),
});

const reset = operatorCommand({
  name: 'reset-factor',
  description: 'Remove a second factor that its user has lost; takes two operators within a day',
  args: {
    family: { type: 'string', required: true, description: 'whose it is' },
    factor: { type: 'string', required: true, description: SECOND_FACTORS.join('|') },
    reason: REASON_ARG,
  },
  run: (client, { family: name, factor, reason }) =>
    client.call(resetFactor, {
      family: name,
      factor: oneOf('--factor', SECOND_FACTORS, factor),
      reason,
    }),
  text: ({ family: name, factor, done, waitUntil }) =>
    done
      ? `${factor} of ${name} is removed; no withdrawals before ${timeCell(waitUntil)} UTC`
      : `${factor} of ${name}: another operator must do the same within a day`,
});

export const family = defineCommand({
  meta: { name: 'family', description: 'Families of a venue, running or stopped' },
  subCommands: { list, 'reset-factor': reset },
});
