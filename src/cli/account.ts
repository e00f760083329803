import { defineCommand } from 'citty';
import { accountIdText } from '../domain/ids.ts';
import { ACCOUNT_TYPES, MAIN_ACCOUNT_NAME } from '../domain/terms.ts';
import { actorName } from './actor.ts';
import { oneOf, refuseUnknown } from './options.ts';
import { orExplain } from './run.ts';
import { submitOnce } from './submit.ts';

const CREATE_ARGS = {
  config: { type: 'string', required: true, description: 'configuration file of the venue' },
  family: { type: 'string', required: true, description: 'name of the family' },
  name: { type: 'string', default: MAIN_ACCOUNT_NAME, description: 'name of the account' },
  type: { type: 'string', default: 'PORTFOLIO', description: ACCOUNT_TYPES.join('|') },
} as const;

const create = defineCommand({
  meta: { name: 'create', description: 'Create a family with its main account, or a sub-account' },
  args: CREATE_ARGS,
  run: ({ args }) =>
    orExplain(async () => {
      refuseUnknown(args, CREATE_ARGS);
      const accountType = oneOf('--type', ACCOUNT_TYPES, args.type);
      const events = await submitOnce(args.config, () => ({
        kind: 'create-account',
        actor: actorName(),
        account: { family: args.family, name: args.name },
        accountType,
      }));
      for (const event of events) {
        if (event.kind === 'account-created') {
          console.log(`account ${accountIdText(event.account)} ${event.familyName}/${event.name}`);
        }
      }
    }),
});

export const account = defineCommand({
  meta: { name: 'account', description: 'Accounts of a stopped venue' },
  subCommands: { create },
});
