import { defineCommand } from 'citty';
import { MAIN_ACCOUNT_NAME, PERMISSIONS } from '../domain/terms.ts';
import { newKeyPair } from '../seal.ts';
import { actorName } from './actor.ts';
import { oneOf } from './options.ts';
import { orExplain } from './run.ts';
import { submitOnce } from './submit.ts';

const create = defineCommand({
  meta: { name: 'create', description: 'Create a key; its secret is shown this once' },
  args: {
    config: { type: 'string', required: true, description: 'configuration file of the venue' },
    family: { type: 'string', required: true, description: 'name of the family' },
    account: { type: 'string', default: MAIN_ACCOUNT_NAME, description: 'name of the account' },
    permissions: {
      type: 'string',
      default: 'read',
      description: `comma-separated: ${PERMISSIONS.join(',')}`,
    },
    expires: { type: 'string', description: 'when it ends, e.g. 2027-01-01T00:00:00Z' },
    addresses: { type: 'string', description: 'comma-separated addresses it may be used from' },
  },
  run: ({ args }) =>
    orExplain(async () => {
      const { accessKey, secret } = newKeyPair();
      const asked = args.permissions.split(',');
      const permissions = asked.map((word) => oneOf('--permissions', PERMISSIONS, word.trim()));
      const expiresAtMs = args.expires === undefined ? undefined : Date.parse(args.expires);
      if (Number.isNaN(expiresAtMs)) throw new Error(`--expires is a date, not ${args.expires}`);
      const addresses = args.addresses?.split(',').map((address) => address.trim());
      await submitOnce(args.config, (seal) => ({
        kind: 'create-key',
        actor: actorName(),
        account: { family: args.family, name: args.account },
        accessKey,
        sealedSecret: seal.seal(secret),
        permissions: permissions.includes('read') ? permissions : ['read', ...permissions],
        ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
        ...(addresses === undefined ? {} : { addresses }),
      }));
      console.log(`accessKey ${accessKey}\nsecret    ${secret}`);
    }),
});

export const key = defineCommand({
  meta: { name: 'key', description: 'Keys of a stopped venue' },
  subCommands: { create },
});
