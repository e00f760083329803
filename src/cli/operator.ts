import { defineCommand } from 'citty';
import { OPERATOR_ROLES } from '../domain/terms.ts';
import type { ReplyOf } from '../wire/endpoint.ts';
import { addOperator, disableOperator, listOperators } from '../wire/operator-venue.ts';
import { command } from './command.ts';
import { operate, VENUE_ARGS } from './operate.ts';
import { oneOf } from './options.ts';
import { print, printSecret } from './print.ts';
import { ReservedFile } from './reserved-file.ts';
import { jsonText, tableText } from './table.ts';

const ADD_ARGS = {
  ...VENUE_ARGS,
  name: { type: 'string', required: true, description: 'name of the operator' },
  roles: {
    type: 'string',
    required: true,
    description: `comma-separated: ${OPERATOR_ROLES.join(',')}`,
  },
  to: { type: 'string', description: 'new file to write the credential to, for --as' },
} as const;

const add = command({
  meta: { name: 'add', description: 'Add an operator; its secret is shown this once' },
  args: ADD_ARGS,
  run: async (args) => {
    const { name, to } = args;
    const roles = args.roles
      .split(',')
      .map((word) => oneOf('--roles', OPERATOR_ROLES, word.trim()));
    const file = to === undefined ? undefined : new ReservedFile('--to', to);
    let added: ReplyOf<typeof addOperator>;
    try {
      added = await operate(args, (client) => client.call(addOperator, { name, roles }));
    } catch (cause) {
      file?.giveUp();
      throw cause;
    }
    const { accessKey, secret } = added;
    const credential = `${jsonText({ name, accessKey, secret })}\n`;
    try {
      file?.keep(credential);
    } catch (cause) {
      throw notKept(`operator ${name} was added`, to ?? '', credential, cause);
    }
    const where = to === undefined ? `secret    ${secret}` : `secret    in ${to}`;
    const text = `operator  ${name} (${added.roles.join(', ')})\naccessKey ${accessKey}\n${where}`;
    printSecret(args.json ? jsonText(added) : text);
  },
});

/** The venue does not show the secret again: better on the terminal than nowhere. */
function notKept(done: string, file: string, credential: string, cause: unknown): Error {
  return new Error(
    `${done}, but ${file} cannot be written: ${(cause as Error).message}. Its credential is shown here, this once; ` +
      `put it into a file of its own:\n${credential}`,
    { cause },
  );
}

type ListedOperator = ReplyOf<typeof listOperators>[number];

const COLUMNS: Readonly<Record<string, (one: ListedOperator) => string>> = {
  name: ({ name }) => name,
  roles: ({ roles }) => roles.join(','),
  'access key': ({ accessKey }) => accessKey,
  state: ({ disabled }) => (disabled ? 'disabled' : 'active'),
};

const list = command({
  meta: { name: 'list', description: 'Who operates the venue, without their secrets' },
  args: VENUE_ARGS,
  run: async (args) => {
    const operators = await operate(args, (client) => client.call(listOperators, {}));
    print(args.json ? jsonText(operators) : tableText(operators, COLUMNS));
  },
});

const DISABLE_ARGS = {
  ...VENUE_ARGS,
  name: { type: 'string', required: true, description: 'name of the operator' },
} as const;

const disable = command({
  meta: { name: 'disable', description: 'Disable an operator for good' },
  args: DISABLE_ARGS,
  run: async (args) => {
    const { name } = args;
    const disabled = await operate(args, (client) => client.call(disableOperator, { name }));
    print(args.json ? jsonText(disabled) : `operator ${name} is disabled`);
  },
});

export const operator = defineCommand({
  meta: { name: 'operator', description: 'Who operates a venue, running or stopped' },
  subCommands: { add, list, disable },
});
