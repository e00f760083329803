import { type ArgsDef, defineCommand, type ParsedArgs } from 'citty';
import type { RialtoClient } from '../client/index.ts';
import { operate, VENUE_ARGS } from './operate.ts';
import { refuseUnknown } from './options.ts';
import { orExplain } from './run.ts';
import { jsonText } from './table.ts';

type Asking<Args extends ArgsDef, Value> = {
  readonly name: string;
  readonly description: string;
  readonly args: Args;
  readonly ask: (client: RialtoClient, args: ParsedArgs<Args>) => Promise<Value>;
  /** What people read; programs get the value as JSON. */
  readonly text: (value: Value, args: ParsedArgs<Args>) => string;
};

/** A command that asks the operator interface of a venue, running or stopped, and prints what comes back. */
export const asking = <const Args extends ArgsDef, Value>({
  name,
  description,
  args: own,
  ask,
  text,
}: Asking<Args, Value>) => {
  const known = { ...VENUE_ARGS, ...own };
  return defineCommand({
    meta: { name, description },
    args: known,
    run: ({ args }) =>
      orExplain(async () => {
        refuseUnknown(args, known);
        const sent = args as unknown as ParsedArgs<Args> & ParsedArgs<typeof VENUE_ARGS>;
        const value = await operate(sent, (client) => ask(client, sent));
        console.log(sent.json ? jsonText(value) : text(value, sent));
      }),
  });
};

/** Arguments that several commands have. */
export const ID_ARG = { type: 'string', required: true, description: 'its id' } as const;
export const REASON_ARG = {
  type: 'string',
  required: true,
  description: 'why; it is in the audit log',
} as const;
export const MARKET_ARG = {
  type: 'string',
  required: true,
  description: 'code of the market',
} as const;
export const ASSET_ARG = { type: 'string', required: true, description: 'code' } as const;
export const NETWORK_ARG = { type: 'string', required: true, description: 'its name' } as const;

/** All rows of a list that comes in pages. */
export async function allPages<Row>(
  pageAfter: (last: Row | undefined) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const all: Row[] = [];
  for (;;) {
    const page = await pageAfter(all.at(-1));
    if (page.length === 0) return all;
    all.push(...page);
  }
}
