import { faultOfGenesis } from '../core/venue.ts';
import type { Genesis } from '../domain/commands.ts';

/**
 * Applies a genesis written by a user to a scratch state. Returns the reason if it is invalid. A venue starts
 * with a valid genesis or not at all.
 */
export function checkGenesis(genesis: Genesis): string | undefined {
  const fault = faultOfGenesis(genesis);
  return fault === undefined ? undefined : `${fault.step.kind}: ${fault.refusal.message}`;
}
