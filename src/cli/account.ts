import { defineCommand } from 'citty';
import type { RialtoClient } from '../client/index.ts';
import {
  ACCOUNT_TYPES,
  MAIN_ACCOUNT_NAME,
  RESTRICTIONS,
  type Restriction,
} from '../domain/terms.ts';
import type { ReplyOf } from '../wire/endpoint.ts';
import {
  createAccount,
  getAccountOf,
  inviteUser,
  listAccounts,
  setRestrictions,
} from '../wire/operator-accounts.ts';
import { command } from './command.ts';
import { operate, VENUE_ARGS } from './operate.ts';
import { operatorCommand } from './operator-command.ts';
import { oneOf } from './options.ts';
import { print, printSecret } from './print.ts';
import { jsonText, tableText, timeCell } from './table.ts';

const FAMILY = { type: 'string', required: true, description: 'name of the family' } as const;

const CREATE_ARGS = {
  ...VENUE_ARGS,
  family: FAMILY,
  name: { type: 'string', default: MAIN_ACCOUNT_NAME, description: 'name of the account' },
  type: { type: 'string', default: 'PORTFOLIO', description: ACCOUNT_TYPES.join('|') },
} as const;

const create = command({
  meta: { name: 'create', description: 'Create a family with its main account, or a sub-account' },
  args: CREATE_ARGS,
  run: async (args) => {
    const accountType = oneOf('--type', ACCOUNT_TYPES, args.type);
    const { family, name } = args;
    const created = await operate(args, (client) =>
      client.call(createAccount, { family, name, accountType }),
    );
    const { accountId } = created;
    print(args.json ? jsonText(created) : `account ${accountId} ${family}/${name}`);
  },
});

const LIST_ARGS = {
  ...VENUE_ARGS,
  family: { type: 'string', description: 'only accounts of this family' },
} as const;

type ListedAccount = ReplyOf<typeof listAccounts>[number];

const list = command({
  meta: { name: 'list', description: 'List accounts, with the restrictions of their families' },
  args: LIST_ARGS,
  run: async (args) => {
    const accounts = await operate(args, (client) => allAccounts(client, args.family));
    print(args.json ? jsonText(accounts) : tableText(accounts, ACCOUNT_COLUMNS));
  },
});

const ACCOUNT_COLUMNS: Readonly<Record<string, (account: ListedAccount) => string>> = {
  account: ({ accountId }) => accountId,
  name: ({ family, name }) => `${family}/${name}`,
  type: ({ accountType }) => accountType,
  state: ({ active }) => (active ? 'active' : 'inactive'),
  'family restrictions': ({ restrictions }) => restrictions.join(',') || '-',
  'created (UTC)': ({ createdAt }) => timeCell(createdAt),
};

async function allAccounts(
  client: RialtoClient,
  family: string | undefined,
): Promise<ListedAccount[]> {
  const all: ListedAccount[] = [];
  for (;;) {
    const afterId = all.at(-1)?.accountId;
    const page = await client.call(listAccounts, {
      ...(family === undefined ? {} : { family }),
      ...(afterId === undefined ? {} : { afterId }),
    });
    if (page.length === 0) return all;
    all.push(...page);
  }
}

const RESTRICT_ARGS = {
  ...VENUE_ARGS,
  family: FAMILY,
  name: { type: 'string', description: 'one sub-account (inactive only); else the whole family' },
  set: {
    type: 'string',
    required: true,
    description: `the whole set, comma-separated: ${RESTRICTIONS.join(',')}; or none`,
  },
} as const;

const restrict = command({
  meta: { name: 'restrict', description: 'Set or lift restrictions of a family or a sub-account' },
  args: RESTRICT_ARGS,
  run: async (args) => {
    const { family, name } = args;
    const restrictions = restrictionsOf(args.set);
    const set = await operate(args, (client) =>
      client.call(setRestrictions, {
        family,
        ...(name === undefined ? {} : { name }),
        restrictions,
      }),
    );
    const subject = name === undefined ? family : `${family}/${name}`;
    const words = set.restrictions.join(', ') || 'no restrictions';
    print(args.json ? jsonText(set) : `${subject}: ${words}`);
  },
});

const INVITE_ARGS = { ...VENUE_ARGS, family: FAMILY } as const;

const invite = command({
  meta: { name: 'invite', description: 'Let the user of a family set a password' },
  args: INVITE_ARGS,
  run: async (args) => {
    const { family } = args;
    const invited = await operate(args, (client) => client.call(inviteUser, { family }));
    const { token, expiresAt } = invited;
    const words = `${family} sets a password with token ${token} until ${timeCell(expiresAt)}`;
    printSecret(args.json ? jsonText(invited) : words);
  },
});

const restrictionsOf = (text: string): Restriction[] =>
  text === 'none' ? [] : text.split(',').map((word) => oneOf('--set', RESTRICTIONS, word.trim()));

const show = operatorCommand({
  name: 'show',
  description: 'Balances, positions and margin of an account',
  args: { account: { type: 'string', required: true, description: 'its id' } },
  run: (client, args) => client.call(getAccountOf, { accountId: args.account }),
  text: (one) =>
    [
      `${one.family}/${one.name}  ${one.accountType}  margin ratio ${one.marginRatio}`,
      `collateral ${one.collateral}, maintenance margin ${one.maintenanceMargin}, ${one.openOrders} open orders`,
      ...one.balances.map(
        ({ asset, total, available, reserved }) =>
          `${asset.padEnd(6)}${total} (${available} available, ${reserved} reserved)`,
      ),
      ...(one.positions ?? []).map(
        ({ marketCode, position, entryPrice, positionPnl }) =>
          `${marketCode}  ${position} at ${entryPrice}, profit ${positionPnl}`,
      ),
    ].join('\n'),
});

export const account = defineCommand({
  meta: { name: 'account', description: 'Accounts of a venue, running or stopped' },
  subCommands: { create, list, show, restrict, invite },
});
