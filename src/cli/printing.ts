import type { ArgsDef, ParsedArgs } from 'citty';
import type { RialtoClient } from '../client/index.ts';
import { command } from './command.ts';
import { jsonText } from './table.ts';

export const JSON_ARG = {
  json: { type: 'boolean', default: false, description: 'print JSON, for programs' },
} as const;

type Printing<Args extends ArgsDef, Value> = {
  readonly name: string;
  readonly description: string;
  readonly args: Args;
  readonly find: (args: ParsedArgs<Args>) => Promise<Value>;
  /** The text for people; programs get the value as JSON. */
  readonly text: (value: Value, args: ParsedArgs<Args>) => string;
};

/** A command that queries or does something, and prints the result. */
export const printing = <const Args extends ArgsDef, Value>({
  name,
  description,
  args: own,
  find,
  text,
}: Printing<Args, Value>) => {
  const known = { ...JSON_ARG, ...own };
  return command({
    meta: { name, description },
    args: known,
    run: async (args) => {
      const sent = args as unknown as ParsedArgs<Args> & { readonly json: boolean };
      const value = await find(sent);
      console.log(sent.json ? jsonText(value) : text(value, sent));
    },
  });
};

type Asking<Args extends ArgsDef, Value> = Omit<Printing<Args, Value>, 'find'> & {
  readonly ask: (client: RialtoClient, args: ParsedArgs<Args>) => Promise<Value>;
};

/** Creates commands that query a venue: `named` selects it, `withClient` connects to it. */
export const commandsOf =
  <const Named extends ArgsDef, Found>(
    named: Named,
    withClient: <Value>(
      found: Found,
      work: (client: RialtoClient) => Promise<Value>,
    ) => Promise<Value>,
  ) =>
  <const Args extends ArgsDef, Value>({ ask, args: own, ...shown }: Asking<Args, Value>) =>
    printing({
      ...shown,
      args: { ...named, ...own },
      find: (args) => {
        const sent = args as unknown as ParsedArgs<Args> & Found;
        return withClient(sent, (client) => ask(client, sent));
      },
      text: (value: Value, args) => shown.text(value, args as unknown as ParsedArgs<Args>),
    });
