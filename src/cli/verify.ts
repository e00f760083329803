import { resolve } from 'node:path';
import { defineCommand } from 'citty';
import { verifyVenue } from '../engine/verify.ts';
import { identityOf } from '../identity.ts';
import { refuseUnknown } from './options.ts';
import { orExplain } from './run.ts';

const ARGS = {
  data: { type: 'string', default: './data', description: 'where the venue lives' },
} as const;

export const verify = defineCommand({
  meta: { name: 'verify', description: 'Replay and audit a stopped venue' },
  args: ARGS,
  run: ({ args }) =>
    orExplain(async () => {
      refuseUnknown(args, ARGS);
      const directory = resolve(args.data);
      const { venueId } = identityOf(directory);
      const verified = verifyVenue({ directory, stamp: venueId });
      console.log(`sequence ${verified.sequence}`);
      console.log(`digest   ${verified.digest}`);
      console.log(`state    ${verified.stateHash}`);
      for (const row of verified.audit.assets) {
        console.log(
          `${row.asset.padEnd(6)} inside ${row.inside} = genesis ${row.genesis} + deposits ` +
            `${row.deposits} - withdrawals ${row.withdrawals} - gas ${row.gas}`,
        );
      }
      for (const fault of verified.audit.faults) console.log(`fault: ${fault}`);
      if (verified.audit.faults.length > 0) throw new Error('not balanced');
      console.log('balanced');
    }),
});
