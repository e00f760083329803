import { runMain } from 'citty';
import { rialto } from './commands.ts';
import { plainErrors, printUsage } from './usage.ts';

// Whatever is written, by whichever thread, is for the owner alone.
process.umask(0o077);
plainErrors();
await runMain(rialto, { showUsage: printUsage });
