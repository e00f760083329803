import { defineCommand } from 'citty';
import { readConfigFile, venueConfig } from '../config.ts';
import { identityOf } from '../identity.ts';
import { startVenue } from '../main.ts';
import { refuseUnknown } from './options.ts';
import { orExplain, runUntilSignal } from './run.ts';

const ARGS = {
  config: { type: 'string', required: true, description: 'configuration file (JSON)' },
  'allow-clock-behind': {
    type: 'boolean',
    default: false,
    description: 'start although the clock is behind the journal',
  },
} as const;

export const serve = defineCommand({
  meta: { name: 'serve', description: 'Run a venue as its configuration says, without demo data' },
  args: ARGS,
  run: ({ args }) =>
    orExplain(async () => {
      refuseUnknown(args, ARGS);
      const { found, base } = readConfigFile(args.config);
      const config = venueConfig(found, base);
      identityOf(config.data);
      // A reload asked for during the start is not needed: the files are about to be read.
      process.on('SIGHUP', () => undefined);
      const venue = await startVenue({ config, allowClockBehind: args['allow-clock-behind'] });
      runUntilSignal(venue, 'reload');
      const scheme = config.tls === undefined ? 'http' : 'https';
      console.log(`Rialto is open: ${scheme}://${config.host}:${venue.port}`);
      console.log(`  console for operators: ${venue.managementUrl}/console`);
    }),
});
