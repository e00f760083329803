import { readConfigFile, venueConfig } from '../config.ts';
import type { Command } from '../domain/commands.ts';
import type { Event } from '../domain/events.ts';
import { identityOf } from '../identity.ts';
import { withStoppedVenue } from '../main.ts';
import type { Seal } from '../seal.ts';

/** Opens a stopped venue, submits one command, closes it. A running one holds the lock and refuses. */
export async function submitOnce(
  configFile: string,
  command: (seal: Seal) => Command,
): Promise<readonly Event[]> {
  const { found, base } = readConfigFile(configFile);
  const config = venueConfig(found, base);
  identityOf(config.data);
  return withStoppedVenue({ config }, async (engine, seal) => {
    const { outcome } = await engine.submit(command(seal));
    const refused = outcome.events.find((event) => event.kind === 'refused');
    if (refused !== undefined) throw new Error(refused.message);
    return outcome.events;
  });
}
