import {
  type ArgsDef,
  type CommandDef,
  type CommandMeta,
  defineCommand,
  type ParsedArgs,
} from 'citty';
import { refuseUnknown } from './options.ts';
import { orExplain } from './run.ts';

/** A command of the program: a misspelt option is refused, and any error is printed as one sentence. */
export const command = <const Args extends ArgsDef>(of: {
  readonly meta: CommandMeta;
  readonly args: Args;
  readonly run: (args: ParsedArgs<Args>) => Promise<void>;
}): CommandDef<Args> =>
  defineCommand({
    ...of,
    run: ({ args }) =>
      orExplain(async () => {
        refuseUnknown(args, of.args);
        await of.run(args);
      }),
  });
