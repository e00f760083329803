import { defineCommand } from 'citty';
import { MAIN_ACCOUNT_NAME, PERMISSIONS, type Permission } from '../domain/terms.ts';
import { newKeyPair } from '../seal.ts';
import { actorName } from './actor.ts';
import { oneOf, refuseUnknown } from './options.ts';
import { orExplain } from './run.ts';
import { submitOnce } from './submit.ts';

const CREATE_ARGS = {
  config: { type: 'string', required: true, description: 'configuration file of the venue' },
  family: { type: 'string', required: true, description: 'name of the family' },
  name: { type: 'string', default: MAIN_ACCOUNT_NAME, description: 'name of the account' },
  permissions: {
    type: 'string',
    default: 'read',
    description: `comma-separated: ${PERMISSIONS.join(',')}`,
  },
  expires: { type: 'string', description: 'when it ends, e.g. 2027-01-01T00:00:00Z' },
  addresses: { type: 'string', description: 'comma-separated addresses it may be used from' },
} as const;

const create = defineCommand({
  meta: { name: 'create', description: 'Create a key; its secret is shown this once' },
  args: CREATE_ARGS,
  run: ({ args }) =>
    orExplain(async () => {
      refuseUnknown(args, CREATE_ARGS);
      const { accessKey, secret } = newKeyPair();
      const asked = args.permissions.split(',');
      const permissions = asked.map((word) => oneOf('--permissions', PERMISSIONS, word.trim()));
      const expiresAtMs = args.expires === undefined ? undefined : Date.parse(args.expires);
      if (Number.isNaN(expiresAtMs)) throw new Error(`--expires is a date, not ${args.expires}`);
      const addresses = args.addresses?.split(',').map((address) => address.trim());
      await submitOnce(args.config, (seal) => ({
        kind: 'create-key',
        actor: actorName(),
        account: { family: args.family, name: args.name },
        accessKey,
        sealedSecret: seal.seal(secret),
        permissions: withImplied(permissions),
        ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
        ...(addresses === undefined ? {} : { addresses }),
      }));
      console.log(
        `account   ${args.family}/${args.name}\naccessKey ${accessKey}\nsecret    ${secret}`,
      );
    }),
});

/** Every key may read, and one that may withdraw may trade. */
const withImplied = (asked: readonly Permission[]): Permission[] =>
  PERMISSIONS.filter(
    (one) =>
      one === 'read' || asked.includes(one) || (one === 'trade' && asked.includes('withdraw')),
  );

export const key = defineCommand({
  meta: { name: 'key', description: 'Keys of a stopped venue' },
  subCommands: { create },
});
