import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { defineCommand } from 'citty';
import { identityOf } from '../identity.ts';
import { lockVenue } from '../venue-lock.ts';
import { verifyData } from '../verify-data.ts';
import { refuseUnknown } from './options.ts';
import { orExplain } from './run.ts';

const ARGS = {
  data: { type: 'string', default: './data', description: 'where the venue lives' },
  archive: {
    type: 'string',
    description: "folder of the archive, if not the data directory's own",
  },
} as const;

export const verify = defineCommand({
  meta: { name: 'verify', description: 'Replay and audit a stopped venue' },
  args: ARGS,
  run: ({ args }) =>
    orExplain(async () => {
      refuseUnknown(args, ARGS);
      const directory = resolve(args.data);
      const archive = args.archive === undefined ? undefined : resolve(args.archive);
      if (archive !== undefined && !existsSync(archive)) throw new Error(`${archive} is not there`);
      identityOf(directory);
      // A running venue changes while it is read: its parts would never agree.
      const unlock = await lockVenue(directory);
      try {
        for (const line of verifyData(directory, archive)) console.log(line);
      } finally {
        unlock();
      }
    }),
});
