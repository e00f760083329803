import { defineCommand } from 'citty';
import type { ReplyOf } from '../wire/endpoint.ts';
import { listFamilies } from '../wire/operator-accounts.ts';
import { allPages, asking } from './asking.ts';
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

const list = asking({
  name: 'list',
  description: 'Families, with their restrictions and what guards their money',
  args: { family: { type: 'string', description: 'only this one' } },
  ask: (client, { family: name }) =>
    name === undefined
      ? allPages<Listed>((last) =>
          client.call(listFamilies, last === undefined ? {} : { afterFamily: last.family }),
        )
      : client.call(listFamilies, { family: name }),
  text: (all) => tableText(all, COLUMNS),
});

export const family = defineCommand({
  meta: { name: 'family', description: 'Families of a venue, running or stopped' },
  subCommands: { list },
});
