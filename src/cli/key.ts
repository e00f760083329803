import { defineCommand } from 'citty';
import type { RialtoClient } from '../client/index.ts';
import { MAIN_ACCOUNT_NAME, PERMISSIONS } from '../domain/terms.ts';
import type { Engine } from '../engine/engine.ts';
import { identityOf } from '../identity.ts';
import { withStoppedVenue } from '../main.ts';
import type { ReplyOf, RequestOf } from '../wire/endpoint.ts';
import { createKey, listKeys, revokeKey } from '../wire/operator-accounts.ts';
import { actorName } from './actor.ts';
import { command } from './command.ts';
import { configOf, operate, VENUE_ARGS } from './operate.ts';
import { oneOf } from './options.ts';
import { print, printSecret } from './print.ts';
import { jsonText, tableText, timeCell } from './table.ts';

const CREATE_ARGS = {
  ...VENUE_ARGS,
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

const create = command({
  meta: { name: 'create', description: 'Create a key; its secret is shown this once' },
  args: CREATE_ARGS,
  run: async (args) => {
    const request = keyRequest(args);
    const created = await operate(args, (client) => client.call(createKey, request));
    const { family, name, accessKey, secret } = created;
    const text = `account   ${family}/${name}\naccessKey ${accessKey}\nsecret    ${secret}`;
    printSecret(args.json ? jsonText(created) : text);
  },
});

function keyRequest(args: {
  readonly family: string;
  readonly name: string;
  readonly permissions: string;
  readonly expires?: string | undefined;
  readonly addresses?: string | undefined;
}): RequestOf<typeof createKey> {
  const { family, name } = args;
  const words = args.permissions.split(',');
  const permissions = words.map((word) => oneOf('--permissions', PERMISSIONS, word.trim()));
  const expiresAtMs = args.expires === undefined ? undefined : Date.parse(args.expires);
  if (Number.isNaN(expiresAtMs)) {
    throw new Error(
      `--expires is a date, such as 2027-01-31 or 2027-01-31T12:00:00Z, not ${args.expires}`,
    );
  }
  const addresses = args.addresses?.split(',').map((address) => address.trim());
  return {
    family,
    name,
    permissions,
    ...(expiresAtMs === undefined ? {} : { expiresAt: String(expiresAtMs) }),
    ...(addresses === undefined ? {} : { addresses }),
  };
}

const LIST_ARGS = {
  ...VENUE_ARGS,
  family: { type: 'string', description: 'only keys of this family' },
  name: { type: 'string', description: 'only keys of accounts of this name' },
} as const;

type ListedKey = ReplyOf<typeof listKeys>[number];

const list = command({
  meta: { name: 'list', description: 'List keys, without their secrets' },
  args: LIST_ARGS,
  run: async (args) => {
    const { family, name } = args;
    const only = {
      ...(family === undefined ? {} : { family }),
      ...(name === undefined ? {} : { name }),
    };
    const keys = await operate(args, (client) => allKeys(client, only));
    print(args.json ? jsonText(keys) : tableText(keys, KEY_COLUMNS));
  },
});

const KEY_COLUMNS: Readonly<Record<string, (key: ListedKey) => string>> = {
  'access key': ({ accessKey }) => accessKey,
  account: ({ accountId }) => accountId,
  name: ({ family, name }) => `${family}/${name}`,
  permissions: ({ permissions }) => permissions.join('+'),
  state: ({ revoked }) => (revoked ? 'revoked' : 'active'),
  'expires (UTC)': ({ expiresAt }) => timeCell(expiresAt),
  addresses: ({ addresses }) => addresses?.join(',') ?? 'any',
};

async function allKeys(
  client: RialtoClient,
  only: { readonly family?: string; readonly name?: string },
): Promise<ListedKey[]> {
  const all: ListedKey[] = [];
  for (;;) {
    const afterKey = all.at(-1)?.accessKey;
    const page = await client.call(listKeys, {
      ...only,
      ...(afterKey === undefined ? {} : { afterKey }),
    });
    if (page.length === 0) return all;
    all.push(...page);
  }
}

const REVOKE_ARGS = {
  ...VENUE_ARGS,
  key: { type: 'string', required: true, description: 'the access key' },
} as const;

const revoke = command({
  meta: { name: 'revoke', description: 'Revoke a key: nothing signed with it is taken any more' },
  args: REVOKE_ARGS,
  run: async (args) => {
    const { key: accessKey } = args;
    const revoked = await operate(args, (client) => client.call(revokeKey, { accessKey }));
    const { family, name } = revoked;
    print(args.json ? jsonText(revoked) : `revoked ${accessKey} of ${family}/${name}`);
  },
});

const FORGET_ARGS = { config: VENUE_ARGS.config, data: VENUE_ARGS.data } as const;

const forgetAll = command({
  meta: {
    name: 'forget-all',
    description:
      'For a lost master key: revoke every key of a stopped venue, make a new master key',
  },
  args: FORGET_ARGS,
  run: async (args) => {
    const config = configOf(args);
    identityOf(config.data);
    const revoked = await withStoppedVenue({ config, forgetKeys: true }, revokeAll);
    print(`revoked ${revoked} keys; the new master key is in ${config.masterKeyFile}`);
  },
});

async function revokeAll(engine: Engine): Promise<number> {
  const keys = engine.directory.keys().filter(({ isRevoked }) => !isRevoked);
  const actor = actorName();
  for (const { accessKey } of keys) await engine.submit({ kind: 'revoke-key', actor, accessKey });
  return keys.length;
}

export const key = defineCommand({
  meta: { name: 'key', description: 'Keys of a venue, running or stopped' },
  subCommands: { create, list, revoke, 'forget-all': forgetAll },
});
