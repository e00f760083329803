import { rmSync, writeFileSync } from 'node:fs';
import { defineCommand } from 'citty';
import { OPERATOR_ROLES } from '../domain/terms.ts';
import { writeAtomically } from '../identity.ts';
import type { ReplyOf } from '../wire/endpoint.ts';
import { addOperator, disableOperator, listOperators } from '../wire/operator-venue.ts';
import { command } from './command.ts';
import { operate, VENUE_ARGS } from './operate.ts';
import { oneOf } from './options.ts';
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
    if (to !== undefined) reserve(to);
    let added: ReplyOf<typeof addOperator>;
    try {
      added = await operate(args, (client) => client.call(addOperator, { name, roles }));
    } catch (cause) {
      if (to !== undefined) rmSync(to, { force: true });
      throw cause;
    }
    const { accessKey, secret } = added;
    if (to !== undefined) writeAtomically(to, `${jsonText({ name, accessKey, secret })}\n`);
    const where = to === undefined ? `secret    ${secret}` : `secret    in ${to}`;
    const text = `operator  ${name} (${added.roles.join(', ')})\naccessKey ${accessKey}\n${where}`;
    console.log(args.json ? jsonText(added) : text);
  },
});

/**
 * A secret is shown once, so its file is made before the operator is; one that is there may hold the only copy
 * of another secret.
 */
function reserve(file: string): void {
  try {
    writeFileSync(file, '', { flag: 'wx', mode: 0o600 });
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const why =
      code === 'EEXIST' ? 'exists already: name a new file' : `cannot be made: ${message}`;
    throw new Error(`--to ${file} ${why}`, { cause });
  }
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
    console.log(args.json ? jsonText(operators) : tableText(operators, COLUMNS));
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
    console.log(args.json ? jsonText(disabled) : `operator ${name} is disabled`);
  },
});

export const operator = defineCommand({
  meta: { name: 'operator', description: 'Who operates a venue, running or stopped' },
  subCommands: { add, list, disable },
});
