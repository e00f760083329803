import type { ArgsDef, ParsedArgs } from 'citty';
import type { RialtoClient } from '../client/index.ts';
import { operate, VENUE_ARGS, type VenueNamed } from './operate.ts';
import { printing } from './printing.ts';

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
  ask,
  args: own,
  ...shown
}: Asking<Args, Value>) =>
  printing({
    ...shown,
    args: { ...VENUE_ARGS, ...own },
    find: (args) => {
      const sent = args as unknown as ParsedArgs<Args> & VenueNamed;
      return operate(sent, (client) => ask(client, sent));
    },
    text: (value: Value, args) => shown.text(value, args as unknown as ParsedArgs<Args>),
  });

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
