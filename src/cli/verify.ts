import { join, resolve } from 'node:path';
import { defineCommand } from 'citty';
import { refuseLostEnd, type Verified, verifyVenue } from '../engine/verify.ts';
import { HistoryRefused } from '../history/history.ts';
import { verifyHistory } from '../history/open.ts';
import { identityOf } from '../identity.ts';
import { lockVenue } from '../venue-lock.ts';
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
      identityOf(directory);
      // A running venue moves on while it is looked at: its parts would never agree.
      const unlock = await lockVenue(directory);
      try {
        verifyAll(directory);
      } finally {
        unlock();
      }
    }),
});

function verifyAll(directory: string): void {
  const { venueId } = identityOf(directory);
  const verified = verifyVenue({ directory, venueId });
  const history = checkHistory(join(directory, 'history.db'), venueId, verified);
  console.log(`sequence ${verified.sequence}`);
  console.log(`digest   ${verified.digest}`);
  console.log(`state    ${verified.stateHash}`);
  if (verified.from > 0) console.log(`replayed from ${verified.from}`);
  console.log(`snapshots ${verified.snapshotsChecked}, each the state that replay gives`);
  console.log(`event log to ${verified.eventLog.sequence}, history to ${history.sequence}`);
  for (const remark of [...verified.remarks, ...history.remarks]) console.log(`note: ${remark}`);
  for (const row of verified.audit.assets) {
    console.log(
      `${row.asset.padEnd(6)} inside ${row.inside} = genesis ${row.genesis} + deposits ` +
        `${row.deposits} - withdrawals ${row.withdrawals} - gas ${row.gas}`,
    );
  }
  for (const fault of verified.audit.faults) console.log(`fault: ${fault}`);
  if (verified.audit.faults.length > 0) throw new Error('not balanced');
  console.log('balanced');
}

type CheckedHistory = { readonly sequence: number; readonly remarks: readonly string[] };

/** History may be behind, or not there: it is made from the event log. It may not know more. */
function checkHistory(file: string, venueId: string, verified: Verified): CheckedHistory {
  try {
    const { sequence, events } = verifyHistory({ file, stamp: venueId });
    refuseLostEnd('history', sequence, verified.sequence);
    const isLogged = sequence <= verified.eventLog.sequence;
    const logged = isLogged ? verified.eventLog.eventsUpTo(sequence) : events;
    if (events !== logged) {
      throw new Error(
        `history has counted ${events} events up to ${sequence}, the event log holds ${logged}: ` +
          `delete ${file} to have it made again`,
      );
    }
    const short = verified.sequence - sequence;
    const remark = `history is ${short} commands behind the journal: the next start catches up`;
    return { sequence, remarks: short === 0 ? [] : [remark] };
  } catch (cause) {
    if (!(cause instanceof HistoryRefused && cause.reason === 'missing')) throw cause;
    const remark = `${cause.message}: the next start makes it from the event log`;
    return { sequence: 0, remarks: [remark] };
  }
}
