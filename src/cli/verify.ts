import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { readConfigFile, type VenueConfig, venueConfig } from '../config.ts';
import { identityOf } from '../identity.ts';
import { historyPlace } from '../rooms.ts';
import { lockVenue } from '../venue-lock.ts';
import { verifyData } from '../verify-data.ts';
import { command } from './command.ts';
import { print } from './print.ts';

const ARGS = {
  data: {
    type: 'string',
    description: 'where the venue lives: ./data, or as the configuration file says',
  },
  archive: {
    type: 'string',
    description: "folder of the archive, if neither the data directory's own nor the file's",
  },
  config: {
    type: 'string',
    description: 'configuration file; if it has history on a server, that is asked, too',
  },
} as const;

export const verify = command({
  meta: { name: 'verify', description: 'Replay and audit a stopped venue' },
  args: ARGS,
  run: async (args) => {
    const config = args.config === undefined ? undefined : configIn(args.config);
    const directory = directoryOf(args.data, config);
    // A copy (--data beside --config) has its own archive.
    const configured = args.data === undefined ? archiveOf(config) : undefined;
    const archive = args.archive === undefined ? configured : resolve(args.archive);
    if (archive !== undefined && !existsSync(archive)) throw new Error(`${archive} is not there`);
    const place = config === undefined ? undefined : historyPlace({ ...config, data: directory });
    identityOf(directory);
    // A running venue changes while it is read: its parts would never agree.
    const unlock = await lockVenue(directory);
    try {
      for await (const line of verifyData(directory, archive, place)) print(line);
    } finally {
      unlock();
    }
  },
});

function configIn(file: string): VenueConfig {
  const { found, base } = readConfigFile(file);
  return venueConfig(found, base);
}

const directoryOf = (data: string | undefined, config: VenueConfig | undefined): string =>
  data === undefined && config !== undefined ? config.data : resolve(data ?? './data');

/** Where the configuration has old segments archived; the data directory's own archive needs no naming. */
function archiveOf(config: VenueConfig | undefined): string | undefined {
  const retention = config?.retention;
  return retention?.action !== 'archive' || retention.mayBeMade ? undefined : retention.folder;
}
