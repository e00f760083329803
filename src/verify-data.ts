import { join } from 'node:path';
import { backupListIn } from './backup.ts';
import { refuseLostEnd, type Verified, verifyVenue } from './engine/verify.ts';
import { HistoryRefused, type Place } from './history/history.ts';
import { verifyHistory } from './history/open.ts';
import { identityOf } from './identity.ts';

/**
 * Checks everything in the directory of a stopped venue against the journal; yields lines for people, the
 * last is `balanced`. Throws if something is wrong, or if a part is ahead of the journal. History is the file
 * in the directory, unless another place is given.
 */
export async function* verifyData(
  directory: string,
  archive?: string,
  historyPlace: Place = { file: join(directory, 'history.db') },
): AsyncGenerator<string> {
  const { venueId, stoppedAt = 0 } = identityOf(directory);
  const known = backupListIn(directory);
  const verified = verifyVenue({ directory, venueId, archive, known });
  refuseLostEnd('venue.json', stoppedAt, verified.sequence);
  const history = await checkHistory(historyPlace, venueId, verified);
  yield `sequence ${verified.sequence}`;
  yield `digest   ${verified.digest}`;
  yield `state    ${verified.stateHash}`;
  if (verified.from > 0) yield `replayed from ${verified.from}`;
  if (known !== undefined && known.sequence >= verified.from) {
    yield `the digest at ${known.sequence} is that of the backup`;
  }
  yield `snapshots ${verified.snapshotsChecked}, each the state that replay gives`;
  yield `event log to ${verified.eventLog.sequence}, history to ${history.sequence}`;
  for (const remark of [...verified.remarks, ...history.remarks]) yield `note: ${remark}`;
  for (const row of verified.audit.assets) {
    yield `${row.asset.padEnd(6)} inside ${row.inside} = genesis ${row.genesis} + deposits ` +
      `${row.deposits} - withdrawals ${row.withdrawals} - gas ${row.gas}`;
  }
  for (const fault of verified.audit.faults) yield `fault: ${fault}`;
  if (verified.audit.faults.length > 0) throw new Error('not balanced');
  yield 'balanced';
}

type CheckedHistory = { readonly sequence: number; readonly remarks: readonly string[] };

/** History may be behind, or missing: it is made from the event log. It may not be ahead. */
async function checkHistory(
  place: Place,
  venueId: string,
  verified: Verified,
): Promise<CheckedHistory> {
  try {
    const { sequence, events } = await verifyHistory({ ...place, stamp: venueId });
    refuseLostEnd('history', sequence, verified.sequence);
    // If the beginning of the log was deleted, its events can no longer be counted.
    const { firstSequence } = verified.eventLog;
    const isLogged = sequence <= verified.eventLog.sequence && firstSequence <= 1;
    const logged = isLogged ? verified.eventLog.eventsUpTo(sequence) : events;
    if (events !== logged) {
      throw new Error(
        `history has counted ${events} events up to ${sequence}, the event log holds ${logged}: ` +
          ('file' in place
            ? `delete ${place.file} to have it made again`
            : `drop its schema to have it made again (DROP SCHEMA ${place.postgres.schema} CASCADE)`),
      );
    }
    const short = verified.sequence - sequence;
    const count = short === 1 ? '1 command' : `${short} commands`;
    const remark = `history is ${count} behind the journal: the next start catches up`;
    return { sequence, remarks: short === 0 ? [] : [remark] };
  } catch (cause) {
    if (!(cause instanceof HistoryRefused && cause.reason === 'missing')) throw cause;
    const remark = `${cause.message}: the next start makes it from the event log`;
    return { sequence: 0, remarks: [remark] };
  }
}
