import { operate, VENUE_ARGS } from './operate.ts';
import { commandsOf } from './printing.ts';

/** A command that queries the operator interface of a venue, running or stopped, and prints the result. */
export const operatorCommand = commandsOf(VENUE_ARGS, operate);

/** Arguments shared by several commands. */
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

/** All rows of a paged list. */
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
