import type { ArgsDef, ParsedArgs } from 'citty';
import type { RialtoClient } from '../client/index.ts';
import { command } from './command.ts';
import { print } from './print.ts';
import { jsonText } from './table.ts';

export const JSON_ARG = {
  json: { type: 'boolean', default: false, description: 'print JSON, for programs' },
} as const;

type PrintingCommand<Args extends ArgsDef, Value> = {
  readonly name: string;
  readonly description: string;
  readonly args: Args;
  readonly find: (args: ParsedArgs<Args>) => Promise<Value>;
  /** The text for people; programs get the value as JSON. */
  readonly text: (value: Value, args: ParsedArgs<Args>) => string;
};

/** A command that queries or does something, and prints the result. */
export const printingCommand = <const Args extends ArgsDef, Value>({
  name,
  description,
  args: own,
  find,
  text,
}: PrintingCommand<Args, Value>) => {
  const known = { ...JSON_ARG, ...own };
  return command({
    meta: { name, description },
    args: known,
    run: async (args) => {
      const sent = args as unknown as ParsedArgs<Args> & { readonly json: boolean };
      const value = await find(sent);
      print(sent.json ? jsonText(value) : text(value, sent));
    },
  });
};

type VenueCommand<Args extends ArgsDef, Value> = Omit<PrintingCommand<Args, Value>, 'find'> & {
  readonly run: (client: RialtoClient, args: ParsedArgs<Args>) => Promise<Value>;
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
  <const Args extends ArgsDef, Value>({ run, args: own, ...shown }: VenueCommand<Args, Value>) =>
    printingCommand({
      ...shown,
      args: { ...named, ...own },
      find: (args) => {
        const sent = args as unknown as ParsedArgs<Args> & Found;
        return withClient(sent, (client) => run(client, sent));
      },
      text: (value: Value, args) => shown.text(value, args as unknown as ParsedArgs<Args>),
    });
