import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { restoreVenue } from '../backup.ts';
import { lockVenue } from '../venue-lock.ts';
import { verifyData } from '../verify-data.ts';
import { backUp } from '../wire/operator-reports.ts';
import { command } from './command.ts';
import { operatorCommand } from './operator-command.ts';
import { print } from './print.ts';

export const backup = operatorCommand({
  name: 'backup',
  description: 'Copy a venue, running or stopped, into a new folder',
  args: {
    to: {
      type: 'string',
      required: true,
      description: 'the folder; new or empty, in one that is there',
    },
  },
  run: (client, { to }) => client.call(backUp, { to: resolve(to) }),
  text: ({ folder, sequence, digest, files, bytes }) =>
    `${folder}: ${files} files, ${bytes} bytes, sequence ${sequence}, digest ${digest}`,
});

const RESTORE_ARGS = {
  from: { type: 'string', required: true, description: 'folder of a backup' },
  data: { type: 'string', required: true, description: 'where the venue shall live; new or empty' },
} as const;

export const restore = command({
  meta: { name: 'restore', description: 'Make a venue of a backup, and verify it' },
  args: RESTORE_ARGS,
  run: async (args) => {
    const [from, data] = [resolve(args.from), resolve(args.data)];
    if (!existsSync(from)) throw new Error(`${from} is not there`);
    const { hasMasterKey, takenAt } = await restoreVenue(from, data);
    print(`restored ${data} from the backup of ${takenAt}`);
    if (!hasMasterKey) {
      print('note: the backup holds no master key; give the one this venue was made with');
    }
    const unlock = await lockVenue(data);
    try {
      for await (const line of verifyData(data)) print(line);
    } finally {
      unlock();
    }
  },
});
