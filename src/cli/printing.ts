import { type ArgsDef, defineCommand, type ParsedArgs } from 'citty';
import { refuseUnknown } from './options.ts';
import { orExplain } from './run.ts';
import { jsonText } from './table.ts';

export const JSON_ARG = {
  json: { type: 'boolean', default: false, description: 'print JSON, for programs' },
} as const;

type Printing<Args extends ArgsDef, Value> = {
  readonly name: string;
  readonly description: string;
  readonly args: Args;
  readonly find: (args: ParsedArgs<Args>) => Promise<Value>;
  /** What people read; programs get the value as JSON. */
  readonly text: (value: Value, args: ParsedArgs<Args>) => string;
};

/** A command that finds something out, or does it, and prints what came of it. */
export const printing = <const Args extends ArgsDef, Value>({
  name,
  description,
  args: own,
  find,
  text,
}: Printing<Args, Value>) => {
  const known = { ...JSON_ARG, ...own };
  return defineCommand({
    meta: { name, description },
    args: known,
    run: ({ args }) =>
      orExplain(async () => {
        refuseUnknown(args, known);
        const sent = args as unknown as ParsedArgs<Args> & { readonly json: boolean };
        const value = await find(sent);
        console.log(sent.json ? jsonText(value) : text(value, sent));
      }),
  });
};
