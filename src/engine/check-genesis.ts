import { faultOfGenesis } from '../core/venue.ts';
import type { Genesis } from '../domain/commands.ts';

/**
 * Tries a genesis that somebody has written on a state of its own. Returns why it does not hold, in words; a venue
 * begins with a genesis that holds, or not at all.
 */
export function checkGenesis(genesis: Genesis): string | undefined {
  const fault = faultOfGenesis(genesis);
  return fault === undefined ? undefined : `${fault.step.kind}: ${fault.refusal.message}`;
}
