import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { readConfigFile, venueConfig } from '../config.ts';
import { identityOf } from '../identity.ts';
import { historyPlace } from '../rooms.ts';
import { lockVenue } from '../venue-lock.ts';
import { verifyData } from '../verify-data.ts';
import { command } from './command.ts';

const ARGS = {
  data: { type: 'string', default: './data', description: 'where the venue lives' },
  archive: {
    type: 'string',
    description: "folder of the archive, if not the data directory's own",
  },
  config: {
    type: 'string',
    description: 'configuration file, of a venue whose history is on a server: it is asked, too',
  },
} as const;

export const verify = command({
  meta: { name: 'verify', description: 'Replay and audit a stopped venue' },
  args: ARGS,
  run: async (args) => {
    const directory = resolve(args.data);
    const archive = args.archive === undefined ? undefined : resolve(args.archive);
    if (archive !== undefined && !existsSync(archive)) throw new Error(`${archive} is not there`);
    const place = args.config === undefined ? undefined : placeIn(args.config, directory);
    identityOf(directory);
    // A running venue changes while it is read: its parts would never agree.
    const unlock = await lockVenue(directory);
    try {
      for await (const line of verifyData(directory, archive, place)) console.log(line);
    } finally {
      unlock();
    }
  },
});

function placeIn(file: string, data: string) {
  const { found, base } = readConfigFile(file);
  return historyPlace({ ...venueConfig(found, base), data });
}
